package detect

import (
	"sort"
	"strings"

	"github.com/gavel-review/gavel"
	"github.com/gavel-review/gavel/internal/code"
)

// Source is the text of the new side. Tokens and line starts are computed when they are first asked for.
type Source struct {
	Text string
	Lang *code.Language
	// Partial is true when the text was put together from the hunks: what lies between them is missing, and each hunk
	// is tokenised alone.
	Partial bool

	tell   func(bytes int) // told of the way through the text, nil = nobody
	pieces []piece
	tokens []code.Token
	cut    bool
	starts []int // byte offset of each line
}

// piece is one stretch of lines without a gap.
type piece struct {
	start int // byte offset
	line  int // number of its first line
}

func newSource(lang *code.Language, text string) *Source {
	return &Source{Text: text, Lang: lang, pieces: []piece{{0, 1}}}
}

func sourceOfHunks(lang *code.Language, hunks []gavel.Hunk) *Source {
	return sourceOfSide(lang, hunks, false)
}

func sourceOfSide(lang *code.Language, hunks []gavel.Hunk, old bool) *Source {
	s := &Source{Lang: lang, Partial: true}
	var b strings.Builder
	for i := range hunks {
		begun := false
		for j := range hunks[i].Lines {
			l := &hunks[i].Lines[j]
			number := l.New
			if old {
				number = l.Old
			}
			if number == 0 {
				continue
			}
			if !begun {
				s.pieces = append(s.pieces, piece{b.Len(), number})
				begun = true
			}
			b.WriteString(l.Text)
			b.WriteByte('\n')
		}
	}
	s.Text = b.String()
	return s
}

func (s *Source) end(piece int) int {
	if piece+1 < len(s.pieces) {
		return s.pieces[piece+1].start
	}
	return len(s.Text)
}

// Tokens returns the text's tokens. Their offsets are into Text; their lines are those of the file.
func (s *Source) Tokens() []code.Token {
	if s.cut {
		return s.tokens
	}
	for i, p := range s.pieces {
		from := len(s.tokens)
		s.tokens = s.Lang.AppendTokensTelling(s.tell, s.tokens, s.Text[p.start:s.end(i)])
		for j := from; j < len(s.tokens); j++ {
			t := &s.tokens[j]
			t.Start += p.start
			t.End += p.start
			t.Line += p.line - 1
		}
	}
	s.cut = true
	return s.tokens
}

// TokensOn returns the tokens that begin on the line.
func (s *Source) TokensOn(line int) []code.Token {
	all := s.Tokens()
	from := sort.Search(len(all), func(i int) bool { return all[i].Line >= line })
	to := from
	for to < len(all) && all[to].Line == line {
		to++
	}
	return all[from:to]
}

// At returns the token that covers the byte of the line (column is 0-based), and false where none does.
func (s *Source) At(line, column int) (code.Token, bool) {
	start, ok := s.Offset(line)
	if !ok {
		return code.Token{}, false
	}
	all, at := s.Tokens(), start+column
	i := sort.Search(len(all), func(i int) bool { return all[i].End > at })
	if i < len(all) && all[i].Start <= at {
		return all[i], true
	}
	return code.Token{}, false
}

// Line returns the line with the number, without its end, and "" where the text does not hold it.
func (s *Source) Line(number int) string {
	start, ok := s.Offset(number)
	if !ok {
		return ""
	}
	line, _, _ := strings.Cut(s.Text[start:], "\n")
	return line
}

// Offset returns where in Text the line begins.
func (s *Source) Offset(number int) (start int, ok bool) {
	i := sort.Search(len(s.pieces), func(i int) bool { return s.pieces[i].line > number }) - 1
	if i < 0 {
		return 0, false
	}
	s.index()
	first := sort.SearchInts(s.starts, s.pieces[i].start)
	at := first + number - s.pieces[i].line
	if at >= len(s.starts) || s.starts[at] >= s.end(i) {
		return 0, false
	}
	return s.starts[at], true
}

// lineOf returns the number of the line that the byte of Text stands on.
func (s *Source) lineOf(offset int) int {
	s.index()
	i := sort.Search(len(s.pieces), func(i int) bool { return s.pieces[i].start > offset }) - 1
	if i < 0 {
		return 0
	}
	return s.pieces[i].line + sort.SearchInts(s.starts, offset+1) - 1 - sort.SearchInts(s.starts, s.pieces[i].start)
}

func (s *Source) index() {
	if s.starts != nil {
		return
	}
	s.starts = make([]int, 1, 1+strings.Count(s.Text, "\n"))
	for at := 0; ; {
		n := strings.IndexByte(s.Text[at:], '\n')
		if n < 0 || at+n+1 == len(s.Text) {
			return
		}
		at += n + 1
		s.starts = append(s.starts, at)
	}
}
