package gavel_test

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/gavel-review/gavel"
)

// at makes a finding that counts unless an option says otherwise.
func at(s gavel.Severity, options ...func(*gavel.Finding)) gavel.Finding {
	f := gavel.Finding{
		Severity: s, File: "a.go", Line: 7, Rule: "risk/exec", Title: "t", Category: gavel.CategoryRisk, Located: true,
		Source: gavel.SourceDetector, Scope: gavel.ScopeChangedLine, Baseline: gavel.BaselineNew,
	}
	for _, option := range options {
		option(&f)
	}
	return f
}

func settled(reason gavel.Reason) func(*gavel.Finding) {
	return func(f *gavel.Finding) { f.Settled = append(f.Settled, gavel.Settlement{Reason: reason}) }
}
func state(b gavel.BaselineState) func(*gavel.Finding) {
	return func(f *gavel.Finding) { f.Baseline = b }
}
func from(s gavel.Source) func(*gavel.Finding) { return func(f *gavel.Finding) { f.Source = s } }
func pending(f *gavel.Finding)                 { f.Pending = "line 6" }
func descriptive(f *gavel.Finding)             { f.Descriptive = true }
func unlocated(f *gavel.Finding)               { f.Located = false }

func found(fs ...gavel.Finding) gavel.Evidence { return gavel.Evidence{Findings: fs} }

func skipped(reasons ...gavel.SkipReason) gavel.Evidence {
	var e gavel.Evidence
	for _, r := range reasons {
		e.Skipped = append(e.Skipped, gavel.Skip{Path: "p", Reason: r})
	}
	return e
}

func checked(status gavel.CheckStatus, required bool, b gavel.BaselineState) gavel.Evidence {
	return gavel.Evidence{Checks: []gavel.CheckResult{{ID: "vet", Status: status, Required: required, Baseline: b, Coverage: gavel.CoverageFull}}}
}

func gated(status gavel.GateStatus) gavel.Evidence {
	return gavel.Evidence{Gates: []gavel.Gate{{ID: "g", Status: status, Reason: "r"}}}
}

func policy(edits ...func(*gavel.Policy)) gavel.Policy {
	p := gavel.DefaultPolicy()
	for _, edit := range edits {
		edit(&p)
	}
	return p
}

func failOn(t gavel.Threshold) func(*gavel.Policy)     { return func(p *gavel.Policy) { p.FailOn = t } }
func warnOn(t gavel.Threshold) func(*gavel.Policy)     { return func(p *gavel.Policy) { p.WarnOn = t } }
func requires(ids ...string) func(*gavel.Policy)       { return func(p *gavel.Policy) { p.Required = ids } }
func mode(m gavel.EnforcementMode) func(*gavel.Policy) { return func(p *gavel.Policy) { p.Mode = m } }

const (
	pass        = gavel.Pass
	conditional = gavel.Conditional
	block       = gavel.Block
	none        = gavel.NoDecision
)

var decisions = []struct {
	name     string
	evidence gavel.Evidence
	policy   gavel.Policy
	want     gavel.Decision
	exit     int // without --strict
}{
	// what was found
	{"clean change", gavel.Evidence{}, policy(), pass, 0},
	{"info", found(at(gavel.Info)), policy(), pass, 0},
	{"low", found(at(gavel.Low)), policy(), pass, 0},
	{"medium", found(at(gavel.Medium)), policy(), conditional, 0},
	{"high", found(at(gavel.High)), policy(), block, 1},
	{"critical", found(at(gavel.Critical)), policy(), block, 1},
	{"many low", found(slices.Repeat([]gavel.Finding{at(gavel.Low)}, 500)...), policy(), pass, 0},
	{"the worst wins", found(at(gavel.Low), at(gavel.Critical), at(gavel.Medium)), policy(), block, 1},
	{"no severity at all", found(at(gavel.NoSeverity)), policy(), conditional, 0},
	{"severity outside the list", found(at(gavel.Severity(9))), policy(), block, 1},
	{"descriptive", found(at(gavel.Info, descriptive)), policy(failOn("any")), pass, 0},
	{"descriptive, raised by mistake", found(at(gavel.Critical, descriptive)), policy(), pass, 0},
	{"located nowhere, from a model", found(at(gavel.Critical, unlocated, from(gavel.SourceModel))), policy(), pass, 0},
	{"located nowhere, from a host", found(at(gavel.Critical, unlocated, from(gavel.SourceHost))), policy(), pass, 0},
	{"located nowhere, from a check", found(at(gavel.Critical, unlocated, from(gavel.SourceCheck))), policy(), block, 1},
	{"located, from a model", found(at(gavel.High, from(gavel.SourceModel))), policy(), block, 1},
	// settled
	{"outside the change", found(at(gavel.High, settled(gavel.ReasonOutsideChange))), policy(), pass, 0},
	{"in the baseline", found(at(gavel.High, settled(gavel.ReasonBaseline))), policy(), pass, 0},
	{"suppressed", found(at(gavel.High, settled(gavel.ReasonSuppressed))), policy(), pass, 0},
	{"ruled", found(at(gavel.High, settled(gavel.ReasonRuled))), policy(), pass, 0},
	{"duplicate", found(at(gavel.High, settled(gavel.ReasonDuplicate))), policy(), pass, 0},
	{"excluded", found(at(gavel.High, settled(gavel.ReasonExcluded))), policy(), pass, 0},
	{"below min_severity", found(at(gavel.High, settled(gavel.ReasonBelowThreshold))), policy(), block, 1},
	{"below min_severity and a duplicate", found(at(gavel.High, settled(gavel.ReasonBelowThreshold), settled(gavel.ReasonDuplicate))), policy(), pass, 0},
	{"one settled, one not", found(at(gavel.High, settled(gavel.ReasonRuled)), at(gavel.High)), policy(), block, 1},
	// old or new
	{"unchanged", found(at(gavel.High, state(gavel.BaselineUnchanged))), policy(), pass, 0},
	{"absent", found(at(gavel.High, state(gavel.BaselineAbsent))), policy(), pass, 0},
	{"unknown whether new", found(at(gavel.High, state(gavel.BaselineUnknown))), policy(), conditional, 0},
	{"unknown, medium", found(at(gavel.Medium, state(gavel.BaselineUnknown))), policy(), conditional, 0},
	{"unknown, low", found(at(gavel.Low, state(gavel.BaselineUnknown))), policy(), pass, 0},
	{"no state", found(at(gavel.High, state(""))), policy(), block, 1},
	// suppressions that the change brings
	{"pending high", found(at(gavel.High, pending)), policy(), conditional, 1},
	{"pending, below the bar", found(at(gavel.Low, pending)), policy(), conditional, 1},
	{"pending beside a block", found(at(gavel.High, pending), at(gavel.High)), policy(), block, 1},
	{"pending, settled since", found(at(gavel.High, pending, settled(gavel.ReasonRuled))), policy(), pass, 0},
	{"pending, unchanged", found(at(gavel.High, pending, state(gavel.BaselineUnchanged))), policy(), pass, 0},
	// thresholds
	{"fail_on medium", found(at(gavel.Medium)), policy(failOn("medium")), block, 1},
	{"fail_on critical, high", found(at(gavel.High)), policy(failOn("critical")), conditional, 0},
	{"fail_on low", found(at(gavel.Low)), policy(failOn("low")), block, 1},
	{"fail_on any, info", found(at(gavel.Info)), policy(failOn("any")), block, 1},
	{"fail_on none", found(at(gavel.Critical)), policy(failOn("none")), conditional, 0},
	{"fail_on none, warn_on none", found(at(gavel.Critical)), policy(failOn("none"), warnOn("none")), pass, 0},
	{"fail_on unset is the default", found(at(gavel.High)), policy(failOn("")), block, 1},
	{"fail_on misspelt is the strictest", found(at(gavel.Info)), policy(failOn("hihg")), block, 1},
	{"warn_on low moves nothing", found(at(gavel.Low)), policy(warnOn("low")), pass, 0},
	{"warn_on any moves nothing", found(at(gavel.Info)), policy(warnOn("any")), pass, 0},
	{"warn_on high", found(at(gavel.Medium)), policy(warnOn("high")), pass, 0},
	{"warn_on unset is the default", found(at(gavel.Medium)), policy(warnOn("")), conditional, 0},
	{"the zero policy is the default one", found(at(gavel.High)), gavel.Policy{}, block, 1},
	// what was not looked at
	{"binary", skipped(gavel.SkipBinary), policy(), pass, 0},
	{"vendored", skipped(gavel.SkipVendored), policy(), pass, 0},
	{"generated", skipped(gavel.SkipGenerated), policy(), pass, 0},
	{"lock file", skipped(gavel.SkipLockFile), policy(), pass, 0},
	{"mode only", skipped(gavel.SkipModeOnly), policy(), pass, 0},
	{"submodule", skipped(gavel.SkipSubmodule), policy(), pass, 0},
	{"LFS pointer", skipped(gavel.SkipLFS), policy(), pass, 0},
	{"unreadable", skipped(gavel.SkipUnreadable), policy(), conditional, 3},
	{"object missing", skipped(gavel.SkipObjectMissing), policy(), conditional, 3},
	{"too large", skipped(gavel.SkipTooLarge), policy(), conditional, 3},
	{"timed out", skipped(gavel.SkipTimedOut), policy(), conditional, 3},
	{"undecodable", skipped(gavel.SkipUndecodable), policy(), conditional, 3},
	{"a reason outside the list", skipped("bored"), policy(), conditional, 3},
	{"no reason", skipped(""), policy(), conditional, 3},
	{"expected and not", skipped(gavel.SkipBinary, gavel.SkipTooLarge), policy(), conditional, 3},
	// checks
	{"check passes", checked(gavel.CheckPass, true, ""), policy(), pass, 0},
	{"check fails", checked(gavel.CheckFail, false, gavel.BaselineNew), policy(), block, 1},
	{"check fails as before", checked(gavel.CheckFail, true, gavel.BaselineUnchanged), policy(), pass, 0},
	{"check fails, unknown before", checked(gavel.CheckFail, false, gavel.BaselineUnknown), policy(), conditional, 0},
	{"check fails, no comparison", checked(gavel.CheckFail, false, ""), policy(), conditional, 0},
	{"check skipped", checked(gavel.CheckSkip, false, ""), policy(), pass, 0},
	{"check noscan", checked(gavel.CheckNoScan, false, ""), policy(), pass, 0},
	{"check crashed", checked(gavel.CheckError, false, ""), policy(), pass, 0},
	{"required check skipped", checked(gavel.CheckSkip, true, ""), policy(), conditional, 3},
	{"required check noscan", checked(gavel.CheckNoScan, true, ""), policy(), conditional, 3},
	{"required check crashed", checked(gavel.CheckError, true, ""), policy(), conditional, 3},
	{"required check, status outside the list", checked("dunno", true, ""), policy(), conditional, 3},
	{"required check never ran", gavel.Evidence{}, policy(requires("vet")), conditional, 3},
	{"required check ran", checked(gavel.CheckPass, true, ""), policy(requires("vet", "vet")), pass, 0},
	{"required by policy alone, noscan", checked(gavel.CheckNoScan, false, ""), policy(requires("vet")), conditional, 3},
	{"required by policy alone, crashed", checked(gavel.CheckError, false, ""), policy(requires("vet")), conditional, 3},
	{"one of two required", checked(gavel.CheckPass, true, ""), policy(requires("vet", "build")), conditional, 3},
	// gates from elsewhere
	{"gate passes", gated(gavel.GatePass), policy(), pass, 0},
	{"gate neutral", gated(gavel.GateNeutral), policy(), pass, 0},
	{"gate conditional", gated(gavel.GateConditional), policy(), conditional, 0},
	{"gate unknown", gated(gavel.GateUnknown), policy(), conditional, 3},
	{"gate fails", gated(gavel.GateFail), policy(), block, 1},
	{"gate of no status", gated(""), policy(), conditional, 3},
	// no verdict
	{"not judged", gavel.Evidence{NotJudged: "model"}, policy(), none, 3},
	{"not judged and bad", gavel.Evidence{NotJudged: "model", Findings: found(at(gavel.High)).Findings}, policy(), none, 3},
	// modes move the exit code alone
	{"shadow, block", found(at(gavel.High)), policy(mode(gavel.ModeShadow)), block, 0},
	{"warn, block", found(at(gavel.High)), policy(mode(gavel.ModeWarn)), block, 0},
	{"warn, pending", found(at(gavel.High, pending)), policy(mode(gavel.ModeWarn)), conditional, 0},
	{"warn, incomplete", skipped(gavel.SkipTooLarge), policy(mode(gavel.ModeWarn)), conditional, 3},
	{"warn, block and incomplete", gavel.Evidence{Findings: found(at(gavel.High)).Findings, Skipped: skipped("").Skipped}, policy(mode(gavel.ModeWarn)), block, 3},
	{"block and incomplete", gavel.Evidence{Findings: found(at(gavel.High)).Findings, Skipped: skipped("").Skipped}, policy(), block, 1},
	{"shadow, not judged", gavel.Evidence{NotJudged: "model"}, policy(mode(gavel.ModeShadow)), none, 3},
	{"a mode outside the list", found(at(gavel.High)), policy(mode("shdow")), block, 1},
}

func TestDecide(t *testing.T) {
	t.Parallel()
	for _, tt := range decisions {
		t.Run(tt.name, func(t *testing.T) {
			v := gavel.Decide(tt.evidence, tt.policy)
			if v.Decision != tt.want {
				t.Errorf("decision %q, want %q: %+v", v.Decision, tt.want, v)
			}
			if code := v.Exit(gavel.ExitOptions{Mode: tt.policy.Mode}); code != tt.exit {
				t.Errorf("exit %d, want %d: %+v", code, tt.exit, v)
			}
			coherent(t, v)
		})
	}
}

// coherent checks what holds for every verdict.
func coherent(t *testing.T, v gavel.Verdict) {
	t.Helper()
	if v.AllowMerge() != (v.Decision == gavel.Pass) || v.AllowMerge() != (v.Recommendation() == gavel.Approve) {
		t.Errorf("allow_merge %v, recommendation %s for %q", v.AllowMerge(), v.Recommendation(), v.Decision)
	}
	if v.Decision == gavel.Block && (len(v.Blocking) == 0 || v.Recommendation() != gavel.BlockMerge) {
		t.Errorf("blocks without saying why: %+v", v)
	}
	if v.Decision == gavel.Conditional && len(v.Caveats) == 0 {
		t.Errorf("conditional without saying what to do: %+v", v)
	}
	if v.Blocking == nil || v.Caveats == nil || v.Gates == nil {
		t.Errorf("a list is null: %+v", v)
	}
	for _, g := range v.Gates {
		if g.Evidence == nil || g.ID == "" {
			t.Errorf("gate %+v has no evidence list or id", g)
		}
	}
}

func TestDecideLimitsEvidence(t *testing.T) {
	t.Parallel()
	fs := slices.Repeat([]gavel.Finding{at(gavel.High)}, 50)
	fs[49] = at(gavel.Critical, func(f *gavel.Finding) { f.File = "z.go" })
	e := found(fs...)
	for range 50 {
		e.Skipped = append(e.Skipped, gavel.Skip{Path: "p", Reason: gavel.SkipTooLarge})
	}
	v := gavel.Decide(e, gavel.DefaultPolicy())
	for _, g := range v.Gates {
		if len(g.Evidence) != 21 || g.Evidence[20] != "and 30 more" {
			t.Errorf("%s: %d lines, the last %q", g.ID, len(g.Evidence), g.Evidence[len(g.Evidence)-1])
		}
	}
	if !strings.HasPrefix(v.Blocking[0], "z.go:7 critical") {
		t.Errorf("the gravest is not first: %q", v.Blocking[0])
	}
}

// The order in which evidence arrives is nobody's statement.
func TestDecideIgnoresOrder(t *testing.T) {
	t.Parallel()
	for seed := range uint64(300) {
		d := newDice(seed)
		e, p := d.evidence(), d.policy()
		mixed := e
		mixed.Findings, mixed.Checks = shuffled(d, e.Findings), shuffled(d, e.Checks)
		mixed.Skipped, mixed.Gates = shuffled(d, e.Skipped), shuffled(d, e.Gates)
		a, b := gavel.Decide(e, p), gavel.Decide(mixed, p)
		if !reflect.DeepEqual(a, b) {
			t.Fatalf("seed %d:\n%+v\n%+v", seed, a, b)
		}
		coherent(t, a)
	}
}

func TestTripped(t *testing.T) {
	t.Parallel()
	fs := []gavel.Finding{
		at(gavel.High), at(gavel.Medium, pending), at(gavel.Critical, descriptive), at(gavel.Critical, settled(gavel.ReasonRuled)),
		at(gavel.Critical, state(gavel.BaselineUnchanged)), at(gavel.Critical, state(gavel.BaselineAbsent)),
		at(gavel.Low, settled(gavel.ReasonBelowThreshold)), at(gavel.Info, state(gavel.BaselineUnknown)),
		at(gavel.Critical, unlocated, from(gavel.SourceModel)),
	}
	tests := []struct {
		threshold gavel.Threshold
		n         int
		gravest   gavel.Severity
	}{
		{gavel.Unset, 0, gavel.NoSeverity}, {gavel.None, 0, gavel.NoSeverity}, {"critical", 0, gavel.NoSeverity},
		{"high", 1, gavel.High}, {"medium", 2, gavel.High}, {"low", 3, gavel.High}, {"info", 4, gavel.High}, {gavel.Any, 4, gavel.High},
	}
	for _, tt := range tests {
		if n, gravest := gavel.Tripped(fs, tt.threshold); n != tt.n || gravest != tt.gravest {
			t.Errorf("%q: %d up to %s, want %d up to %s", tt.threshold, n, gravest, tt.n, tt.gravest)
		}
	}
}
