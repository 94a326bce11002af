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
	// Gates are conditions that were decided elsewhere: a configuration that the change touches, say.
	Gates []Gate
	// NotJudged, where set, says why no verdict can be given at all: a configured model that failed.
	NotJudged string
	Caveats   []string
}

// Decide computes the verdict. It is pure, and the worst signal wins: more evidence of badness never improves it.
// A clean change passes; what nobody asked for is neutral.
func Decide(e Evidence, p Policy) Verdict {
	v := Verdict{Blocking: []string{}, Caveats: []string{}, Gates: []Gate{}}
	v.Caveats = append(v.Caveats, e.Caveats...)
	v.Gates = append(v.Gates, findingsGate(e.Findings, p))
	v.Gates = append(v.Gates, coverageGate(e.Skipped))
	if g, ok := suppressionGate(e.Findings); ok {
		v.Gates = append(v.Gates, g)
		v.Pending = slices.ContainsFunc(e.Findings, pendingBlock)
	}
	for _, c := range sortedChecks(e.Checks) {
		c.Required = c.Required || slices.Contains(p.Required, c.ID)
		v.Gates = append(v.Gates, checkGate(c))
	}
	v.Gates = append(v.Gates, requiredGates(p.Required, e.Checks)...)
	v.Gates = append(v.Gates, e.Gates...)
	for i := range v.Gates {
		if v.Gates[i].Evidence == nil {
			v.Gates[i].Evidence = []string{}
		}
	}
	v.conclude()
	if e.NotJudged != "" {
		v.Decision, v.NotJudged, v.Incomplete = NoDecision, e.NotJudged, true
	}
	return v
}

// conclude derives the decision from the gates alone. A status outside the closed list is an unknown one.
func (v *Verdict) conclude() {
	v.Decision = Pass
	for _, g := range v.Gates {
		line := g.ID + ": " + g.Reason
		switch g.Status {
		case GatePass, GateNeutral:
			if g.Status == GateNeutral && g.Reason != "" {
				v.Caveats = append(v.Caveats, line)
			}
		case GateFail:
			v.Decision = Block
			v.Blocking = append(v.Blocking, blockingLines(g)...)
		case GateConditional:
			v.worsen(Conditional)
			v.Caveats = append(v.Caveats, line)
		default:
			v.worsen(Conditional)
			v.Incomplete = true
			v.Caveats = append(v.Caveats, line)
		}
	}
}

func (v *Verdict) worsen(d Decision) {
	if v.Decision != Block {
		v.Decision = d
	}
}

func blockingLines(g Gate) []string {
	if len(g.Evidence) == 0 {
		return []string{g.ID + ": " + g.Reason}
	}
	return g.Evidence
}

const maxEvidence = 20

func findingsGate(findings []Finding, p Policy) Gate {
	var blocking, warning []Finding
	failOn, warnOn := p.bars()
	for _, f := range findings {
		trips := failOn.Trips(f.Severity)
		switch {
		case !f.gates() || f.Pending != "":
		case trips && f.Baseline != BaselineUnknown:
			blocking = append(blocking, f)
		case trips, f.Severity > Low && warnOn.Trips(f.Severity), f.Severity == NoSeverity:
			warning = append(warning, f)
		}
	}
	switch {
	case len(blocking) > 0:
		return Gate{"findings", GateFail, fmt.Sprintf("%d at or above %s", len(blocking), failOn), evidence(blocking)}
	case len(warning) > 0:
		return Gate{"findings", GateConditional, fmt.Sprintf("%d to look at: %s", len(warning), firstOf(warning)), evidence(warning)}
	}
	return Gate{"findings", GatePass, "", []string{}}
}

func firstOf(fs []Finding) string {
	lines := evidence(fs)
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
		lines = append(lines, fmt.Sprintf("%s:%d %s %s: %s", f.File, f.Line, f.Severity, f.Rule, f.Title))
	}
	return lines
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
	reason := fmt.Sprintf("%d changed paths could not be judged: %s", len(lines), lines[0])
	if len(lines) == 1 {
		reason = "could not be judged: " + lines[0]
	}
	if len(lines) > maxEvidence {
		lines = append(lines[:maxEvidence:maxEvidence], fmt.Sprintf("and %d more", len(lines)-maxEvidence))
	}
	return Gate{"coverage", GateUnknown, reason, lines}
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

// countOf is a number with its noun.
func countOf(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

func sortedChecks(checks []CheckResult) []CheckResult {
	c := slices.Clone(checks)
	slices.SortStableFunc(c, func(a, b CheckResult) int {
		return cmp.Or(cmp.Compare(a.ID, b.ID), cmp.Compare(a.Status, b.Status), cmp.Compare(a.Reason, b.Reason),
			cmp.Compare(a.Baseline, b.Baseline), compareBools(a.Required, b.Required))
	})
	return c
}

func checkGate(c CheckResult) Gate {
	g := Gate{ID: "check/" + c.ID, Evidence: []string{}}
	switch c.Status {
	case CheckPass:
		g.Status = GatePass
	case CheckSkip:
		g.Status = GateNeutral
		if c.Required {
			g.Status = GateUnknown
		}
	case CheckFail:
		g.Status = failedGate(c)
	default:
		g.Status = GateNeutral
		if c.Required {
			g.Status = GateUnknown
		}
	}
	if g.Status != GatePass {
		g.Reason = string(c.Status)
		if c.Reason != "" {
			g.Reason += ": " + c.Reason
		}
	}
	return g
}

func failedGate(c CheckResult) GateStatus {
	switch c.Baseline {
	case BaselineUnchanged, BaselineAbsent:
		return GateNeutral
	case BaselineNew:
		return GateFail
	}
	return GateConditional
}

// requiredGates answers for the checks that policy requires and that never ran.
func requiredGates(required []string, checks []CheckResult) []Gate {
	var gates []Gate
	for _, id := range slices.Compact(slices.Sorted(slices.Values(required))) {
		if !slices.ContainsFunc(checks, func(c CheckResult) bool { return c.ID == id }) {
			gates = append(gates, Gate{"check/" + id, GateUnknown, "required by policy, but it did not run", []string{}})
		}
	}
	return gates
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
