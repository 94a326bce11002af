package code

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"
)

var update = flag.Bool("update", false, "rewrite the want sections of the txtar files")

// TestLanguages cuts every source file of testdata/*.txtar and compares what is neither a name nor a sign with the file of
// the same name and ".want". A file whose name begins with "names" lists its names too.
func TestLanguages(t *testing.T) {
	t.Parallel()
	paths, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(paths) == 0 {
		t.Fatal("no archives", err)
	}
	for _, path := range paths {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".txtar"), func(t *testing.T) {
			t.Parallel()
			testLanguage(t, path)
		})
	}
}

func testLanguage(t *testing.T, path string) {
	ar, err := txtar.ParseFile(path)
	if err != nil {
		t.Fatal(err)
	}
	want := make(map[string]string)
	for _, f := range ar.Files {
		want[f.Name] = string(f.Data)
	}
	var files []txtar.File
	for _, f := range ar.Files {
		if strings.HasSuffix(f.Name, ".want") {
			continue
		}
		first, _, _ := strings.Cut(string(f.Data), "\n")
		got := show(LanguageOf(f.Name, first), string(f.Data), strings.HasPrefix(f.Name, "names"))
		files = append(files, f, txtar.File{Name: f.Name + ".want", Data: []byte(got)})
		if diff := cmp.Diff(want[f.Name+".want"], got); diff != "" && !*update {
			t.Errorf("%s (-want +got):\n%s", f.Name, diff)
		}
	}
	if *update {
		ar.Files = files
		if err := os.WriteFile(path, txtar.Format(ar), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

var kindNames = map[Kind]string{Comment: "comment", String: "string", Ident: "name", Number: "number", Punct: "sign", Regex: "regex"}

func show(l *Language, text string, names bool) string {
	var b strings.Builder
	fmt.Fprintln(&b, l.Name)
	for _, tok := range l.Tokens(text) {
		if tok.Kind == Comment || tok.Kind == String || tok.Kind == Regex || tok.Kind == Number || names && tok.Kind == Ident {
			fmt.Fprintf(&b, "%d %s %q\n", tok.Line, kindNames[tok.Kind], text[tok.Start:tok.End])
		}
	}
	return b.String()
}

// languages is every language that a path can name, by an extension or a name of its own.
var languages = []string{
	"a.go", "go.mod", "a.js", "a.ts", "a.jsx", "a.tsx", "a.py", "a.bzl", "a.java", "a.kt", "a.scala", "a.groovy", "a.cs", "a.rb",
	"a.php", "a.rs", "a.swift", "a.c", "a.cpp", "a.m", "a.dart", "a.zig", "a.sol", "a.proto", "a.graphql", "a.sh", "a.ps1",
	"a.bat", "a.yml", "a.toml", "a.json", "a.ini", "a.properties", ".env", "a.tf", "Dockerfile", "Makefile",
	"a.cmake", "a.nix", "a.sql", "a.html", "a.vue", "a.xml", "a.md", "a.css", "a.scss", "a.lua", "a.hs", "a.ml", "a.fs",
	"a.ex", "a.erl", "a.clj", "a.pl", "a.r", "a.jl", "a.nim", "a.vim", ".gitignore", "a.txt",
}

// checkTokens holds the laws of every token list: in order, apart, inside the text, never empty, never blank alone, and
// on the right line.
func checkTokens(t *testing.T, name, text string, toks []Token) {
	t.Helper()
	at, line := 0, 1
	for i, tok := range toks {
		if tok.Start < at || tok.End <= tok.Start || tok.End > len(text) || kindNames[tok.Kind] == "" {
			t.Fatalf("%s: token %d %+v behind offset %d of %d in %q", name, i, tok, at, len(text), text)
		}
		line += strings.Count(text[at:tok.Start], "\n")
		if tok.Line != line {
			t.Fatalf("%s: token %d %+v stands on line %d of %q", name, i, tok, line, text)
		}
		line += strings.Count(text[tok.Start:tok.End], "\n")
		at = tok.End
	}
}

func FuzzTokens(f *testing.F) {
	paths, _ := filepath.Glob("testdata/*.txtar")
	for _, path := range paths {
		ar, err := txtar.ParseFile(path)
		if err != nil {
			f.Fatal(err)
		}
		for _, file := range ar.Files {
			f.Add(string(file.Data))
		}
	}
	for _, s := range brokenTexts {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, name := range languages {
			l := LanguageOf(name, "")
			checkTokens(t, name, text, l.Tokens(text))
		}
	})
}

var brokenTexts = []string{
	"", "\n", "\r\n", "'", `"`, "`", "/*", "/", "\\", `"\`, "'\\", "`${", "`${`${", "}`", "R\"(", "R\"x", "r#\"", "r##", "#\"", "##",
	"<<", "<<A", "<<A\n", "<<~A\nx", "<<<A\n", "<<<'A'\nA", "%q", "%q(", "%w[", "=begin", "?", "?x", "$'", "${", "$(", "\"$(\"$(", "'''",
	`"""`, "@\"", "$\"{", "$@\"", "--[[", "--[==[", "[=[", "{-", "(*", "|", "a: |", "a: |\n b", "- |-\n  x\n", "<", "<a b=\"", "<script>",
	"<script>`", "<!--", "<?php", "<?php /*", "?>", "$$", "$a$", "0x", "1e", "1e+", "1.", "b'", "b\"", "L\"", "\x00", "\xff\"\xfe", "é'",
	"'a", "'\\u{10FFFF}'", "x'", "__END__\n", "=cut", "=pod\n=cut", "REM", "::", "#[[", "\"\\(\"\\(", "\"${\"${\"${\"${\"${\"${\"${\"${",
}

func TestBrokenTexts(t *testing.T) {
	t.Parallel()
	for _, name := range languages {
		l := LanguageOf(name, "")
		for _, a := range brokenTexts {
			for _, b := range brokenTexts[:24] {
				checkTokens(t, name, a+b, l.Tokens(a+b))
				checkTokens(t, name, a+" "+b+"\n", l.Tokens(a+" "+b+"\n"))
			}
		}
	}
}

// BenchmarkHostile walks texts that make a careless lexer look at the same bytes again and again; worst-ns/byte shows it.
func BenchmarkHostile(b *testing.B) {
	const size = 1 << 20
	var buf []Token
	for _, name := range languages {
		l := LanguageOf(name, "")
		worst, text := time.Duration(0), ""
		b.Run(l.Name, func(b *testing.B) {
			for b.Loop() {
				for _, piece := range brokenTexts[1:] {
					s := strings.Repeat(piece, size/len(piece))
					start := time.Now()
					buf = l.AppendTokens(buf[:0], s)
					if d := time.Since(start); d > worst {
						worst, text = d, piece
					}
				}
			}
			b.ReportMetric(float64(worst.Nanoseconds())/size, "worst-ns/byte")
			b.Logf("worst: %q", text)
		})
	}
}

// BenchmarkLexer measures each language on the source texts of its archive.
func BenchmarkLexer(b *testing.B) {
	paths, _ := filepath.Glob("testdata/*.txtar")
	for _, path := range paths {
		ar, err := txtar.ParseFile(path)
		if err != nil {
			b.Fatal(err)
		}
		for _, f := range ar.Files {
			first, _, _ := strings.Cut(string(f.Data), "\n")
			l := LanguageOf(f.Name, first)
			if strings.HasSuffix(f.Name, ".want") || l == Plain {
				continue
			}
			text := strings.Repeat(string(f.Data)+"\n", 1<<20/len(f.Data))
			b.Run(l.Name+"/"+f.Name, func(b *testing.B) {
				b.SetBytes(int64(len(text)))
				var buf []Token
				for b.Loop() {
					buf = l.AppendTokens(buf[:0], text)
				}
			})
		}
	}
}
