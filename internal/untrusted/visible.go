package untrusted

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxMarks is how many combining marks may follow one another. No script needs more; stacks of them paint over the
// lines around.
const maxMarks = 4

// Visible returns s on one line with everything escaped that could move a cursor, start a line, reorder text or hide:
// control characters (newline and tab too), bidirectional controls, zero-width and tag characters, line separators,
// private-use and unassigned code points, and bytes that are not UTF-8. Escapes are written as in Go: \n, \x1b, \u202e,
// \U000e0041. A backslash stays as it is. Everything else, letters of every script and emoji included, is kept.
// Visible(Visible(s)) == Visible(s).
func Visible(s string) string {
	if plain(s) {
		return s
	}
	return escape(s, false)
}

// VisibleText is Visible for text of several lines: newlines stay, a carriage return before one is dropped, and tabs
// become four blanks.
func VisibleText(s string) string {
	if plain(s) {
		return s
	}
	return escape(s, true)
}

// Hidden reports whether the character has no business in text that people read: it moves, reorders, or does not show.
// A newline and a tab are among them.
func Hidden(r rune) bool {
	if r < utf8.RuneSelf {
		return r < ' ' || r == 0x7f
	}
	return !unicode.IsPrint(r) && !unicode.Is(unicode.Zs, r) || blank(r)
}

// blank are characters that Unicode calls letters, marks or symbols but that show nothing. Variation selectors are
// among them; runs of them have been used to carry whole sentences.
func blank(r rune) bool {
	switch r {
	case 0x034f, // combining grapheme joiner
		0x115f, 0x1160, 0x3164, 0xffa0, // Hangul fillers
		0x17b4, 0x17b5, // Khmer inherent vowels
		0x180b, 0x180c, 0x180d, 0x180f, // Mongolian variation selectors
		0x2800,  // Braille pattern blank
		0x1d159: // musical symbol null notehead
		return true
	}
	return r >= 0xfe00 && r <= 0xfe0f || r >= 0xe0100 && r <= 0xe01ef
}

func plain(s string) bool {
	for i := 0; i < len(s); i++ {
		if s[i] < ' ' || s[i] >= 0x7f {
			return false
		}
	}
	return true
}

// escaper remembers what came before, for the two characters whose meaning depends on it.
type escaper struct {
	strings.Builder
	text     bool // newlines and tabs are layout
	marks    int  // combining marks in a row
	previous rune // the last character that was kept, 0 at the start and after an escape
}

func escape(s string, text bool) string {
	e := escaper{text: text}
	e.Grow(len(s) + len(s)/8 + 8)
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == utf8.RuneError && size <= 1:
			e.escaped(`\x` + hexDigits(uint32(s[i]), 2))
		case text && r == '\r' && (i+1 == len(s) || s[i+1] == '\n'):
		default:
			e.add(r)
		}
		i += size
	}
	return e.String()
}

func (e *escaper) add(r rune) {
	mark := unicode.Is(unicode.M, r)
	switch {
	case e.text && r == '\n':
		e.keep(r, 0)
	case e.text && r == '\t':
		e.WriteString("   ")
		e.keep(' ', 0)
	case r == 0xfe0f && unicode.Is(unicode.So, e.previous):
		e.keep(r, e.marks) // asks for the coloured form of the symbol before it
	case Hidden(r):
		e.escaped(escapeRune(r))
	case mark && (e.previous == 0 || e.previous == '\n' || e.marks >= maxMarks):
		e.escaped(escapeRune(r)) // would sit on a character that is not part of the text, or on too many of its own kind
	case mark:
		e.keep(r, e.marks+1)
	default:
		e.keep(r, 0)
	}
}

func (e *escaper) keep(r rune, marks int) {
	e.WriteRune(r)
	e.previous, e.marks = r, marks
}

func (e *escaper) escaped(text string) {
	e.WriteString(text)
	e.previous, e.marks = 0, 0
}

func escapeRune(r rune) string {
	switch {
	case r == '\n':
		return `\n`
	case r == '\r':
		return `\r`
	case r == '\t':
		return `\t`
	case r < 0x80:
		return `\x` + hexDigits(uint32(r), 2)
	case r <= 0xffff:
		return `\u` + hexDigits(uint32(r), 4)
	}
	return `\U` + hexDigits(uint32(r), 8)
}

func hexDigits(n uint32, width int) string {
	s := strconv.FormatUint(uint64(n), 16)
	if len(s) < width {
		return "00000000"[:width-len(s)] + s
	}
	return s
}
