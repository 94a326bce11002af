package report

import (
	"strconv"
	"strings"

	"github.com/gavel-review/gavel"
)

// fileURI returns the path as a relative URI reference (RFC 3986), byte for byte. Only characters that need no second
// thought in any reader stay as they are, so that no path can grow a scheme, a query, a fragment or an authority. A
// path from the root becomes a file URI, and then relative is false.
func fileURI(display string) (uri string, relative bool) {
	path := rawPath(display)
	var b strings.Builder
	relative = !strings.HasPrefix(path, "/")
	if !relative {
		b.WriteString("file://")
	}
	const hex = "0123456789ABCDEF"
	for i := 0; i < len(path); i++ {
		if c := path[i]; unreserved(c) || c == '/' {
			b.WriteByte(c)
		} else {
			b.Write([]byte{'%', hex[c>>4], hex[c&15]})
		}
	}
	return b.String(), relative
}

func unreserved(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || strings.IndexByte("-._~", c) >= 0
}

// rawPath undoes [gavel.DisplayPath]. What that function cannot have made is taken as it stands.
func rawPath(display string) string {
	if len(display) < 2 || display[0] != '"' || display[len(display)-1] != '"' {
		return display
	}
	var b strings.Builder
	for inner := display[1 : len(display)-1]; inner != ""; {
		if inner[0] != '\\' {
			b.WriteByte(inner[0])
			inner = inner[1:]
			continue
		}
		c, size := unquote(inner)
		if size == 0 {
			return display
		}
		b.WriteByte(c)
		inner = inner[size:]
	}
	if raw := b.String(); gavel.DisplayPath(raw) == display {
		return raw
	}
	return display
}

// unquote reads one escape: a backslash before itself, a quote, a letter as in C, or three octal digits.
func unquote(s string) (c byte, size int) {
	if len(s) < 2 {
		return 0, 0
	}
	const letters, meant = "abtnvfr\"\\", "\a\b\t\n\v\f\r\"\\"
	if i := strings.IndexByte(letters, s[1]); i >= 0 {
		return meant[i], 2
	}
	n, err := strconv.ParseUint(s[1:min(4, len(s))], 8, 8)
	if err != nil || len(s) < 4 {
		return 0, 0
	}
	return byte(n), 4
}
