package check

import (
	"strings"
	"testing"

	"github.com/gavel-review/gavel"
)

// Recorded with go 1.26.8: go build -o /dev/null ./...
func TestGoBuild(t *testing.T) {
	t.Parallel()
	testRecorded(t, "go-build", parserOf(t, "go-build"), []recorded{
		{file: "clean.txt", root: "/srv/shop", check: "go-build"},
		{file: "broken.txt", exit: 1, root: "/srv/shop", check: "go-build"},
		{file: "many.txt", exit: 1, root: "/srv/shop", check: "go-build"},
		{file: "imports.txt", exit: 1, root: "/srv/shop", check: "go-build"},
		{file: "cycle.txt", exit: 1, root: "/srv/shop", check: "go-build"},
		{file: "module-syntax.txt", exit: 1, root: "/srv/shop", check: "go-build"},
		{file: "nothing.txt", exit: 1, root: "/srv/shop", check: "go-build", fails: "nothing was built: pattern ./nope/..."},
		{file: "no-module.txt", exit: 1, root: "/srv/shop", check: "go-build", fails: "nothing was built: pattern"},
		{file: "clean.txt", exit: 1, root: "/srv/shop", check: "go-build", fails: "exited 1"},
	})
}

func TestGoBuildText(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, stderr string
		exit         int
		want         string // severity place rule title, one finding a line; or "error: " and part of the error
		reduced      int
	}{
		{"downloads are no finding", "go: downloading golang.org/x/text v0.44.0\n", 0, "", 0},
		{"no package", "go: warning: \"./...\" matched no packages\n", 0, "", 1},
		{"a warning of the C compiler", "# example.com/a\na.c:3:5: warning: unused variable 'x'\n", 0,
			"medium shop/a.c:3:5 compile warning: unused variable 'x'", 0},
		{"the linker", "# example.com/a\n/usr/bin/ld: a.o: undefined reference to `f'\ncollect2: error: ld returned 1\n", 1,
			"high :0:0 compile /usr/bin/ld: a.o: undefined reference to `f'", 0},
		{"a module that is missing", "go: example.com/b@v1.0.0: reading go.mod: 404\n", 1,
			"high :0:0 module example.com/b@v1.0.0: reading go.mod: 404", 0},
		{"a parent folder", "# example.com/a\n../lib/b.go:1:2: undefined: x\n", 1, "high lib/b.go:1:2 compile undefined: x", 0},
		{"outside the tree", "# fmt\n/usr/local/go/src/fmt/print.go:1:2: undefined: x\n", 1, "high :0:0 compile undefined: x", 0},
		{"escaping the tree", "# a\n../../../etc/passwd.go:1:2: undefined: x\n", 1, "high :0:0 compile undefined: x", 0},
		{"Windows", "# a\r\n.\\b\\c.go:1:2: undefined: x\r\n", 1, "high shop/b/c.go:1:2 compile undefined: x", 0},
		{"twice", "# a\nb.go:1:2: undefined: x\n# a [a.test]\nb.go:1:2: undefined: x\n", 1,
			"high shop/b.go:1:2 compile undefined: x", 0},
		{"prose", "I could not find your code.\n", 1, "error: nothing that the go command says", 0},
		{"a page", "<!DOCTYPE html><html></html>\n", 0, "error: nothing that the go command says", 0},
		{"a wrong flag", "flag provided but not defined: -x\nusage: go build\n", 2, "error: nothing was built", 0},
		{"nothing", "", 1, "error: exited 1 and reported nothing wrong", 0},
		{"a signal", "", -1, "error: a signal ended the tool", 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			o := Output{Stderr: []byte(tt.stderr), Exit: tt.exit, Root: "/srv", Dir: "/srv/shop", Check: "go-build"}
			r := checkSummary(t, "go-build", o, tt.want)
			if len(r.Reduced) != tt.reduced {
				t.Errorf("reduced %q, want %d", r.Reduced, tt.reduced)
			}
		})
	}
}

// A place outside the tree is told without the folders of the machine.
func TestPlaceOutside(t *testing.T) {
	t.Parallel()
	o := Output{Stderr: []byte("# a\n/home/ann/sdk/go/src/fmt/print.go:7:2: undefined: x\n"), Exit: 1, Root: "/srv", Dir: "/srv"}
	r, err := parseGoBuild(o)
	if err != nil || len(r.Findings) != 1 {
		t.Fatal(r, err)
	}
	f := r.Findings[0]
	if want := "outside the tree: …/src/fmt/print.go:7"; f.Description != want || f.Located || f.Category != gavel.CategoryBuild ||
		strings.Contains(f.Title, "/home") {
		t.Errorf("%+v, want %q", f, want)
	}
}

func FuzzGoBuild(f *testing.F) { fuzzRecorded(f, "go-build", parserOf(f, "go-build")) }
