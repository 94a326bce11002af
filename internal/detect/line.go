package detect

import (
	"strings"

	"github.com/gavel-review/gavel"
	"github.com/gavel-review/gavel/internal/code"
)

// byteSet is a set of bytes.
type byteSet [256]bool

func setOf(bytes string) *byteSet {
	var s byteSet
	for i := 0; i < len(bytes); i++ {
		s[bytes[i]] = true
	}
	return &s
}

// index returns where the first byte of the set stands, -1 where none does.
func (s *byteSet) index(line string) int {
	for i := 0; i < len(line); i++ {
		if s[line[i]] {
			return i
		}
	}
	return -1
}

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

// hasWord reports whether the word stands in s as a word of its own.
func hasWord(s, word string) bool {
	for at := 0; ; {
		i := strings.Index(s[at:], word)
		if i < 0 {
			return false
		}
		i += at
		end := i + len(word)
		if (i == 0 || !wordByte(s[i-1])) && (end == len(s) || !wordByte(s[end])) {
			return true
		}
		at = i + 1
	}
}

func wordByte(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= 0x80
}
