package app

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/gavel-review/gavel"
)

// compared are the trees that a hook has compared, one review a line.
func compared(o *HookRunOutput) []string {
	lines := []string{}
	for _, r := range o.Reviews {
		if r.Review != nil {
			lines = append(lines, r.Review.Meta.Repo.BaseTree+" "+r.Review.Meta.Repo.HeadTree)
		}
	}
	return lines
}

// hookProcess names the file that TestHookProcess reports to.
const hookProcess = "GAVEL_TEST_HOOK_PROCESS"

// TestHookProcess is gavel itself where a test installs this very binary as a hook.
func TestHookProcess(t *testing.T) {
	report := os.Getenv(hookProcess)
	if report == "" {
		return
	}
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	env := &Env{
		Version: "test", Dir: dir, Getenv: os.Getenv, Stdin: os.Stdin, Now: time.Now, Progress: func(string) {}, Door: CLI,
	}
	args := flag.Args()[2:] // hook run
	out, err := runHook(context.Background(), env, HookRunInput{append(args[:1:1], args[2:]...)})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(gavel.AsError(err).Mapping().Exit)
	}
	if err := os.WriteFile(report, []byte(strings.Join(compared(out), "\n")), 0o600); err != nil {
		t.Fatal(err)
	}
	os.Exit(out.ExitCode())
}

// installSelf installs a hook that runs TestHookProcess, and returns the file that it reports to.
func installSelf(c *checkout, hook string) string {
	c.t.Helper()
	self, err := os.Executable()
	if err != nil {
		c.t.Fatal(err)
	}
	report := filepath.Join(c.home, "report")
	path := c.write(filepath.Join(c.home, "self"), fmt.Sprintf("#!/bin/sh\n%s=%s GAVEL_HOME=%s exec %s -test.run='^TestHookProcess$' -- \"$@\"\n",
		hookProcess, shellQuote(report), shellQuote(filepath.Join(c.home, "state")), shellQuote(self)))
	if err := os.Chmod(path, 0o755); err != nil {
		c.t.Fatal(err)
	}
	installHook(c.t, c, HookInput{Hook: hook, Binary: path})
	return report
}

// TestPreCommitReviewsWhatIsCommitted: git has several ways to commit something else than the index.
func TestPreCommitReviewsWhatIsCommitted(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		args []string
	}{
		{"the index", []string{"commit", "-q", "-m", "x"}},
		{"all", []string{"commit", "-q", "-a", "-m", "x"}},
		{"one file", []string{"commit", "-q", "-m", "x", "--", "b.txt"}},
		{"the index and one file", []string{"commit", "-q", "-m", "x", "--include", "b.txt"}},
	}
	for _, where := range []string{"main", "linked"} {
		for _, tt := range tests {
			t.Run(where+"/"+tt.name, func(t *testing.T) {
				t.Parallel()
				c := newCheckout(t)
				c.write("a.txt", "a\n")
				c.write("b.txt", "b\n")
				c.git("add", ".")
				c.git("commit", "-q", "-m", "first")
				if where == "linked" {
					c.git("worktree", "add", "-q", "-b", "side", filepath.Join(c.home, "linked"))
					c = c.in(filepath.Join(c.home, "linked"))
				}
				c.write("a.txt", "a\nstaged\n")
				c.git("add", "a.txt")
				c.write("b.txt", "b\nnot staged\n")
				report := installSelf(c, hookPreCommit)
				c.git(tt.args...)
				want := c.git("rev-parse", "HEAD~^{tree}") + " " + c.git("rev-parse", "HEAD^{tree}")
				if got := c.read(report); got != want {
					t.Errorf("the hook compared %s, the commit is %s", got, want)
				}
			})
		}
	}
}

func TestPreCommitIsAboutItsOwnRepository(t *testing.T) {
	t.Parallel()
	c, other := newCheckout(t), newCheckout(t)
	c.write("a.txt", "a\n")
	c.git("add", ".")
	env := c.env()
	env.DefaultRepo = other.dir
	out, err := runHook(context.Background(), env, HookRunInput{[]string{hookPreCommit}})
	if err != nil {
		t.Fatal(err)
	}
	if got := compared(out); len(got) != 1 || !strings.HasSuffix(got[0], " "+c.git("write-tree")) {
		t.Errorf("compared %v", got)
	}
}

func TestHookRunArguments(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{nil, {"commit-msg"}, {"--help"}} {
		_, err := runHook(context.Background(), testEnv(t, nil), HookRunInput{args})
		wantClass(t, err, gavel.InvalidArgs, hookPreCommit)
	}
	env := testEnv(t, nil)
	env.Stdin = strings.NewReader("nonsense\n")
	_, err := runHook(context.Background(), env, HookRunInput{[]string{hookPrePush, "origin", "url"}})
	wantClass(t, err, gavel.InvalidArgs)
}

// pushing is a repository with a remote whose main branch has one commit.
func pushing(t *testing.T) *checkout {
	t.Helper()
	c := newCheckout(t)
	remote := filepath.Join(c.home, "remote.git")
	c.git("init", "-q", "--bare", "-b", "main", remote)
	c.git("remote", "add", "origin", remote)
	c.commit("a.txt", "one\n")
	c.git("push", "-q", "-u", "origin", "main")
	c.git("remote", "set-head", "origin", "main")
	return c
}

func TestPrePushRanges(t *testing.T) {
	t.Parallel()
	c := pushing(t)
	first := c.git("rev-parse", "HEAD")
	c.git("switch", "-q", "-c", "feature")
	c.commit("b.txt", "two\n")
	second := c.git("rev-parse", "HEAD")
	c.commit("c.txt", "three\n")
	third := c.git("rev-parse", "HEAD")
	c.git("switch", "-q", "main")
	c.commit("d.txt", "the base moves on\n")
	c.git("push", "-q", "origin", "main")
	base := c.git("rev-parse", "HEAD")
	c.git("switch", "-q", "--orphan", "island")
	c.commit("e.txt", "no ancestors\n")
	island := c.git("rev-parse", "HEAD")
	c.git("tag", "-m", "annotated", "v1", third)
	tag := c.git("rev-parse", "v1")
	empty := c.git("hash-object", "-t", "tree", os.DevNull)
	tree := func(commit string) string { return c.git("rev-parse", commit+"^{tree}") }
	trees := func(from, to string) string { return tree(from) + " " + tree(to) }
	unknown := strings.Repeat("d", 40)
	tests := []struct {
		name  string
		lines []string
		want  []string
	}{
		{"a new branch: since it left the base", []string{"refs/heads/feature " + third + " refs/heads/feature " + idNil}, []string{trees(first, third)}},
		{"a branch that is there: what is new", []string{"refs/heads/feature " + third + " refs/heads/feature " + second}, []string{trees(second, third)}},
		{"a rewind", []string{"+feature " + first + " refs/heads/feature " + third}, []string{trees(third, first)}},
		{"a deletion", []string{"(delete) " + idNil + " refs/heads/feature " + third}, nil},
		{"a new branch at the base", []string{"main " + base + " refs/heads/copy " + idNil}, nil},
		{"a new branch behind the base", []string{"main~ " + first + " refs/heads/old " + idNil}, nil},
		{"an annotated tag", []string{"refs/tags/v1 " + tag + " refs/tags/v1 " + idNil}, []string{trees(first, third)}},
		{"the remote has what we have not", []string{"feature " + third + " refs/heads/feature " + unknown}, []string{trees(first, third)}},
		{"no common commit", []string{"island " + island + " refs/heads/island " + idNil}, []string{empty + " " + tree(island)}},
		{"several", []string{
			"(delete) " + idNil + " refs/heads/x " + third,
			"feature " + second + " refs/heads/a " + idNil,
			"feature " + second + " refs/heads/b " + idNil,
			"feature " + third + " refs/heads/feature " + second,
		}, []string{trees(first, second), trees(second, third)}},
		{"nothing", nil, nil},
	}
	for _, tt := range tests {
		env := c.env()
		env.Stdin = strings.NewReader(strings.Join(append(tt.lines, ""), "\n"))
		out, err := runHook(context.Background(), env, HookRunInput{[]string{hookPrePush, "origin", "url"}})
		if err != nil {
			t.Errorf("%s: %v", tt.name, err)
			continue
		}
		if diff := cmp.Diff(append([]string{}, tt.want...), compared(out)); diff != "" {
			t.Errorf("%s:\n%s", tt.name, diff)
		}
		if len(out.Reviews) != len(tt.lines) || out.ExitCode() != gavel.ExitPass {
			t.Errorf("%s: %d lines, %d answers, exit %d", tt.name, len(tt.lines), len(out.Reviews), out.ExitCode())
		}
	}
}

// TestFirstPushIsReviewed: before anything is published, a local branch is no measure of what is known.
func TestFirstPushIsReviewed(t *testing.T) {
	t.Parallel()
	c := newCheckout(t)
	c.git("init", "-q", "--bare", filepath.Join(c.home, "remote.git"))
	c.git("remote", "add", "origin", filepath.Join(c.home, "remote.git"))
	c.commit("a.txt", "one\n")
	c.commit("b.txt", "two\n")
	report := installSelf(c, hookPrePush)
	c.git("push", "-q", "origin", "main")
	want := c.git("hash-object", "-t", "tree", os.DevNull) + " " + c.git("rev-parse", "HEAD^{tree}")
	if got := c.read(report); got != want {
		t.Errorf("compared %s, want %s", got, want)
	}
}

func TestPrePushStopsOnWhatCannotBeJudged(t *testing.T) {
	t.Parallel()
	c := pushing(t)
	env := c.env()
	env.Stdin = strings.NewReader("x " + strings.Repeat("e", 40) + " refs/heads/x " + idNil + "\n")
	_, err := runHook(context.Background(), env, HookRunInput{[]string{hookPrePush}})
	wantClass(t, err, gavel.InvalidArgs, "refs/heads/x")
}

func TestRenderHookRun(t *testing.T) {
	t.Parallel()
	out := &HookRunOutput{Hook: hookPrePush, Reviews: []HookReview{{Ref: "refs/heads/x\x1b[0m", What: "deleted, nothing to review"}}}
	var b bytes.Buffer
	if err := HookRun.Render(&b, out, RenderOptions{}); err != nil {
		t.Fatal(err)
	}
	if want := `refs/heads/x\x1b[0m: deleted, nothing to review` + "\n"; b.String() != want {
		t.Errorf("%q, want %q", b.String(), want)
	}
}
