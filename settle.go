package gavel

import (
	"cmp"
	"fmt"
	"maps"
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
	Baseline map[string]int // fingerprint -> how many of them are old
	// Untouched are findings on lines that the change leaves alone and that are not among those to settle: they are old
	// for certain, so they take their share of the baseline before anything that the change may have brought.
	Untouched    []Finding
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
	s.FailOn = cmp.Or(s.FailOn, DefaultPolicy().FailOn)
	out := make([]Finding, len(findings))
	for i, f := range findings {
		out[i] = f.unsettled()
	}
	out = inOrder(out)
	for i := range out {
		s.outside(&out[i])
		s.suppress(&out[i])
	}
	s.settleOld(out)
	settleDuplicates(out)
	for i := range out {
		f := &out[i]
		if !f.gates() {
			f.Pending = ""
		}
		if f.Severity < s.MinSeverity {
			f.settle(ReasonBelowThreshold, "below "+s.MinSeverity.String())
		}
	}
	return inOrder(out)
}

// inOrder returns the findings sorted. It moves pointers: a finding is large.
func inOrder(findings []Finding) []Finding {
	order := make([]*Finding, len(findings))
	for i := range findings {
		order[i] = &findings[i]
	}
	slices.SortFunc(order, compareFindings)
	out := make([]Finding, len(findings))
	for i, f := range order {
		out[i] = *f
	}
	return out
}

// unsettled takes back what an earlier Settle has said. Only a check compares with the merge base itself; what anybody
// else calls unchanged is new until the baseline says otherwise.
func (f Finding) unsettled() Finding {
	listed := slices.ContainsFunc(f.Settled, func(s Settlement) bool { return s.Reason == ReasonBaseline })
	if f.Baseline == "" || listed || f.Baseline == BaselineUnchanged && f.Source != SourceCheck {
		f.Baseline = BaselineNew
	}
	f.Settled, f.Pending = nil, ""
	return f
}

func (f *Finding) settle(reason Reason, detail string) {
	f.Settled = append(f.Settled, Settlement{reason, detail})
}

func (f *Finding) unsuppressible() bool { return f.Category == CategorySecret && f.Severity >= High }

// outside settles what the change is not about. A scope outside the closed list counts.
func (s Settlements) outside(f *Finding) {
	if f.Source == SourceDetector && (f.Scope == ScopeChangedFile || f.Scope == ScopeElsewhere) {
		f.settle(ReasonOutsideChange, "not on a changed line")
	}
	if s.Excluded != nil && !f.unsuppressible() && s.Excluded(f.File) {
		f.settle(ReasonExcluded, "path excluded by policy")
	}
}

// settleOld spends the baseline, a multiset: as many findings are old as it has counted. Which of several equal ones
// are old cannot be known, so it is spent where it lets the least pass: first on what the change leaves alone, then on
// what something else settles, then on what moves no gate, then from the least severe up; and on a finding's own
// fingerprint before its aliases.
func (s Settlements) settleOld(sorted []Finding) {
	if len(s.Baseline) == 0 {
		return
	}
	left := maps.Clone(s.Baseline)
	var groups [4][]*Finding
	untouched := inOrder(s.Untouched)
	for i := range untouched {
		groups[0] = append(groups[0], &untouched[i])
	}
	for i := range sorted {
		f := &sorted[i]
		rank := 1
		if f.Counts() {
			rank++
		}
		if f.gates() {
			rank++
		}
		groups[rank] = append(groups[rank], f)
	}
	for _, group := range groups {
		slices.SortStableFunc(group, func(a, b *Finding) int { return cmp.Compare(a.Severity, b.Severity) })
		spent := make([]bool, len(group))
		for i, f := range group {
			spent[i] = f.settleOld(left, f.Fingerprint)
		}
		for i, f := range group {
			if !spent[i] {
				f.settleOld(left, f.Aliases...)
			}
		}
	}
}

// settleOld takes one of the prints out of what is left. What is old already takes its share and needs no reason.
func (f *Finding) settleOld(left map[string]int, prints ...string) (spent bool) {
	if f.Fresh {
		return false
	}
	for _, print := range prints {
		if left[print] <= 0 {
			continue
		}
		left[print]--
		if f.Baseline != BaselineUnchanged && f.Baseline != BaselineAbsent {
			f.Baseline = BaselineUnchanged
			f.settle(ReasonBaseline, print)
		}
		return true
	}
	return false
}

// suppress applies the strongest suppression that covers the finding. One on the trusted base settles. One that the
// change brings settles below the bar; at or above it a person has to acknowledge, and a grave secret not even then.
func (s Settlements) suppress(f *Finding) {
	var trusted, brought *Suppression
	for i := range s.Suppressions {
		sup := &s.Suppressions[i]
		switch {
		case !sup.Covers(f, s.Aliases):
		case sup.Trusted:
			trusted = sup.first(trusted)
		default:
			brought = sup.first(brought)
		}
	}
	switch {
	case trusted != nil:
		f.settle(ReasonSuppressed, trusted.describe())
	case brought == nil || f.unsuppressible():
	case !s.FailOn.Trips(f.Severity):
		f.settle(ReasonSuppressed, brought.describe())
	default:
		s.acknowledge(f, brought)
	}
}

// first picks one of two suppressions that say the same, whatever order they came in.
func (s *Suppression) first(other *Suppression) *Suppression {
	if other == nil || s.describe() < other.describe() {
		return s
	}
	return other
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

// place is where duplicates meet. Findings that weigh differently never do: one that moves no gate must not hide one
// that does. Without a column only the same rule is known to speak of the same thing.
type place struct {
	commit, file string
	line, column int
	category     Category
	rule         string
	baseline     BaselineState
	counts       bool
	gates        bool
}

func (f *Finding) place() place {
	p := place{f.Commit, f.File, f.Line, f.Column, f.Category, "", f.Baseline, f.Counts(), f.gates()}
	if f.Column == 0 {
		p.rule = f.Rule
	}
	return p
}

// settleDuplicates marks all but one of the findings that say the same kind of thing about the same place. Findings
// that something else has settled, or that wait for an acknowledgement, are duplicates of nothing and hide nothing.
func settleDuplicates(sorted []Finding) {
	best := make(map[place]int)
	for i := range sorted {
		f := &sorted[i]
		if len(f.Settled) > 0 || f.Pending != "" {
			continue
		}
		if j, ok := best[f.place()]; !ok || f.Severity > sorted[j].Severity {
			best[f.place()] = i
		}
	}
	for i := range sorted {
		f := &sorted[i]
		if len(f.Settled) > 0 || f.Pending != "" {
			continue
		}
		if j := best[f.place()]; j != i {
			f.settle(ReasonDuplicate, "of "+sorted[j].Rule)
		}
	}
}
