package detect

import (
	"strings"

	"github.com/gavel-review/gavel"
	"github.com/gavel-review/gavel/internal/code"
)

// moved reports whether the same line, but for its indentation, was removed elsewhere in the file: then it is not new.
func (p *Pass) moved(line string) bool {
	if p.removed == nil {
		p.removed = make(map[string]bool)
		p.Lines(gavel.Remove, func(l *gavel.Line) { p.removed[strings.TrimSpace(l.Text)] = true })
	}
	return p.removed[strings.TrimSpace(line)]
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
