//go:build unix

package git

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/gavel-review/gavel"
)

// within fails a test that would hang. The bound is far above what anything here takes.
func within(t *testing.T, what string, do func()) {
	t.Helper()
	done := make(chan struct{})
	go func() {
		defer close(done)
		do()
	}()
	select {
	case <-done:
	case <-time.After(time.Minute):
		t.Fatalf("%s hangs", what)
	}
}

// try opens the fixture and does something with it.
func (f *fixture) try(kind func(*Repo) error) error {
	r, err := Open(f.t.Context(), f.dir)
	if err != nil {
		return err
	}
	defer r.Close()
	return kind(r)
}

func pinOf(t *testing.T, kind ScopeKind) func(*Repo) error {
	return func(r *Repo) error {
		c, err := r.Pin(t.Context(), Scope{Kind: kind})
		if err == nil {
			c.Close()
		}
		return err
	}
}

// Whatever of .git is a pipe or an endless device ends in an error that says so, and not in waiting.
func TestWaitingFilesOfTheRepository(t *testing.T) {
	t.Parallel()
	kinds := map[string]func(path string) error{
		"pipe":   func(path string) error { return syscall.Mkfifo(path, 0o600) },
		"device": func(path string) error { return os.Symlink("/dev/zero", path) },
		"linked pipe": func(path string) error {
			if err := syscall.Mkfifo(path+".pipe", 0o600); err != nil {
				return err
			}
			return os.Symlink(filepath.Base(path)+".pipe", path)
		},
	}
	names := []string{
		".git/index", ".git/HEAD", ".git/commondir", ".git/config", ".git/config.worktree", ".git/packed-refs", ".git/shallow",
		".git/info/exclude", ".git/info/grafts", ".git/objects/info/alternates",
	}
	for kind, place := range kinds {
		for _, name := range names {
			t.Run(kind+" "+name, func(t *testing.T) {
				t.Parallel()
				f := newFixture(t)
				f.commit("a", "1\n")
				_ = os.Remove(f.path(name))
				must(t, place(f.path(name)))
				within(t, name, func() {
					err := f.try(pinOf(t, Staged))
					if c := class(err); c != gavel.Refused || gavel.AsError(err).Hint == "" {
						t.Errorf("%v", err)
					}
				})
			})
		}
	}
}

// A shared index is named by the index, so it is met later than the others.
func TestWaitingSharedIndex(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.commit("a", "1\n")
	f.git("update-index", "--split-index")
	shared, err := filepath.Glob(f.path(".git/sharedindex.*"))
	must(t, err)
	if len(shared) == 0 {
		t.Skip("git wrote no shared index")
	}
	must(t, os.Remove(shared[0]))
	must(t, syscall.Mkfifo(shared[0], 0o600))
	within(t, "sharedindex", func() {
		if err := f.try(pinOf(t, Staged)); class(err) != gavel.Refused {
			t.Errorf("%v", err)
		}
	})
}

// A worktree's own files are looked at where they are, and a null device is an empty file.
func TestWaitingFilesOfAWorktree(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.commit("a", "1\n")
	other := filepath.Join(t.TempDir(), "w")
	f.git("worktree", "add", "-q", "-b", "w", other)
	_ = os.Remove(f.path(".git/info/exclude"))
	must(t, os.Symlink(os.DevNull, f.path(".git/info/exclude")))
	open := func() error {
		r, err := Open(t.Context(), other)
		if err == nil {
			r.Close()
		}
		return err
	}
	must(t, open())
	own := f.path(".git/worktrees/w/index")
	must(t, os.Remove(own))
	must(t, syscall.Mkfifo(own, 0o600))
	within(t, own, func() {
		if err := open(); class(err) != gavel.Refused {
			t.Errorf("%v", err)
		}
	})
}

func TestEndlessIndexIsRefused(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	must(t, os.WriteFile(f.path("huge"), nil, 0o600))
	must(t, os.Truncate(f.path("huge"), maxIndex+1))
	if _, _, err := readRegular(f.path("huge"), maxIndex); class(err) != gavel.Refused {
		t.Errorf("%v", err)
	}
	if _, _, err := readRegular(f.path(".git"), maxIndex); err == nil {
		t.Error("a folder was read")
	}
}

// git waits for a pipe among the rules of the work tree. It is ended, and the answer names the pipe.
func TestWaitingRules(t *testing.T) {
	listing, object := listingDeadline, objectDeadline
	t.Cleanup(func() { listingDeadline, objectDeadline = listing, object })
	for _, name := range []string{".gitignore", ".gitattributes", "sub/.gitignore", "a/b/.gitignore"} {
		for what, look := range map[string]func(*Repo) error{
			"pin": pinOf(t, Unstaged),
			"list": func(r *Repo) error {
				for _, err := range r.WorktreeFiles(t.Context(), r.Root) {
					if err != nil {
						return err
					}
				}
				return nil
			},
		} {
			f := newFixture(t)
			f.commit("top", "1\n")
			f.write(filepath.Dir(name)+"/new", "1\n")
			must(t, syscall.Mkfifo(f.path(name), 0o600))
			within(t, what+" "+name, func() {
				err := f.try(func(r *Repo) error {
					listingDeadline = time.Second
					return look(r)
				})
				if c := class(err); c != gavel.RunTimeout && c != gavel.Refused || !strings.Contains(err.Error(), name) || gavel.AsError(err).Hint == "" {
					t.Errorf("%s with a pipe %s: %v", what, name, err)
				}
			})
			listingDeadline = listing
		}
	}
}

// A loose object or a reference may be a pipe as well: nobody looks at them before git does.
func TestWaitingObject(t *testing.T) {
	object := objectDeadline
	t.Cleanup(func() { objectDeadline = object })
	f := newFixture(t)
	f.commit("a", "1\n")
	id := strings.TrimSpace(f.git("rev-parse", "HEAD^{tree}"))
	file := f.path(".git/objects/" + id[:2] + "/" + id[2:])
	must(t, os.Remove(file))
	must(t, syscall.Mkfifo(file, 0o600))
	f.write("a", "2\n").add()
	objectDeadline = time.Second
	within(t, "an object", func() {
		if err := f.try(pinOf(t, Staged)); class(err) != gavel.RunTimeout || gavel.AsError(err).Hint == "" {
			t.Errorf("%v", err)
		}
	})
}
