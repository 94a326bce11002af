package store

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/gavel-review/gavel"
)

func TestTreeFolder(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	s := Open(func(key string) string { return map[string]string{"GAVEL_HOME": home}[key] })
	a, err := s.TreeFolder(RunRepo{CommonDir: "/src/api/.git"})
	if err != nil {
		t.Fatal(err)
	}
	b, err := s.TreeFolder(RunRepo{CommonDir: "/other/api/.git"})
	if err != nil || a == b {
		t.Errorf("%s and %s, %v", a, b, err)
	}
	if info, err := os.Stat(a); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("%v, %v", info, err)
	}
	if _, err := s.TreeFolder(RunRepo{CommonDir: "api"}); gavel.AsError(err).Class != gavel.Internal {
		t.Errorf("%v", err)
	}
	planted := filepath.Join(home, "trees", filepath.Base(a))
	if err := os.Remove(planted); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(t.TempDir(), planted); err != nil {
		t.Fatal(err)
	}
	if _, err := s.TreeFolder(RunRepo{CommonDir: "/src/api/.git"}); gavel.AsError(err) == nil || gavel.AsError(err).Class != gavel.Refused {
		t.Errorf("a planted folder is used: %v", err)
	}
}
