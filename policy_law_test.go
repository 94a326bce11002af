package gavel_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/gavel-review/gavel"
)

func (d dice) layer() gavel.PolicyLayer {
	var l gavel.PolicyLayer
	if d.one(3) {
		l.Mode = new(pick(d, someModes...))
	}
	if d.one(2) {
		l.FailOn = new(pick(d, someThresholds[1:]...))
	}
	if d.one(2) {
		l.WarnOn = new(pick(d, someThresholds[1:]...))
	}
	if d.one(3) {
		l.Required = shuffled(d, someChecks)[:d.IntN(3)]
	}
	if d.one(2) {
		l.Severities = map[string]gavel.Severity{pick(d, someRules...): pick(d, someSeverities...), pick(d, someRules...): pick(d, someSeverities...)}
	}
	if d.one(3) {
		l.Exclude = shuffled(d, someFiles)[:d.IntN(3)]
	}
	if d.one(4) {
		l.Baseline = new(d.one(2))
	}
	if d.one(4) {
		l.Suppressions = new(d.one(2))
	}
	if d.one(3) {
		l.Budgets = map[gavel.Profile]gavel.Budget{pick(d, gavel.ProfileQuick, gavel.ProfileDeep): pick[gavel.Budget](d, 1, 2, 100)}
	}
	if d.one(3) {
		l.Guard = &gavel.GuardLayer{
			Thresholds: map[string]int{pick(d, someSeverities...).String(): d.IntN(4)},
			Rules:      map[string]int{pick(d, someRules...): d.IntN(3)}, Paths: map[string]int{pick(d, someFiles...): d.IntN(3)},
		}
		if d.one(2) {
			l.Guard.Total = new(d.IntN(5))
		}
		if d.one(2) {
			l.Guard.NewOnly = new(d.one(2))
		}
	}
	return l
}

// judgement is a change under a policy, from what was found to the exit codes of review and guard.
type judgement struct {
	decision   gavel.Decision
	exit       int
	violations []gavel.Violation
}

func judged(in []gavel.Finding, e gavel.Evidence, s gavel.Settlements, p gavel.Policy) judgement {
	in = slices.Clone(in)
	for i := range in {
		if !in[i].Descriptive {
			in[i].Severity = p.SeverityOf(in[i].Rule, in[i].Severity)
		}
	}
	s.FailOn = p.FailOn
	s.Excluded = func(path string) bool { return slices.Contains(p.Exclude, path) }
	if !p.Baseline {
		s.Baseline = nil
	}
	if !p.Suppressions {
		s.Suppressions = nil
	}
	e.Findings = gavel.Settle(in, s)
	v := gavel.Decide(e, p)
	_, violations := p.Guard.Apply(e.Findings, func(pattern, path string) bool { return pattern == path })
	return judgement{v.Decision, v.Exit(gavel.ExitOptions{Mode: p.Mode, Strict: true}), violations}
}

func TestTightenNeverLetsMorePass(t *testing.T) {
	t.Parallel()
	for seed := range uint64(8000) {
		d := newDice(seed)
		p := gavel.DefaultPolicy().Override(d.layer()).Override(d.layer())
		l := d.layer()
		tight, loosened := p.Tighten(l)
		in := d.findings(5)
		e, s := d.evidence(), d.settlements(in)
		before, after := judged(in, e, s, p), judged(in, e, s, tight)
		if badness(after.decision) < badness(before.decision) || exitBadness(after.exit) < exitBadness(before.exit) ||
			len(l.Severities) == 0 && len(before.violations) > 0 && len(after.violations) == 0 {
			t.Fatalf("seed %d: %+v became %+v\npolicy %+v\nlayer %+v\ntight %+v", seed, before, after, p, l, tight)
		}
		reported(t, p, l, loosened)
		if _, again := tight.Tighten(gavel.PolicyLayer{}); len(again) != 0 {
			t.Fatalf("no opinion loosens %q", again)
		}
	}
}

// reported checks the keys against an oracle that looks at each key alone.
func reported(t *testing.T, p gavel.Policy, l gavel.PolicyLayer, loosened []string) {
	t.Helper()
	var want []string
	note := func(key string, loose bool) {
		if loose {
			want = append(want, key)
		}
	}
	modes := []gavel.EnforcementMode{"shadow", "warn", "block"}
	note("mode", l.Mode != nil && slices.Index(modes, *l.Mode) < slices.Index(modes, p.Mode))
	note("fail_on", l.FailOn != nil && passesMore(*l.FailOn, p.FailOn))
	note("warn_on", l.WarnOn != nil && passesMore(*l.WarnOn, p.WarnOn))
	for _, id := range p.Required {
		note("required", l.Required != nil && !slices.Contains(l.Required, id))
	}
	for _, pattern := range l.Exclude {
		note("exclude", !slices.Contains(p.Exclude, pattern))
	}
	note("baseline", l.Baseline != nil && *l.Baseline && !p.Baseline)
	note("suppressions", l.Suppressions != nil && *l.Suppressions && !p.Suppressions)
	for rule, s := range l.Severities {
		now, set := p.Severities[rule]
		note("severities."+rule, set && s < now)
	}
	for profile, b := range l.Budgets {
		note("budgets."+string(profile), b > p.Budget(profile))
	}
	if g := l.Guard; g != nil {
		note("guard.total", g.Total != nil && p.Guard.Total != nil && *g.Total > *p.Guard.Total)
		note("guard.new_only", g.NewOnly != nil && *g.NewOnly && !p.Guard.NewOnly)
		for word, n := range g.Thresholds {
			s, _ := gavel.ParseSeverity(word)
			now, set := p.Guard.Thresholds[s]
			note("guard.thresholds."+word, set && n > now)
		}
		for rule, n := range g.Rules {
			now, set := p.Guard.Rules[rule]
			note("guard.rules."+rule, set && n > now)
		}
		for path, n := range g.Paths {
			now, set := p.Guard.Paths[path]
			note("guard.paths."+path, set && n > now)
		}
	}
	var got []string
	for _, line := range loosened {
		key, _, _ := strings.Cut(line, " ")
		got = append(got, key)
	}
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Fatalf("reported %q\nwanted   %q\npolicy %+v\nlayer %+v", got, want, p, l)
	}
}

// passesMore reports whether some severity trips b and not a.
func passesMore(a, b gavel.Threshold) bool {
	return slices.ContainsFunc(gavel.Severities[:], func(s gavel.Severity) bool { return b.Trips(s) && !a.Trips(s) })
}
