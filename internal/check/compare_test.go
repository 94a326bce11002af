package check

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/gavel-review/gavel"
)

// found makes an outcome of findings, each written as fingerprint:scope.
func found(list string) *Outcome {
	o := &Outcome{Status: gavel.CheckPass}
	for word := range strings.FieldsSeq(list) {
		print, scope, _ := strings.Cut(word, ":")
		s := map[string]gavel.Scope{"": gavel.ScopeElsewhere, "file": gavel.ScopeChangedFile, "line": gavel.ScopeChangedLine}[scope]
		o.Findings = append(o.Findings, gavel.Finding{Fingerprint: print, Rule: "r", Title: print, File: print + ".go", Scope: s})
		o.Status = gavel.CheckFail
	}
	return o
}

func ages(o *Outcome) string {
	var words []string
	for i := range o.Findings {
		words = append(words, string(o.Findings[i].Baseline))
	}
	return strings.Join(words, " ")
}

func TestCompare(t *testing.T) {
	t.Parallel()
	noscan := &Outcome{Status: gavel.CheckNoScan, Reason: ReasonDepsMissing}
	tests := []struct {
		name       string
		head, base *Outcome
		ages       string
		baseline   gavel.BaselineState
		detail     string
	}{
		{"nothing", found(""), found(""), "", "new", ""},
		{"old", found("a b"), found("b a"), "unchanged unchanged", "unchanged", ""},
		{"new", found("a b"), found("a"), "unchanged new", "new", ""},
		{"one more of the same", found("a:line a"), found("a"), "new unchanged", "new", ""},
		{"in the changed file before elsewhere", found("a:file a a:line"), found("a a"), "unchanged unchanged new", "new", ""},
		{"on a changed line and old", found("a:line"), found("a"), "unchanged", "unchanged", ""},
		{"the base passed", found("a"), found(""), "new", "new", ""},
		{"without a base", found("a a:line a:file"), nil, "unknown new unknown", "unknown", "why"},
		{"without a base, on changed lines alone", found("a:line"), nil, "new", "new", ""},
		{"clean without a base", found(""), nil, "", "new", ""},
		{"a base that measured nothing", found("a"), noscan, "unknown", "unknown", "why"},
		{"a head that measured nothing", &Outcome{Status: gavel.CheckError}, found("a"), "", "unknown", "it measured nothing"},
		{"a bare failure", &Outcome{Status: gavel.CheckFail}, nil, "", "unknown", "why"},
		{"a bare failure, old", &Outcome{Status: gavel.CheckFail}, &Outcome{Status: gavel.CheckFail}, "", "unchanged", ""},
		{"a bare failure, new", &Outcome{Status: gavel.CheckFail}, found(""), "", "new", ""},
	}
	for _, tt := range tests {
		Compare(tt.head, tt.base, "why")
		if got := ages(tt.head); got != tt.ages || tt.head.Baseline != tt.baseline || tt.head.BaselineDetail != tt.detail {
			t.Errorf("%s: %q %s %q, want %q %s %q", tt.name, got, tt.head.Baseline, tt.head.BaselineDetail, tt.ages, tt.baseline, tt.detail)
		}
	}
	head := found("a")
	if Compare(head, noscan, ""); !strings.Contains(head.BaselineDetail, "dependencies_missing") {
		t.Errorf("%q", head.BaselineDetail)
	}
}

func TestCompareRenamed(t *testing.T) {
	t.Parallel()
	head, base := found("new:line other"), found("old other")
	base.Findings[0].Title = head.Findings[0].Title
	base.Rename(map[string]string{"old.go": "new.go"})
	if Compare(head, base, ""); ages(head) != "unchanged unchanged" {
		t.Errorf("%q", ages(head))
	}
}

func tested(list string) *Outcome {
	o := &Outcome{Status: gavel.CheckPass}
	outcomes := map[string]gavel.TestOutcome{"+": gavel.TestPassed, "-": gavel.TestFailed, "?": gavel.TestSkipped}
	for word := range strings.FieldsSeq(list) {
		r := gavel.TestResult{Name: word[1:], Outcome: outcomes[word[:1]]}
		o.Tests = append(o.Tests, r)
		if r.Outcome == gavel.TestFailed {
			o.Status = gavel.CheckFail
			o.Findings = append(o.Findings, gavel.Finding{Fingerprint: r.Name, Scope: gavel.ScopeElsewhere})
		}
	}
	return o
}

func TestCompareTests(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, head, base          string
		failing, still, fix, gone string
		baseline                  gavel.BaselineState
	}{
		{"fails now", "-a +b", "+a +b", "a", "", "", "", "new"},
		{"failed before", "-a", "-a", "", "a", "", "", "unchanged"},
		{"fixed", "+a", "-a", "", "", "a", "", "new"},
		{"gone is removed, never fixed", "+b", "-a +b", "", "", "", "a", "new"},
		{"skipped is not fixed", "?a", "-a", "", "", "", "", "new"},
		{"a new test fails", "-a -n", "-a", "n", "a", "", "", "new"},
		{"several runs of one", "+a -a", "+a", "a", "", "", "", "new"},
		{"none any more", "", "-a +b", "", "", "", "a b", "new"},
	}
	for _, tt := range tests {
		head := tested(tt.head)
		Compare(head, tested(tt.base), "")
		want := &TestDelta{strings.Fields(tt.failing), strings.Fields(tt.still), strings.Fields(tt.fix), strings.Fields(tt.gone)}
		if !reflect.DeepEqual(head.TestDelta, want) || head.Baseline != tt.baseline {
			t.Errorf("%s: %+v %s, want %+v %s", tt.name, head.TestDelta, head.Baseline, want, tt.baseline)
		}
	}
	head := tested("-a")
	head.Findings[0].Scope = gavel.ScopeChangedLine
	if Compare(head, nil, "no base"); head.Baseline != gavel.BaselineUnknown {
		t.Errorf("whether a failing test is new cannot be told from where it stands: %s", head.Baseline)
	}
}

// TestCompareLaws holds for whatever two trees gave: nothing is lost, no more is old than the base had, more on the base
// never makes anything new, and comparing a second time changes nothing.
func TestCompareLaws(t *testing.T) {
	t.Parallel()
	for seed := range uint64(2000) {
		r := rand.New(rand.NewPCG(seed, 7))
		some := func(n int) string {
			var words []string
			for range r.IntN(n) {
				words = append(words, string(rune('a'+r.IntN(4)))+[]string{"", ":file", ":line"}[r.IntN(3)])
			}
			return strings.Join(words, " ")
		}
		h, b := some(8), some(8)
		head, base := found(h), found(b)
		Compare(head, base, "")
		count := map[string]int{}
		for i := range base.Findings {
			count[base.Findings[i].Fingerprint]++
		}
		fresh := 0
		for i := range head.Findings {
			f := &head.Findings[i]
			switch f.Baseline {
			case gavel.BaselineUnchanged:
				count[f.Fingerprint]--
			case gavel.BaselineNew:
				fresh++
				if count[f.Fingerprint] > 0 && !slices.ContainsFunc(head.Findings, func(g gavel.Finding) bool {
					return g.Fingerprint == f.Fingerprint && g.Baseline == gavel.BaselineUnchanged
				}) {
					t.Fatalf("%q against %q: %s is new though the base has it", h, b, f.Fingerprint)
				}
			default:
				t.Fatalf("%q against %q: %q", h, b, f.Baseline)
			}
		}
		for print, n := range count {
			if n < 0 {
				t.Fatalf("%q against %q: %s is old more often than the base had it", h, b, print)
			}
		}
		if (head.Baseline == gavel.BaselineUnchanged) != (fresh == 0 && len(head.Findings) > 0) {
			t.Fatalf("%q against %q: %s with %d new", h, b, head.Baseline, fresh)
		}
		before := fmt.Sprint(*head)
		if Compare(head, base, ""); fmt.Sprint(*head) != before {
			t.Fatalf("%q against %q: comparing twice differs", h, b)
		}
		again := found(h)
		Compare(again, found(b+" "+some(3)), "")
		if strings.Count(ages(again), "new") > fresh {
			t.Fatalf("%q against %q and more: more is new", h, b)
		}
	}
}

func TestOn(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	put(t, root, "old.js", "")
	put(t, root, "web/package.json", "{}")
	put(t, root, "web/a.js", "")
	env := RunEnv{Root: root}
	lint := &Check{ID: "lint", Stack: "node", Scope: ScopeChangedFiles, Place: placeConfig}
	build := &Check{ID: "build", Stack: "node", Scope: ScopeProject, Place: placeProject}
	tests := []struct {
		name   string
		p      Planned
		absent bool
		files  string
		why    bool
	}{
		{"a renamed file", Planned{Check: lint, Files: []string{"new.js", "web/a.js"}, renames: map[string]string{"new.js": "old.js"}}, false, "old.js web/a.js", false},
		{"new files", Planned{Check: lint, Files: []string{"b.js"}}, true, "", false},
		{"a new project", Planned{Check: build, Project: "api"}, true, "", false},
		{"a folder that was no project", Planned{Check: build}, true, "", false},
		{"a project", Planned{Check: build, Project: "web"}, false, "", false},
		{"newly configured", Planned{Check: lint, Files: []string{"web/a.js"}, Configs: []string{"eslint.config.js"}}, false, "web/a.js", true},
	}
	for _, tt := range tests {
		on, why := tt.p.On(env)
		if on.absent != tt.absent || strings.Join(on.Files, " ") != tt.files && !tt.absent || (why != "") != tt.why {
			t.Errorf("%s: absent %v, files %v, %q", tt.name, on.absent, on.Files, why)
		}
	}
}
