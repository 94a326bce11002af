package untrusted

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

func TestVisible(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, in, want string }{
		{"plain", "src/main.go", "src/main.go"},
		{"empty", "", ""},
		{"scripts", "naïve 日本語 Ελληνικά עברית हिन्दी", "naïve 日本語 Ελληνικά עברית हिन्दी"},
		{"emoji", "ok 👍 ⚠️", "ok 👍 ⚠️"},
		{"backslash stays", `C:\new`, `C:\new`},
		{"newline in a path", "a\nb.go", `a\nb.go`},
		{"tab and return", "a\tb\rc", `a\tb\rc`},
		{"clear screen", "\x1b[2J\x1b[H", `\x1b[2J\x1b[H`},
		{"title", "\x1b]0;pwned\x07", `\x1b]0;pwned\x07`},
		{"backspace", "safe\b\b\b\bevil", `safe\x08\x08\x08\x08evil`},
		{"nul and delete", "a\x00b\x7f", `a\x00b\x7f`},
		{"c1 introducer", "\u009b2J", `\u009b2J`},
		{"bare c1 byte", "\x9b2J", `\x9b2J`},
		{"next line", "a\u0085b", `a\u0085b`},
		{"separators", "a\u2028b\u2029c", `a\u2028b\u2029c`},
		{"bidi override", "user\u202e gpj.exe", `user\u202e gpj.exe`},
		{"isolates", "\u2066x\u2069\u061c\u200e\u200f", `\u2066x\u2069\u061c\u200e\u200f`},
		{"zero width", "pass\u200bword\u200d\ufeff\u2060\u00ad", `pass\u200bword\u200d\ufeff\u2060\u00ad`},
		{"tags", "x\U000e0041\U000e007f", `x\U000e0041\U000e007f`},
		{"variation selectors", "a\ufe01\U000e0100", `a\ufe01\U000e0100`},
		{"selector without a symbol", "a\ufe0f", `a\ufe0f`},
		{"two selectors", "⚠\ufe0f\ufe0f", "⚠\ufe0f" + `\ufe0f`},
		{"fillers", "a\u3164b\u2800", `a\u3164b\u2800`},
		{"private use", "\ue000\U000f0000", `\ue000\U000f0000`},
		{"invalid", "a\xffb\xc3", `a\xffb\xc3`},
		{"replacement character", "a\ufffdb", "a\ufffdb"},
		{"mark on nothing", "\u0301a", `\u0301a`},
		{"stack of marks", "a" + strings.Repeat("\u0301", 6), "a" + strings.Repeat("\u0301", 4) + `\u0301` + `\u0301`},
	} {
		if got := Visible(c.in); got != c.want {
			t.Errorf("%s: Visible(%q) = %q, want %q", c.name, c.in, got, c.want)
		}
	}
}

func TestVisibleText(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ in, want string }{
		{"a\nb\n", "a\nb\n"},
		{"a\r\nb\r", "a\nb"},
		{"a\rb", `a\rb`},
		{"\tif x {", "    if x {"},
		{"\x1b[31mred\n\u202eback", "\\x1b[31mred\n\\u202eback"},
		{"a\n\u0301b", "a\n" + `\u0301` + "b"},
	} {
		if got := VisibleText(c.in); got != c.want {
			t.Errorf("VisibleText(%q) = %q, want %q", c.in, got, c.want)
		}
	}
}

// TestHiddenIsNothingToRead holds the predicate against the Unicode categories that may never pass.
func TestHiddenIsNothingToRead(t *testing.T) {
	t.Parallel()
	for r := rune(0); r <= unicode.MaxRune; r++ {
		switch {
		case unicode.In(r, unicode.Cc, unicode.Cf, unicode.Co, unicode.Cs, unicode.Zl, unicode.Zp, unicode.Variation_Selector, unicode.Noncharacter_Code_Point):
			if !Hidden(r) {
				t.Fatalf("%U is shown", r)
			}
		case unicode.In(r, unicode.L, unicode.N, unicode.P, unicode.Sc, unicode.Sm) && Hidden(r):
			if !blank(r) {
				t.Fatalf("%U is hidden", r)
			}
		}
	}
}

func TestVisibleLargeInput(t *testing.T) {
	t.Parallel()
	in := strings.Repeat("\x1b[31m日本", 100_000)
	if got := Visible(in); strings.ContainsRune(got, 0x1b) || len(got) < len(in) {
		t.Error("a megabyte was not escaped as a line is")
	}
}

func FuzzVisible(f *testing.F) {
	for _, s := range []string{"a\nb", "\x1b]8;;http://x\x07", "\u202e", "\xff\xfe", "⚠️\ufe0f", "a\u0301\u0301\u0301\u0301\u0301", "\r\n\r"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		checkVisible(t, s, Visible(s), false)
		checkVisible(t, s, VisibleText(s), true)
		if again := Visible(Visible(s)); again != Visible(s) {
			t.Fatalf("Visible is not idempotent on %q: %q", s, again)
		}
		if again := VisibleText(VisibleText(s)); again != VisibleText(s) {
			t.Fatalf("VisibleText is not idempotent on %q: %q", s, again)
		}
	})
}

func checkVisible(t *testing.T, in, out string, text bool) {
	t.Helper()
	if !utf8.ValidString(out) {
		t.Fatalf("%q became invalid UTF-8: %q", in, out)
	}
	previous := rune(0)
	for _, r := range out {
		layout := text && r == '\n'
		selector := r == 0xfe0f && unicode.Is(unicode.So, previous)
		if Hidden(r) && !layout && !selector {
			t.Fatalf("%q became %q, which holds %U", in, out, r)
		}
		previous = r
	}
	if text && strings.Count(in, "\n") != strings.Count(out, "\n") {
		t.Fatalf("%q has other lines than %q", out, in)
	}
}

func BenchmarkVisiblePlain(b *testing.B) {
	s := strings.Repeat("func main() { fmt.Println(42) } ", 4)
	b.SetBytes(int64(len(s)))
	for b.Loop() {
		Visible(s)
	}
}

func BenchmarkVisibleHostile(b *testing.B) {
	s := strings.Repeat("日本\x1b[31m\u202e", 8)
	b.SetBytes(int64(len(s)))
	for b.Loop() {
		Visible(s)
	}
}
