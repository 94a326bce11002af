package gavel_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/gavel-review/gavel"
)

// result makes a check that ran over everything and passed, unless an option says otherwise.
func result(id string, options ...func(*gavel.CheckResult)) gavel.CheckResult {
	c := gavel.CheckResult{ID: id, Status: gavel.CheckPass, Coverage: gavel.CoverageFull}
	for _, option := range options {
		option(&c)
	}
	return c
}

func is(s gavel.CheckStatus, reason string) func(*gavel.CheckResult) {
	return func(c *gavel.CheckResult) { c.Status, c.Reason = s, reason }
}

func failed(b gavel.BaselineState) func(*gavel.CheckResult) {
	return func(c *gavel.CheckResult) { c.Status, c.Baseline = gavel.CheckFail, b }
}
func needed(c *gavel.CheckResult) { c.Required = true }
func reduced(c *gavel.CheckResult) {
	c.Coverage, c.Reduced = gavel.CoverageReduced, []string{"2 files"}
}

func counted(n int) func(*gavel.CheckResult) { return func(c *gavel.CheckResult) { c.Findings = n } }

func ran(checks ...gavel.CheckResult) gavel.Evidence { return gavel.Evidence{Checks: checks} }

// saying is a finding that a check reports.
func saying(id string, s gavel.Severity, options ...func(*gavel.Finding)) gavel.Finding {
	return at(s, append([]func(*gavel.Finding){func(f *gavel.Finding) {
		f.Source, f.Check, f.Scope = gavel.SourceCheck, id, gavel.ScopeElsewhere
		f.Rule, f.Category = "check/"+gavel.CheckName(id)+"/rule", gavel.CategoryBug
	}}, options...)...)
}

// with is one check, failed as the baseline says, and its findings.
func with(c gavel.CheckResult, findings ...gavel.Finding) gavel.Evidence {
	c.Findings = len(findings)
	return gavel.Evidence{Checks: []gavel.CheckResult{c}, Findings: findings}
}

func both(all ...gavel.Evidence) (e gavel.Evidence) {
	for _, x := range all {
		e.Findings, e.Checks = append(e.Findings, x.Findings...), append(e.Checks, x.Checks...)
		e.Skipped, e.Gates = append(e.Skipped, x.Skipped...), append(e.Gates, x.Gates...)
		e.ConfigChanged, e.LeftOut = append(e.ConfigChanged, x.ConfigChanged...), append(e.LeftOut, x.LeftOut...)
		e.NoChanges = e.NoChanges || x.NoChanges
		e.NotJudged += x.NotJudged
	}
	return e
}

func rated(key string, s gavel.Severity) func(*gavel.Policy) {
	return func(p *gavel.Policy) { p.Severities = map[string]gavel.Severity{key: s} }
}

const (
	before  = gavel.BaselineUnchanged
	fresh   = gavel.BaselineNew
	unsure  = gavel.BaselineUnknown
	eslint  = "eslint@packages/web"
	offNone = gavel.None
)

// runCases are the runs of checks: the decision, the exit code and the exit code with --strict.
var runCases = []struct {
	name         string
	evidence     gavel.Evidence
	policy       gavel.Policy
	want         gavel.Decision
	exit, strict int
	caveat       string // part of a caveat or of what blocks, "" = no caveat at all
}{
	// passes
	{"all checks pass", ran(result("go-vet", needed), result("go-build", needed)), policy(), pass, 0, 0, ""},
	{"no check at all", gavel.Evidence{}, policy(), pass, 0, 0, ""},
	{"passes with notes", with(result("eslint"), saying("eslint", gavel.Low)), policy(), pass, 0, 0, ""},
	{"passes with a warning", with(result("eslint"), saying("eslint", gavel.Medium)), policy(), conditional, 0, 2, "look at 1 finding"},
	{"passes with an error", with(result("eslint"), saying("eslint", gavel.High)), policy(), block, 1, 1, "check/eslint/rule"},
	{"passes, looked at less", ran(result("semgrep", reduced)), policy(), pass, 0, 0, "reduced coverage: 2 files"},
	{"required, passes, looked at less", ran(result("semgrep", reduced, needed)), policy(), pass, 0, 0, "reduced coverage"},
	// skips: what does not apply is not missed
	{"not configured", ran(result("eslint", is(gavel.CheckSkip, "not_configured"))), policy(), pass, 0, 0, ""},
	{"nothing to check", ran(result("eslint", is(gavel.CheckSkip, "nothing_to_check"))), policy(), pass, 0, 0, ""},
	{"skipped for no reason", ran(result("eslint", is(gavel.CheckSkip, ""))), policy(), pass, 0, 0, ""},
	{"required, not configured", ran(result("eslint", needed, is(gavel.CheckSkip, "not_configured"))), policy(), conditional, 3, 3, "configure it"},
	{"required, nothing to check", ran(result("eslint", needed, is(gavel.CheckSkip, "nothing_to_check"))), policy(), pass, 0, 0, ""},
	{"required by policy, not configured", ran(result("eslint", is(gavel.CheckSkip, "not_configured"))), policy(requires("eslint")), conditional, 3, 3, "configure it"},
	// nothing measured
	{"tool missing", ran(result("staticcheck", is(gavel.CheckNoScan, "tool_missing"))), policy(), pass, 0, 0, "it measured nothing (tool_missing)"},
	{"tool broken", ran(result("staticcheck", is(gavel.CheckNoScan, "tool_broken"))), policy(), pass, 0, 0, "tool_broken"},
	{"dependencies missing", ran(result("tsc", is(gavel.CheckNoScan, "dependencies_missing"))), policy(), pass, 0, 0, "dependencies_missing"},
	{"not trusted", ran(result("own", is(gavel.CheckNoScan, "not_trusted"))), policy(), pass, 0, 0, "not_trusted"},
	{"timed out", ran(result("tsc", is(gavel.CheckNoScan, "timed_out"))), policy(), pass, 0, 0, "timed_out"},
	{"out of budget", ran(result("tsc", is(gavel.CheckNoScan, "out_of_budget"))), policy(), pass, 0, 0, "out_of_budget"},
	{"report missing", ran(result("tsc", is(gavel.CheckNoScan, "report_missing"))), policy(), pass, 0, 0, "report_missing"},
	{"offline", ran(result("npm-audit", is(gavel.CheckNoScan, "offline"))), policy(), pass, 0, 0, "offline"},
	{"crashed", ran(result("tsc", is(gavel.CheckError, "crashed"))), policy(), pass, 0, 0, "it broke (crashed)"},
	{"report unreadable", ran(result("tsc", is(gavel.CheckError, "report_unreadable"))), policy(), pass, 0, 0, "report_unreadable"},
	{"required, tool missing", ran(result("go-vet", needed, is(gavel.CheckNoScan, "tool_missing"))), policy(), conditional, 3, 3, "install what is missing"},
	{"required, tool broken", ran(result("go-vet", needed, is(gavel.CheckNoScan, "tool_broken"))), policy(), conditional, 3, 3, "mend the tool"},
	{"required, dependencies missing", ran(result("tsc", needed, is(gavel.CheckNoScan, "dependencies_missing"))), policy(), conditional, 3, 3, "install the project's dependencies"},
	{"required, not trusted", ran(result("own", needed, is(gavel.CheckNoScan, "not_trusted"))), policy(), conditional, 3, 3, "gavel trust"},
	{"required, timed out", ran(result("tsc", needed, is(gavel.CheckNoScan, "timed_out"))), policy(), conditional, 3, 3, "run again with more time"},
	{"required, out of budget", ran(result("tsc", needed, is(gavel.CheckNoScan, "out_of_budget"))), policy(), conditional, 3, 3, "run again with more time"},
	{"required, cancelled", ran(result("tsc", needed, is(gavel.CheckNoScan, "cancelled"))), policy(), conditional, 3, 3, "run again"},
	{"required, report missing", ran(result("tsc", needed, is(gavel.CheckNoScan, "report_missing"))), policy(), conditional, 3, 3, "look at its log"},
	{"required, output capped", ran(result("tsc", needed, is(gavel.CheckNoScan, "output_capped"))), policy(), conditional, 3, 3, "look at its log"},
	{"required, offline", ran(result("npm-audit", needed, is(gavel.CheckNoScan, "offline"))), policy(), conditional, 3, 3, "network"},
	{"required, crashed", ran(result("tsc", needed, is(gavel.CheckError, "crashed"))), policy(), conditional, 3, 3, "it broke (crashed)"},
	{"required, unknown reason", ran(result("tsc", needed, is(gavel.CheckNoScan, "moon phase"))), policy(), conditional, 3, 3, "look at its log"},
	{"status outside the list", ran(result("tsc", is("fine", ""))), policy(), conditional, 3, 3, `status "fine"`},
	{"required by policy in every project", ran(result(eslint, is(gavel.CheckNoScan, "tool_missing"))), policy(requires("eslint")), conditional, 3, 3, "check/" + eslint},
	{"required by policy in one project", ran(result(eslint, is(gavel.CheckNoScan, "tool_missing"))), policy(requires(eslint)), conditional, 3, 3, "tool_missing"},
	{"required by policy in another project", ran(result(eslint, is(gavel.CheckNoScan, "tool_missing"))), policy(requires("eslint@packages/api")), conditional, 3, 3, "it did not run"},
	{"required by policy, never ran", ran(result("go-vet")), policy(requires("go-vet", "go-test")), conditional, 3, 3, "check/go-test"},
	{"one project of two could not", ran(result("eslint@a"), result("eslint@b", needed, is(gavel.CheckNoScan, "tool_missing"))), policy(), conditional, 3, 3, "check/eslint@b"},
	// failures without findings
	{"build breaks", ran(result("go-build", failed(fresh))), policy(), block, 1, 1, "fails, and did not before"},
	{"build was broken", ran(result("go-build", needed, failed(before))), policy(), pass, 0, 0, "fails as it did before"},
	{"build broke who knows when", ran(result("go-build", failed(unsure))), policy(), conditional, 0, 2, "look whether the change causes it"},
	{"build failed, not compared", ran(result("go-build", failed(""))), policy(), conditional, 0, 2, "it was not compared"},
	{"failure under fail_on critical", ran(result("go-build", failed(fresh))), policy(failOn("critical")), conditional, 0, 2, "look at its log"},
	{"failure under fail_on none", ran(result("go-build", failed(fresh))), policy(failOn(offNone)), conditional, 0, 2, "look at its log"},
	{"failure when nothing is asked", ran(result("go-build", failed(fresh))), policy(failOn(offNone), warnOn(offNone)), pass, 0, 0, "severity high"},
	{"failure of a check set to info", ran(result("flaky-suite", failed(fresh))), policy(rated("flaky-suite", gavel.Info)), pass, 0, 0, "severity info"},
	{"failure of a check set to low, unknown", ran(result("flaky-suite", failed(unsure))), policy(rated("flaky-suite", gavel.Low)), pass, 0, 0, "severity low"},
	{"failure of a check set to medium", ran(result("flaky-suite", failed(fresh))), policy(rated("flaky-suite", gavel.Medium)), conditional, 0, 2, "look at its log"},
	{"failure of a check set to medium, in a project", ran(result(eslint, failed(fresh))), policy(rated("eslint", gavel.Medium)), conditional, 0, 2, "look at its log"},
	{"failure in the one project set to info", ran(result(eslint, failed(fresh))), policy(rated(eslint, gavel.Info)), pass, 0, 0, "severity info"},
	{"failure in another project", ran(result("eslint@packages/api", failed(fresh))), policy(rated(eslint, gavel.Info)), block, 1, 1, "fails, and did not before"},
	{"fails, its findings got lost", ran(result("eslint", failed(fresh), counted(3))), policy(), block, 1, 1, "fails, and did not before"},
	{"fails, a finding got lost", both(ran(result("eslint", failed(fresh), counted(2))), found(saying("eslint", gavel.Low))), policy(), block, 1, 1, "fails, and did not before"},
	{"fails as before, a finding got lost", both(ran(result("eslint", failed(before), counted(2))), found(saying("eslint", gavel.Low))), policy(), pass, 0, 0, "fails as it did before"},
	// failures with findings
	{"new error", with(result("eslint", failed(fresh)), saying("eslint", gavel.High)), policy(), block, 1, 1, "a.go:7 high check/eslint/rule: t"},
	{"new error elsewhere in the repository", with(result("tsc", failed(fresh)), saying("tsc", gavel.High)), policy(), block, 1, 1, "check/tsc/rule"},
	{"new warning", with(result("eslint", failed(fresh)), saying("eslint", gavel.Medium)), policy(), conditional, 0, 2, "look at 1 finding"},
	{"new note", with(result("eslint", failed(fresh)), saying("eslint", gavel.Low)), policy(), pass, 0, 0, "nothing of it stands against the merge"},
	{"old error", with(result("eslint", needed, failed(before)), saying("eslint", gavel.High, state(before))), policy(), pass, 0, 0, "nothing of it stands against the merge"},
	{"many old errors", with(result("eslint", failed(before)), slices.Repeat([]gavel.Finding{saying("eslint", gavel.Critical, state(before))}, 30)...), policy(), pass, 0, 0, "30 findings"},
	{"old errors and a new note", with(result("eslint", failed(fresh)), saying("eslint", gavel.High, state(before)), saying("eslint", gavel.Low)), policy(), pass, 0, 0, "2 findings"},
	{"old errors and a new one", with(result("eslint", failed(fresh)), saying("eslint", gavel.High, state(before)), saying("eslint", gavel.High)), policy(), block, 1, 1, "check/eslint/rule"},
	{"error of unknown age", with(result("tsc", failed(unsure)), saying("tsc", gavel.High, state(unsure))), policy(), conditional, 0, 2, "look at 1 finding"},
	{"critical of unknown age", with(result("tsc", failed(unsure)), saying("tsc", gavel.Critical, state(unsure))), policy(), conditional, 0, 2, "look at 1 finding"},
	{"unknown age beside new", with(result("tsc", failed(fresh)), saying("tsc", gavel.High, state(unsure)), saying("tsc", gavel.High)), policy(), block, 1, 1, "check/tsc/rule"},
	{"error in the baseline file", with(result("eslint", failed(fresh)), saying("eslint", gavel.High, settled(gavel.ReasonBaseline))), policy(), pass, 0, 0, "nothing of it stands against the merge"},
	{"error suppressed on the trusted base", with(result("eslint", failed(fresh)), saying("eslint", gavel.High, settled(gavel.ReasonSuppressed))), policy(), pass, 0, 0, "nothing of it stands against the merge"},
	{"error in an excluded path", with(result("eslint", failed(fresh)), saying("eslint", gavel.High, settled(gavel.ReasonExcluded))), policy(), pass, 0, 0, "nothing of it stands against the merge"},
	{"error that the change suppresses", with(result("eslint", failed(fresh)), saying("eslint", gavel.High, pending)), policy(), conditional, 1, 1, "suppression_pending"},
	{"error of no place", with(result("tsc", failed(fresh)), saying("tsc", gavel.High, unlocated, func(f *gavel.Finding) { f.File = "" })), policy(), block, 1, 1, "high check/tsc/rule: t"},
	{"fail_on medium", with(result("eslint", failed(fresh)), saying("eslint", gavel.Medium)), policy(failOn("medium")), block, 1, 1, "check/eslint/rule"},
	{"fail_on critical", with(result("eslint", failed(fresh)), saying("eslint", gavel.High)), policy(failOn("critical")), conditional, 0, 2, "look at 1 finding"},
	{"a crash with what it had found", with(result("tsc", is(gavel.CheckError, "crashed")), saying("tsc", gavel.High)), policy(), block, 1, 1, "check/tsc/rule"},
	{"a required crash with what it had found", with(result("tsc", needed, is(gavel.CheckError, "crashed")), saying("tsc", gavel.Medium)), policy(), conditional, 3, 3, "it broke"},
	{"a finding of a check that nobody knows", found(saying("ghost", gavel.High)), policy(), block, 1, 1, "check/ghost/rule"},
	{"the same check in two projects", both(with(result("eslint@a"), saying("eslint@a", gavel.Low)), with(result("eslint@b", failed(fresh)), saying("eslint@b", gavel.High))), policy(), block, 1, 1, "check/eslint/rule"},
	// what else a run knows
	{"configuration of a check changed", gavel.Evidence{ConfigChanged: []string{".eslintrc.json"}}, policy(), conditional, 0, 2, "look at how the change alters its own checks: .eslintrc.json"},
	{"inline disable", gavel.Evidence{ConfigChanged: []string{"a.go:7 nolint", "b.ts:1 eslint-disable"}}, policy(), conditional, 0, 2, "check_config_changed"},
	{"profile leaves families out", gavel.Evidence{LeftOut: []string{"tests", "audit", "model review"}, Profile: gavel.ProfileQuick}, policy(), pass, 0, 0, "left_out: tests, audit and model review are not asked for by the profile quick"},
	{"deep without a model", gavel.Evidence{LeftOut: []string{"model review"}, Profile: gavel.ProfileDeep}, policy(), pass, 0, 0, "left_out: model review is not asked for by the profile deep"},
	{"no changes", gavel.Evidence{NoChanges: true}, policy(), pass, 0, 0, "no_changes: "},
	{"no changes, a failing audit", both(gavel.Evidence{NoChanges: true}, ran(result("npm-audit", failed(fresh)))), policy(), block, 1, 1, "no_changes: "},
	{"not judged", gavel.Evidence{NotJudged: "the model failed"}, policy(), none, 3, 3, ""},
	{"not judged, and bad", both(gavel.Evidence{NotJudged: "the model failed"}, ran(result("tsc", failed(fresh)))), policy(), none, 3, 3, "check/tsc"},
	{"unjudged file beside passing checks", both(skipped(gavel.SkipTooLarge), ran(result("tsc"))), policy(), conditional, 3, 3, "look at what could not be judged"},
	{"secret beside passing checks", both(found(at(gavel.Critical)), ran(result("tsc"))), policy(), block, 1, 1, "risk/exec"},
	{"blocked and incomplete", both(ran(result("tsc", failed(fresh))), ran(result("go-vet", needed, is(gavel.CheckNoScan, "tool_missing")))), policy(), block, 1, 1, "check/tsc"},
	// modes move the exit code alone
	{"shadow, failing", ran(result("tsc", failed(fresh))), policy(mode(gavel.ModeShadow)), block, 0, 0, "check/tsc"},
	{"warn, failing", ran(result("tsc", failed(fresh))), policy(mode(gavel.ModeWarn)), block, 0, 0, "check/tsc"},
	{"warn, conditional", with(result("tsc"), saying("tsc", gavel.Medium)), policy(mode(gavel.ModeWarn)), conditional, 0, 0, "look at 1 finding"},
	{"shadow, required tool missing", ran(result("tsc", needed, is(gavel.CheckNoScan, "tool_missing"))), policy(mode(gavel.ModeShadow)), conditional, 3, 3, "install"},
	{"warn, failing and incomplete", both(ran(result("tsc", failed(fresh))), ran(result("go-vet", needed, is(gavel.CheckError, "crashed")))), policy(mode(gavel.ModeWarn)), block, 3, 3, "check/tsc"},
	{"warn, pending", with(result("eslint", failed(fresh)), saying("eslint", gavel.High, pending)), policy(mode(gavel.ModeWarn)), conditional, 0, 0, "suppression_pending"},
}

func TestDecideRuns(t *testing.T) {
	t.Parallel()
	if len(runCases) < 80 {
		t.Errorf("only %d cases", len(runCases))
	}
	for _, tt := range runCases {
		t.Run(tt.name, func(t *testing.T) {
			v := gavel.Decide(tt.evidence, tt.policy)
			wantRecommendation := map[gavel.Decision]gavel.Recommendation{pass: gavel.Approve, conditional: gavel.ReviewRequired, block: gavel.BlockMerge, none: gavel.ReviewRequired}[tt.want]
			if v.Decision != tt.want || v.Recommendation() != wantRecommendation || v.AllowMerge() != (tt.want == pass) {
				t.Errorf("%q, %s, %v: want %q\n%+v", v.Decision, v.Recommendation(), v.AllowMerge(), tt.want, v)
			}
			plain, strict := v.Exit(gavel.ExitOptions{Mode: tt.policy.Mode}), v.Exit(gavel.ExitOptions{Mode: tt.policy.Mode, Strict: true})
			if plain != tt.exit || strict != tt.strict {
				t.Errorf("exit %d, with --strict %d: want %d and %d\n%+v", plain, strict, tt.exit, tt.strict, v)
			}
			lines := slices.Concat(v.Caveats, v.Blocking)
			if !slices.ContainsFunc(lines, func(l string) bool { return strings.Contains(l, tt.caveat) }) && tt.caveat != "" || tt.caveat == "" && len(lines) > 0 {
				t.Errorf("want %q in %q", tt.caveat, lines)
			}
			coherent(t, v)
			instructs(t, v)
		})
	}
}

var imperative = regexp.MustCompile("look |run |install |mend |configure |take it out")

// instructs checks that every gate which makes the verdict conditional says what to do.
func instructs(t *testing.T, v gavel.Verdict) {
	t.Helper()
	for _, g := range v.Gates {
		if (g.Status == gavel.GateConditional || g.Status == gavel.GateUnknown) && g.ID != "g" && !imperative.MatchString(g.Reason) {
			t.Errorf("gate %s asks for nothing: %q", g.ID, g.Reason)
		}
	}
}

// A planted fault blocks with exactly that: one line, said once.
func TestBlocksWithExactlyThat(t *testing.T) {
	t.Parallel()
	v := gavel.Decide(both(
		with(result("go-build", needed, failed(fresh)), saying("go-build", gavel.High)),
		with(result("eslint", failed(before)), saying("eslint", gavel.High, state(before))),
		ran(result("go-vet", needed)), gavel.Evidence{LeftOut: []string{"tests"}},
	), policy())
	if want := []string{"a.go:7 high check/go-build/rule: t"}; !slices.Equal(v.Blocking, want) {
		t.Errorf("blocks with %q, want %q", v.Blocking, want)
	}
	c := result("go-test", failed(fresh))
	c.Evidence = []string{"example.com/a.TestAdd fails newly", "example.com/a.TestSub fails newly"}
	v = gavel.Decide(ran(c), policy())
	if want := []string{"check/go-test: example.com/a.TestAdd fails newly", "check/go-test: example.com/a.TestSub fails newly"}; !slices.Equal(v.Blocking, want) {
		t.Errorf("blocks with %q, want %q", v.Blocking, want)
	}
}

// What is neutral adds to the caveats and to nothing else.
func TestNeutralEvidenceMovesNothing(t *testing.T) {
	t.Parallel()
	neutral := []gavel.Evidence{
		{NoChanges: true}, {LeftOut: []string{"tests"}}, {Caveats: []string{"said"}}, gated(gavel.GateNeutral), skipped(gavel.SkipBinary),
		ran(result("x")), ran(result("x", is(gavel.CheckSkip, "not_configured"))), ran(result("x", is(gavel.CheckNoScan, "tool_missing"))),
		ran(result("x", failed(before))), ran(result("x", reduced)), found(at(gavel.Critical, settled(gavel.ReasonBaseline))), found(at(gavel.Low)),
		found(at(gavel.Info, descriptive)), with(result("x", failed(before)), saying("x", gavel.Critical, state(before))),
	}
	for seed := range uint64(2000) {
		d := newDice(seed)
		e, p, extra := d.evidence(), gavel.DefaultPolicy(), pick(d, neutral...)
		more := both(e, extra)
		more.Caveats = slices.Concat(e.Caveats, extra.Caveats)
		first, second := gavel.Decide(e, p), gavel.Decide(more, p)
		if first.Decision != second.Decision || first.Incomplete != second.Incomplete || first.Pending != second.Pending || !slices.Equal(first.Blocking, second.Blocking) {
			t.Fatalf("seed %d: %+v moves\n%+v\nto\n%+v", seed, extra, first, second)
		}
		for _, c := range first.Caveats {
			if !slices.Contains(second.Caveats, c) && !strings.HasPrefix(c, "left_out: ") {
				t.Fatalf("seed %d: %+v takes the caveat %q away: %q", seed, extra, c, second.Caveats)
			}
		}
	}
}

func TestSeverityFor(t *testing.T) {
	t.Parallel()
	finding := saying(eslint, gavel.High)
	bare := finding
	bare.Check = ""
	tests := []struct {
		name string
		set  map[string]gavel.Severity
		f    gavel.Finding
		want gavel.Severity
	}{
		{"nothing said", nil, finding, gavel.High},
		{"its rule", map[string]gavel.Severity{"check/eslint/rule": gavel.Low, "eslint": gavel.Medium}, finding, gavel.Low},
		{"its check in its project", map[string]gavel.Severity{eslint: gavel.Info, "eslint": gavel.Medium}, finding, gavel.Info},
		{"its check", map[string]gavel.Severity{"eslint": gavel.Medium}, finding, gavel.Medium},
		{"its check, known by the rule alone", map[string]gavel.Severity{"eslint": gavel.Medium}, bare, gavel.Medium},
		{"another check", map[string]gavel.Severity{"tsc": gavel.Medium, "eslint@packages/api": gavel.Low}, finding, gavel.High},
		{"a minimum of the check", map[string]gavel.Severity{"check/eslint/rule": gavel.Low, ">=eslint": gavel.Critical}, finding, gavel.Critical},
		{"a detector has no check", map[string]gavel.Severity{"": gavel.Low}, at(gavel.High), gavel.High},
		{"descriptive stays", map[string]gavel.Severity{"risk/exec": gavel.Critical}, at(gavel.Info, descriptive), gavel.Info},
	}
	for _, tt := range tests {
		if got := (gavel.Policy{Severities: tt.set}).SeverityFor(&tt.f); got != tt.want {
			t.Errorf("%s: %s, want %s", tt.name, got, tt.want)
		}
	}
}
