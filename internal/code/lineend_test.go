package code

import (
	"strings"
	"testing"
)

// TestCommentEnds: a comment ends where the language says that its line does, and not elsewhere.
func TestCommentEnds(t *testing.T) {
	t.Parallel()
	const cr, ls, ps, nel = "\r", "\u2028", "\u2029", "\u0085"
	for _, tt := range []struct {
		path, sign string
		ends       []string
		not        []string
	}{
		{"a.js", "//", []string{cr, ls, ps}, []string{nel, "\u201c", "\u00e9"}},
		{"a.ts", "//", []string{cr, ls, ps}, []string{nel}},
		{"a.tsx", "//", []string{cr, ls, ps}, nil},
		{"a.cs", "//", []string{cr, ls, ps, nel}, []string{"\u00a9"}},
		{"a.java", "//", []string{cr}, []string{ls, ps, nel}},
		{"a.kt", "//", []string{cr}, []string{ls}},
		{"a.dart", "//", []string{cr}, []string{ls}},
		{"a.swift", "//", []string{cr}, []string{ls}},
		{"a.php", "//", []string{cr}, []string{ls}},
		{"a.php", "#", []string{cr}, nil},
		{"a.py", "#", []string{cr}, []string{ls, nel, "\v"}},
		{"a.sql", "--", []string{cr}, []string{ls}},
		{"a.lua", "--", []string{cr}, []string{ls}},
		{"a.yml", "#", []string{cr}, []string{ls}},
		{"a.go", "//", nil, []string{cr, ls, ps, nel}},
		{"a.rb", "#", nil, []string{cr, ls}},
		{"a.rs", "//", nil, []string{cr, ls}},
		{"a.sh", "#", nil, []string{cr, ls}},
	} {
		l := LanguageOf(tt.path, "")
		named := func(text string) bool {
			for _, tok := range l.Tokens(text) {
				if tok.Kind == Ident && text[tok.Start:tok.End] == "live" {
					return true
				}
			}
			return false
		}
		for _, end := range append(tt.ends, "\n", "\r\n") {
			if !named("x\n" + tt.sign + " dead" + end + "live") {
				t.Errorf("%s: a comment goes on behind %q", tt.path, end)
			}
			if !strings.ContainsAny(end, "\r\n") && !named("x"+end+"live") {
				t.Errorf("%s: %q is part of a name", tt.path, end)
			}
		}
		for _, inside := range tt.not {
			if named("x\n" + tt.sign + " dead" + inside + "live") {
				t.Errorf("%s: a comment ends at %q", tt.path, inside)
			}
		}
	}
}

// TestWideNames: letters whose first byte may begin a line end stay in their names.
func TestWideNames(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"a\u2c30b", "\u2c30", "\u00aa", "a\u00aab"} {
		for _, path := range []string{"a.js", "a.cs", "a.go"} {
			if toks := LanguageOf(path, "").Tokens(name); len(toks) != 1 || toks[0].Kind != Ident || toks[0].End != len(name) {
				t.Errorf("%s: %q: %v", path, name, toks)
			}
		}
	}
}
