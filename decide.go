package gavel

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Evidence is everything that a verdict is computed from.
type Evidence struct {
	Findings []Finding // all of them, settled ones too
	Skipped  []Skip
	Checks   []CheckResult
	// Gates are conditions that were decided elsewhere. The reason of a conditional or unknown one says what to do.
	Gates []Gate
	// ConfigChanged names what the change touches of how it is checked: a tool's configuration, an inline disable.
	ConfigChanged []string
	// LeftOut names the families that the profile does not ask for: tests, audit, model review.
	LeftOut []string
	Profile Profile
	// NoChanges is true when nothing differs from the base, so that only what looks at the repository was measured.
	NoChanges bool
	// NotJudged, where set, says why no verdict can be given at all: a configured model that failed.
	NotJudged string
	Caveats   []string
}

// Decide computes the verdict. It is pure, and the worst signal wins: more evidence of badness never improves it.
// A clean change passes; what nobody asked for is neutral. The reason of every gate that makes the verdict CONDITIONAL
// says what a person must do.
func Decide(e Evidence, p Policy) Verdict {
	v := Verdict{Decision: Pass, Blocking: []string{}, Caveats: append([]string{}, e.Caveats...), Gates: []Gate{}}
	v.Caveats = append(v.Caveats, e.caveats()...)
	own, rest := e.findingsByCheck()
	v.add(findingsGate(rest, p))
	v.add(coverageGate(e.Skipped))
	if g, ok := suppressionGate(e.Findings); ok {
		v.add(g)
		v.Pending = slices.ContainsFunc(e.Findings, pendingBlock)
	}
	v.addChecks(e.Checks, own, p)
	if g, ok := configGate(e.ConfigChanged); ok {
		v.add(g)
	}
	for _, g := range sortedGates(e.Gates) {
		v.add(g)
	}
	if e.NotJudged != "" {
		v.Decision, v.NotJudged, v.Incomplete = NoDecision, e.NotJudged, true
	}
	return v
}

// caveats are what limits the verdict without moving it.
func (e Evidence) caveats() []string {
	var out []string
	if e.NoChanges {
		out = append(out, "no_changes: nothing differs from the base; only what looks at the repository as a whole was measured")
	}
	if len(e.LeftOut) > 0 {
		out = append(out, fmt.Sprintf("left_out: %s not asked for by the profile %s", andList(e.LeftOut), cmp.Or(e.Profile, "in use")))
	}
	return out
}

// andList joins names as a sentence does, with the verb that fits.
func andList(names []string) string {
	last := len(names) - 1
	if last == 0 {
		return names[0] + " is"
	}
	return strings.Join(names[:last], ", ") + " and " + names[last] + " are"
}

// add takes one more gate into the verdict. A status outside the closed list is an unknown one.
func (v *Verdict) add(g Gate) {
	if g.Evidence == nil {
		g.Evidence = []string{}
	}
	v.Gates = append(v.Gates, g)
	decision, incomplete := g.decision()
	v.Incomplete = v.Incomplete || incomplete
	v.Decision = worse(v.Decision, decision)
	switch {
	case decision == Block:
		v.Blocking = append(v.Blocking, blockingLines(g)...)
	case decision == Conditional, g.Status == GateNeutral && g.Reason != "":
		v.Caveats = append(v.Caveats, g.ID+": "+g.Reason)
	}
}

// decision is what the gate alone would decide, and whether something was not measured.
func (g *Gate) decision() (d Decision, incomplete bool) {
	switch g.Status {
	case GatePass, GateNeutral:
		return Pass, false
	case GateFail:
		return Block, false
	case GateConditional:
		return Conditional, false
	}
	return Conditional, true
}

// worse returns the worse of two decisions. No decision is worse than a condition and better than measured badness.
func worse(a, b Decision) Decision {
	if a.badness() >= b.badness() {
		return a
	}
	return b
}

func (d Decision) badness() int {
	return slices.Index([]Decision{Pass, Conditional, NoDecision, Block}, d)
}

func blockingLines(g Gate) []string {
	if len(g.Evidence) == 0 {
		return []string{g.ID + ": " + g.Reason}
	}
	return g.Evidence
}

// weighed are the findings of one gate: those that block, and those that a person must look at.
type weighed struct{ blocking, warning []Finding }

func weigh(findings []Finding, p Policy) weighed {
	var w weighed
	failOn, warnOn := p.bars()
	for _, f := range findings {
		trips := failOn.Trips(f.Severity)
		switch {
		case !f.gates() || f.Pending != "":
		case trips && f.Baseline != BaselineUnknown:
			w.blocking = append(w.blocking, f)
		case trips, f.Severity > Low && warnOn.Trips(f.Severity), f.Severity == NoSeverity:
			w.warning = append(w.warning, f)
		}
	}
	return w
}

// gate is what the findings alone make of a gate.
func (w weighed) gate(id string, p Policy) Gate {
	switch {
	case len(w.blocking) > 0:
		failOn, _ := p.bars()
		return Gate{id, GateFail, fmt.Sprintf("%d at or above %s", len(w.blocking), failOn), evidence(w.blocking)}
	case len(w.warning) > 0:
		return Gate{id, GateConditional, fmt.Sprintf("look at %s: %s", countOf(len(w.warning), "finding"), firstOf(evidence(w.warning))), evidence(w.warning)}
	}
	return Gate{id, GatePass, "", []string{}}
}

func findingsGate(findings []Finding, p Policy) Gate { return weigh(findings, p).gate("findings", p) }

const maxEvidence = 20

// firstOf is the beginning of a list of evidence in one line.
func firstOf(lines []string) string {
	if len(lines) > 3 {
		return strings.Join(lines[:3], "; ") + "; …"
	}
	return strings.Join(lines, "; ")
}

func evidence(fs []Finding) []string {
	slices.SortStableFunc(fs, func(a, b Finding) int {
		return cmp.Or(cmp.Compare(b.Severity, a.Severity), CompareFindings(a, b))
	})
	lines := make([]string, 0, min(len(fs), maxEvidence))
	for i, f := range fs {
		if i == maxEvidence {
			lines = append(lines, fmt.Sprintf("and %d more", len(fs)-maxEvidence))
			break
		}
		lines = append(lines, f.line())
	}
	return lines
}

// line is the finding in one line: where, how grave, what.
func (f *Finding) line() string {
	what := fmt.Sprintf("%s %s: %s", f.Severity, f.Rule, f.Title)
	switch {
	case f.File == "":
		return what
	case f.Line < 1:
		return f.File + " " + what
	}
	return fmt.Sprintf("%s:%d %s", f.File, f.Line, what)
}

// atMost cuts a list of evidence.
func atMost(lines []string) []string {
	if len(lines) <= maxEvidence {
		return lines
	}
	return append(lines[:maxEvidence:maxEvidence], fmt.Sprintf("and %d more", len(lines)-maxEvidence))
}

func coverageGate(skipped []Skip) Gate {
	lines := []string{}
	for _, s := range skipped {
		if !s.Reason.Expected() {
			lines = append(lines, fmt.Sprintf("%s: %s", s.Path, s.Reason))
		}
	}
	if len(lines) == 0 {
		return Gate{"coverage", GatePass, "", lines}
	}
	slices.Sort(lines)
	reason := fmt.Sprintf("look at what could not be judged, %s: %s", countOf(len(lines), "changed path"), firstOf(lines))
	return Gate{"coverage", GateUnknown, reason, atMost(lines)}
}

func suppressionGate(findings []Finding) (Gate, bool) {
	var waiting []Finding
	for _, f := range findings {
		if f.Pending != "" && f.gates() {
			waiting = append(waiting, f)
		}
	}
	if len(waiting) == 0 {
		return Gate{}, false
	}
	reason := fmt.Sprintf("suppression_pending: the change suppresses %s of its own; a person must look and run `gavel acknowledge`", countOf(len(waiting), "finding"))
	return Gate{"suppressions", GateConditional, reason, evidence(waiting)}, true
}

// pendingBlock reports whether the finding would block if the change did not suppress it. One whose age is not known
// would not, so waiting for a person is all that it asks for.
func pendingBlock(f Finding) bool {
	return f.Pending != "" && f.gates() && f.Baseline != BaselineUnknown
}

// configGate asks a person to look at a change of how the change itself is checked.
func configGate(touched []string) (Gate, bool) {
	if len(touched) == 0 {
		return Gate{}, false
	}
	lines := slices.Sorted(slices.Values(touched))
	reason := "look at how the change alters its own checks: " + firstOf(lines)
	return Gate{"check_config_changed", GateConditional, reason, atMost(lines)}, true
}

func sortedGates(gates []Gate) []Gate {
	return slices.SortedStableFunc(slices.Values(gates), func(a, b Gate) int {
		return cmp.Or(cmp.Compare(a.ID, b.ID), cmp.Compare(a.Status, b.Status), cmp.Compare(a.Reason, b.Reason), slices.Compare(a.Evidence, b.Evidence))
	})
}

// countOf is a number with its noun.
func countOf(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// Tripped counts the findings that reach the threshold, and names the gravest. Suppressions that wait for a person do not
// keep a finding from counting.
func Tripped(findings []Finding, t Threshold) (n int, gravest Severity) {
	for i := range findings {
		f := &findings[i]
		if f.gates() && t.Trips(f.Severity) {
			n++
			gravest = max(gravest, f.Severity)
		}
	}
	return n, gravest
}
