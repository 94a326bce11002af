package detect

import (
	"sort"
	"strings"

	"github.com/gavel-review/gavel/internal/code"
)

// flakyView is a test file as rows of tokens without comments. Which block a row stands in is told by its indentation, so
// that a hunk whose opening brackets are not shown reads like a whole file.
type flakyView struct {
	tokenView
	pass  *Pass
	lang  string // family
	rows  []flakyRow
	timed map[int]bool     // rows that a finding about the clock covers
	runs  map[int][]string // the removed lines that an added line stands among, once asked for
}

// flakyRow is one line that code begins on.
type flakyRow struct {
	line     int
	from, to int // tokens
	indent   int // -1 where the line begins inside a literal
	piece    int // stretch without a gap; blocks do not reach over one
}

func newFlakyView(p *Pass) *flakyView {
	v := &flakyView{tokenView: tokenView{src: p.Source(), reach: flakyReach}, pass: p, lang: family(p.Lang)}
	if v.src.tokens == nil {
		const bytesAToken = 6
		v.src.tokens = make([]code.Token, 0, len(v.src.Text)/bytesAToken)
	}
	all := v.src.Tokens()
	v.tokens = make([]code.Token, 0, len(all))
	piece := 0
	for _, t := range all {
		if t.Kind == code.Comment {
			continue
		}
		for piece+1 < len(v.src.pieces) && v.src.pieces[piece+1].start <= t.Start {
			piece++
		}
		n := len(v.rows)
		if n == 0 || v.rows[n-1].line != t.Line {
			v.rows = append(v.rows, flakyRow{line: t.Line, from: len(v.tokens), indent: v.indentAt(t.Start), piece: piece})
			n++
		}
		v.tokens = append(v.tokens, t)
		v.rows[n-1].to = len(v.tokens)
	}
	return v
}

// indentAt is the width of the blanks in front of the offset, -1 where the line begins with something else.
func (v *flakyView) indentAt(at int) int {
	n := 0
	for i := at - 1; i >= 0 && v.src.Text[i] != '\n'; i-- {
		switch v.src.Text[i] {
		case ' ':
			n++
		case '\t':
			n += 4
		default:
			return -1
		}
	}
	return n
}

// row returns the index of the row of the line, false where no code begins on it.
func (v *flakyView) row(line int) (int, bool) {
	i := sort.Search(len(v.rows), func(i int) bool { return v.rows[i].line >= line })
	return i, i < len(v.rows) && v.rows[i].line == line
}

// rowOf returns the index of the row that the token stands on.
func (v *flakyView) rowOf(token int) int {
	return sort.Search(len(v.rows), func(i int) bool { return v.rows[i].to > token })
}

// dotted reports whether the tokens that end with i spell the names with "." or "::" between them.
func (v *flakyView) dotted(i int, names ...string) bool {
	for n := len(names) - 1; n >= 0; n-- {
		if v.name(i) != names[n] {
			return false
		}
		if n > 0 {
			if i = v.beforeDot(i); i < 0 {
				return false
			}
		}
	}
	return true
}

// chain returns where the expression that ends with the name i begins: a.b().c is one.
func (v *flakyView) chain(i int) int {
	for {
		before := v.beforeDot(i)
		if before < 0 {
			return i
		}
		if v.sign(before, ')') || v.sign(before, ']') {
			open := v.open(before)
			if open <= 0 {
				return before
			}
			before = open - 1
		}
		if v.name(before) == "" && v.kind(before) != code.String {
			return before + 1
		}
		i = before
	}
}

// flakyReach bounds how many tokens one look goes over.
const flakyReach = 3000

// open returns the token that opens the bracket that i closes, -1 where it is not in reach.
func (v *flakyView) open(i int) int {
	depth := 0
	for j := i; j >= 0 && i-j < flakyReach; j-- {
		if v.kind(j) != code.Punct {
			continue
		}
		switch v.src.Text[v.tokens[j].Start] {
		case ')', ']', '}':
			depth++
		case '(', '[', '{':
			if depth--; depth == 0 {
				return j
			}
		}
	}
	return -1
}

// args returns the tokens between the brackets of the call of name i, [from, to); ok is false where none follow. The
// languages that need no brackets take the rest of the line.
func (v *flakyView) args(i int) (from, to int, ok bool) {
	i++
	if v.sign(i, '!') { // a macro
		i++
	}
	if v.sign(i, '(') {
		if end := v.close(i); end > 0 {
			return i + 1, end, true
		}
		return i + 1, v.rows[v.rowOf(i)].to, true
	}
	if v.lang == "ruby" && i < len(v.tokens) && v.tokens[i].Line == v.tokens[i-1].Line && v.kind(i) != code.Punct {
		return i, v.rows[v.rowOf(i)].to, true
	}
	return i, i, false
}

// has reports whether a name between the tokens satisfies is.
func (v *flakyView) has(from, to int, is func(string) bool) bool {
	for i := max(from, 0); i < to && i < len(v.tokens); i++ {
		if n := v.name(i); n != "" && is(n) {
			return true
		}
	}
	return false
}

func (v *flakyView) hasName(from, to int, names ...string) bool {
	return v.has(from, to, func(n string) bool { return oneOf(n, names...) })
}

func oneOf(s string, names ...string) bool {
	for _, n := range names {
		if s == n {
			return true
		}
	}
	return false
}

// span is the place of the tokens [from, to] as far as they stand on the first one's line.
func (v *flakyView) span(from, to int) Span {
	t := v.tokens[from]
	start, _ := v.src.Offset(t.Line)
	line := v.src.Line(t.Line)
	last := t.End
	for j := from; j <= to && j < len(v.tokens) && v.tokens[j].Line == t.Line; j++ {
		last = v.tokens[j].End
	}
	return Span{Line: t.Line, Column: t.Start - start, End: min(last-start, len(line)), Text: strings.TrimSuffix(line, "\r")}
}
