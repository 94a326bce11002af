package git

import (
	"errors"
	"strings"
)

// escapes are the letters that git writes after a backslash.
var escapes = [...]struct{ char, letter byte }{
	{'\a', 'a'}, {'\b', 'b'}, {'\t', 't'}, {'\n', 'n'}, {'\v', 'v'}, {'\f', 'f'}, {'\r', 'r'}, {'"', '"'}, {'\\', '\\'},
}

// cQuote writes a name the way git does in headers: as it is, or in double quotes with escapes where it holds a
// control character, a quote, a backslash or a byte outside of ASCII.
func cQuote(name string) string {
	for i := range len(name) {
		if c := name[i]; c < ' ' || c >= 0x7f || c == '"' || c == '\\' {
			return cQuoteAlways(name)
		}
	}
	return name
}

func cQuoteAlways(name string) string {
	var b strings.Builder
	b.Grow(len(name) + 2)
	b.WriteByte('"')
	for i := range len(name) {
		writeQuoted(&b, name[i])
	}
	b.WriteByte('"')
	return b.String()
}

func writeQuoted(b *strings.Builder, c byte) {
	for _, e := range escapes {
		if e.char == c {
			b.WriteByte('\\')
			b.WriteByte(e.letter)
			return
		}
	}
	if c >= ' ' && c < 0x7f {
		b.WriteByte(c)
		return
	}
	b.WriteByte('\\')
	b.WriteByte('0' + c>>6)
	b.WriteByte('0' + c>>3&7)
	b.WriteByte('0' + c&7)
}

var errQuote = errors.New("a quoted name is malformed")

// cUnquote reads a name in double quotes at the beginning of s, and returns what follows it.
func cUnquote(s string) (name, rest string, err error) {
	if !strings.HasPrefix(s, `"`) {
		return "", s, errQuote
	}
	var b strings.Builder
	for i := 1; i < len(s); {
		switch s[i] {
		case '"':
			return b.String(), s[i+1:], nil
		case '\\':
			c, n, err := unescape(s[i+1:])
			if err != nil {
				return "", s, err
			}
			b.WriteByte(c)
			i += 1 + n
		default:
			b.WriteByte(s[i])
			i++
		}
	}
	return "", s, errQuote
}

// unescape reads what stands after a backslash: a letter, or three octal digits.
func unescape(s string) (c byte, n int, err error) {
	if s == "" {
		return 0, 0, errQuote
	}
	for _, e := range escapes {
		if e.letter == s[0] {
			return e.char, 1, nil
		}
	}
	if len(s) < 3 || s[0] > '3' {
		return 0, 0, errQuote
	}
	for i := range 3 {
		if s[i] < '0' || s[i] > '7' {
			return 0, 0, errQuote
		}
		c = c<<3 | (s[i] - '0')
	}
	return c, 3, nil
}
