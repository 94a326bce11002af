package store

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/gavel-review/gavel"
)

const stem = "20260310-121314-0123456789ab"

func document(id, content string) []byte {
	return fmt.Appendf(nil, `{"schema":1,"run_id":%q,"content":%q}`, id, content)
}

func rendered(content string) func(id string) ([]byte, error) {
	return func(id string) ([]byte, error) { return document(id, content), nil }
}

func put(t testing.TB, s *Store, repo, stem string) string {
	t.Helper()
	id, err := s.PutReview(repo, stem, false, rendered("x"))
	if err != nil {
		t.Fatal(err)
	}
	return id
}

func names(t testing.TB, s *Store, repo string) []string {
	t.Helper()
	entries, err := os.ReadDir(filepath.Join(s.Root(), reviewsFolder, repo))
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, e := range entries {
		out = append(out, e.Name())
	}
	return out
}

func TestPutAndGet(t *testing.T) {
	t.Parallel()
	s := home(t)
	for n, want := range []string{stem, stem + "-2", stem + "-3"} {
		if id := put(t, s, "repo", stem); id != want {
			t.Errorf("document %d got %s, want %s", n, id, want)
		}
		doc, err := s.Review("repo", want)
		if err != nil || string(doc) != string(document(want, "x")) {
			t.Errorf("%s: %s, %v", want, doc, err)
		}
	}
	if got := names(t, s, "repo"); len(got) != 3 {
		t.Errorf("left behind: %v", got)
	}
	if id := put(t, s, "other", stem); id != stem {
		t.Errorf("another repository got %s", id)
	}
}

func TestReviewOfAnyRepository(t *testing.T) {
	t.Parallel()
	s := home(t)
	put(t, s, "one", stem)
	second := put(t, s, "https://host/two.git", "20260310-121315-0123456789ab")
	for _, repo := range []string{"", "https://host/two.git"} {
		if doc, err := s.Review(repo, second); err != nil || !strings.Contains(string(doc), second) {
			t.Errorf("in %q: %s, %v", repo, doc, err)
		}
	}
	_, err := s.Review("one", second)
	wantClass(t, err, gavel.RunNotFound)
}

func TestReviewIDs(t *testing.T) {
	t.Parallel()
	s := home(t)
	put(t, s, "repo", stem)
	must(t, os.WriteFile(filepath.Join(s.Root(), "secret.json"), document("secret", ""), 0o600))
	for _, id := range []string{
		"", ".", "..", "../secret", "../../secret", "/etc/passwd", "a/b", `..\secret`, "a b", "a\x00b", "a\n", "ü", ".hidden", "nope",
		strings.Repeat("a", 129), stem + ".json", stem + "/", strings.ToUpper(stem),
	} {
		for _, repo := range []string{"repo", ""} {
			_, err := s.Review(repo, id)
			wantClass(t, err, gavel.RunNotFound)
		}
	}
	for _, bad := range []string{"", "..", "a/b", ".x"} {
		_, err := s.PutReview("repo", bad, false, rendered("x"))
		wantClass(t, err, gavel.Internal)
	}
}

func TestReviewOfBadDocuments(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, doc string
		class     gavel.Class
	}{
		{"empty", "", gavel.StorageCorrupt},
		{"half", `{"schema":1,"run_id"`, gavel.StorageCorrupt},
		{"not JSON", "hello", gavel.StorageCorrupt},
		{"a list", `[]`, gavel.StorageCorrupt},
		{"no schema", `{}`, gavel.StorageCorrupt},
		{"schema of another type", `{"schema":"1"}`, gavel.StorageCorrupt},
		{"schema 0", `{"schema":0}`, gavel.StorageCorrupt},
		{"newer", `{"schema":99}`, gavel.Refused},
	}
	for _, tt := range tests {
		s := home(t)
		put(t, s, "repo", stem)
		must(t, os.WriteFile(filepath.Join(s.Root(), "reviews/repo", stem+".json"), []byte(tt.doc), 0o600))
		doc, err := s.Review("repo", stem)
		e := wantClass(t, err, tt.class)
		if doc != nil || tt.class == gavel.Refused && e.Hint == "" {
			t.Errorf("%s: %q, %+v", tt.name, doc, e)
		}
	}
}

func TestPutFixed(t *testing.T) {
	t.Parallel()
	s := home(t)
	path := filepath.Join(s.Root(), "reviews/repo", stem+".json")
	var first os.FileInfo
	for n, content := range []string{"x", "x", "y", "x"} {
		id, err := s.PutReview("repo", stem, true, rendered(content))
		if err != nil || id != stem {
			t.Fatalf("%d: %s, %v", n, id, err)
		}
		doc, err := s.Review("repo", stem)
		if err != nil || string(doc) != string(document(stem, content)) {
			t.Errorf("%d: %s, %v", n, doc, err)
		}
		info, err := os.Stat(path)
		must(t, err)
		switch {
		case n == 0:
			first = info
		case n == 1 && !os.SameFile(first, info):
			t.Error("an equal document was written again")
		}
	}
	if got := names(t, s, "repo"); len(got) != 1 {
		t.Errorf("kept: %v", got)
	}
}

func TestPutThatFailsLeavesNothing(t *testing.T) {
	t.Parallel()
	s := home(t)
	broken := errors.New("cannot render")
	for _, fixed := range []bool{false, true} {
		_, err := s.PutReview("repo", stem, fixed, func(string) ([]byte, error) { return nil, broken })
		if !errors.Is(err, broken) {
			t.Errorf("fixed %v: %v", fixed, err)
		}
		if got := names(t, s, "repo"); len(got) != 0 {
			t.Errorf("fixed %v left %v", fixed, got)
		}
	}
}

func TestRetentionByCount(t *testing.T) {
	t.Parallel()
	s := home(t)
	s.keep = retention{count: 5, bytes: 1 << 20, slack: 1}
	for n := range 12 {
		put(t, s, "repo", fmt.Sprintf("20260310-1213%02d-0123456789ab", n))
	}
	got := names(t, s, "repo")
	if len(got) != 5 || !strings.HasPrefix(got[0], "20260310-121307") {
		t.Errorf("kept %v", got)
	}
	old := put(t, s, "repo", "19700101-000000-0123456789ab")
	if _, err := s.Review("repo", old); err != nil {
		t.Errorf("what was just written is gone: %v", err)
	}
	if got := names(t, s, "repo"); len(got) > 6 {
		t.Errorf("kept %v", got)
	}
}

// Between two looks a little more than the bound may lie there, and never less.
func TestRetentionLooksSeldom(t *testing.T) {
	t.Parallel()
	s := home(t)
	s.keep = retention{count: 8, bytes: 1 << 20, slack: 4}
	for n := range 50 {
		put(t, s, "repo", fmt.Sprintf("20260310-1213%02d-0123456789ab", n))
		if got := len(names(t, s, "repo")); got > 8+4 || got < min(n+1, 8) {
			t.Fatalf("%d documents after %d", got, n+1)
		}
	}
}

func TestRetentionByBytes(t *testing.T) {
	t.Parallel()
	s := home(t)
	s.keep = retention{count: 100, bytes: 100_000, slack: 16}
	for n := range 9 {
		id, err := s.PutReview("repo", fmt.Sprintf("20260310-1213%02d-0123456789ab", n), false, rendered(strings.Repeat("x", 30_000)))
		must(t, err)
		if _, err := s.Review("repo", id); err != nil {
			t.Fatalf("what was just written is gone: %v", err)
		}
	}
	got := names(t, s, "repo")
	if len(got) != 3 || !strings.HasPrefix(got[0], "20260310-121306") {
		t.Errorf("kept %v", got)
	}
	if _, err := s.PutReview("repo", "20260310-121400-0123456789ab", false, rendered(strings.Repeat("x", 200_000))); err != nil {
		t.Fatal(err)
	}
	if got := names(t, s, "repo"); len(got) != 1 {
		t.Errorf("one document over the bound leaves %v", got)
	}
}

// Many small documents are seen too: every few documents their sizes are looked at.
func TestRetentionByBytesOfManySmallOnes(t *testing.T) {
	t.Parallel()
	s := home(t)
	s.keep = retention{count: 1000, bytes: 400_000, slack: 16}
	total := func() (sum int64) {
		for _, name := range names(t, s, "repo") {
			info, err := os.Stat(filepath.Join(s.Root(), "reviews/repo", name))
			must(t, err)
			sum += info.Size()
		}
		return sum
	}
	big, err := s.PutReview("repo", "20260310-121200-0123456789ab", false, rendered(strings.Repeat("x", 390_000)))
	must(t, err)
	for n := range 60 {
		_, err := s.PutReview("repo", fmt.Sprintf("20260310-1213%02d-0123456789ab", n), false, rendered(strings.Repeat("x", 300)))
		must(t, err)
	}
	if _, err := s.Review("repo", big); err == nil || total() > 400_000 {
		t.Errorf("%d bytes kept, the large one among them: %v", total(), err)
	}
}

func TestAbandonedFilesAreRemoved(t *testing.T) {
	t.Parallel()
	s := home(t)
	put(t, s, "repo", stem)
	dir := filepath.Join(s.Root(), "reviews/repo")
	for name, age := range map[string]time.Duration{".old.tmp": 2 * time.Hour, ".young.tmp": time.Minute} {
		path := filepath.Join(dir, name)
		must(t, os.WriteFile(path, []byte("half"), 0o600))
		must(t, os.Chtimes(path, time.Now(), time.Now().Add(-age)))
	}
	put(t, s, "repo", stem)
	got := strings.Join(names(t, s, "repo"), " ")
	if strings.Contains(got, ".old") || !strings.Contains(got, ".young") {
		t.Errorf("left: %s", got)
	}
}

// A claim that a killed process left costs its id, never the next document.
func TestClaimOfAKilledProcess(t *testing.T) {
	t.Parallel()
	s := home(t)
	put(t, s, "repo", "20250101-000000-0123456789ab")
	must(t, os.WriteFile(filepath.Join(s.Root(), "reviews/repo", "."+stem+".tmp"), []byte(`{"sch`), 0o600))
	if id := put(t, s, "repo", stem); id != stem+"-2" {
		t.Errorf("got %s", id)
	}
	_, err := s.Review("repo", stem)
	wantClass(t, err, gavel.RunNotFound)
}

func TestCompareIDs(t *testing.T) {
	t.Parallel()
	ascending := []string{
		"0", "19700101-000000-0123456789ab.json", "20260310-121313-ffffffffffff.json", stem + ".json", "20260310-121314-ffffffffffff.json",
		stem + "-2.json", stem + "-9.json", stem + "-10.json", "20260310-121315-0123456789ab.json", "x",
	}
	for i, a := range ascending {
		for j, b := range ascending {
			if got := compareIDs(a, b); (got < 0) != (i < j) || (got > 0) != (i > j) {
				t.Errorf("%s and %s compare as %d", a, b, got)
			}
		}
	}
}

func BenchmarkPutReview(b *testing.B) {
	s := home(b)
	n := 0
	for b.Loop() {
		n++
		put(b, s, "repo", fmt.Sprintf("20260310-%06d-0123456789ab", n))
	}
}

func BenchmarkPrune(b *testing.B) {
	for _, count := range []int{199, 200, 208} {
		b.Run(fmt.Sprint(count), func(b *testing.B) {
			dir := b.TempDir()
			for n := range count {
				must(b, os.WriteFile(filepath.Join(dir, fmt.Sprintf("20260310-%06d-0123456789ab.json", n)), []byte("x"), 0o600))
			}
			r := defaultRetention
			for b.Loop() {
				r.prune(dir, "", 1)
			}
		})
	}
}
