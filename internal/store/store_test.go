package store

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gavel-review/gavel"
)

func environment(pairs ...string) func(string) string {
	return func(name string) string {
		for i := 0; i < len(pairs); i += 2 {
			if pairs[i] == name {
				return pairs[i+1]
			}
		}
		return ""
	}
}

// home is a store under a folder that does not exist yet.
func home(t testing.TB) *Store {
	t.Helper()
	return Open(environment("GAVEL_HOME", filepath.Join(t.TempDir(), "state", "gavel")))
}

// filled is a store with a document and a ruling in it.
func filled(t *testing.T) *Store {
	t.Helper()
	s := home(t)
	put(t, s, "repo", stem)
	if err := s.AppendRuling("repo", someRuling(1)); err != nil {
		t.Fatal(err)
	}
	return s
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func wantClass(t testing.TB, err error, class gavel.Class) *gavel.Error {
	t.Helper()
	var e *gavel.Error
	if !errors.As(err, &e) || e.Class != class {
		t.Fatalf("error %v, want class %s", err, class)
	}
	return e
}

func TestPlaces(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		env  []string
		want Places
	}{
		{"home", []string{"HOME", "/h"}, Places{"/h/.local/state/gavel", "/h/.config/gavel/config.toml", "/h/.cache/gavel"}},
		{"xdg", []string{"HOME", "/h", "XDG_STATE_HOME", "/s", "XDG_CONFIG_HOME", "/c", "XDG_CACHE_HOME", "/k"}, Places{"/s/gavel", "/c/gavel/config.toml", "/k/gavel"}},
		{"xdg alone", []string{"XDG_STATE_HOME", "/s", "XDG_CONFIG_HOME", "/c", "XDG_CACHE_HOME", "/k"}, Places{"/s/gavel", "/c/gavel/config.toml", "/k/gavel"}},
		{"relative xdg is ignored", []string{"HOME", "/h", "XDG_STATE_HOME", "s"}, Places{"/h/.local/state/gavel", "/h/.config/gavel/config.toml", "/h/.cache/gavel"}},
		{"gavel home", []string{"HOME", "/h", "XDG_STATE_HOME", "/s", "GAVEL_HOME", "/g/x/../y"}, Places{"/g/y", "/h/.config/gavel/config.toml", "/h/.cache/gavel"}},
	}
	for _, tt := range tests {
		if got, err := PlacesOf(environment(tt.env...)); err != nil || got != tt.want {
			t.Errorf("%s: %+v, %v", tt.name, got, err)
		}
	}
	for name, env := range map[string][]string{
		"nothing": nil, "relative home": {"HOME", "h"}, "relative gavel home": {"HOME", "/h", "GAVEL_HOME", "g"}, "state alone": {"GAVEL_HOME", "/g"},
	} {
		if _, err := PlacesOf(environment(env...)); err == nil {
			t.Errorf("%s: no error", name)
		} else {
			wantClass(t, err, gavel.InvalidArgs)
		}
	}
}

func TestNoFolderIsTheErrorOfEveryCall(t *testing.T) {
	t.Parallel()
	s := Open(environment("GAVEL_HOME", "relative"))
	_, err := s.PutReview("r", "id", false, nil)
	wantClass(t, err, gavel.InvalidArgs)
	_, err = s.Review("", "id")
	wantClass(t, err, gavel.InvalidArgs)
	_, err = s.Rulings("r")
	wantClass(t, err, gavel.InvalidArgs)
	wantClass(t, s.AppendRuling("r", gavel.Ruling{}), gavel.InvalidArgs)
}

func TestReadingCreatesNothing(t *testing.T) {
	t.Parallel()
	s := home(t)
	if rulings, err := s.Rulings("repo"); err != nil || len(rulings) != 0 {
		t.Errorf("%v, %v", rulings, err)
	}
	_, err := s.Review("", "20260101-000000-0123456789ab")
	wantClass(t, err, gavel.RunNotFound)
	_, err = s.Review("repo", "20260101-000000-0123456789ab")
	wantClass(t, err, gavel.RunNotFound)
	if _, err := os.Lstat(filepath.Dir(s.Root())); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("something was created: %v", err)
	}
}

func TestModes(t *testing.T) {
	t.Parallel()
	s := home(t)
	put(t, s, "repo", stem)
	if err := s.AppendRuling("repo", someRuling(1)); err != nil {
		t.Fatal(err)
	}
	files := 0
	err := filepath.WalkDir(filepath.Dir(s.Root()), func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		want := fs.FileMode(0o600)
		if d.IsDir() {
			want = 0o700
		} else {
			files++
		}
		if err == nil && info.Mode().Perm() != want {
			t.Errorf("%s has mode %04o", path, info.Mode().Perm())
		}
		return err
	})
	if err != nil || files != 2 {
		t.Errorf("%d files, %v", files, err)
	}
}

func TestRepoNames(t *testing.T) {
	t.Parallel()
	seen := make(map[string]string)
	for _, id := range []string{"", "a", "A.b_c-1", ".", "..", "../x", "a/b", `a\b`, ".hidden", "a\x00b", "ü", strings.Repeat("x", 129), "sha256:abc"} {
		name := repoName(id)
		if !plainName(name) || filepath.Base(name) != name {
			t.Errorf("%q becomes the file name %q", id, name)
		}
		if other, taken := seen[name]; taken {
			t.Errorf("%q and %q share %q", id, other, name)
		}
		seen[name] = id
	}
}
