package git

import (
	"crypto/sha256"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/gavel-review/gavel"
)

// fixture is a real repository in a temporary folder.
type fixture struct {
	t   *testing.T
	dir string
	env []string
}

// newFixture makes an empty repository on branch main; args are for git init.
func newFixture(t *testing.T, args ...string) *fixture {
	t.Helper()
	f := bareFixture(t)
	f.git(append(append([]string{"init", "-q", "-b", "main"}, args...), f.dir)...)
	return f
}

// bareFixture is a folder without a repository. Nothing of the user's configuration is seen by its git.
func bareFixture(t *testing.T) *fixture {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	f := &fixture{t: t, dir: filepath.Join(dir, "repo")}
	f.env = []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + dir, "GIT_CONFIG_NOSYSTEM=1", "LC_ALL=C",
		"GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@example.org", "GIT_AUTHOR_DATE=2024-01-02T03:04:05Z",
		"GIT_COMMITTER_NAME=c", "GIT_COMMITTER_EMAIL=c@example.org", "GIT_COMMITTER_DATE=2024-01-02T03:04:05Z",
	}
	if err := os.MkdirAll(f.dir, 0o755); err != nil {
		t.Fatal(err)
	}
	return f
}

// git runs git in the fixture and returns its output.
func (f *fixture) git(args ...string) string {
	f.t.Helper()
	out, err := f.tryGit("", args...)
	if err != nil {
		f.t.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return strings.TrimSuffix(out, "\n")
}

func (f *fixture) gitIn(stdin string, args ...string) string {
	f.t.Helper()
	out, err := f.tryGit(stdin, args...)
	if err != nil {
		f.t.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return strings.TrimSuffix(out, "\n")
}

func (f *fixture) tryGit(stdin string, args ...string) (string, error) {
	cmd := exec.Command("git", append([]string{"-c", "protocol.file.allow=always"}, args...)...)
	cmd.Dir, cmd.Env = f.dir, f.env
	cmd.Stdin = strings.NewReader(stdin)
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// write writes files, given as path and content in turn.
func (f *fixture) write(files ...string) *fixture {
	f.t.Helper()
	for i := 0; i < len(files); i += 2 {
		path := f.path(files[i])
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			f.t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(files[i+1]), 0o644); err != nil {
			f.t.Fatal(err)
		}
	}
	return f
}

func (f *fixture) path(name string) string { return filepath.Join(f.dir, filepath.FromSlash(name)) }

// add stages everything.
func (f *fixture) add() *fixture {
	f.t.Helper()
	f.git("add", "-A")
	return f
}

// commit stages and commits everything.
func (f *fixture) commit(files ...string) string {
	f.t.Helper()
	f.write(files...).add().git("commit", "-q", "--allow-empty", "-m", "message")
	return f.git("rev-parse", "HEAD")
}

func (f *fixture) remove(names ...string) *fixture {
	f.t.Helper()
	for _, name := range names {
		if err := os.RemoveAll(f.path(name)); err != nil {
			f.t.Fatal(err)
		}
	}
	return f
}

// open opens the repository and fails the test when it leaves anything behind.
func (f *fixture) open() *Repo {
	f.t.Helper()
	r, err := Open(f.t.Context(), f.dir)
	if err != nil {
		f.t.Fatal(err)
	}
	f.t.Cleanup(func() {
		if err := r.Close(); err != nil {
			f.t.Error(err)
		}
		if _, err := os.Lstat(r.private); !os.IsNotExist(err) {
			f.t.Errorf("%s is left behind", r.private)
		}
	})
	return r
}

// pin pins a scope and checks that the repository is untouched, with its .git and every time in it.
func (f *fixture) pin(scope Scope) *Comparison {
	f.t.Helper()
	before := f.snapshot()
	c, err := f.open().Pin(f.t.Context(), scope)
	if err != nil {
		f.t.Fatal(err)
	}
	f.untouched(before)
	return c
}

func (f *fixture) untouched(before string) {
	f.t.Helper()
	old := strings.Split(before, "\n")
	for i, line := range strings.Split(f.snapshot(), "\n") {
		if i >= len(old) || line != old[i] {
			f.t.Fatalf("the repository was touched: %s", line)
		}
	}
}

func (f *fixture) snapshot() string {
	f.t.Helper()
	var b strings.Builder
	err := filepath.WalkDir(f.dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		fmt.Fprintf(&b, "%s %v %d %d", path, info.Mode(), info.ModTime().UnixNano(), info.Size())
		if info.Mode().IsRegular() && info.Size() < 1<<20 {
			data, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			fmt.Fprintf(&b, " %x", sha256.Sum256(data))
		}
		b.WriteByte('\n')
		return nil
	})
	if err != nil {
		f.t.Fatal(err)
	}
	return b.String()
}

// files collects what a comparison yields.
func files(t *testing.T, c *Comparison, filter ...Filter) []*gavel.File {
	t.Helper()
	var all []*gavel.File
	f := Filter{}
	if len(filter) > 0 {
		f = filter[0]
	}
	for file, err := range c.Files(t.Context(), f) {
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, file)
	}
	return all
}

// show writes files one a line: status, path, counts, and why there is no text.
func show(files []*gavel.File) string {
	var b strings.Builder
	for _, f := range files {
		fmt.Fprintf(&b, "%c %s", f.Status, gavel.DisplayPath(f.Path))
		if f.OldPath != "" {
			fmt.Fprintf(&b, " < %s", gavel.DisplayPath(f.OldPath))
		}
		added, removed := counts(f)
		if added+removed > 0 {
			fmt.Fprintf(&b, " +%d -%d", added, removed)
		}
		if f.Skip != nil {
			fmt.Fprintf(&b, " %s", f.Skip.Reason)
		}
		b.WriteByte('\n')
	}
	return b.String()
}

func counts(f *gavel.File) (added, removed int) {
	for _, h := range f.Hunks {
		for _, l := range h.Lines {
			switch l.Op {
			case gavel.Add:
				added++
			case gavel.Remove:
				removed++
			}
		}
	}
	return added, removed
}

// text is a file's hunks as a unified diff shows them.
func text(f *gavel.File) string {
	var b strings.Builder
	for _, h := range f.Hunks {
		fmt.Fprintf(&b, "@@ %d,%d %d,%d\n", h.OldStart, h.OldLines, h.NewStart, h.NewLines)
		for _, l := range h.Lines {
			fmt.Fprintf(&b, "%c%s\n", l.Op, l.Text)
			if l.NoEOL {
				b.WriteString("\\\n")
			}
		}
	}
	return b.String()
}

func want(t *testing.T, got, want string) {
	t.Helper()
	want = strings.TrimLeft(want, "\n")
	if got != want {
		t.Errorf("got:\n%s\nwant:\n%s", got, want)
	}
}

// class is the class of an error, "" for none.
func class(err error) gavel.Class {
	if err == nil {
		return ""
	}
	return gavel.AsError(err).Class
}

// ago is a time that makes stat data differ.
var ago = time.Date(2001, 2, 3, 4, 5, 6, 0, time.UTC)

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
