package main

import (
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gavel-review/gavel"
	"github.com/gavel-review/gavel/internal/app"
)

var update = flag.Bool("update", false, "write docs/reference")

func rootOf(t *testing.T) string {
	t.Helper()
	root, err := moduleRoot()
	if err != nil {
		t.Fatal(err)
	}
	return root
}

func TestReferenceIsCurrent(t *testing.T) {
	root := rootOf(t)
	if *update {
		if err := write(root); err != nil {
			t.Fatal(err)
		}
	}
	texts, err := render(root)
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(root, "docs", "reference")
	for name, want := range texts {
		got, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Errorf("%v (go run ./docs/generate)", err)
			continue
		}
		if diff := cmp.Diff(string(got), want); diff != "" {
			t.Errorf("%s is stale (go run ./docs/generate):\n%s", name, diff)
		}
	}
	stale, err := leftovers(dir, texts)
	if err != nil || len(stale) > 0 {
		t.Errorf("nothing generates %v any more, %v", stale, err)
	}
}

func TestPagesAreDeterministic(t *testing.T) {
	t.Parallel()
	root := rootOf(t)
	first, err := render(root)
	if err != nil {
		t.Fatal(err)
	}
	for range 3 {
		again, err := render(root)
		if diff := cmp.Diff(first, again); diff != "" || err != nil {
			t.Fatalf("%v\n%s", err, diff)
		}
	}
}

// TestLinksLead follows every link inside the reference.
func TestLinksLead(t *testing.T) {
	t.Parallel()
	root := rootOf(t)
	texts, err := render(root)
	if err != nil {
		t.Fatal(err)
	}
	headings := make(map[string]bool)
	for name, text := range texts {
		for _, m := range regexp.MustCompile(`(?m)^#+ (.+)$`).FindAllStringSubmatch(text, -1) {
			headings[name+"#"+anchor(m[1])] = true
		}
	}
	for name, text := range texts {
		for _, m := range regexp.MustCompile(`\]\(([^)\s]+)\)`).FindAllStringSubmatch(text, -1) {
			file, fragment, _ := strings.Cut(m[1], "#")
			if strings.Contains(file, "://") {
				continue
			}
			if file == "" {
				file = name
			}
			_, page := texts[file]
			_, err := os.Stat(filepath.Join(root, "docs", "reference", file))
			if !page && err != nil || fragment != "" && !headings[file+"#"+fragment] {
				t.Errorf("%s: the link to %s leads nowhere", name, m[1])
			}
		}
	}
}

func TestEveryThingIsDescribed(t *testing.T) {
	t.Parallel()
	texts, err := render(rootOf(t))
	if err != nil {
		t.Fatal(err)
	}
	for _, op := range app.Operations() {
		if command := strings.Contains(texts["commands.md"], "\n## gavel "+op.Name+"\n"); command != (op.Doors&app.CLI != 0) {
			t.Errorf("commands.md: %s is there: %v", op.Name, command)
		}
		if tool := strings.Contains(texts["tools.md"], "\n## "+op.Tool+"\n"); tool != (op.Doors&app.MCP != 0) {
			t.Errorf("tools.md: %s is there: %v", op.Tool, tool)
		}
		for _, f := range app.Fields(op.NewInput()) {
			if f.Doc == "" || len(f.Doc) > 40 {
				t.Errorf("%s: field %s has a doc of %d bytes, want 1 to 40", op.Name, f.Name, len(f.Doc))
			}
		}
		if n := len(op.Doc); n == 0 || n > 200 {
			t.Errorf("%s has a doc of %d bytes, want 1 to 200", op.Name, n)
		}
	}
	for _, want := range []string{"`policy.fail_on`", "`policy.guard.paths`", "`floor`", "`review.provider`", "only by adding", "only by removing"} {
		if !strings.Contains(texts["config.md"], want) {
			t.Errorf("config.md: no %s", want)
		}
	}
	for line := range strings.SplitSeq(texts["config.md"], "\n") {
		if strings.HasPrefix(line, "| `policy.") && !strings.HasPrefix(line, "| `policy.guard` ") && !strings.Contains(line, "| only ") {
			t.Errorf("config.md does not say how a newer layer may move a key: %s", line)
		}
	}
	for class := range classMeanings {
		if gavel.Errorf(class, "x").Mapping().Class != class {
			t.Errorf("class %s is described and does not exist", class)
		}
	}
}

// TestEveryVariableIsDescribed reads the source for variables of our own.
func TestEveryVariableIsDescribed(t *testing.T) {
	t.Parallel()
	root := rootOf(t)
	described := make(map[string]bool)
	for _, v := range variables {
		described[v.name] = true
	}
	literal := regexp.MustCompile(`"(GAVEL_[A-Z_]+|SOURCE_DATE_EPOCH|NO_COLOR)"`)
	err := filepath.WalkDir(filepath.Join(root, "internal"), func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		data, err := os.ReadFile(path)
		for _, m := range literal.FindAllSubmatch(data, -1) {
			if name := string(m[1]); !described[name] {
				t.Errorf("%s reads %s, which config.md does not describe", path, name)
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestTableKeepsItsCells(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	table(&b, []string{"a", "b"}, [][]string{{"x|y", "line\nbreak"}})
	if want := "| a | b |\n| --- | --- |\n| x\\|y | line break |\n\n"; b.String() != want {
		t.Errorf("%q, want %q", b.String(), want)
	}
	b.Reset()
	if table(&b, []string{"a"}, nil); b.Len() > 0 {
		t.Errorf("a table without rows: %q", b.String())
	}
}
