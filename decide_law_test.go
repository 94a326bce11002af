package gavel_test

import (
	"slices"
	"testing"

	"github.com/gavel-review/gavel"
)

var (
	someStatuses  = []gavel.CheckStatus{gavel.CheckPass, gavel.CheckFail, gavel.CheckSkip, gavel.CheckNoScan, gavel.CheckError, "other"}
	someBaselines = []gavel.BaselineState{gavel.BaselineNew, gavel.BaselineUnchanged, gavel.BaselineAbsent, gavel.BaselineUnknown, ""}
	someGates     = []gavel.GateStatus{gavel.GatePass, gavel.GateFail, gavel.GateConditional, gavel.GateNeutral, gavel.GateUnknown, "other"}
	someSkips     = []gavel.SkipReason{gavel.SkipBinary, gavel.SkipLockFile, gavel.SkipUnreadable, gavel.SkipTooLarge, "other"}
	someModes     = []gavel.EnforcementMode{gavel.ModeShadow, gavel.ModeWarn, gavel.ModeBlock, gavel.ModeBlock}
	someChecks    = []string{"vet", "build", "test"}
)

func (d dice) check() gavel.CheckResult {
	return gavel.CheckResult{
		ID: pick(d, someChecks...), Status: pick(d, someStatuses...), Required: d.one(3), Baseline: pick(d, someBaselines...),
		Coverage: pick(d, gavel.CoverageFull, gavel.CoverageReduced, gavel.CoverageUnknown),
		Reason:   pick(d, "", "tool_missing", "nothing_to_check", "crashed"), Detail: pick(d, "", "staticcheck"),
	}
}

func (d dice) skip() gavel.Skip {
	return gavel.Skip{Path: pick(d, someFiles...), Reason: pick(d, someSkips...)}
}

func (d dice) gate() gavel.Gate {
	return gavel.Gate{ID: "g", Status: pick(d, someGates...), Reason: "r"}
}

// evidence is mild more often than not, so that something is left to get worse.
func (d dice) evidence() gavel.Evidence {
	var e gavel.Evidence
	for range d.IntN(3) {
		f := d.finding()
		f.Severity = min(f.Severity, pick(d, gavel.Low, gavel.Medium, gavel.Critical))
		e.Findings = append(e.Findings, f)
	}
	if d.one(4) {
		e.Skipped = append(e.Skipped, d.skip())
	}
	for range d.IntN(3) {
		c := d.check()
		if d.one(2) {
			c.Status = gavel.CheckPass
		}
		e.Checks = append(e.Checks, c)
	}
	for i := range e.Checks {
		for range d.IntN(3) - 1 {
			e.Findings = append(e.Findings, d.findingOf(&e.Checks[i]))
		}
	}
	if d.one(4) {
		e.Gates = append(e.Gates, d.gate())
	}
	if d.one(6) {
		e.ConfigChanged = []string{"biome.json"}
	}
	e.NoChanges = d.one(8)
	if d.one(3) {
		e.LeftOut, e.Profile = []string{"tests", "audit"}, gavel.ProfileQuick
	}
	return e
}

// findingOf is one more finding that the check reports.
func (d dice) findingOf(c *gavel.CheckResult) gavel.Finding {
	f := d.finding()
	f.Source, f.Check, f.Rule = gavel.SourceCheck, c.ID, "check/"+gavel.CheckName(c.ID)+"/rule"
	f.Severity = min(f.Severity, pick(d, gavel.Low, gavel.Medium, gavel.Critical))
	c.Findings++
	return f
}

func (d dice) policy() gavel.Policy {
	p := gavel.DefaultPolicy()
	p.Mode, p.FailOn, p.WarnOn = pick(d, someModes...), pick(d, someThresholds...), pick(d, someThresholds...)
	if d.one(3) {
		p.Required = []string{pick(d, someChecks...)}
	}
	return p
}

// badness orders decisions and exit codes: measured badness, then what could not be measured, then a condition.
func badness(d gavel.Decision) int {
	return slices.Index([]gavel.Decision{gavel.Pass, gavel.Conditional, gavel.Block}, d)
}

func exitBadness(code int) int {
	return slices.Index([]int{gavel.ExitPass, gavel.ExitConditional, gavel.ExitNoVerdict, gavel.ExitBlock}, code)
}

// worsen adds one piece of evidence, whatever it is: nothing that is added may help.
func (d dice) worsen(e gavel.Evidence) gavel.Evidence {
	switch d.IntN(6) {
	case 0:
		e.Findings = append(slices.Clone(e.Findings), d.finding())
	case 4:
		e.ConfigChanged = append(slices.Clone(e.ConfigChanged), ".eslintrc.json")
	case 5: // of a check that has findings: the first one would explain a failure
		e.Checks = slices.Clone(e.Checks)
		for i := range e.Checks {
			if c := &e.Checks[i]; c.Findings > 0 {
				e.Findings = append(slices.Clone(e.Findings), d.findingOf(c))
				break
			}
		}
	case 1:
		e.Skipped = append(slices.Clone(e.Skipped), d.skip())
	case 2:
		c := d.check()
		for slices.ContainsFunc(e.Checks, func(x gavel.CheckResult) bool { return x.ID == c.ID }) {
			c.ID += "-2" // a second answer to the same question is a test of its own
		}
		e.Checks = append(slices.Clone(e.Checks), c)
	default:
		e.Gates = append(slices.Clone(e.Gates), d.gate())
	}
	return e
}

func TestMoreEvidenceNeverHelps(t *testing.T) {
	t.Parallel()
	for seed := range uint64(4000) {
		d := newDice(seed)
		e, p := d.evidence(), d.policy()
		p.Required = nil // a required check that now ran is good news, not bad
		worse := d.worsen(e)
		before, after := gavel.Decide(e, p), gavel.Decide(worse, p)
		if badness(after.Decision) < badness(before.Decision) {
			t.Fatalf("seed %d: %s became %s\n%+v\n%+v", seed, before.Decision, after.Decision, e, worse)
		}
		o := gavel.ExitOptions{Mode: p.Mode, Strict: d.one(2), FailOn: pick(d, someThresholds...)}
		codes := [2]int{exitOf(e, before, o), exitOf(worse, after, o)}
		if exitBadness(codes[1]) < exitBadness(codes[0]) {
			t.Fatalf("seed %d: exit %d became %d\n%+v\n%+v", seed, codes[0], codes[1], e, worse)
		}
	}
}

func exitOf(e gavel.Evidence, v gavel.Verdict, o gavel.ExitOptions) int {
	n, _ := gavel.Tripped(e.Findings, o.FailOn)
	o.Tripped = n > 0
	return v.Exit(o)
}

// A second answer about a check that already answered is one more signal, and the worst wins.
func TestContradictingChecks(t *testing.T) {
	t.Parallel()
	good := gavel.CheckResult{ID: "vet", Status: gavel.CheckPass, Required: true}
	bad := gavel.CheckResult{ID: "vet", Status: gavel.CheckFail, Baseline: gavel.BaselineNew}
	for _, order := range [][]gavel.CheckResult{{good, bad}, {bad, good}} {
		if v := gavel.Decide(gavel.Evidence{Checks: order}, policy(requires("vet"))); v.Decision != gavel.Block {
			t.Errorf("%s: %+v", v.Decision, v)
		}
	}
}

// One more finding in the change, settled with all the others, never helps either.
func TestOneMoreFindingNeverHelps(t *testing.T) {
	t.Parallel()
	for seed := range uint64(4000) {
		d := newDice(seed)
		fs := d.findings(6)
		s := d.settlements(fs)
		p := gavel.DefaultPolicy()
		p.FailOn = pick[gavel.Threshold](d, "high", "medium")
		s.FailOn = p.FailOn
		more := append(slices.Clone(fs), d.finding())
		before := gavel.Decide(gavel.Evidence{Findings: gavel.Settle(fs, s)}, p)
		after := gavel.Decide(gavel.Evidence{Findings: gavel.Settle(more, s)}, p)
		o := gavel.ExitOptions{Mode: gavel.ModeBlock, Strict: true}
		if badness(after.Decision) < badness(before.Decision) || exitBadness(after.Exit(o)) < exitBadness(before.Exit(o)) {
			t.Fatalf("seed %d: %s became %s with %+v\n%+v", seed, before.Decision, after.Decision, more[len(fs)], s)
		}
	}
}
