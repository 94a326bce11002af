package app

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gavel-review/gavel"
)

func installHook(t *testing.T, c *checkout, in HookInput) *HookOutput {
	t.Helper()
	out, err := runHookInstall(context.Background(), c.env(), in)
	if err != nil {
		t.Fatalf("install: %v", err)
	}
	return out
}

func wantClass(t *testing.T, err error, class gavel.Class, words ...string) {
	t.Helper()
	e := gavel.AsError(err)
	if e == nil || e.Class != class {
		t.Fatalf("error %v, want class %s", err, class)
	}
	for _, word := range words {
		if !strings.Contains(e.Message+"\n"+e.Hint, word) {
			t.Errorf("%q says nothing of %q (hint %q)", e.Message, word, e.Hint)
		}
	}
}

func TestPreCommitHookDecidesCommits(t *testing.T) {
	t.Parallel()
	c := newCheckout(t)
	gavelStandIn := newStandIn(c, filepath.Join(c.home, `bin's "dir"`, "gavel $PATH `x`"))
	out := installHook(t, c, HookInput{Binary: gavelStandIn.path})
	if out.Action != hookInstalled || out.Path != filepath.Join(c.dir, ".git", "hooks", "pre-commit") || len(out.Notes) > 0 {
		t.Errorf("%+v", out)
	}
	for i, tt := range []struct {
		exit    string
		commits bool
	}{{"0", true}, {"1", false}, {"3", false}, {"64", false}, {"0", true}} {
		gavelStandIn.exit(tt.exit)
		text, code := c.commit("a.txt", strings.Repeat("x\n", i+1))
		if (code == 0) != tt.commits {
			t.Errorf("gavel exits %s: commit exits %d\n%s", tt.exit, code, text)
		}
		if calls := gavelStandIn.calls(); calls != "<hook><run><pre-commit><-->\n" {
			t.Errorf("gavel was called with %q", calls)
		}
	}
	if text, code := c.try("commit", "-q", "--no-verify", "--allow-empty", "-m", "skip"); code != 0 || gavelStandIn.calls() != "" {
		t.Errorf("--no-verify: exit %d, %s", code, text)
	}
}

func TestPrePushHookGetsTheReferences(t *testing.T) {
	t.Parallel()
	c := newCheckout(t)
	remote := filepath.Join(c.home, "remote dir.git")
	c.git("init", "-q", "--bare", remote)
	gavelStandIn := newStandIn(c, filepath.Join(c.home, "gavel"))
	installHook(t, c, HookInput{Hook: hookPrePush, Binary: gavelStandIn.path})
	if text, code := c.commit("a.txt", "a\n"); code != 0 {
		t.Fatal(text)
	}
	c.git("remote", "add", "origin", remote)
	head := c.git("rev-parse", "HEAD")
	gavelStandIn.exit("1")
	if text, code := c.try("push", "-q", "origin", "main"); code == 0 {
		t.Errorf("a blocked push went through\n%s", text)
	}
	want := "<hook><run><pre-push><--><origin><" + remote + ">\nrefs/heads/main " + head + " refs/heads/main " + strings.Repeat("0", 40) + "\n"
	if calls := gavelStandIn.calls(); calls != want {
		t.Errorf("gavel was called with %q, want %q", calls, want)
	}
	gavelStandIn.exit("0")
	c.git("push", "-q", "origin", "main")
	if got := c.in(remote).git("rev-parse", "main"); got != head {
		t.Errorf("the remote is at %s", got)
	}
}

func TestHookFollowsHooksPath(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, config string
		dir          func(c *checkout) string
		note         string
	}{
		{"relative", "my hooks/git", func(c *checkout) string { return filepath.Join(c.dir, "my hooks", "git") }, "work tree"},
		{"absolute", "HOME/hooks", func(c *checkout) string { return filepath.Join(c.home, "hooks") }, "outside"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			c := newCheckout(t)
			c.git("config", "core.hooksPath", strings.Replace(tt.config, "HOME", c.home, 1))
			gavelStandIn := newStandIn(c, filepath.Join(c.home, "gavel"))
			c.write("sub/x", "")
			out := installHook(t, c.in(filepath.Join(c.dir, "sub")), HookInput{Binary: gavelStandIn.path})
			if want := filepath.Join(tt.dir(c), "pre-commit"); out.Path != want {
				t.Errorf("written to %s, want %s", out.Path, want)
			}
			if len(out.Notes) != 1 || !strings.Contains(out.Notes[0], tt.note) {
				t.Errorf("notes %q, want one of %q", out.Notes, tt.note)
			}
			gavelStandIn.exit("1")
			if text, code := c.commit("a.txt", "a\n"); code == 0 || gavelStandIn.calls() == "" {
				t.Errorf("the hook did not run: exit %d\n%s", code, text)
			}
		})
	}
}

func TestHookFollowsGlobalHooksPath(t *testing.T) {
	c := newCheckout(t)
	t.Setenv("HOME", c.home)
	t.Setenv("XDG_CONFIG_HOME", "")
	c.git("config", "--global", "core.hooksPath", "~/all-hooks")
	gavelStandIn := newStandIn(c, filepath.Join(c.home, "gavel"))
	out := installHook(t, c, HookInput{Binary: gavelStandIn.path})
	if want := filepath.Join(c.home, "all-hooks", "pre-commit"); out.Path != want || len(out.Notes) != 1 || !strings.Contains(out.Notes[0], "every repository") {
		t.Errorf("%+v, want path %s and a note", out, want)
	}
	if text, code := c.commit("a.txt", "a\n"); code != 0 || gavelStandIn.calls() == "" {
		t.Errorf("the hook did not run: exit %d\n%s", code, text)
	}
}

func TestHookInLinkedWorktree(t *testing.T) {
	t.Parallel()
	c := newCheckout(t)
	if text, code := c.commit("a.txt", "a\n"); code != 0 {
		t.Fatal(text)
	}
	linked := c.in(filepath.Join(c.home, "linked tree"))
	c.git("worktree", "add", "-q", "-b", "side", linked.dir)
	gavelStandIn := newStandIn(c, filepath.Join(c.home, "gavel"))
	out := installHook(t, linked, HookInput{Binary: gavelStandIn.path})
	if out.Path != filepath.Join(c.dir, ".git", "hooks", "pre-commit") || len(out.Notes) > 0 {
		t.Errorf("%+v", out)
	}
	gavelStandIn.exit("1")
	for _, where := range []*checkout{linked, c} {
		if text, code := where.commit("b.txt", "b\n"); code == 0 || gavelStandIn.calls() == "" {
			t.Errorf("%s: the hook did not run: exit %d\n%s", where.dir, code, text)
		}
	}
}

func TestHookFindsGavelElsewhere(t *testing.T) {
	t.Parallel()
	c := newCheckout(t)
	gone := newStandIn(c, filepath.Join(c.home, "old", "gavel"))
	installHook(t, c, HookInput{Binary: gone.path})
	if err := os.Remove(gone.path); err != nil {
		t.Fatal(err)
	}
	c.vars = []string{"PATH=" + pathWithout(t, "gavel")}
	if text, code := c.commit("a.txt", "a\n"); code == 0 || !strings.Contains(text, "gavel was not found") {
		t.Errorf("without gavel a commit exits %d\n%s", code, text)
	}
	moved := newStandIn(c, filepath.Join(c.home, "new", "gavel"))
	c.vars = []string{"PATH=" + filepath.Dir(moved.path) + ":" + pathWithout(t, "gavel")}
	if text, code := c.commit("a.txt", "a\n"); code != 0 || moved.calls() == "" {
		t.Errorf("gavel in PATH was not used: exit %d\n%s", code, text)
	}
	if err := os.Mkdir(gone.path, 0o755); err != nil { // a folder is executable, but no program
		t.Fatal(err)
	}
	if text, code := c.commit("a.txt", "b\n"); code != 0 || moved.calls() == "" {
		t.Errorf("a folder was taken for gavel: exit %d\n%s", code, text)
	}
}

// pathWithout is PATH less the folders that hold a program: it may be installed on the machine that runs the tests.
func pathWithout(t *testing.T, program string) string {
	t.Helper()
	var kept []string
	for _, dir := range filepath.SplitList(os.Getenv("PATH")) {
		if _, err := os.Stat(filepath.Join(dir, program)); err != nil {
			kept = append(kept, dir)
		}
	}
	return strings.Join(kept, string(os.PathListSeparator))
}

func TestHookArgumentsAreChecked(t *testing.T) {
	t.Parallel()
	c := newCheckout(t)
	ctx := context.Background()
	_, err := runHookInstall(ctx, c.env(), HookInput{Hook: "commit-msg"})
	wantClass(t, err, gavel.InvalidArgs, "pre-commit, pre-push")
	_, err = runHookInstall(ctx, c.env(), HookInput{Binary: "gone"})
	wantClass(t, err, gavel.InvalidArgs, "executable")
	_, err = runHookInstall(ctx, testEnv(t, nil), HookInput{})
	wantClass(t, err, gavel.NotAGitRepo)
	c.git("config", "core.hooksPath", os.DevNull)
	_, err = runHookInstall(ctx, c.env(), HookInput{})
	wantClass(t, err, gavel.Conflict, "core.hooksPath")
	for _, door := range []Doors{HookInstall.Doors, HookUninstall.Doors, HookRun.Doors} {
		if door != CLI {
			t.Errorf("a hook operation opens onto %b", door)
		}
	}
}

// TestHookOperationsAreListed: an installed hook calls `gavel hook run`, so that it has to be there.
func TestHookOperationsAreListed(t *testing.T) {
	t.Parallel()
	listed := make(map[string]bool)
	for _, op := range Operations() {
		listed[op.Name] = true
	}
	for _, name := range []string{HookInstall.Name, HookUninstall.Name, HookRun.Name} {
		if !listed[name] {
			t.Errorf("operation %q is missing in Operations", name)
		}
	}
}
