package store

import (
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/gavel-review/gavel"
)

// plantRun writes a completed run as Finish leaves it, without its files.
func plantRun(t testing.TB, s *Store, repo RunRepo, branch string, n int, size int64) string {
	t.Helper()
	rec := someRun(branch)
	rec.StartedAt = runStart.Add(time.Duration(n) * time.Minute)
	rec.ID = runStem(rec.Commit, rec.StartedAt)
	dir := filepath.Join(s.Root(), runsFolder, keyOf(t, repo), branchKey(branch, rec.Commit), rec.ID)
	must(t, os.MkdirAll(dir, 0o700))
	files := map[string]packFile{PackPatch: {SHA256: strings.Repeat("0", 64), Size: size}}
	for i := range 20 {
		files[fmt.Sprintf("%s/check-%d.json", PackQuality, i)] = packFile{SHA256: strings.Repeat("0", 64)}
	}
	must(t, writeState(filepath.Join(dir, manifestName), manifest{
		Schema: runVersion, Run: rec, Files: files, Summary: packSummary{Verdict: gavel.Pass, GeneratedAt: rec.StartedAt.Add(time.Second)},
	}))
	return rec.ID
}

// indexedIDs are the ids that the index alone knows.
func indexedIDs(t testing.TB, s *Store) map[string]bool {
	t.Helper()
	ids := map[string]bool{}
	must(t, s.withIndex(func(tx *sql.Tx) error {
		known, err := indexed(tx, "")
		for at := range known {
			ids[at.id] = true
		}
		return err
	}))
	return ids
}

func listedIDs(t testing.TB, s *Store, repo RunRepo) []string {
	t.Helper()
	rows, err := s.Runs(repo, RunQuery{})
	must(t, err)
	ids := make([]string, len(rows))
	for i, r := range rows {
		ids[i] = r.ID
	}
	return ids
}

func TestIndexFollowsTheFolders(t *testing.T) {
	t.Parallel()
	s, repo := home(t), someRepo("shop")
	first := finished(t, s, repo, someRun("main"), runStart)
	if ids := indexedIDs(t, s); len(ids) != 1 || !ids[first] {
		t.Errorf("indexed %v", ids)
	}
	second := plantRun(t, s, repo, "main", 1, 10)
	third := plantRun(t, s, someRepo("else"), "main", 2, 10)
	if ids := listedIDs(t, s, repo); fmt.Sprint(ids) != fmt.Sprint([]string{second, first}) {
		t.Errorf("listed %v", ids)
	}
	if ids := listedIDs(t, s, RunRepo{}); fmt.Sprint(ids) != fmt.Sprint([]string{third, second, first}) {
		t.Errorf("listed of all %v", ids)
	}
	must(t, os.RemoveAll(filepath.Join(s.Root(), runsFolder, keyOf(t, repo), "main", first)))
	if ids := listedIDs(t, s, repo); fmt.Sprint(ids) != fmt.Sprint([]string{second}) {
		t.Errorf("listed %v", ids)
	}
	if ids := indexedIDs(t, s); len(ids) != 2 || ids[first] {
		t.Errorf("indexed %v", ids)
	}
}

// Whatever became of the index, what is listed is what lies in the folders.
func TestDamagedIndex(t *testing.T) {
	t.Parallel()
	for name, damage := range map[string]func(path string) error{
		"none":    os.Remove,
		"empty":   func(path string) error { return os.WriteFile(path, nil, 0o600) },
		"garbage": func(path string) error { return os.WriteFile(path, []byte(strings.Repeat("garbage ", 1000)), 0o600) },
		"cut":     func(path string) error { return os.Truncate(path, 5000) },
		"damaged": func(path string) error {
			data, err := os.ReadFile(path)
			for i := 100; i < len(data); i += 7 {
				data[i] ^= 0xff
			}
			return errors.Join(err, os.WriteFile(path, data, 0o600))
		},
		"newer":        execIndex("PRAGMA user_version = 99"),
		"no table":     execIndex("DROP TABLE runs"),
		"odd table":    execIndex("DROP TABLE runs; CREATE TABLE runs (repo, x)"),
		"odd rows":     execIndex("UPDATE runs SET run = 'x'"),
		"old rows":     execIndex("UPDATE runs SET mark = 'x', run = '{}'"),
		"no rows":      execIndex("DELETE FROM runs"),
		"strange rows": execIndex(`INSERT INTO runs VALUES ('a', 'b', 'c', 'd', 1, '{}'), ('../..', '..', 'x', 'y', 1, '{}')`),
		"a folder":     func(path string) error { return errors.Join(os.Remove(path), os.Mkdir(path, 0o700)) },
		"a link":       func(path string) error { return errors.Join(os.Rename(path, path+"x"), os.Symlink(path+"x", path)) },
		"of others":    func(path string) error { return os.Chmod(path, 0o666) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, repo := home(t), someRepo("shop")
			for n := range 3 {
				plantRun(t, s, repo, "main", n, 10)
			}
			want := fmt.Sprint(s.Runs(repo, RunQuery{}))
			must(t, damage(filepath.Join(s.Root(), runsFolder, indexName)))
			for range 2 {
				if got := fmt.Sprint(s.Runs(repo, RunQuery{})); got != want {
					t.Errorf("got  %s\nwant %s", got, want)
				}
			}
			run := start(t, s, repo, someRun("main"), runStart)
			pack(t, run)
			must(t, run.Finish(someEnd(run)))
		})
	}
}

func execIndex(statement string) func(string) error {
	return func(path string) error {
		db, err := sql.Open("sqlite", path)
		if err != nil {
			return err
		}
		_, err = db.Exec(statement)
		return errors.Join(err, db.Close())
	}
}

func TestRebuildRuns(t *testing.T) {
	t.Parallel()
	s, repo := home(t), someRepo("shop")
	for n := range 5 {
		plantRun(t, s, repo, "main", n, 10)
		plantRun(t, s, someRepo("else"), "main", n, 10)
	}
	bad := plantRun(t, s, repo, "main", 9, 10)
	dir := filepath.Join(s.Root(), runsFolder, keyOf(t, repo), "main", bad)
	must(t, cutFile(manifestName)(dir))
	run := start(t, s, repo, someRun("main"), runStart.Add(time.Hour))
	found, err := s.RebuildRuns()
	if err != nil || found.Repositories != 2 || found.Runs != 12 || len(found.Unreadable) != 1 || found.Unreadable[0] != dir {
		t.Errorf("%+v, %v", found, err)
	}
	if ids := indexedIDs(t, s); len(ids) != 5 || ids[bad] || ids[run.Record().ID] {
		t.Errorf("indexed %v", ids)
	}
}

func TestIndexThatSomebodyHolds(t *testing.T) {
	t.Parallel()
	s, repo := home(t), someRepo("shop")
	id := plantRun(t, s, repo, "main", 1, 10)
	unlock, err := s.lockIndex(filepath.Join(s.Root(), runsFolder))
	must(t, err)
	defer unlock()
	s.patience = 20 * time.Millisecond
	if ids := listedIDs(t, s, repo); len(ids) != 1 || ids[0] != id {
		t.Errorf("listed %v", ids)
	}
	_, err = s.RebuildRuns()
	wantClass(t, err, gavel.StorageLocked)
}

func BenchmarkRuns(b *testing.B) {
	s := home(b)
	for n := range 1000 {
		plantRun(b, s, someRepo(fmt.Sprint("repo", n%5)), fmt.Sprint("branch", n%50), n, 10)
	}
	b.Run("rebuild 1000", func(b *testing.B) {
		for b.Loop() {
			if found, err := s.RebuildRuns(); err != nil || found.Runs != 1000 {
				b.Fatal(found, err)
			}
		}
	})
	for name, repo := range map[string]RunRepo{"list all 1000": {}, "list 200": someRepo("repo1")} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				_, err := s.Runs(repo, RunQuery{})
				must(b, err)
			}
		})
	}
	b.Run("latest", func(b *testing.B) {
		for b.Loop() {
			if _, ok, err := s.LatestFor(someRepo("repo1"), "branch1", someCommit); err != nil || !ok {
				b.Fatal(ok, err)
			}
		}
	})
}
