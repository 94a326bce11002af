package detect

import (
	"strings"
	"sync"

	"github.com/gavel-review/gavel"
	"github.com/gavel-review/gavel/internal/code"
)

var skipped = Detector{Name: "skipped", Rules: []*gavel.Rule{ruleSkipped}, Run: runSkipped}

var ruleSkipped = &gavel.Rule{
	ID:    "hygiene/skipped-test",
	Title: "Test is switched off",
	Text: "A skipped test proves nothing and is seldom switched on again. The rule fires on added lines of test files that skip " +
		"always; a skip under a condition (a platform, a short run, a missing service) is no finding, and one that gives a reason is info.",
	Fix:      "Repair the test or delete it; where it has to wait, say for what and link the issue.",
	Before:   "it.skip(\"adds\", () => {})",
	After:    "it(\"adds\", () => { expect(add(1, 2)).toBe(3) })",
	Severity: gavel.Low, Category: gavel.CategoryHygiene, Confidence: gavel.ConfidenceMedium,
}

var skipWords = sync.OnceValue(func() map[string]*needles {
	return map[string]*needles{
		"javascript": newNeedles(".skip", "xit", "xtest", "xdescribe", "xcontext", ".fixme"),
		"ruby":       newNeedles("xit", "xdescribe", "xcontext", "xspecify", "xexample", "skip", "pending"),
		"go":         newNeedles(".Skip", "PIt(", "PDescribe(", "PContext(", "XIt(", "XDescribe(", "XContext("),
		"python":     newNeedles("skip"),
		"java":       newNeedles("@Disabled", "@Ignore"),
		"kotlin":     newNeedles("@Disabled", "@Ignore"),
		"scala":      newNeedles("@Ignore"),
		"groovy":     newNeedles("@Ignore", "@Disabled"),
		"c#":         newNeedles("Ignore", "Skip"),
		"rust":       newNeedles("ignore"),
		"php":        newNeedles("markTestSkipped", "->skip("),
		"swift":      newNeedles("XCTSkip", ".disabled("),
		"elixir":     newNeedles(":skip", "skip:"),
	}
})

func runSkipped(p *Pass) {
	lang := family(p.Lang)
	words := skipWords()[lang]
	if words == nil || !p.Test && lang != "rust" {
		return
	}
	p.Lines(gavel.Add, func(l *gavel.Line) {
		if !words.in(l.Text) || p.moved(l) {
			return
		}
		w := p.words(l)
		for i := range w.tokens {
			if w.name(i) == "" || !w.skips(lang, i) {
				continue
			}
			if f := p.Report(ruleSkipped, w.span(i), "The change switches this test off."); w.reasoned(i) {
				f.Severity = gavel.Info
			}
			return
		}
	})
}

func (w words) skips(lang string, i int) bool {
	name := w.name(i)
	switch lang {
	case "javascript":
		switch name {
		case "xit", "xtest", "xdescribe", "xcontext":
			return !w.sign(i-1, ".") && w.titled(i)
		case "skip", "fixme":
			return w.sign(i-1, ".") && scriptTest(w.name(i-2)) && (w.titled(i) || w.sign(i+1, "."))
		}
	case "ruby":
		switch name {
		case "xit", "xdescribe", "xcontext", "xspecify", "xexample":
			return !w.sign(i-1, ".") && w.titled(i)
		case "skip", "pending":
			return i == 0 && (len(w.tokens) == 1 || w.titled(i)) && !w.conditional()
		}
	case "go":
		switch name {
		case "Skip", "Skipf", "SkipNow":
			return i == 2 && w.sign(1, ".") && (w.name(0) == "t" || w.name(0) == "b" || w.name(0) == "f") && !w.conditional()
		case "PIt", "PDescribe", "PContext", "XIt", "XDescribe", "XContext":
			return i == 0 && w.titled(i)
		}
	case "python":
		if name != "skip" {
			return false
		}
		return w.sign(0, "@") && w.sign(i-1, ".") || i == 2 && w.name(0) == "pytest" && !w.conditional()
	case "java", "kotlin", "scala", "groovy":
		return i == 1 && w.sign(0, "@") && (name == "Disabled" || name == "Ignore")
	case "c#":
		return w.sign(0, "[") && (name == "Ignore" && i == 1 || name == "Skip" && w.sign(i+1, "="))
	case "rust":
		return name == "ignore" && i == 2 && w.sign(0, "#") && w.sign(1, "[") && (w.sign(3, "]") || w.sign(3, "="))
	case "php":
		return name == "markTestSkipped" && w.sign(i+1, "(") && !w.conditional() || name == "skip" && w.sign(i-1, ">") && w.sign(i+1, "(")
	case "swift":
		return name == "XCTSkip" && w.name(0) == "throw" && !w.conditional() || name == "disabled" && w.sign(i-1, ".") && w.name(1) == "Test"
	case "elixir":
		return name == "skip" && w.name(0) == "@tag"
	}
	return false
}

// reasoned reports whether a text of some length stands behind the i-th token, which is the reason where the token does not
// name the test.
func (w words) reasoned(i int) bool {
	switch n := w.name(i); {
	case strings.HasPrefix(n, "x"), strings.HasPrefix(n, "X"), strings.HasPrefix(n, "P"), w.sign(i-1, ".") && scriptTest(w.name(i-2)):
		return false
	}
	const shortest = 8
	for j := i + 1; j < len(w.tokens); j++ {
		if len(w.text(j, code.String)) > shortest {
			return true
		}
	}
	return false
}

// conditional reports whether the line stands in a block that a condition opens: the nearest line above that is indented
// less begins with one. A condition behind the statement counts too.
func (w words) conditional() bool {
	for i := range w.tokens {
		switch w.name(i) {
		case "if", "unless", "else", "when":
			return true
		}
	}
	const above = 30
	own := indentation(w.line.Text)
	for n := w.line.New - 1; n > max(0, w.line.New-above); n-- {
		text := w.src.Line(n)
		trimmed := strings.TrimLeft(text, " \t")
		if trimmed == "" || indentation(text) >= own {
			continue
		}
		for _, open := range []string{"if ", "if(", "} else", "else", "elif ", "switch ", "case ", "default:", "for ", "unless ", "when ", "rescue",
			"except ", "except:", "} catch", "catch", "select ", "guard "} {
			if strings.HasPrefix(trimmed, open) {
				return true
			}
		}
		return false
	}
	return false
}

// indentation is the width of the blanks that begin the line; a tab counts as four.
func indentation(line string) int {
	n := 0
	for i := 0; i < len(line); i++ {
		switch line[i] {
		case ' ':
			n++
		case '\t':
			n += 4
		default:
			return n
		}
	}
	return n
}
