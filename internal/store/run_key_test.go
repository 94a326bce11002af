package store

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/gavel-review/gavel"
)

func TestRepositoryKeys(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, name := range []string{"a/shop/.git", "b/shop/.git", "b/bare.git", "b/ü ..x/.git", "b/" + strings.Repeat("é", 100) + "/.git"} {
		must(t, os.MkdirAll(filepath.Join(dir, name), 0o700))
	}
	must(t, os.Symlink(filepath.Join(dir, "a", "shop"), filepath.Join(dir, "linked")))
	key := func(name string) string { return keyOf(t, RunRepo{filepath.Join(dir, name)}) }
	if a, b := key("a/shop/.git"), key("b/shop/.git"); a == b || !strings.HasPrefix(a, "shop-") || !strings.HasPrefix(b, "shop-") {
		t.Errorf("two clones: %q and %q", a, b)
	}
	if a, b := key("a/shop/.git"), key("linked/.git/../.git/"); a != b {
		t.Errorf("one repository: %q and %q", a, b)
	}
	if got := key("b/bare.git"); !strings.HasPrefix(got, "bare-") {
		t.Errorf("bare: %q", got)
	}
	for _, name := range []string{"b/ü ..x/.git", "b/" + strings.Repeat("é", 100) + "/.git", "gone/.git"} {
		if got := key(name); len(got) > maxNameLength || strings.Trim(got, "%ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-") != "" || got[0] == '.' {
			t.Errorf("%q: %q", name, got)
		}
	}
	for _, name := range []string{"", ".git", "a/.git"} {
		_, err := RunRepo{name}.key()
		wantClass(t, err, gavel.Internal)
	}
}

func TestBranchKeys(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("long/", 60)
	seen := map[string]string{}
	for branch, want := range map[string]string{
		"main": "main", "feat/x": "feat%2Fx", "feat-x": "feat-x", "a%2Fb": "a%252Fb", "@": "%40", "ü": "%C3%BC", ".x": "%2Ex", "..": "%2E.",
		"@0123456789ab": "%400123456789ab", long: "", long + "x": "", strings.Repeat("é", 300): "",
	} {
		key := branchKey(branch, someCommit)
		if want != "" && key != want {
			t.Errorf("%q: %q, want %q", branch, key, want)
		}
		if other, taken := seen[key]; taken || len(key) > maxNameLength || key == "" || key[0] == '.' || filepath.Base(key) != key || detached(key) {
			t.Errorf("%q: %q, also of %q", branch, key, other)
		}
		seen[key] = branch
	}
	if got := branchKey("", someCommit); got != "@0123456789ab" || !detached(got) {
		t.Errorf("detached: %q", got)
	}
	if got := branchKey("", "../../x"); filepath.Base(got) != got {
		t.Errorf("detached at no commit: %q", got)
	}
}

func TestRunStems(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 3, 10, 1, 2, 3, 999, time.FixedZone("east", 2*3600))
	for commit, want := range map[string]string{
		someCommit: "20260309-230203-0123456789ab", strings.ToUpper(someCommit): "20260309-230203-0123456789ab",
		"": "20260309-230203-000000000000", "0123": "20260309-230203-000000000000", "../../../../..": "20260309-230203-000000000000",
	} {
		if got := runStem(commit, at); got != want || !plainName(got) {
			t.Errorf("%q: %q, want %q", commit, got, want)
		}
	}
}
