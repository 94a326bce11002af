package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/gavel-review/gavel"
)

// outline is what the two formats for people say, and in which order, before either of them writes it down. Its texts
// are raw.
type outline struct {
	findings   []*gavel.Finding // gravest first, then as in the document
	pending    []*gavel.Finding // those of them that wait for a person
	unjudged   []skipGroup      // unexpected reasons
	expected   []skipGroup
	skipped    int
	settled    int
	reasons    []string // "10 outside the change"
	conditions []string // what the verdict hangs on beside findings, coverage and suppressions
	next       []step
}

type skipGroup struct {
	reason gavel.SkipReason
	skips  []gavel.Skip
}

// step is one thing to do next, with the commands that do it.
type step struct {
	text     string
	commands []string
}

// maxCommands is how many commands of one kind a report spells out.
const maxCommands = 5

// Acceptance is how a person accepts a suppression that the change brings.
type Acceptance struct {
	// Unbound says that the document is of no subject that an acknowledgement could be bound to.
	Unbound bool
	// Scope is what the command needs to find the same change again: words of a shell, or "".
	Scope string
}

func newOutline(doc *gavel.Document, v gavel.Verdict, accept Acceptance) *outline {
	o := &outline{findings: make([]*gavel.Finding, len(doc.Findings)), settled: len(doc.Settled), skipped: len(doc.Meta.Coverage.Skipped)}
	for i := range doc.Findings {
		o.findings[i] = &doc.Findings[i]
	}
	slices.SortStableFunc(o.findings, func(a, b *gavel.Finding) int { return cmp.Compare(b.Severity, a.Severity) })
	for _, f := range o.findings {
		if f.Pending != "" {
			o.pending = append(o.pending, f)
		}
	}
	o.unjudged = groupSkips(doc.Meta.Coverage.Skipped, unexpectedSkips)
	o.expected = groupSkips(doc.Meta.Coverage.Skipped, expectedSkips)
	o.reasons = settledReasons(doc.Settled)
	o.conditions = conditions(v)
	o.next = o.steps(doc, v, accept)
	return o
}

func groupSkips(skipped []gavel.Skip, order []gavel.SkipReason) []skipGroup {
	by := map[gavel.SkipReason][]gavel.Skip{}
	for _, s := range skipped {
		by[s.Reason] = append(by[s.Reason], s)
	}
	var groups []skipGroup
	for _, reason := range order {
		if skips := by[reason]; skips != nil {
			groups = append(groups, skipGroup{reason, skips})
		}
	}
	return groups
}

var reasonPhrases = map[gavel.Reason]string{
	gavel.ReasonOutsideChange:  "outside the change",
	gavel.ReasonRuled:          "acknowledged",
	gavel.ReasonBaseline:       "in the baseline",
	gavel.ReasonSuppressed:     "suppressed",
	gavel.ReasonDuplicate:      "said twice",
	gavel.ReasonExcluded:       "in excluded paths",
	gavel.ReasonBelowThreshold: "below the bar of min_severity",
}

// settledReasons counts every finding once, under its first reason.
func settledReasons(settled []gavel.Finding) []string {
	counts := map[gavel.Reason]int{}
	for i := range settled {
		if s := settled[i].Settled; len(s) > 0 {
			counts[s[0].Reason]++
		}
	}
	var out []string
	for _, r := range reasons {
		if n := counts[r]; n > 0 {
			out = append(out, fmt.Sprintf("%d %s", n, reasonPhrases[r]))
		}
	}
	return out
}

// conditions are the verdict's caveats without those that the report shows in a place of their own.
func conditions(v gavel.Verdict) []string {
	shown := map[string]bool{}
	for _, g := range v.Gates {
		switch g.ID {
		case "findings", "coverage", "suppressions":
			shown[g.ID+": "+g.Reason] = true
		}
	}
	var out []string
	for _, line := range slices.Concat(v.Caveats, blockedElsewhere(v)) {
		if !shown[line] && !slices.Contains(out, line) {
			out = append(out, line)
		}
	}
	return out
}

// blockedElsewhere is what blocks beside the findings: a check that failed.
func blockedElsewhere(v gavel.Verdict) []string {
	var out []string
	for _, g := range v.Gates {
		if g.Status == gavel.GateFail && g.ID != "findings" {
			out = append(out, g.ID+": "+strings.Join(slices.Insert(slices.Clone(g.Evidence), 0, g.Reason), "; "))
		}
	}
	return out
}

func (o *outline) steps(doc *gavel.Document, v gavel.Verdict, accept Acceptance) []step {
	var steps []step
	if t := doc.Truncated; t != nil {
		steps = append(steps, step{text: fmt.Sprintf("Only %d of %d findings are here: ask for the rest before you judge.", t.Returned, t.Total)})
	}
	if len(o.unjudged) > 0 {
		steps = append(steps, step{text: "Look at the paths that could not be judged; nothing is said about them."})
	}
	if len(o.pending) > 0 && accept.Unbound {
		steps = append(steps, step{text: "Look at what is suppressed here and is not on the trusted base; a review of the change can accept it."})
	}
	if len(o.pending) > 0 && !accept.Unbound {
		s := step{text: "Look at what the change suppresses itself, then fix it or accept it:"}
		for i, f := range o.pending {
			if i == maxCommands {
				s.text = fmt.Sprintf("Look at what the change suppresses itself, then fix it or accept it (the first %d of %d):", i, len(o.pending))
				break
			}
			s.commands = append(s.commands, strings.TrimSpace("gavel acknowledge "+f.Fingerprint+" --why REASON "+accept.Scope))
		}
		steps = append(steps, s)
	}
	if f := o.firstToFix(v); f != nil && f.Source == gavel.SourceDetector {
		steps = append(steps, step{"What the gravest finding is about and how to fix it:", []string{"gavel explain " + f.Rule}})
	}
	return steps
}

func (o *outline) firstToFix(v gavel.Verdict) *gavel.Finding {
	if len(o.findings) == 0 || v.Decision == gavel.Pass || o.findings[0].Descriptive {
		return nil
	}
	return o.findings[0]
}

func place(f *gavel.Finding) string {
	if f.Column > 0 {
		return fmt.Sprintf("%s:%d:%d", f.File, f.Line, f.Column)
	}
	return fmt.Sprintf("%s:%d", f.File, f.Line)
}

// facts are what a reader needs to weigh the finding and that its texts do not say.
func facts(f *gavel.Finding) []string {
	var out []string
	if f.Commit != "" {
		out = append(out, "commit "+gavel.ShortCommit(f.Commit))
	}
	switch {
	case f.Source == gavel.SourceCheck && f.Check != "":
		out = append(out, "said by "+f.Check)
	case f.Source != gavel.SourceDetector:
		out = append(out, "said by a "+string(f.Source))
	}
	if !f.Located {
		out = append(out, "the quoted line is not in the change")
	}
	if f.Confidence != "" && f.Confidence != gavel.ConfidenceHigh {
		out = append(out, string(f.Confidence)+" confidence")
	}
	switch f.Baseline {
	case gavel.BaselineUnknown:
		out = append(out, "old or new is not known")
	case gavel.BaselineUnchanged:
		out = append(out, "not new")
	}
	if f.Descriptive {
		out = append(out, "counts for nothing")
	}
	if f.CWE != "" {
		out = append(out, f.CWE)
	}
	return out
}

// clip cuts foreign text to at most n bytes, at a character.
func clip(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && s[n]&0xc0 == 0x80 {
		n--
	}
	return s[:n] + " …"
}
