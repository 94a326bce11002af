package git

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gavel-review/gavel"
)

// One lasting process writes what a process for each difference would, over more turns than one process takes.
func TestDiffServer(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	var stream strings.Builder
	for i := range maxTurns + 20 {
		text := fmt.Sprintf("=line %d\n=\n\nwithout end", i)
		fmt.Fprintf(&stream, "commit refs/heads/main\ncommitter c <c@x> %d +0000\ndata 1\nm\nM 100644 inline a\ndata %d\n%s\nM 100644 inline \"x\\n=%d\\ny\"\ndata %d\n%s\n",
			1700000000+i, len(text), text, i%3, len(text), text)
	}
	f.gitIn(stream.String(), "fast-import", "--quiet")
	r := f.open()
	h, err := r.History(t.Context(), nil, 0)
	must(t, err)
	var got []*gavel.File
	for file, err := range h.Files(t.Context(), Filter{}, func(int) {}) {
		must(t, err)
		got = append(got, file)
	}
	if len(got) < 2*maxTurns {
		t.Fatalf("%d files", len(got))
	}
	for _, i := range []int{0, 1, 2, 3, len(got) - 2, len(got) - 1} {
		c, err := ownOf(t, r, got[i].Commit)
		must(t, err)
		found := false
		for _, file := range files(t, c) {
			if file.Path == got[i].Path {
				found = true
				want(t, text(got[i]), text(file))
			}
		}
		if !found {
			t.Errorf("%q is not in %s", got[i].Path, got[i].Commit)
		}
	}
}

func ownOf(t *testing.T, r *Repo, id string) (*Comparison, error) {
	t.Helper()
	parent, err := r.firstParent(t.Context(), id)
	must(t, err)
	return r.compareCommits(t.Context(), parent, id)
}

// The process dies of a damaged object; that costs the paths that need it, and no other path or commit.
func TestDiffServerDamage(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.at(ada, ada, "2024-01-01T12:00:00Z", "one", "a", "1\n", "b", "damaged\n", "c", "3\n")
	f.at(ada, ada, "2024-01-02T12:00:00Z", "two", "a", "2\n")
	f.at(ada, ada, "2024-01-03T12:00:00Z", "three", "b", "repaired\n", "c", "4\n")
	f.at(ada, ada, "2024-01-04T12:00:00Z", "four", "a", "3\n")
	id := f.git("rev-parse", "HEAD~3:b")
	object := filepath.Join(f.dir, ".git", "objects", id[:2], id[2:])
	must(t, os.Chmod(object, 0o600))
	data, err := os.ReadFile(object)
	must(t, err)
	copy(data[len(data)-6:], "xxxxxx")
	must(t, os.WriteFile(object, data, 0o600))
	got, _ := brought(t, f, nil, 0)
	want(t, got, `
one: a +1
one: b +0 object_missing
one: c +1
two: a +1
three: b +0 object_missing
three: c +1
four: a +1
`)
}
