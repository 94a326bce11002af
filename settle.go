package gavel

import (
	"fmt"
	"slices"
	"time"
)

// Ruling is one judgement on a finding, append-only.
type Ruling struct {
	Fingerprint string    `json:"fingerprint"`
	Subject     string    `json:"subject"` // the tree it was made on; it dies when the subject moves
	Why         string    `json:"why"`
	By          string    `json:"by"`
	At          time.Time `json:"at"`
}

// Settlements is everything that may take a finding out of the verdict.
type Settlements struct {
	Baseline     map[string]int // fingerprint -> how many of them are old
	Suppressions []Suppression
	Rulings      []Ruling // only those of the subject under judgement
	Subject      string   // its tree
	Excluded     func(path string) bool
	FailOn       Threshold // bar from which a suppression that the change brings needs a person
	MinSeverity  Severity  // findings below it are marked, never taken out of a count
	Aliases      func(rule string) []string
}

// Settle marks every finding that does not count with the reasons for it and returns all of them, sorted. It is total
// (as many out as in), idempotent and independent of order, and never changes a severity. The representative of
// duplicates is the most severe of those that nothing else settles, so that a suppressed finding never takes an
// unsuppressed one with it.
func Settle(findings []Finding, s Settlements) []Finding {
	out := make([]Finding, len(findings))
	for i, f := range findings {
		f.Settled = nil
		f.Pending = ""
		if f.Baseline == BaselineUnchanged && f.Source == SourceDetector {
			f.Baseline = BaselineNew
		}
		out[i] = f
	}
	slices.SortStableFunc(out, CompareFindings)
	left := make(map[string]int, len(s.Baseline))
	for print, n := range s.Baseline {
		left[print] = n
	}
	for i := range out {
		f := &out[i]
		s.outside(f)
		s.baseline(f, left)
		s.suppress(f)
	}
	settleDuplicates(out)
	for i := range out {
		if f := &out[i]; f.Severity < s.MinSeverity {
			f.settle(ReasonBelowThreshold, "below "+s.MinSeverity.String())
		}
	}
	return out
}

func (f *Finding) settle(reason Reason, detail string) {
	f.Settled = append(f.Settled, Settlement{reason, detail})
}

func (f *Finding) unsuppressible() bool { return f.Category == CategorySecret && f.Severity >= High }

func (s Settlements) outside(f *Finding) {
	if f.Source == SourceDetector && f.Scope != ScopeChangedLine {
		f.settle(ReasonOutsideChange, "not on a changed line")
	}
	if s.Excluded != nil && !f.unsuppressible() && s.Excluded(f.File) {
		f.settle(ReasonExcluded, "path excluded by policy")
	}
}

func (s Settlements) baseline(f *Finding, left map[string]int) {
	for _, print := range append([]string{f.Fingerprint}, f.Aliases...) {
		if left[print] > 0 {
			left[print]--
			f.Baseline = BaselineUnchanged
			f.settle(ReasonBaseline, print)
			return
		}
	}
}

// suppress applies the strongest suppression that covers the finding. One on the trusted base settles. One that the
// change brings settles below the bar; at or above it a person has to acknowledge, and a grave secret not even then.
func (s Settlements) suppress(f *Finding) {
	var brought *Suppression
	for i := range s.Suppressions {
		sup := &s.Suppressions[i]
		if !sup.Covers(f, s.Aliases) {
			continue
		}
		if sup.Trusted {
			f.settle(ReasonSuppressed, sup.describe())
			return
		}
		if brought == nil || sup.describe() < brought.describe() {
			brought = sup
		}
	}
	switch {
	case brought == nil || f.unsuppressible():
	case !s.FailOn.Trips(f.Severity):
		f.settle(ReasonSuppressed, brought.describe())
	default:
		s.acknowledge(f, brought)
	}
}

func (s Settlements) acknowledge(f *Finding, sup *Suppression) {
	for _, r := range s.Rulings {
		if r.Fingerprint == f.Fingerprint && r.Subject == s.Subject && s.Subject != "" {
			f.settle(ReasonRuled, fmt.Sprintf("acknowledged by %s: %s", r.By, r.Why))
			return
		}
	}
	f.Pending = sup.describe()
}

func (s Suppression) describe() string {
	return fmt.Sprintf("line %d, until %s: %s", s.Line, s.Until.Format(time.DateOnly), s.Reason)
}

// settleDuplicates marks all but one of the findings that say the same kind of thing about the same place. Findings
// that something else has settled, or that wait for an acknowledgement, are duplicates of nothing and hide nothing.
func settleDuplicates(sorted []Finding) {
	type place struct {
		file         string
		line, column int
		category     Category
		rule         string
	}
	best := make(map[place]int)
	key := func(f *Finding) place {
		p := place{f.File, f.Line, f.Column, f.Category, ""}
		if f.Column == 0 {
			p.rule = f.Rule
		}
		return p
	}
	for i := range sorted {
		f := &sorted[i]
		if len(f.Settled) > 0 || f.Pending != "" {
			continue
		}
		k := key(f)
		if j, ok := best[k]; !ok || f.Severity > sorted[j].Severity {
			best[k] = i
		}
	}
	for i := range sorted {
		f := &sorted[i]
		if len(f.Settled) > 0 || f.Pending != "" {
			continue
		}
		if j := best[key(f)]; j != i {
			f.settle(ReasonDuplicate, "of "+sorted[j].Rule)
		}
	}
}
