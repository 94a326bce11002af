package git

import (
	"strings"
	"testing"

	"github.com/gavel-review/gavel"
)

func TestFilter(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		file, dir, excludeFile, excludeDir string // words separated by blanks
		in, out                            string // paths; "new<old" is a rename
	}{
		{in: "a x/y"},
		{file: "a", in: "a b<a", out: "b x/a ab"},
		{file: "x/a.go", in: "x/a.go", out: "a.go y/x/a.go x/a.go/b"},
		{file: `x\a.go ./b`, in: "x/a.go b"},
		{file: "*.go", in: "a.go x/y/b.go", out: "a.gox go x.go/y"},
		{file: "x/*.go", in: "x/a.go", out: "a.go x/y/a.go y/x/a.go"},
		{file: "x/**/*.go", in: "x/a.go x/y/z/a.go", out: "a.go"},
		{file: "/*.go", in: "a.go", out: "x/a.go"},
		{file: "[ab].go", in: "a.go x/b.go", out: "c.go"},
		{file: "[!a].go", in: "b.go", out: "a.go"},
		{file: "?.go", in: "\xff.go a.go", out: "ab.go"},
		{file: "*.{go,py}", in: "x.{go,py}", out: "a.go a.py"},
		{dir: "src", in: "src/a src/b/c new<src/old", out: "src srcs/a x/src/a"},
		{dir: "src/", in: "src/a", out: "src"},
		{file: "src/", in: "src/a", out: "src"},
		{dir: "src/sub", in: "src/sub/a", out: "src/a src/subs/a"},
		{dir: "te*", in: "test/a x/tests/y/b", out: "test x/other/test"},
		{dir: "x/*/y", in: "x/1/y/a", out: "x/y/a z/x/1/y/a x/1/2/y/a"},
		{dir: ".", in: "a x/y"},
		{dir: "/", in: "a x/y"},
		{file: "a", dir: "src", in: "a src/b", out: "b"},
		{excludeFile: "a", in: "b b<a", out: "a a<b"},
		{excludeDir: "vendor", in: "a moved<vendor/x vendored/x", out: "vendor/x"},
		{dir: "src", excludeFile: "*_test.go", in: "src/a.go", out: "src/a_test.go b.go"},
		{file: "a", excludeFile: "a", out: "a"},
		{excludeFile: "*", out: "a x/y"},
		{excludeDir: "*", in: "a", out: "x/y"},
	} {
		f, err := NewFilter(strings.Fields(test.file), strings.Fields(test.dir), strings.Fields(test.excludeFile), strings.Fields(test.excludeDir))
		if err != nil {
			t.Errorf("%+v: %v", test, err)
			continue
		}
		for paths, want := range map[string]bool{test.in: true, test.out: false} {
			for word := range strings.FieldsSeq(paths) {
				path, old, _ := strings.Cut(word, "<")
				if f.Match(path, old) != want {
					t.Errorf("%+v: %q is let through: %v", test, word, !want)
				}
			}
		}
	}
}

func TestBadFilters(t *testing.T) {
	t.Parallel()
	for _, word := range []string{"", " ", "[", "a[b", "x/[!", "*["} {
		for i := range 4 {
			var groups [4][]string
			groups[i] = []string{"fine", word}
			if _, err := NewFilter(groups[0], groups[1], groups[2], groups[3]); class(err) != gavel.InvalidArgs {
				t.Errorf("%q as %d: %v", word, i, err)
			}
		}
	}
}

func FuzzFilter(f *testing.F) {
	f.Add("*.go", "x/[a-b]?/**", "x/a/b.go")
	f.Add(`\`, "{", "\xff")
	f.Add("/", "**", "//")
	f.Fuzz(func(t *testing.T, word, other, path string) {
		include, err := NewFilter([]string{word}, []string{other}, nil, nil)
		if err != nil {
			if class(err) != gavel.InvalidArgs {
				t.Fatal(err)
			}
			return
		}
		exclude, err := NewFilter(nil, nil, []string{word}, []string{other})
		if err != nil {
			t.Fatalf("a word is good for inclusion only: %v", err)
		}
		if include.Match(path, "") == exclude.Match(path, "") {
			t.Errorf("%q %q: %q is both included and excluded, or neither", word, other, path)
		}
	})
}
