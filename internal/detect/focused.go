package detect

import (
	"strings"
	"sync"

	"github.com/gavel-review/gavel"
	"github.com/gavel-review/gavel/internal/code"
)

var focused = Detector{Name: "focused", Rules: []*gavel.Rule{ruleFocused}, Run: runFocused}

var ruleFocused = &gavel.Rule{
	ID:    "hygiene/focused-test",
	Title: "Focused test keeps all others from running",
	Text: "`it.only`, `fdescribe`, `focus: true` and Ginkgo's `FIt` make the runner pass over every other test, and the build is green all the same. " +
		"The rule fires on added lines of test files for Jest, Mocha, Vitest, Jasmine, Playwright, AVA, node:test, RSpec, Ginkgo, Quick, Pest, " +
		"Kotest, ExUnit and Dart; comments and strings do not fire.",
	Fix:      "Remove the focus and run all tests.",
	Before:   "it.only(\"adds\", () => { expect(add(1, 2)).toBe(3) })",
	After:    "it(\"adds\", () => { expect(add(1, 2)).toBe(3) })",
	Severity: gavel.High, Category: gavel.CategoryHygiene, Confidence: gavel.ConfidenceHigh,
}

// focusWords are what a focused line holds; most lines hold none of them and are not tokenised.
var focusWords = sync.OnceValue(func() map[string]*needles {
	return map[string]*needles{
		"javascript": newNeedles(".only", "fit", "fdescribe", "fcontext", "only:"),
		"ruby":       newNeedles("focus", "fit", "fdescribe", "fcontext", "fspecify", "fexample", "ffeature", "fscenario"),
		"go":         newNeedles("FIt(", "FDescribe(", "FContext(", "FWhen(", "FSpecify(", "FEntry(", "FDescribeTable(", "Focus"),
		"swift":      newNeedles("fit(", "fdescribe(", "fcontext("),
		"php":        newNeedles("only()"),
		"kotlin":     newNeedles("\"f:"),
		"elixir":     newNeedles(":focus", "focus:"),
		"dart":       newNeedles("solo"),
	}
})

// family maps the dialects of a language to the name under which the tables know it.
func family(lang *code.Language) string {
	switch lang.Name {
	case "typescript", "jsx", "tsx", "vue":
		return "javascript"
	}
	return lang.Name
}

func containsAny(line string, words []string) bool {
	for _, w := range words {
		if strings.Contains(line, w) {
			return true
		}
	}
	return false
}

func runFocused(p *Pass) {
	if !p.Test {
		return
	}
	lang := family(p.Lang)
	words := focusWords()[lang]
	if words == nil {
		return
	}
	p.Lines(gavel.Add, func(l *gavel.Line) {
		if !words.in(l.Text) || p.moved(l) {
			return
		}
		w := p.words(l)
		if i := w.focus(lang); i >= 0 {
			p.Report(ruleFocused, w.span(i), "Only this runs: the runner passes over every test that is not focused.")
		}
	})
}

// words is one line cut into tokens that are no comments.
type words struct {
	line   *gavel.Line
	src    *Source
	start  int // offset of the line
	tokens []code.Token
}

func (p *Pass) words(l *gavel.Line) words {
	w := words{line: l, src: p.Source()}
	w.start, _ = w.src.Offset(l.New)
	for _, t := range w.src.TokensOn(l.New) {
		if t.Kind != code.Comment {
			w.tokens = append(w.tokens, t)
		}
	}
	return w
}

func (w words) span(i int) Span {
	t := w.tokens[i]
	return place(w.line, t.Start-w.start, min(t.End-t.Start, len(w.line.Text)-(t.Start-w.start)))
}

// text returns the i-th token's text where it is of the kind, else "".
func (w words) text(i int, kind code.Kind) string {
	if i < 0 || i >= len(w.tokens) || w.tokens[i].Kind != kind {
		return ""
	}
	return w.src.Text[w.tokens[i].Start:w.tokens[i].End]
}

func (w words) name(i int) string         { return w.text(i, code.Ident) }
func (w words) sign(i int, s string) bool { return w.text(i, code.Punct) == s }

// titled reports whether a string follows the i-th token, with or without a bracket between.
func (w words) titled(i int) bool {
	return w.text(i+1, code.String) != "" || w.sign(i+1, "(") && w.text(i+2, code.String) != ""
}

// focus returns the token that focuses a test, -1 where none does.
func (w words) focus(lang string) int {
	for i := range w.tokens {
		if w.tokens[i].Kind != code.Ident && w.tokens[i].Kind != code.String {
			continue
		}
		if w.focusAt(lang, i) {
			return i
		}
	}
	return -1
}

func (w words) focusAt(lang string, i int) bool {
	name := w.name(i)
	switch lang {
	case "javascript":
		return w.focusScript(name, i)
	case "ruby":
		return rspecFocused(name) && i == 0 && (w.titled(i) || constant(w.name(i+1))) ||
			name == "focus" && w.testCall("it", "describe", "context", "specify", "example", "scenario", "feature", "RSpec", "xit") &&
				(w.sign(i-1, ":") || w.sign(i+1, ":") && w.name(i+2) == "true")
	case "go":
		switch name {
		case "FIt", "FDescribe", "FContext", "FWhen", "FSpecify", "FEntry", "FDescribeTable":
			return w.titled(i) && !w.sign(i-1, "func") && strings.Contains(w.src.Text, "ginkgo")
		case "Focus":
			return w.testCall("It", "Describe", "Context", "When", "Specify", "Entry", "DescribeTable", "ginkgo") &&
				(w.sign(i-1, ",") || w.sign(i-1, ".")) && (w.sign(i+1, ",") || w.sign(i+1, ")"))
		}
	case "swift":
		return (name == "fit" || name == "fdescribe" || name == "fcontext") && !w.sign(i-1, ".") && w.sign(i+1, "(") && w.titled(i)
	case "php":
		return name == "only" && w.sign(i-1, ">") && w.sign(i+1, "(") && w.sign(i+2, ")")
	case "kotlin":
		return strings.HasPrefix(w.text(i, code.String), `"f:`) && (w.sign(i-1, "(") || w.sign(i+1, "{"))
	case "elixir":
		return name == "focus" && w.name(0) == "@tag"
	case "dart":
		return name == "solo_test" || name == "solo_group" || name == "solo" && w.sign(i+1, ":") && w.name(i+2) == "true"
	}
	return false
}

func constant(name string) bool { return name != "" && name[0] >= 'A' && name[0] <= 'Z' }

func rspecFocused(name string) bool {
	switch name {
	case "fit", "fdescribe", "fcontext", "fspecify", "fexample", "ffeature", "fscenario":
		return true
	}
	return false
}

// focusScript knows test.only, describe.only.each, it.concurrent.only and fit; and { only: true } of node:test.
func (w words) focusScript(name string, i int) bool {
	switch name {
	case "fit", "fdescribe", "fcontext":
		return !w.sign(i-1, ".") && w.name(i-1) != "function" && w.sign(i+1, "(") && w.titled(i)
	case "only":
		if w.sign(i+1, ":") {
			return w.name(i+2) == "true" && w.testCall("it", "test", "describe")
		}
		if !w.sign(i-1, ".") || !w.sign(i+1, "(") && !w.sign(i+1, ".") && w.text(i+1, code.String) == "" {
			return false
		}
		root := i
		for root >= 2 && w.sign(root-1, ".") && w.name(root-2) != "" {
			root -= 2
		}
		if root >= 1 && w.sign(root-1, ".") { // the chain begins with a call
			return false
		}
		return scriptTest(w.name(root))
	}
	return false
}

func scriptTest(name string) bool {
	switch name {
	case "describe", "it", "test", "context", "suite", "specify", "bench", "Deno", "feature", "scenario":
		return true
	}
	return false
}

// testCall reports whether the line begins with a call of one of the names.
func (w words) testCall(names ...string) bool {
	first := w.name(0)
	for _, n := range names {
		if first == n {
			return true
		}
	}
	return false
}
