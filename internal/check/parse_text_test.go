package check

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestCleanText(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, in, want string }{
		{"plain", "a\tb\nc", "a\tb\nc"},
		{"a byte order mark", "\ufeffa", "a"},
		{"lines of Windows", "a\r\nb\r\n", "a\nb\n"},
		{"a line written over", "50%\r100%\n", "50%\n100%\n"},
		{"colours", "\x1b[1;31merror\x1b[0m: x", "error: x"},
		{"a link", "\x1b]8;;https://example.com\x07here\x1b]8;;\x1b\\ x", "here x"},
		{"a sequence that is cut", "a\x1b[3", "a"},
		{"a string that never ends", "a\x1b]8;;x\nb", "a]8;;x\nb"},
		{"a lone escape", "a\x1b", "a"},
		{"control characters", "a\x00b\x07c\u0085d\x7f", "a\ufffdb\ufffdc\ufffdd\ufffd"},
		{"no UTF-8", "a\xff\xfeb", "a\ufffd\ufffdb"},
		{"letters", "größe 漢字 🎉", "größe 漢字 🎉"},
	} {
		if got := cleanText([]byte(tt.in)); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}

// The same statement on two trees is the same, wherever they lie.
func TestCleanLeavesOutTheRoot(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ root, in, want string }{
		{"/srv/shop", "cannot read /srv/shop/a/b.ts (in /srv/shop)", "cannot read a/b.ts (in .)"},
		{"/srv/shop", "file:///srv/shop/a.ts", "file://a.ts"},
		{"/srv/shop", "see /srv/shop. Or /srv/shopping/a.ts, /private/srv/shop/a.ts", "see .. Or /srv/shopping/a.ts, /private/srv/shop/a.ts"},
		{`C:\work\shop`, `cannot read C:\work\shop\a.ts and C:/work/shop/b.ts`, "cannot read a.ts and b.ts"},
		{"/", "cannot read /a.ts", "cannot read /a.ts"},
		{"", "cannot read /a.ts", "cannot read /a.ts"},
	} {
		if got := (Output{Root: tt.root}).clean(tt.in); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.root, got, tt.want)
		}
	}
}

func TestCut(t *testing.T) {
	t.Parallel()
	if got := cut("größe", 6); got != "gr…" { // ö does not fit
		t.Errorf("%q", got)
	}
	if got := cut("small", 5); got != "small" {
		t.Errorf("%q", got)
	}
	for limit := 3; limit < 40; limit++ {
		if got := cut(strings.Repeat("漢ö", 20), limit); len(got) > limit || !utf8.ValidString(got) {
			t.Errorf("%d: %q", limit, got)
		}
	}
}

func TestSaid(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, stderr, stdout, want string }{
		{"the line of an error", "Checking\n\x1b[31mfatal Error\x1b[0m: no rules\nmore", "", ": fatal Error: no rules"},
		{"the first line", "\n  Checking\nmore", "", ": Checking"},
		{"stdout", "", "no such command\n", ": no such command"},
		{"source of the tool", strings.Repeat("x=error;", 2000) + "\nRequestError: 503\n", "", ": RequestError: 503"},
		{"nothing", " \n", "", ""},
	} {
		if got := (Output{Stderr: []byte(tt.stderr), Stdout: []byte(tt.stdout)}).said(); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}
