package app

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// checkout is a git repository that a test works in as a person would: with git's own commands.
type checkout struct {
	t    *testing.T
	dir  string
	home string
	vars []string // more environment for git
}

// newCheckout makes an empty repository. Its path is one that a careless shell script stumbles over.
func newCheckout(t *testing.T) *checkout {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed")
	}
	base, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	c := &checkout{t: t, dir: filepath.Join(base, `it's a "repo" $(x)`), home: filepath.Join(base, "home")}
	for _, dir := range []string{c.dir, c.home} {
		if err := os.Mkdir(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	c.git("init", "-q", "-b", "main")
	c.git("config", "user.name", "Tester")
	c.git("config", "user.email", "tester@example.org")
	return c
}

// in is the same repository from another folder: a linked worktree, say.
func (c *checkout) in(dir string) *checkout {
	d := *c
	d.dir = dir
	return &d
}

func (c *checkout) env() *Env {
	env := testEnv(c.t, nil)
	env.Dir = c.dir
	return env
}

// try runs git and returns its whole output and exit code.
func (c *checkout) try(args ...string) (string, int) {
	c.t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = c.dir
	cmd.Env = append([]string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + c.home, "GIT_CONFIG_NOSYSTEM=1", "LC_ALL=C",
	}, c.vars...)
	out, err := cmd.CombinedOutput()
	if err != nil && cmd.ProcessState == nil {
		c.t.Fatal(err)
	}
	return string(out), cmd.ProcessState.ExitCode()
}

// git runs git, which has to succeed, and returns its output without the last newline.
func (c *checkout) git(args ...string) string {
	c.t.Helper()
	out, code := c.try(args...)
	if code != 0 {
		c.t.Fatalf("git %s: exit %d\n%s", strings.Join(args, " "), code, out)
	}
	return strings.TrimSuffix(out, "\n")
}

// write makes a file with its folders.
func (c *checkout) write(name, text string) string {
	c.t.Helper()
	path := name
	if !filepath.IsAbs(path) {
		path = filepath.Join(c.dir, name)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		c.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		c.t.Fatal(err)
	}
	return path
}

func (c *checkout) read(path string) string {
	c.t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		c.t.Fatal(err)
	}
	return string(data)
}

// commit writes a file and tries to commit it.
func (c *checkout) commit(name, text string) (string, int) {
	c.t.Helper()
	c.write(name, text)
	c.git("add", "--", name)
	return c.try("commit", "-q", "-m", "change "+name)
}

// standIn is a program in gavel's place. It writes down how it was called, and exits as it is told.
type standIn struct {
	c    *checkout
	path string
}

func newStandIn(c *checkout, path string) *standIn {
	c.t.Helper()
	s := &standIn{c, path}
	c.write(path, `#!/bin/sh
me=$0
{
	for word in "$@"; do printf '<%s>' "$word"; done
	printf '\n'
	[ "$3" = pre-push ] && cat
} >>"$me.log"
exit "$(cat "$me.exit")"
`)
	if err := os.Chmod(path, 0o755); err != nil {
		c.t.Fatal(err)
	}
	s.exit("0")
	return s
}

func (s *standIn) exit(code string) { s.c.write(s.path+".exit", code) }

// calls returns what the program was called with since the last time.
func (s *standIn) calls() string {
	s.c.t.Helper()
	data, err := os.ReadFile(s.path + ".log")
	if err != nil {
		return ""
	}
	if err := os.Remove(s.path + ".log"); err != nil {
		s.c.t.Fatal(err)
	}
	return string(data)
}
