//go:build linux || darwin || freebsd || netbsd || openbsd || dragonfly

package store

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/gavel-review/gavel"
)

// everyUse runs each operation, reading first, and returns what it said. A planted document is never read; a write puts
// an own one in its place.
func everyUse(s *Store) map[string]error {
	_, get := s.Review("repo", stem)
	_, search := s.Review("", stem)
	_, rulings := s.Rulings("repo")
	_, put := s.PutReview("repo", stem, false, rendered("x"))
	_, fixed := s.PutReview("repo", stem, true, rendered("x"))
	return map[string]error{"put": put, "put fixed": fixed, "get": get, "search": search, "rulings": rulings, "append": s.AppendRuling("repo", someRuling(1))}
}

func TestPlantedStateIsRefused(t *testing.T) {
	t.Parallel()
	const rulings = "append rulings"
	tests := []struct {
		name    string
		plant   func(t *testing.T, root string)
		refused string // operations, sorted
	}{
		{"open root", chmod(".", 0o777), "append get put put_fixed rulings search"},
		{"root open to the group", chmod(".", 0o770), "append get put put_fixed rulings search"},
		{"open reviews", chmod("reviews", 0o707), "get put put_fixed search"},
		{"open repository", chmod("reviews/repo", 0o720), "get put put_fixed search"},
		{"open document", chmod("reviews/repo/"+stem+".json", 0o606), "get search"},
		{"open rulings", chmod("rulings", 0o777), rulings},
		{"open rulings file", chmod("rulings/repo.jsonl", 0o622), rulings},
		{"linked root", link("."), ""},
		{"linked reviews", link("reviews"), "get put put_fixed search"},
		{"linked repository", link("reviews/repo"), "get put put_fixed"},
		{"linked document", link("reviews/repo/" + stem + ".json"), "get search"},
		{"linked rulings", link("rulings"), rulings},
		{"linked rulings file", link("rulings/repo.jsonl"), rulings},
		{"root is a file", file("."), "append get put put_fixed rulings search"},
		{"repository is a file", file("reviews/repo"), "get put put_fixed"},
		{"rulings file is a folder", folder("rulings/repo.jsonl"), rulings},
		{"document is a pipe", pipe("reviews/repo/" + stem + ".json"), "get search"},
		{"rulings file is a pipe", pipe("rulings/repo.jsonl"), rulings},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := filled(t)
			tt.plant(t, s.Root())
			for name, err := range everyUse(s) {
				name = strings.ReplaceAll(name, " ", "_")
				wanted := false
				for word := range strings.FieldsSeq(tt.refused) {
					wanted = wanted || word == name
				}
				if !wanted {
					if err != nil && gavel.AsError(err).Class == gavel.Refused {
						t.Errorf("%s: refused: %v", name, err)
					}
					continue
				}
				if e := wantClass(t, err, gavel.Refused); e.Hint == "" || !strings.Contains(e.Message, s.Root()) {
					t.Errorf("%s: %q has no hint or path", name, e.Message)
				}
			}
		})
	}
}

func chmod(name string, mode fs.FileMode) func(*testing.T, string) {
	return func(t *testing.T, root string) { must(t, os.Chmod(filepath.Join(root, name), mode)) }
}

// link moves what is there away and puts a link to it in its place.
func link(name string) func(*testing.T, string) {
	return func(t *testing.T, root string) {
		path := filepath.Join(root, name)
		away := filepath.Join(t.TempDir(), "away")
		must(t, os.Rename(path, away))
		must(t, os.Symlink(away, path))
	}
}

func file(name string) func(*testing.T, string) {
	return func(t *testing.T, root string) {
		path := filepath.Join(root, name)
		must(t, os.RemoveAll(path))
		must(t, os.WriteFile(path, nil, 0o600))
	}
}

func folder(name string) func(*testing.T, string) {
	return func(t *testing.T, root string) {
		path := filepath.Join(root, name)
		must(t, os.RemoveAll(path))
		must(t, os.Mkdir(path, 0o700))
	}
}

func pipe(name string) func(*testing.T, string) {
	return func(t *testing.T, root string) {
		path := filepath.Join(root, name)
		must(t, os.RemoveAll(path))
		must(t, syscall.Mkfifo(path, 0o600))
	}
}

// Only a process with privileges can give a file away.
func TestStateOfAnotherUserIsRefused(t *testing.T) {
	t.Parallel()
	if os.Geteuid() != 0 {
		t.Skip("cannot change owners")
	}
	for _, name := range []string{".", "reviews", "reviews/repo", "reviews/repo/" + stem + ".json"} {
		s := filled(t)
		must(t, os.Chown(filepath.Join(s.Root(), name), 12345, 12345))
		_, err := s.Review("repo", stem)
		if e := wantClass(t, err, gavel.Refused); !strings.Contains(e.Message, "another user") {
			t.Errorf("%s: %v", name, err)
		}
	}
	s := filled(t)
	link(".")(t, s.Root())
	must(t, os.Lchown(s.Root(), 12345, 12345))
	_, err := s.Rulings("repo")
	wantClass(t, err, gavel.Refused)
}

func TestUnwritableStateIsRefused(t *testing.T) {
	if os.Geteuid() == 0 {
		runAsNobody(t) // to root everything is writable
		return
	}
	s := filled(t)
	closed := filepath.Join(s.Root(), "reviews", "repo")
	must(t, os.Chmod(closed, 0o500))
	t.Cleanup(func() { _ = os.Chmod(closed, 0o700) })
	_, err := s.PutReview("repo", stem, false, rendered("x"))
	if e := wantClass(t, err, gavel.Refused); e.Hint == "" {
		t.Error("no hint")
	}
}

// runAsNobody runs the calling test again in a process without privileges.
func runAsNobody(t *testing.T) {
	t.Helper()
	const nobody = 65534
	dir, err := os.MkdirTemp("", "nobody-")
	must(t, err)
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	must(t, os.Chmod(dir, 0o777))
	self, err := os.Executable()
	must(t, err)
	binary, err := os.ReadFile(self)
	must(t, err)
	copied := filepath.Join(dir, "test")
	must(t, os.WriteFile(copied, binary, 0o755))
	cmd := exec.Command(copied, "-test.run", "^"+t.Name()+"$", "-test.v")
	cmd.Dir, cmd.Env = dir, []string{"TMPDIR=" + dir, "HOME=" + dir, "PATH=" + os.Getenv("PATH")}
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
	out, err := cmd.CombinedOutput()
	if err != nil || !strings.Contains(string(out), "--- PASS: "+t.Name()) {
		t.Errorf("as nobody: %v\n%s", err, out)
	}
}
