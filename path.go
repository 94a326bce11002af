package gavel

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

const (
	escaped = "\a\b\t\n\v\f\r"
	escapes = "abtnvfr"
)

// DisplayPath returns the path as documents and messages show it. A valid UTF-8 path is itself. Any other path, and
// one that begins with a double quote, is C-quoted the way git quotes it, so that two different paths never show alike.
func DisplayPath(path string) string {
	if utf8.ValidString(path) && !strings.HasPrefix(path, `"`) {
		return path
	}
	var b strings.Builder
	b.WriteByte('"')
	for i := 0; i < len(path); i++ {
		switch c := path[i]; {
		case c == '"' || c == '\\':
			b.WriteByte('\\')
			b.WriteByte(c)
		case strings.IndexByte(escaped, c) >= 0:
			b.WriteByte('\\')
			b.WriteByte(escapes[strings.IndexByte(escaped, c)])
		case c < ' ' || c >= 0x7f:
			fmt.Fprintf(&b, `\%03o`, c)
		default:
			b.WriteByte(c)
		}
	}
	b.WriteByte('"')
	return b.String()
}
