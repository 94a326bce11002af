package detect

import (
	"slices"
	"sort"
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
		"javascript": newNeedles("only", "fit", "fdescribe", "fcontext"),
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
		if lang == "javascript" {
			w = p.wordsAround(l)
		}
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
	from   int // the first token of the line: before it stand some of the lines above
	to     int // behind its last token: from there on stand some of the lines below
}

func (p *Pass) words(l *gavel.Line) words {
	w := words{line: l, src: p.Source()}
	w.start, _ = w.src.Offset(l.New)
	for _, t := range w.src.TokensOn(l.New) {
		if t.Kind != code.Comment {
			w.tokens = append(w.tokens, t)
		}
	}
	w.to = len(w.tokens)
	return w
}

// wordsAround is words with the tokens before and behind the line that a call which goes over several lines needs.
func (p *Pass) wordsAround(l *gavel.Line) words {
	const before, behind = 12, 4
	w := words{line: l, src: p.Source()}
	w.start, _ = w.src.Offset(l.New)
	all := w.src.Tokens()
	first := sort.Search(len(all), func(i int) bool { return all[i].Line >= l.New })
	for i := first - 1; i >= 0 && first-i <= 4*before && len(w.tokens) < before; i-- {
		if all[i].Kind != code.Comment {
			w.tokens = append(w.tokens, all[i])
		}
	}
	slices.Reverse(w.tokens)
	w.from, w.to = len(w.tokens), len(w.tokens)
	for i := first; i < len(all) && len(w.tokens)-w.to < behind; i++ {
		if all[i].Line > l.New && i-first > 4*before && len(w.tokens) == w.to {
			break
		}
		if all[i].Kind == code.Comment {
			continue
		}
		w.tokens = append(w.tokens, all[i])
		if all[i].Line == l.New {
			w.to = len(w.tokens)
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
	for i := w.from; i < w.to; i++ {
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
		if name == "" && w.sign(i-1, "[") && w.sign(i+1, "]") {
			return memberOnly(w.text(i, code.String)) && w.called(i+2) && scriptTest(w.root(i-1))
		}
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
		return w.sign(i-1, ".") && w.called(i+1) && scriptTest(w.root(i))
	}
	return false
}

// memberOnly reports whether the literal is "only" in any quotes.
func memberOnly(literal string) bool {
	return len(literal) == len(`"only"`) && literal[1:len(literal)-1] == "only"
}

// called reports whether what ends before the i-th token is called there, or on the way to a call.
func (w words) called(i int) bool {
	return w.sign(i, "(") || w.sign(i, ".") || w.sign(i, "[") || w.sign(i, "?") && w.sign(i+1, ".") || w.text(i, code.String) != ""
}

// root returns the name that a chain of members begins with: a.b, a?.b, a["b"]. The i-th token is a member's name or its
// opening bracket; a chain that begins with a call or in anything else has the root "".
func (w words) root(i int) string {
	for i >= 0 {
		object := i - 1
		switch bracket := w.sign(i, "["); {
		case w.sign(object, "."):
			object--
			if w.sign(object, "?") {
				object--
			}
		case !bracket:
			return w.name(i)
		}
		switch {
		case w.name(object) != "":
			i = object
		case w.sign(object, "]") && w.text(object-1, code.String) != "" && w.sign(object-2, "["):
			i = object - 2
		default:
			return ""
		}
	}
	return ""
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
	first := w.name(w.from)
	for _, n := range names {
		if first == n {
			return true
		}
	}
	return false
}
