package gavel_test

import (
	"maps"
	"strings"
	"testing"
	"time"

	"github.com/gavel-review/gavel"
)

func on(file string, line int) func(*gavel.Finding) {
	return func(f *gavel.Finding) { f.File, f.Line = file, line }
}
func ruled(rule string) func(*gavel.Finding) {
	return func(f *gavel.Finding) { f.Rule, f.Category = rule, categoryOf(rule) }
}
func column(c int) func(*gavel.Finding)           { return func(f *gavel.Finding) { f.Column = c } }
func scope(s gavel.Scope) func(*gavel.Finding)    { return func(f *gavel.Finding) { f.Scope = s } }
func printed(p string) func(*gavel.Finding)       { return func(f *gavel.Finding) { f.Fingerprint = p } }
func alias(p ...string) func(*gavel.Finding)      { return func(f *gavel.Finding) { f.Aliases = p } }
func titled(title string) func(*gavel.Finding)    { return func(f *gavel.Finding) { f.Title = title } }
func minimum(s gavel.Severity) gavel.Settlements  { return gavel.Settlements{MinSeverity: s} }
func old(prints map[string]int) gavel.Settlements { return gavel.Settlements{Baseline: prints} }

func ignoring(trusted bool, line int, rules ...string) gavel.Suppression {
	return gavel.Suppression{File: "a.go", Line: line, Rules: rules, Until: time.Date(2026, 4, 1, 0, 0, 0, 0, time.UTC), Reason: "r", Trusted: trusted}
}

func suppressing(s ...gavel.Suppression) gavel.Settlements {
	return gavel.Settlements{Suppressions: s, Subject: "tree", FailOn: "high", Aliases: oldRules}
}

func acknowledged(print, subject string, s gavel.Settlements) gavel.Settlements {
	s.Rulings = append(s.Rulings, gavel.Ruling{Fingerprint: print, Subject: subject, By: "ada", Why: "seen"})
	return s
}

func excluding(path string) gavel.Settlements {
	return gavel.Settlements{Excluded: func(p string) bool { return p == path }}
}

// said is a finding in one word: the reasons in order, "pending", or "counts".
func said(f gavel.Finding) string {
	var words []string
	for _, s := range f.Settled {
		words = append(words, string(s.Reason))
	}
	switch {
	case f.Pending != "":
		words = append(words, "pending")
	case len(words) == 0:
		words = append(words, "counts")
	}
	return strings.Join(words, "+")
}

func TestSettle(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		in   []gavel.Finding
		s    gavel.Settlements
		want string // one word a finding, in the order of the output
	}{
		{"nothing", nil, gavel.Settlements{}, ""},
		{"new", []gavel.Finding{at(gavel.High)}, gavel.Settlements{}, "counts"},
		// scope
		{"changed file", []gavel.Finding{at(gavel.High, scope(gavel.ScopeChangedFile))}, gavel.Settlements{}, "outside_change"},
		{"elsewhere", []gavel.Finding{at(gavel.High, scope(gavel.ScopeElsewhere))}, gavel.Settlements{}, "outside_change"},
		{"a scope outside the list", []gavel.Finding{at(gavel.High, scope(""))}, gavel.Settlements{}, "counts"},
		{"a check elsewhere", []gavel.Finding{at(gavel.High, scope(gavel.ScopeElsewhere), from(gavel.SourceCheck))}, gavel.Settlements{}, "counts"},
		{"excluded", []gavel.Finding{at(gavel.High)}, excluding("a.go"), "excluded"},
		{"excluded elsewhere", []gavel.Finding{at(gavel.High)}, excluding("b.go"), "counts"},
		{"grave secret, excluded", []gavel.Finding{at(gavel.High, ruled("secret/key"))}, excluding("a.go"), "counts"},
		{"mild secret, excluded", []gavel.Finding{at(gavel.Medium, ruled("secret/key"))}, excluding("a.go"), "excluded"},
		// baseline
		{"old", []gavel.Finding{at(gavel.High, printed("p"))}, old(map[string]int{"p": 1}), "baseline"},
		{"old under its old path", []gavel.Finding{at(gavel.High, printed("p"), alias("q"))}, old(map[string]int{"q": 1}), "baseline"},
		{"a count of nothing", []gavel.Finding{at(gavel.High, printed("p"))}, old(map[string]int{"p": 0, "q": -1}), "counts"},
		{"a copy of an old line", []gavel.Finding{at(gavel.High, printed("p")), at(gavel.High, printed("p"), on("a.go", 9))}, old(map[string]int{"p": 1}), "baseline counts"},
		{"a copy above the old line", []gavel.Finding{at(gavel.High, printed("p"), on("a.go", 1)), at(gavel.High, printed("p"), on("a.go", 9), scope(gavel.ScopeChangedFile))},
			old(map[string]int{"p": 1}), "counts outside_change+baseline"},
		{"the gravest of equal ones is new", []gavel.Finding{at(gavel.Critical, printed("p"), on("a.go", 1)), at(gavel.Low, printed("p"), on("a.go", 9))},
			old(map[string]int{"p": 1}), "counts baseline"},
		{"a suppressed one spends first", []gavel.Finding{at(gavel.High, printed("p"), on("a.go", 1)), at(gavel.High, printed("p"), on("a.go", 5))},
			gavel.Settlements{Baseline: map[string]int{"p": 1}, Suppressions: []gavel.Suppression{ignoring(true, 4, "risk/exec")}}, "counts suppressed+baseline"},
		{"its own print before an alias", []gavel.Finding{at(gavel.High, printed("p"), alias("q"), on("a.go", 1)), at(gavel.High, printed("q"), on("a.go", 9))},
			old(map[string]int{"q": 1}), "counts baseline"},
		{"both prints", []gavel.Finding{at(gavel.High, printed("p"), alias("q")), at(gavel.High, printed("p"), alias("q"), on("a.go", 9))},
			old(map[string]int{"p": 1, "q": 1}), "baseline baseline"},
		{"once is enough", []gavel.Finding{at(gavel.High, printed("p"), alias("p", "q"))}, old(map[string]int{"p": 2, "q": 2}), "baseline"},
		{"a detector's own claim", []gavel.Finding{at(gavel.High, state(gavel.BaselineUnchanged))}, gavel.Settlements{}, "counts"},
		// suppressions
		{"trusted", []gavel.Finding{at(gavel.Critical)}, suppressing(ignoring(true, 6, "risk/exec")), "suppressed"},
		{"trusted, grave secret", []gavel.Finding{at(gavel.Critical, ruled("secret/key"))}, suppressing(ignoring(true, 7, "secret/key")), "suppressed"},
		{"brought, below the bar", []gavel.Finding{at(gavel.Medium)}, suppressing(ignoring(false, 7, "risk/exec")), "suppressed"},
		{"brought, at the bar", []gavel.Finding{at(gavel.High)}, suppressing(ignoring(false, 7, "risk/exec")), "pending"},
		{"brought, no bar given", []gavel.Finding{at(gavel.High)}, gavel.Settlements{Suppressions: []gavel.Suppression{ignoring(false, 7, "risk/exec")}}, "pending"},
		{"brought, mild secret", []gavel.Finding{at(gavel.Medium, ruled("secret/key"))}, suppressing(ignoring(false, 7, "secret/key")), "suppressed"},
		{"brought, grave secret", []gavel.Finding{at(gavel.High, ruled("secret/key"))}, suppressing(ignoring(false, 7, "secret/key")), "counts"},
		{"brought and trusted", []gavel.Finding{at(gavel.High)}, suppressing(ignoring(false, 7, "risk/exec"), ignoring(true, 6, "risk/exec")), "suppressed"},
		{"another line", []gavel.Finding{at(gavel.High)}, suppressing(ignoring(true, 8, "risk/exec")), "counts"},
		{"another file", []gavel.Finding{at(gavel.High, on("b.go", 7))}, suppressing(ignoring(true, 7, "risk/exec")), "counts"},
		{"another rule", []gavel.Finding{at(gavel.High)}, suppressing(ignoring(true, 7, "risk/eval")), "counts"},
		{"the rule's old name", []gavel.Finding{at(gavel.High, ruled("secret/key"))}, suppressing(ignoring(true, 7, "secret/old-key")), "suppressed"},
		{"a descriptive one waits for nobody", []gavel.Finding{at(gavel.Info, descriptive)}, gavel.Settlements{FailOn: "any", Suppressions: []gavel.Suppression{ignoring(false, 7, "risk/exec")}}, "counts"},
		{"an old one waits for nobody", []gavel.Finding{at(gavel.High, printed("p"))},
			gavel.Settlements{Baseline: map[string]int{"p": 1}, Suppressions: []gavel.Suppression{ignoring(false, 7, "risk/exec")}}, "baseline"},
		// acknowledgements
		{"acknowledged", []gavel.Finding{at(gavel.High, printed("p"))}, acknowledged("p", "tree", suppressing(ignoring(false, 7, "risk/exec"))), "ruled"},
		{"acknowledged, another print", []gavel.Finding{at(gavel.High, printed("p"))}, acknowledged("q", "tree", suppressing(ignoring(false, 7, "risk/exec"))), "pending"},
		{"acknowledged, another tree", []gavel.Finding{at(gavel.High, printed("p"))}, acknowledged("p", "other", suppressing(ignoring(false, 7, "risk/exec"))), "pending"},
		{"acknowledged, no suppression", []gavel.Finding{at(gavel.High, printed("p"))}, acknowledged("p", "tree", suppressing()), "counts"},
		{"acknowledged, grave secret", []gavel.Finding{at(gavel.High, printed("p"), ruled("secret/key"))}, acknowledged("p", "tree", suppressing(ignoring(false, 7, "secret/key"))), "counts"},
		{"acknowledged, no tree", []gavel.Finding{at(gavel.High, printed("p"))},
			acknowledged("p", "", gavel.Settlements{Suppressions: []gavel.Suppression{ignoring(false, 7, "risk/exec")}}), "pending"},
		// duplicates
		{"same place, other rule", []gavel.Finding{at(gavel.High, column(3)), at(gavel.Medium, column(3), ruled("risk/eval"))}, gavel.Settlements{}, "duplicate counts"},
		{"same place, no column", []gavel.Finding{at(gavel.High), at(gavel.Medium, ruled("risk/eval"))}, gavel.Settlements{}, "counts counts"},
		{"same rule, no column", []gavel.Finding{at(gavel.Medium, titled("b")), at(gavel.High, titled("a"))}, gavel.Settlements{}, "counts duplicate"},
		{"other category", []gavel.Finding{at(gavel.High, column(3)), at(gavel.Medium, column(3), ruled("hygiene/debug"))}, gavel.Settlements{}, "counts counts"},
		{"other column", []gavel.Finding{at(gavel.High, column(3)), at(gavel.Medium, column(4))}, gavel.Settlements{}, "counts counts"},
		{"a suppressed one hides nothing", []gavel.Finding{at(gavel.Critical, column(3)), at(gavel.Low, column(3), ruled("risk/eval"))}, suppressing(ignoring(true, 7, "risk/exec")), "counts suppressed"},
		{"a pending one hides nothing", []gavel.Finding{at(gavel.Critical, column(3)), at(gavel.Low, column(3), ruled("risk/eval"))}, suppressing(ignoring(false, 7, "risk/exec")), "counts pending"},
		{"an old one hides nothing", []gavel.Finding{at(gavel.Critical, column(3), printed("p")), at(gavel.Low, column(3), ruled("risk/eval"))}, old(map[string]int{"p": 1}), "counts baseline"},
		{"an unchanged one hides nothing", []gavel.Finding{at(gavel.Critical, column(3), from(gavel.SourceCheck), state(gavel.BaselineUnchanged)), at(gavel.High, column(3), ruled("risk/eval"))}, gavel.Settlements{}, "counts counts"},
		{"one of unknown age hides nothing", []gavel.Finding{at(gavel.Critical, column(3), from(gavel.SourceCheck), state(gavel.BaselineUnknown)), at(gavel.High, column(3), ruled("risk/eval"))}, gavel.Settlements{}, "counts counts"},
		{"a descriptive one hides nothing", []gavel.Finding{at(gavel.Info, column(3), descriptive), at(gavel.Info, column(3), ruled("risk/f"))}, gavel.Settlements{}, "counts counts"},
		{"an unlocated one hides nothing", []gavel.Finding{at(gavel.Critical, column(3), from(gavel.SourceModel), unlocated), at(gavel.High, column(3), ruled("risk/f"))}, gavel.Settlements{}, "counts counts"},
		// min_severity
		{"below the threshold", []gavel.Finding{at(gavel.Low)}, minimum(gavel.Medium), "below_threshold"},
		{"at the threshold", []gavel.Finding{at(gavel.Medium)}, minimum(gavel.Medium), "counts"},
		{"below and outside", []gavel.Finding{at(gavel.Low, scope(gavel.ScopeElsewhere))}, minimum(gavel.Medium), "outside_change+below_threshold"},
		{"hidden duplicate", []gavel.Finding{at(gavel.Low, titled("a")), at(gavel.Low, titled("b"))}, minimum(gavel.Medium), "below_threshold duplicate+below_threshold"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var got []string
			for _, f := range gavel.Settle(tt.in, tt.s) {
				got = append(got, said(f))
			}
			if s := strings.Join(got, " "); s != tt.want {
				t.Errorf("got %s, want %s", s, tt.want)
			}
		})
	}
}

func TestSettleSaysWhy(t *testing.T) {
	t.Parallel()
	in := []gavel.Finding{
		at(gavel.High, printed("p")), at(gavel.Medium, on("a.go", 20)), at(gavel.High, column(3), on("b.go", 1)), at(gavel.High, column(3), on("b.go", 1), ruled("risk/eval")),
		at(gavel.High, on("c.go", 1), printed("q")),
	}
	s := acknowledged("p", "tree", suppressing(ignoring(false, 7, "risk/exec"), ignoring(false, 20, "risk/exec")))
	s.Baseline = map[string]int{"q": 1}
	want := []string{"acknowledged by ada: seen", "line 20, until 2026-04-01: r", "", "of risk/eval", "q"}
	for i, f := range gavel.Settle(in, s) {
		if got := detail(f); got != want[i] {
			t.Errorf("%s:%d %s: %q, want %q", f.File, f.Line, f.Rule, got, want[i])
		}
	}
}

func detail(f gavel.Finding) string {
	if len(f.Settled) == 0 {
		return ""
	}
	return f.Settled[0].Detail
}

func BenchmarkSettle(b *testing.B) {
	d := newDice(1)
	in := make([]gavel.Finding, 2000)
	for i := range in {
		in[i] = d.finding()
		in[i].Line = 1 + d.IntN(5000)
	}
	s := d.settlements(in)
	for b.Loop() {
		gavel.Settle(in, s)
	}
}

// Places in different commits have nothing to do with each other, even where path and line are the same.
func TestCommitsAreApart(t *testing.T) {
	t.Parallel()
	in := func(commit string) gavel.Finding {
		f := at(gavel.Medium)
		f.Commit = commit
		return f
	}
	suppression := ignoring(true, 7, "risk/exec")
	suppression.Commit = "one"
	got := gavel.Settle([]gavel.Finding{in("two"), in("one"), in("two")}, gavel.Settlements{Suppressions: []gavel.Suppression{suppression}})
	reasons := map[string]int{}
	for _, f := range got {
		for _, s := range f.Settled {
			reasons[f.Commit+" "+string(s.Reason)]++
		}
		if len(f.Settled) == 0 {
			reasons[f.Commit+" counts"]++
		}
	}
	want := map[string]int{"one suppressed": 1, "two counts": 1, "two duplicate": 1}
	if !maps.Equal(reasons, want) {
		t.Errorf("got %v, want %v", reasons, want)
	}
}
