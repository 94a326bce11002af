package detect

import (
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/gavel-review/gavel"
	"github.com/gavel-review/gavel/internal/code"
)

var flaky = Detector{Name: "flaky", Rules: []*gavel.Rule{
	ruleFlakySleep, ruleFlakyRandom, ruleFlakyClock, ruleFlakyTimeout, ruleFlakyPort, ruleFlakyNetwork, ruleFlakyPath, ruleFlakyEnv,
	ruleFlakyOrder, ruleFlakyTestOrder, ruleFlakyUnawaited, ruleFlakyGoroutine, ruleFlakySelector, ruleFlakyMocks,
}, Run: runFlaky}

// flakyCheck looks at one token of an added line and reports whether it made a finding. Only names get here.
type flakyCheck func(v *flakyView, i int, name string) bool

// flakyWords are what a line that makes a finding holds, by family: the names that are looked at and what is looked for in
// literals. Other lines are passed over, and a file without such a line is never tokenised.
var flakyWords = sync.OnceValue(func() map[string]*needles {
	m := make(map[string]*needles)
	for lang, checks := range flakyChecks() {
		words := []string{"http://", "https://", "/tmp/", `\\Temp\\`, "/Temp/", `:\Temp\`}
		for name := range checks {
			if len(name) >= 3 {
				words = append(words, name)
			}
		}
		if checks["\""] != nil {
			words = append(words, "/html/", ":nth-", `"//`, "'//", "`//", "xpath=")
		}
		slices.Sort(words)
		m[lang] = newNeedles(words...)
	}
	return m
})

func runFlaky(p *Pass) {
	if code.IsFixture(p.File.Path) && !testBase(p.File.Path) || !p.Test && !p.mayTest() {
		return
	}
	checks := flakyChecks()[family(p.Lang)]
	if checks == nil {
		return
	}
	var v *flakyView
	words := flakyWords()[family(p.Lang)]
	p.Lines(gavel.Add, func(l *gavel.Line) {
		if !words.in(l.Text) {
			return
		}
		if v == nil {
			v = newFlakyView(p)
		}
		v.look(l, checks)
	})
}

// mayTest reports whether a file that is no test by its path holds tests all the same, as far as the lines at hand tell: Rust keeps
// them beside the code, and Node has no name for them.
func (p *Pass) mayTest() bool {
	var marks *needles
	switch family(p.Lang) {
	case "rust":
		marks = rustMarks()
	case "javascript":
		marks = scriptMarks()
	default:
		return false
	}
	for i := range p.File.Hunks {
		for j := range p.File.Hunks[i].Lines {
			if l := &p.File.Hunks[i].Lines[j]; l.Op != gavel.Remove && marks.in(l.Text) {
				return true
			}
		}
	}
	return false
}

var (
	rustMarks   = sync.OnceValue(func() *needles { return newNeedles("#[test]", "::test]", "::test(", "cfg(test)", "#[rstest") })
	scriptMarks = sync.OnceValue(func() *needles {
		return newNeedles("'node:test'", "\"node:test\"", "from 'vitest'", "from \"vitest\"", "require('tap')", "from 'tap'", "@playwright/test", "@jest/globals", "require('ava')", "require('tape')", "from 'bun:test'", "matteo.collina/tspl")
	})
)

// look runs the checks over the names of the line; each line gives one finding at most.
func (v *flakyView) look(l *gavel.Line, checks map[string][]flakyCheck) {
	r, ok := v.row(l.New)
	if !ok {
		return
	}
	for i := v.rows[r].from; i < v.rows[r].to; i++ {
		n := v.text(i)
		if v.kind(i) == code.String {
			n = "\""
		} else if v.kind(i) != code.Ident {
			continue
		}
		for _, check := range checks[n] {
			if !v.pass.moved(l) && check(v, i, n) {
				return
			}
		}
	}
}

func testBase(file string) bool {
	base := strings.ToLower(path.Base(file))
	if strings.Contains(file, "testdata/") {
		return false
	}
	return strings.Contains(base, "test") || strings.Contains(base, "spec")
}

// flakyChecks maps family and name to what has to look at it.
var flakyChecks = sync.OnceValue(func() map[string]map[string][]flakyCheck {
	m := make(map[string]map[string][]flakyCheck)
	for _, lang := range []string{"go", "javascript", "python", "java", "kotlin", "scala", "groovy", "c#", "ruby", "php", "rust", "swift"} {
		m[lang] = make(map[string][]flakyCheck)
	}
	add := func(check flakyCheck, langs, names string) {
		for _, lang := range strings.Fields(langs) {
			for _, n := range strings.Fields(names) {
				m[lang][n] = append(m[lang][n], check)
			}
		}
	}
	for _, register := range []func(func(check flakyCheck, langs, names string)){
		registerSleep, registerEnv, registerPort, registerNetwork, registerPath, registerRandom, registerClock, registerTimeout,
		registerOrder, registerAsync, registerShape,
	} {
		register(add)
	}
	return m
})

const allFlaky = "go javascript python java kotlin scala groovy c# ruby php rust swift"

// inTest reports whether the row stands in test code: in a test file, or under a test attribute or a module of tests
// where a file holds both.
func (v *flakyView) inTest(row int) bool {
	if v.pass.Test || v.lang != "rust" {
		return true
	}
	for _, h := range v.headers(row) {
		for k := v.rowOf(h.from) - 1; k >= 0 && k > v.rowOf(h.from)-6; k-- {
			r := v.rows[k]
			if !v.sign(r.from, '#') {
				break
			}
			if v.hasName(r.from, r.to, "test", "rstest", "test_case") {
				return true
			}
		}
	}
	return false
}

// wordsOf returns the set of the words, built at the first call.
func wordsOf(words string) func() map[string]bool {
	return sync.OnceValue(func() map[string]bool {
		m := make(map[string]bool)
		for _, w := range strings.Fields(words) {
			m[w] = true
		}
		return m
	})
}
