package detect

import (
	"strings"
	"unicode"

	"github.com/gavel-review/gavel"
	"github.com/gavel-review/gavel/internal/code"
)

// moved reports whether the same line, but for its indentation, was removed elsewhere in the file, and meant the same
// there: then it is not new. A call that comes out of a comment or a string is.
func (p *Pass) moved(l *gavel.Line) bool {
	if p.removed == nil {
		p.removed = make(map[string][]*gavel.Line)
		p.Lines(gavel.Remove, func(l *gavel.Line) {
			text := strings.TrimSpace(l.Text)
			p.removed[text] = append(p.removed[text], l)
		})
	}
	from := p.removed[strings.TrimSpace(l.Text)]
	for _, old := range from[:min(len(from), maxOrigins)] {
		if p.sameMeaning(old, l) {
			return true
		}
	}
	return false
}

// maxOrigins bounds how many equal removed lines are compared with an added one.
const maxOrigins = 16

// sameMeaning reports whether the tokens of two lines with the same text are of the same kinds on either side.
func (p *Pass) sameMeaning(old, l *gavel.Line) bool {
	before, now := p.oldSource(), p.Source()
	if len(l.Text) > nearBytes {
		return false
	}
	kind := func(s *Source, line, column int) code.Kind {
		t, _ := s.At(line, column)
		return t.Kind
	}
	blanks := func(text string) int { return len(text) - len(strings.TrimLeftFunc(text, unicode.IsSpace)) }
	a, b := blanks(old.Text), blanks(l.Text)
	for i := 0; a+i < len(old.Text) && b+i < len(l.Text); i++ {
		if c := l.Text[b+i]; c != ' ' && c != '\t' && c != '\r' && kind(before, old.Old, a+i) != kind(now, l.New, b+i) {
			return false
		}
	}
	return true
}

// oldSource is the text of the old side: that of the new one with the hunks taken back.
func (p *Pass) oldSource() *Source {
	if p.oldText == nil {
		now := p.Source()
		if now.Partial {
			p.oldText = sourceOfSide(p.Lang, p.File.Hunks, true)
		} else {
			p.oldText = newSource(p.Lang, withoutHunks(now, p.File.Hunks))
		}
	}
	return p.oldText
}

func withoutHunks(now *Source, hunks []gavel.Hunk) string {
	var b strings.Builder
	at := 0
	for i := range hunks {
		h := &hunks[i]
		first := h.NewStart
		if h.NewLines == 0 {
			first++ // such a hunk names the line before it
		}
		if from, ok := now.Offset(first); ok && from > at {
			b.WriteString(now.Text[at:from])
			at = from
		} else if !ok {
			b.WriteString(now.Text[at:])
			at = len(now.Text)
		}
		for j := range h.Lines {
			if h.Lines[j].Old > 0 {
				b.WriteString(h.Lines[j].Text)
				b.WriteByte('\n')
			}
		}
		if to, ok := now.Offset(first + h.NewLines); ok && to > at {
			at = to
		} else if !ok {
			at = len(now.Text)
		}
	}
	return b.String() + now.Text[at:]
}

// kindAt returns what the byte of the line belongs to, 0 for a blank.
func (p *Pass) kindAt(line, column int) code.Kind {
	t, ok := p.Source().At(line, column)
	if !ok {
		return 0
	}
	return t.Kind
}

// place is the span from column on that the text takes up in the line.
func place(l *gavel.Line, column, size int) Span {
	return Span{Line: l.New, Column: column, End: column + size, Text: l.Text}
}

func wordByte(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= 0x80
}
