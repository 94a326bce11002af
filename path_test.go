package gavel_test

import (
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/gavel-review/gavel"
)

func TestDisplayPath(t *testing.T) {
	t.Parallel()
	tests := []struct{ path, want string }{
		{"", ""},
		{"a/b.go", "a/b.go"},
		{"ü/日本.txt", "ü/日本.txt"},
		{"a\nb", "a\nb"}, // valid UTF-8 is itself; whoever prints it escapes it
		{`a"b`, `a"b`},
		{`a\377`, `a\377`},
		{`"a"`, `"\"a\""`},
		{"a\xff", `"a\377"`},
		{"\x80\n\t\a\b\v\f\r\x01\x7f", `"\200\n\t\a\b\v\f\r\001\177"`},
		{"ü\xc3", `"\303\274\303"`},
		{"\xff\\\"", `"\377\\\""`},
	}
	for _, tt := range tests {
		if got := gavel.DisplayPath(tt.path); got != tt.want {
			t.Errorf("DisplayPath(%q) = %s, want %s", tt.path, got, tt.want)
		}
	}
}

// readPath is the inverse of DisplayPath. That there is one shows that no two paths show alike.
func readPath(shown string) (string, bool) {
	inner, quoted := strings.CutPrefix(shown, `"`)
	if !quoted {
		return shown, true
	}
	inner, closed := strings.CutSuffix(inner, `"`)
	path, err := strconv.Unquote(`"` + inner + `"`)
	return path, closed && err == nil
}

func FuzzDisplayPath(f *testing.F) {
	for _, path := range []string{"", "a", `"`, `""`, "\xff", `\`, `"\"`, "a\x00\xfe", "ü", "\n\xff"} {
		f.Add(path)
	}
	f.Fuzz(func(t *testing.T, path string) {
		shown := gavel.DisplayPath(path)
		if !utf8.ValidString(shown) {
			t.Fatalf("%q shows as invalid UTF-8", path)
		}
		if back, ok := readPath(shown); !ok || back != path {
			t.Fatalf("%q shows as %s, which reads as %q", path, shown, back)
		}
	})
}
