package gavel

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// findingsByCheck gives every finding to the check that reported it, as long as that came to a result; the rest is
// judged by itself.
func (e Evidence) findingsByCheck() (own map[string][]Finding, rest []Finding) {
	own = make(map[string][]Finding, len(e.Checks))
	for _, c := range e.Checks {
		if c.Status.measured() {
			own[c.ID] = nil
		}
	}
	for _, f := range e.Findings {
		if _, known := own[f.Check]; known && f.Check != "" {
			own[f.Check] = append(own[f.Check], f)
		} else {
			rest = append(rest, f)
		}
	}
	return own, rest
}

// addChecks adds a gate for every check, and for every check that policy requires and that never ran.
func (v *Verdict) addChecks(checks []CheckResult, own map[string][]Finding, p Policy) {
	for _, c := range sortedChecks(checks) {
		c.Required = c.Required || p.requires(c.ID)
		g := checkGate(c, own[c.ID], p)
		if c.Status == CheckSkip && g.Status == GateNeutral {
			v.Gates = append(v.Gates, g) // no caveat: nothing is missing
			continue
		}
		v.add(g)
		if c.Coverage == CoverageReduced && c.Status.measured() {
			v.Caveats = append(v.Caveats, fmt.Sprintf("check/%s: reduced coverage: %s", c.ID, cmp.Or(strings.Join(c.Reduced, "; "), "it did not look at everything")))
		}
	}
	for _, id := range slices.Compact(slices.Sorted(slices.Values(p.Required))) {
		if !slices.ContainsFunc(checks, func(c CheckResult) bool { return c.answers(id) }) {
			v.add(Gate{"check/" + id, GateUnknown, "required by policy, but it did not run: see that it applies here and run again, or take it out of `required`", nil})
		}
	}
}

// answers reports whether the result is one of the check that policy names, in one project or in any.
func (c *CheckResult) answers(id string) bool { return c.ID == id || CheckName(c.ID) == id }

func (p Policy) requires(id string) bool {
	return slices.Contains(p.Required, id) || slices.Contains(p.Required, CheckName(id))
}

func sortedChecks(checks []CheckResult) []CheckResult {
	return slices.SortedStableFunc(slices.Values(checks), func(a, b CheckResult) int {
		return cmp.Or(cmp.Compare(a.ID, b.ID), cmp.Compare(a.Status, b.Status), cmp.Compare(a.Reason, b.Reason), cmp.Compare(a.Detail, b.Detail),
			cmp.Compare(a.Baseline, b.Baseline), cmp.Compare(a.BaselineDetail, b.BaselineDetail), compareBools(a.Required, b.Required),
			cmp.Compare(a.Coverage, b.Coverage), slices.Compare(a.Reduced, b.Reduced), cmp.Compare(a.Findings, b.Findings), slices.Compare(a.Evidence, b.Evidence))
	})
}

// checkGate judges one check by its status and by the findings that are its own.
func checkGate(c CheckResult, own []Finding, p Policy) Gate {
	g := weigh(own, p).gate("check/"+c.ID, p)
	switch c.Status {
	case CheckPass:
		return g
	case CheckFail:
		return failedGate(c, own, g, p)
	case CheckSkip:
		g.Status, g.Reason = GateNeutral, "does not apply"+c.because()
		if c.Required && c.Reason != nothingToDo {
			g.Status, g.Reason = GateUnknown, "required, but it does not apply"+c.because()+": "+c.remedy()
		}
	case CheckNoScan, CheckError:
		g.Status, g.Reason = GateNeutral, c.missed()+c.because()
		if c.Required {
			g.Status, g.Reason = GateUnknown, "required, but "+g.Reason+": "+c.remedy()
		}
	default:
		g.Status, g.Reason = GateUnknown, fmt.Sprintf("status %q is none: %s", c.Status, c.remedy())
	}
	return g
}

// failedGate is the worse of what the findings say and, where they do not explain it, of the failure itself.
func failedGate(c CheckResult, own []Finding, g Gate, p Policy) Gate {
	if c.Findings <= 0 || len(own) < c.Findings {
		if bare := bareFailure(c, p); g.Status == GatePass || bare.Status == GateFail && g.Status != GateFail {
			return bare
		}
	}
	if g.Status == GatePass {
		g.Status, g.Reason = GateNeutral, fmt.Sprintf("fails, but nothing of it stands against the merge (%s)", countOf(len(own), "finding"))
	}
	return g
}

// bareFailure judges a failure that no finding explains, at the severity that policy gives to the check, else high.
func bareFailure(c CheckResult, p Policy) Gate {
	g := Gate{ID: "check/" + c.ID, Status: GateNeutral, Evidence: []string{}}
	failOn, warnOn := p.bars()
	severity := p.CheckSeverity(c.ID)
	stops := failOn.Trips(severity)
	asks := stops || severity > Low && warnOn.Trips(severity)
	switch {
	case c.Baseline == BaselineUnchanged || c.Baseline == BaselineAbsent:
		g.Reason = "fails as it did before" + c.because()
		return g
	case !asks:
		g.Reason = fmt.Sprintf("fails%s; policy gives it severity %s", c.because(), severity)
		return g
	case c.Baseline != BaselineNew:
		detail := cmp.Or(c.BaselineDetail, "it was not compared")
		g.Status, g.Reason = GateConditional, fmt.Sprintf("fails%s, and whether it did before is not known (%s): look whether the change causes it", c.because(), detail)
	case stops:
		g.Status, g.Reason = GateFail, "fails, and did not before"+c.because()
	default:
		g.Status, g.Reason = GateConditional, "fails, and did not before"+c.because()+": look at its log"
	}
	for _, line := range atMost(c.Evidence) {
		g.Evidence = append(g.Evidence, g.ID+": "+line)
	}
	return g
}

// because is what is known of the reason, in brackets.
func (c *CheckResult) because() string {
	text := c.Reason
	if c.Detail != "" {
		text = strings.TrimPrefix(text+": "+c.Detail, ": ")
	}
	if text == "" {
		return ""
	}
	return " (" + text + ")"
}

func (c *CheckResult) missed() string {
	if c.Status == CheckError {
		return "it broke"
	}
	return "it measured nothing"
}

// nothingToDo is the one reason for which a required check may be skipped: it looked, and the change holds nothing for it.
const nothingToDo = "nothing_to_check"

// remedy says what a person must do so that a required check measures something.
func (c *CheckResult) remedy() string {
	switch c.Reason {
	case "tool_missing":
		return "install what is missing and run again"
	case "tool_broken":
		return "mend the tool and run again"
	case "dependencies_missing":
		return "install the project's dependencies and run again"
	case "environment_missing":
		return "set what is missing in the environment and run again"
	case "would_write":
		return "run it yourself and look at what it says"
	case "not_trusted":
		return "look at the check, then run `gavel trust`"
	case "not_configured", nothingToDo:
		return "configure it, or take it out of `required`"
	case "timed_out", "out_of_budget":
		return "run again with more time, or in the profile deep"
	case "offline":
		return "run again where the network is there"
	case "cancelled":
		return "run again"
	}
	return "look at its log and run again"
}
