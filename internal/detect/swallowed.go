package detect

import (
	"regexp"
	"strings"
	"sync"

	"github.com/gavel-review/gavel"
	"github.com/gavel-review/gavel/internal/code"
)

var swallowed = Detector{Name: "swallowed", Rules: []*gavel.Rule{ruleSwallowed}, Run: runSwallowed}

var ruleSwallowed = &gavel.Rule{
	ID:    "hygiene/error-swallowed",
	Title: "Error is caught and thrown away",
	Text: "Code that catches everything and does nothing goes on with half a result, and nobody learns why. The rule fires on added empty catch blocks, on " +
		"`except:` and `except Exception:` with nothing but `pass`, on `rescue` without a body, on `.catch(() => {})`, and in Go on `_ = err` and an empty " +
		"`if err != nil`. A block with a comment says why and is no finding, and neither is a narrow Python or Ruby class, or a test.",
	Fix:      "Handle the error, pass it on, or log it; where it does not matter, say why in a comment.",
	Before:   "try:\n    save(order)\nexcept Exception:\n    pass",
	After:    "try:\n    save(order)\nexcept StorageError as e:\n    log.warning(\"order is kept in memory: %s\", e)",
	Severity: gavel.Low, Category: gavel.CategoryHygiene, Confidence: gavel.ConfidenceMedium, CWE: "CWE-390",
}

// swallowWord is a word of every form of the family's.
func swallowWord(family string) *needles {
	switch family {
	case "python":
		return exceptWord()
	case "ruby":
		return rescueWord()
	case "go":
		return errWord()
	}
	return catchWord()
}

var (
	catchWord  = sync.OnceValue(func() *needles { return newNeedles("catch") })
	exceptWord = sync.OnceValue(func() *needles { return newNeedles("except") })
	rescueWord = sync.OnceValue(func() *needles { return newNeedles("rescue") })
	errWord    = sync.OnceValue(func() *needles { return newNeedles("err != nil {", "_ = err") })
)

// swallows are the forms by the family of the language, matched against the line and those that follow it.
var swallows = sync.OnceValue(func() map[string]pattern {
	braces := compiled(`^[\s}]*(?:[^"'/\n]*[\s})])?(catch)\s*(?:\([^()]*\)\s*)?\{\s*\}`)
	return map[string]pattern{
		"javascript": compiled(`^(?:[\s}]*(?:[^"'/\n]*[\s})])?(catch)\s*(?:\([^()]*\)\s*)?\{\s*\}|[^"'/\n]*\.(catch)\(\s*(?:\(\s*\w*\s*\)|\w+)\s*=>\s*\{\s*\}\s*\)|[^"'/\n]*\.(catch)\(\s*(?:noop|function\s*\(\w*\)\s*\{\s*\})\s*\))`),
		"java":       braces, "kotlin": braces, "scala": braces, "groovy": braces, "c#": braces, "php": braces, "dart": braces, "swift": braces, "c++": braces,
		"python": compiled(`^\s*(except)\s*(?:\(?(?:Base)?Exception\)?(?:\s+as\s+\w+)?)?\s*:\s*(?:pass|\.\.\.)\s*(?:\n|$)`),
		"ruby":   compiled(`^(?:\s*(rescue)\s*(?:(?:StandardError|Exception)\s*)?(?:=>\s*\w+\s*)?(?:;|\n)\s*(?:nil\s*)?end\b|[^"'#\n]*\S (rescue) nil\s*(?:\n|$))`),
		"go":     compiled(`^\s*(?:(_ = err)\s*(?:\n|$)|if (?:[^{}"]*; )?(err != nil) \{\s*\}\s*(?:\n|$))`),
	}
})

// saysSo are names by which languages without a word for it say that the error is not needed.
var saysSo = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`[( ](?:_|_?(?:ignored?|expected|unused|suppressed))(?: *: *\w+)?\)`)
})

func runSwallowed(p *Pass) {
	fam := family(p.Lang)
	form := swallows()[fam]
	if form == nil || p.Test || code.IsFixture(p.File.Path) {
		return
	}
	word := swallowWord(fam)
	for i := range p.File.Hunks {
		lines := p.File.Hunks[i].Lines
		for j := range lines {
			l := &lines[j]
			if l.New == 0 || len(l.Text) > nearBytes || !word.in(l.Text) || !empties(l.Text, lines[j+1:]) {
				continue
			}
			text, added := following(lines[j:])
			m := form().FindStringSubmatchIndex(text)
			if m == nil || saysSo().MatchString(text[m[0]:m[1]]) {
				continue
			}
			if fresh := added(m[1]); fresh != nil {
				p.swallowedAt(l, fresh, m)
			}
		}
	}
}

// empties reports whether what the line opens may be empty: a quick look before the form is matched.
func empties(line string, after []gavel.Line) bool {
	line = strings.TrimSpace(line)
	if strings.HasSuffix(line, "{") || strings.HasSuffix(line, ":") || !strings.ContainsAny(line, "{:") {
		for i := range after {
			if after[i].New == 0 {
				continue
			}
			next := strings.TrimSpace(after[i].Text)
			if next == "" {
				continue
			}
			return next[0] == '}' || next[0] == '{' || next == "pass" || next == "..." || strings.HasPrefix(next, "end") || next == "nil" || strings.HasSuffix(line, "nil") ||
				strings.Contains(line, "_ = err")
		}
	}
	return true
}

// swallowedAt reports what begins on the line, at the first line of it that is new.
func (p *Pass) swallowedAt(l, fresh *gavel.Line, groups []int) {
	for g := 2; g < len(groups); g += 2 {
		if at := groups[g]; at >= 0 && at < len(l.Text) {
			if p.kindAt(l.New, at) != code.Ident || p.moved(fresh) {
				return
			}
			span := place(l, at, groups[g+1]-at)
			if fresh != l {
				span = Span{Line: fresh.New, Text: fresh.Text}
			}
			p.Report(ruleSwallowed, span, "The error is caught here and nothing is done with it.")
			return
		}
	}
}

// following joins the line with those behind it on the new side; added returns the first new line among those up to the byte, nil
// where there is none.
func following(lines []gavel.Line) (text string, added func(end int) *gavel.Line) {
	const most = 4
	var b strings.Builder
	var starts []int
	var joined []*gavel.Line
	for i := range lines {
		l := &lines[i]
		if l.New == 0 {
			continue
		}
		if len(joined) == most || len(l.Text) > nearBytes {
			break
		}
		starts = append(starts, b.Len())
		joined = append(joined, l)
		b.WriteString(strings.TrimSuffix(l.Text, "\r"))
		b.WriteByte('\n')
	}
	return b.String(), func(end int) *gavel.Line {
		for i, l := range joined {
			if l.Op == gavel.Add && starts[i] < end {
				return l
			}
		}
		return nil
	}
}
