//go:build history

// Run it by hand: GAVEL_HISTORY_REPO=DIR go test -tags history -run History ./internal/git

package git

import (
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"

	"github.com/gavel-review/gavel"
)

// TestHistory compares the last commits of the repository in GAVEL_HISTORY_REPO, each with its first parent, with what
// git counts: no path is lost, and every text has as many added and removed lines.
func TestHistory(t *testing.T) {
	dir := os.Getenv("GAVEL_HISTORY_REPO")
	if dir == "" {
		t.Fatal("GAVEL_HISTORY_REPO is not set")
	}
	r, err := Open(t.Context(), dir)
	must(t, err)
	defer r.Close()
	git := func(args ...string) string {
		out, err := exec.Command("git", append([]string{"-C", dir}, args...)...).Output()
		must(t, err)
		return strings.TrimSpace(string(out))
	}
	n := or(os.Getenv("GAVEL_HISTORY_COMMITS"), "300")
	paths, lines := 0, 0
	for commit := range strings.FieldsSeq(git("rev-list", "--first-parent", "-n", n, "HEAD")) {
		parent := r.EmptyTree()
		if p, err := r.firstParent(t.Context(), commit); err == nil && p != "" {
			parent = p
		}
		c, err := r.Pin(t.Context(), revs(parent, commit))
		must(t, err)
		got := map[string]string{}
		for _, f := range files(t, c) {
			added, removed := counts(f)
			paths, lines = paths+1, lines+added+removed
			checkFile(t, f)
			got[f.Path] = fmt.Sprintf("%d %d", added, removed)
			if f.Binary || f.Skip != nil {
				got[f.Path] = string(f.Skip.Reason)
			}
		}
		compareNumstat(t, commit, got, git("diff-tree", "-r", "-M", "--numstat", "-z", "--text", "--no-ext-diff", parent, commit))
	}
	t.Logf("%d paths, %d changed lines", paths, lines)
}

func compareNumstat(t *testing.T, commit string, got map[string]string, numstat string) {
	t.Helper()
	fields := strings.Split(strings.TrimSuffix(numstat, "\x00"), "\x00")
	want := 0
	for i := 0; i < len(fields) && numstat != ""; i++ {
		words := strings.SplitN(fields[i], "\t", 3)
		path := words[2]
		if path == "" { // a rename: two more fields
			path = fields[i+2]
			i += 2
		}
		want++
		counts, ok := got[path]
		if ok && words[0] == "-" && counts == "0 0" {
			continue // a binary that only moved
		}
		if skipped := gavel.SkipReason(counts); !ok || counts != words[0]+" "+words[1] && !skipped.Expected() {
			t.Errorf("%s %s: got %q, git counts %s %s", commit, strconv.Quote(path), counts, words[0], words[1])
		}
	}
	if len(got) != want {
		t.Errorf("%s: %d paths, git has %d", commit, len(got), want)
	}
}
