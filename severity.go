package gavel

import "fmt"

// Severity orders findings by how much harm the stated thing does: Critical > High > Medium > Low > Info.
// The zero value is no severity and never valid on a finding.
type Severity uint8

// The severities, least first, so that comparison operators read naturally.
const (
	NoSeverity Severity = iota
	Info
	Low
	Medium
	High
	Critical
)

// Severities lists every valid severity, gravest first: the order of counts and reports.
var Severities = [...]Severity{Critical, High, Medium, Low, Info}

var severityNames = [...]string{"", "info", "low", "medium", "high", "critical"}

// String returns the wire word, or "" for NoSeverity.
func (s Severity) String() string {
	if int(s) < len(severityNames) {
		return severityNames[s]
	}
	return fmt.Sprintf("severity(%d)", uint8(s))
}

// Level maps the severity to a SARIF 2.1.0 level (§3.27.10): critical and high are errors, medium is a warning,
// the rest are notes.
func (s Severity) Level() string {
	switch {
	case s >= High:
		return "error"
	case s == Medium:
		return "warning"
	case s == NoSeverity:
		return "none"
	}
	return "note"
}

// MarshalText implements encoding.TextMarshaler. An undefined severity is an error: it must never reach a document.
func (s Severity) MarshalText() ([]byte, error) {
	if s == NoSeverity || int(s) >= len(severityNames) {
		return nil, fmt.Errorf("invalid severity %d", uint8(s))
	}
	return []byte(severityNames[s]), nil
}

// UnmarshalText implements encoding.TextUnmarshaler; only the five lower-case words are accepted.
func (s *Severity) UnmarshalText(b []byte) error {
	v, err := ParseSeverity(string(b))
	if err != nil {
		return err
	}
	*s = v
	return nil
}

// ParseSeverity reads one of critical, high, medium, low, info.
func ParseSeverity(word string) (Severity, error) {
	for i, name := range severityNames {
		if i > 0 && name == word {
			return Severity(i), nil
		}
	}
	return NoSeverity, fmt.Errorf("unknown severity %q: use critical, high, medium, low or info", word)
}

// Threshold is the lowest severity that trips a gate. The zero value means that no threshold was given, which is
// different from None: without a threshold the verdict decides, with None nothing trips.
type Threshold string

// The thresholds that are not severities. Any is the same bar as info, kept apart so that it is echoed as given.
const (
	Unset Threshold = ""
	None  Threshold = "none"
	Any   Threshold = "any"
)

// ParseThreshold reads a severity word, any or none.
func ParseThreshold(word string) (Threshold, error) {
	switch t := Threshold(word); t {
	case None, Any:
		return t, nil
	}
	if _, err := ParseSeverity(word); err != nil {
		return Unset, fmt.Errorf("unknown threshold %q: use critical, high, medium, low, info, any or none", word)
	}
	return Threshold(word), nil
}

// Trips reports whether a finding of severity s reaches the threshold. Unset and None are never reached; a word outside
// the closed list is the strictest bar, so that a mistake never lets anything pass.
func (t Threshold) Trips(s Severity) bool {
	bar := t.bar()
	return bar != NoSeverity && s >= bar
}

// Stricter returns whichever of the two stops more changes; Unset is no opinion.
func (t Threshold) Stricter(u Threshold) Threshold {
	switch {
	case t == Unset:
		return u
	case u == Unset:
		return t
	case t.rank() <= u.rank():
		return t
	}
	return u
}

func (t Threshold) rank() int {
	if t.bar() == NoSeverity {
		return int(Critical) + 1
	}
	return int(t.bar())
}

func (t Threshold) bar() Severity {
	if t == Unset || t == None {
		return NoSeverity
	}
	s, err := ParseSeverity(string(t))
	if err != nil {
		return Info
	}
	return s
}
