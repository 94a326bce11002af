package git

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gavel-review/gavel"
)

// brought shows what each commit of a history brought, a file a line: subject, path, added lines.
func brought(t *testing.T, f *fixture, revisions []string, most int) (string, *History) {
	t.Helper()
	h, err := f.open().History(t.Context(), revisions, most)
	must(t, err)
	var b strings.Builder
	last := -1
	for file, err := range h.Files(t.Context(), Filter{}, func(done int) {
		if done != last+1 {
			t.Errorf("%d commits are done after %d", done, last)
		}
		last = done
	}) {
		must(t, err)
		added, _ := counts(file)
		reason := ""
		if file.Skip != nil {
			reason = " " + string(file.Skip.Reason)
		}
		fmt.Fprintf(&b, "%s: %s +%d%s\n", f.git("log", "-1", "--format=%s", file.Commit), gavel.DisplayPath(file.Path), added, reason)
	}
	if last+1 != h.Total {
		t.Errorf("%d commits, %d were announced", last+1, h.Total)
	}
	return b.String(), h
}

func merged(t *testing.T) *fixture {
	f := newFixture(t)
	f.at(ada, ada, "2024-01-01T12:00:00Z", "root", "a", "1\n2\n3\n4\n5\n", "gone", "secret\n")
	f.git("checkout", "-q", "-b", "side")
	f.at(ada, ada, "2024-01-02T12:00:00Z", "side", "a", "1\n2\n3\n4\nside\n", "s", "1\n")
	f.git("checkout", "-q", "main")
	f.git("rm", "-q", "gone")
	f.at(ada, ada, "2024-01-03T12:00:00Z", "main", "a", "main\n2\n3\n4\n5\n", "m", "1\n")
	f.git("merge", "-q", "--no-commit", "side")
	f.at(ada, ada, "2024-01-04T12:00:00Z", "merge", "evil", "only here\n")
	return f
}

func TestHistoryFiles(t *testing.T) {
	t.Parallel()
	f := merged(t)
	before := f.snapshot()
	got, h := brought(t, f, nil, 0)
	want(t, got, `
root: a +5
root: gone +1
side: a +1
side: s +1
main: a +1
main: gone +0
main: m +1
merge: a +1
merge: evil +1
`)
	f.untouched(before)
	if len(h.Notes) != 0 {
		t.Errorf("notes %q", h.Notes)
	}
	got, _ = brought(t, f, []string{"main~1..main"}, 0)
	want(t, got, "side: a +1\nside: s +1\nmerge: a +1\nmerge: evil +1\n")
	got, h = brought(t, f, nil, 1)
	want(t, got, "merge: a +1\nmerge: evil +1\n")
	if len(h.Notes) != 1 || !strings.Contains(h.Notes[0], "4 commits") {
		t.Errorf("notes %q", h.Notes)
	}
}

func TestHistoryWithoutCommits(t *testing.T) {
	t.Parallel()
	if got, h := brought(t, newFixture(t), nil, 0); got != "" || h.Total != 0 {
		t.Errorf("%q, %d", got, h.Total)
	}
	r := newFixture(t).open()
	for _, revisions := range [][]string{{"--all"}, {"nowhere"}, {"a", "b", "c"}} {
		if _, err := r.History(t.Context(), revisions, 0); class(err) != gavel.InvalidArgs {
			t.Errorf("%q: %v", revisions, err)
		}
	}
}

// The commits at the edge of a shallow clone bring all that they hold, and that is said.
func TestHistoryShallow(t *testing.T) {
	t.Parallel()
	f := people(t)
	clone := bareFixture(t)
	clone.git("clone", "-q", "--depth=2", "file://"+f.dir, clone.dir)
	got, h := brought(t, clone, nil, 0)
	want(t, got, "fourth: a +1\nfourth: b +1\n--format=%H: d +1\n")
	if len(h.Notes) != 1 || !strings.Contains(h.Notes[0], "shallow") {
		t.Errorf("notes %q", h.Notes)
	}
}

// A commit whose tree is lost is accounted for, and the others are looked at.
func TestHistoryLostTree(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.at(ada, ada, "2024-01-01T12:00:00Z", "one", "a", "1\n")
	f.at(ada, ada, "2024-01-02T12:00:00Z", "two", "b", "1\n")
	f.at(ada, ada, "2024-01-03T12:00:00Z", "three", "c", "1\n")
	f.at(ada, ada, "2024-01-04T12:00:00Z", "four", "d", "1\n")
	tree := f.git("rev-parse", "HEAD~2^{tree}")
	must(t, os.Remove(filepath.Join(f.dir, ".git", "objects", tree[:2], tree[2:])))
	got, _ := brought(t, f, nil, 0)
	for _, line := range []string{"one: a +1\n", "two: commit " + f.git("rev-parse", "HEAD~2") + " +0 object_missing\n", "three: commit " + f.git("rev-parse", "HEAD~1") + " +0 object_missing\n", "four: d +1\n"} {
		if !strings.Contains(got, line) {
			t.Errorf("%q is not in\n%s", line, got)
		}
	}
}

// A lost commit is no end of the history: it is an error.
func TestHistoryLostCommit(t *testing.T) {
	t.Parallel()
	f := people(t)
	id := f.git("rev-parse", "HEAD~2")
	must(t, os.Remove(filepath.Join(f.dir, ".git", "objects", id[:2], id[2:])))
	r := f.open()
	if _, err := r.History(t.Context(), nil, 0); class(err) != gavel.RunFailed {
		t.Errorf("history: %v", err)
	}
	if _, err := r.Select(t.Context(), Selection{Text: "x"}); class(err) != gavel.RunFailed {
		t.Errorf("selection: %v", err)
	}
}

func TestHistoryCancelled(t *testing.T) {
	t.Parallel()
	r := people(t).open()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	h, err := r.History(ctx, nil, 0)
	must(t, err)
	n := 0
	for _, err := range h.Files(ctx, Filter{}, func(int) {}) {
		if n++; err != nil {
			if class(err) != gavel.Cancelled {
				t.Errorf("%v", err)
			}
			return
		}
		cancel()
	}
	t.Errorf("%d files and no end", n)
}

func TestHistoryStopped(t *testing.T) {
	t.Parallel()
	r := people(t).open()
	h, err := r.History(t.Context(), nil, 0)
	must(t, err)
	for range h.Files(t.Context(), Filter{}, func(int) {}) {
		break
	}
	s, err := r.Select(t.Context(), Selection{Start: "2024-01-01"})
	must(t, err)
	for range s.Files(t.Context(), Filter{}) {
		break
	}
}
