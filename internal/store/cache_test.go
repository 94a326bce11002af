package store

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/gavel-review/gavel"
)

// cached is a store with a cache folder that does not exist yet.
func cached(t testing.TB) *Store {
	t.Helper()
	dir := t.TempDir()
	return Open(environment("GAVEL_HOME", filepath.Join(dir, "state"), "XDG_CACHE_HOME", filepath.Join(dir, "cache")))
}

func wantResult(t *testing.T, s *Store, key, want string) {
	t.Helper()
	data, ok, err := s.CheckResult(key)
	if err != nil || ok != (want != "") || string(data) != want {
		t.Errorf("%q: %q, %v, %v; want %q", key, data, ok, err, want)
	}
}

func TestCheckResults(t *testing.T) {
	t.Parallel()
	s := cached(t)
	wantResult(t, s, "vet ./a", "")
	must(t, s.KeepCheckResult("vet ./a", []byte("one\ntwo")))
	must(t, s.KeepCheckResult("vet ../..", []byte("other")))
	wantResult(t, s, "vet ./a", "one\ntwo")
	wantResult(t, s, "vet ../..", "other")
	must(t, s.KeepCheckResult("vet ./a", []byte("three")))
	wantResult(t, s, "vet ./a", "three")
	if data, ok, err := s.CheckResult("vet ./b"); ok || err != nil || data != nil {
		t.Errorf("%q, %v, %v", data, ok, err)
	}
}

func TestDamagedCheckResultIsNone(t *testing.T) {
	t.Parallel()
	for name, damage := range map[string]func(path string) error{
		"empty":     func(path string) error { return os.WriteFile(path, nil, 0o600) },
		"torn":      func(path string) error { return os.Truncate(path, 150) },
		"changed":   func(path string) error { return appendTo(path, "x") },
		"of others": func(path string) error { return os.Chmod(path, 0o622) },
		"a folder":  func(path string) error { _ = os.Remove(path); return os.Mkdir(path, 0o700) },
		"a link": func(path string) error {
			if err := os.Rename(path, path+".away"); err != nil {
				return err
			}
			return os.Symlink(path+".away", path)
		},
		"of another key": func(path string) error {
			return os.Rename(filepath.Join(filepath.Dir(path), resultName("other")+resultSuffix), path)
		},
	} {
		s := cached(t)
		must(t, s.KeepCheckResult("key", bytes.Repeat([]byte("result "), 20)))
		must(t, s.KeepCheckResult("other", []byte("other")))
		must(t, damage(filepath.Join(s.cache, checksFolder, resultName("key")+resultSuffix)))
		if data, ok, err := s.CheckResult("key"); ok || err != nil {
			t.Errorf("%s: %q, %v", name, data, err)
		}
		must(t, s.KeepCheckResult("key", []byte("again")))
		if name != "of others" {
			wantResult(t, s, "key", "again")
		}
	}
}

func appendTo(path, text string) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		return err
	}
	defer f.Close()
	_, err = f.WriteString(text)
	return err
}

func TestPlantedCacheIsNone(t *testing.T) {
	t.Parallel()
	s := cached(t)
	must(t, s.KeepCheckResult("key", []byte("result")))
	must(t, os.Chmod(filepath.Join(s.cache, checksFolder), 0o777))
	wantResult(t, s, "key", "")
	wantClass(t, s.KeepCheckResult("key", []byte("result")), gavel.Refused)
}

func TestNoCacheFolder(t *testing.T) {
	t.Parallel()
	s := Open(environment("GAVEL_HOME", t.TempDir()))
	_, ok, err := s.CheckResult("key")
	if ok {
		t.Error("a result without a folder")
	}
	wantClass(t, err, gavel.InvalidArgs)
	wantClass(t, s.KeepCheckResult("key", nil), gavel.InvalidArgs)
}

// What was used last stays.
func TestCheckResultsAreBounded(t *testing.T) {
	t.Parallel()
	s := cached(t)
	dir := filepath.Join(s.cache, checksFolder)
	begin := time.Now().Add(-time.Hour)
	for n := range 40 {
		key := fmt.Sprint(n)
		must(t, s.KeepCheckResult(key, make([]byte, 1000)))
		when := begin.Add(time.Duration(n) * time.Second)
		must(t, os.Chtimes(filepath.Join(dir, resultName(key)+resultSuffix), when, when))
	}
	if _, ok, _ := s.CheckResult("0"); !ok {
		t.Fatal("the first is gone")
	}
	pruneResults(dir, retention{count: 10, bytes: 1 << 20, slack: 16}, 0)
	if names, _ := readNames(dir); len(names) != 10 {
		t.Errorf("%d are kept", len(names))
	}
	for key, want := range map[string]bool{"0": true, "1": false, "39": true, "30": false, "31": true} {
		if _, ok, _ := s.CheckResult(key); ok != want {
			t.Errorf("%s is kept: %v", key, ok)
		}
	}
	pruneResults(dir, retention{count: 10, bytes: 3500, slack: 16}, 1000)
	if names, _ := readNames(dir); len(names) != 3 {
		t.Errorf("%d are kept in 3500 bytes", len(names))
	}
}
