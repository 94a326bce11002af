package store

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/gavel-review/gavel"
)

const someCommit = "0123456789abcdef0123456789abcdef01234567"

var runStart = time.Date(2026, 3, 10, 12, 30, 0, 0, time.UTC)

// someRepo is a repository that is named but need not exist.
func someRepo(name string) RunRepo {
	return RunRepo{CommonDir: filepath.Join(string(filepath.Separator), "home", "dev", name, ".git")}
}

func someRun(branch string) gavel.RunRecord {
	return gavel.RunRecord{
		Kind: gavel.RunOfChange, Profile: gavel.ProfileQuick, Subject: gavel.SubjectCommit, Commit: someCommit,
		Tree: "fedcba9876543210fedcba9876543210fedcba98", Branch: branch, BaseUsed: []string{"origin/main"},
	}
}

func start(t testing.TB, s *Store, repo RunRepo, rec gavel.RunRecord, now time.Time) *LiveRun {
	t.Helper()
	run, err := s.StartRun(repo, rec, now)
	must(t, err)
	t.Cleanup(func() { _ = run.Fail("the test is over") })
	return run
}

// pack writes a small pack into the run.
func pack(t testing.TB, run *LiveRun) {
	t.Helper()
	gate, err := json.MarshalIndent(map[string]any{"run_id": run.Record().ID, "verdict": "PASS"}, "", "  ")
	must(t, err)
	must(t, run.Write(PackMergeGate, gate))
	must(t, run.Write(PackSummary, []byte("# Summary\n")))
	must(t, run.Write(PackReport, []byte("{}\n")))
	must(t, run.Write(PackHTML, []byte("<!DOCTYPE html>\n")))
	must(t, run.Write(PackIndex, []byte("# Index\n")))
	must(t, run.WriteLive(PackQuality+"/go-vet.json", []byte("{}\n")))
	run.Log("began")
}

func someEnd(run *LiveRun) RunRow {
	return RunRow{Verdict: gavel.Pass, GeneratedAt: run.Record().StartedAt.Add(3 * time.Second), ChecksPassed: 4, FilesChanged: 2}
}

// finished is a completed run.
func finished(t testing.TB, s *Store, repo RunRepo, rec gavel.RunRecord, now time.Time) string {
	t.Helper()
	run := start(t, s, repo, rec, now)
	pack(t, run)
	must(t, run.Finish(someEnd(run)))
	return run.Record().ID
}

func TestRunCompletes(t *testing.T) {
	t.Parallel()
	s, repo := home(t), someRepo("shop")
	run := start(t, s, repo, someRun("main"), runStart)
	id := run.Record().ID
	if id != "20260310-123000-0123456789ab" {
		t.Errorf("id %q", id)
	}
	row, err := s.Run(repo, id)
	must(t, err)
	if row.State != gavel.StateRunning || row.RetryAfter != runRetry || row.ElapsedS <= 0 || row.Commit != someCommit {
		t.Errorf("while it runs: %+v", row)
	}
	pack(t, run)
	must(t, run.Finish(someEnd(run)))
	row, err = s.Run(repo, id)
	must(t, err)
	if row.State != gavel.StateCompleted || row.Verdict != gavel.Pass || row.ElapsedS != 3 || row.ChecksPassed != 4 || row.SizeBytes == 0 {
		t.Errorf("completed: %+v", row)
	}
	data, err := s.PackFile(repo, id, PackMergeGate)
	if err != nil || !json.Valid(data) {
		t.Errorf("%s, %v", data, err)
	}
	for _, left := range []string{runningName, stagingName, leaseName} {
		if _, err := os.Lstat(filepath.Join(run.Dir(), left)); err == nil {
			t.Errorf("%s is left", left)
		}
	}
	if rows, err := s.Runs(repo, RunQuery{}); err != nil || len(rows) != 1 || rows[0].ID != id {
		t.Errorf("%+v, %v", rows, err)
	}
	if latest, ok, err := s.LatestFor(repo, "main", someCommit); err != nil || !ok || latest.ID != id {
		t.Errorf("%+v, %v, %v", latest, ok, err)
	}
}

func TestOneActiveRunPerBranch(t *testing.T) {
	t.Parallel()
	s, repo := home(t), someRepo("shop")
	run := start(t, s, repo, someRun("main"), runStart)
	_, err := s.StartRun(repo, someRun("main"), runStart)
	e := wantClass(t, err, gavel.StorageLocked)
	if e.Extra["active_run_id"] != run.Record().ID || e.RetryAfter != runRetry {
		t.Errorf("%+v", e)
	}
	other := start(t, s, repo, someRun("other"), runStart)
	if other.Record().ID != run.Record().ID+"-2" {
		t.Errorf("the second run of this second has the id %q", other.Record().ID)
	}
	start(t, s, someRepo("else"), someRun("main"), runStart)
	must(t, run.Fail("stopped"))
	again := start(t, s, repo, someRun("main"), runStart)
	if again.Record().ID != run.Record().ID+"-3" {
		t.Errorf("the third run has the id %q", again.Record().ID)
	}
	row, err := s.Run(repo, run.Record().ID)
	if err != nil || row.State != gavel.StateFailed || row.Cause != "stopped" || row.Branch != "main" {
		t.Errorf("%+v, %v", row, err)
	}
}

func TestNoSuchRun(t *testing.T) {
	t.Parallel()
	s, repo := home(t), someRepo("shop")
	id := finished(t, s, repo, someRun("main"), runStart)
	for _, id := range []string{"", ".", "..", "../main", "a/b", `a\b`, "a b", id + "-2", id + "\x00", ".staging"} {
		_, err := s.Run(repo, id)
		wantClass(t, err, gavel.RunNotFound)
	}
	_, err := s.Run(someRepo("else"), id)
	wantClass(t, err, gavel.RunNotFound)
}

func TestReadingRunsCreatesNothing(t *testing.T) {
	t.Parallel()
	s, repo := home(t), someRepo("shop")
	if rows, err := s.Runs(RunRepo{}, RunQuery{}); err != nil || len(rows) != 0 {
		t.Errorf("%v, %v", rows, err)
	}
	if rows, err := s.Runs(repo, RunQuery{}); err != nil || len(rows) != 0 {
		t.Errorf("%v, %v", rows, err)
	}
	if _, ok, err := s.LatestFor(repo, "main", someCommit); err != nil || ok {
		t.Errorf("%v, %v", ok, err)
	}
	_, err := s.Run(repo, "20260310-123000-0123456789ab")
	wantClass(t, err, gavel.RunNotFound)
	if _, err := s.RebuildRuns(); err != nil {
		t.Error(err)
	}
	if _, err := os.Lstat(filepath.Dir(s.Root())); err == nil {
		t.Error("something was created")
	}
}

func TestOneIDInTwoPlaces(t *testing.T) {
	t.Parallel()
	s, repo := home(t), someRepo("shop")
	id := finished(t, s, repo, someRun("main"), runStart)
	dir := filepath.Join(s.Root(), runsFolder, keyOf(t, repo))
	must(t, os.MkdirAll(filepath.Join(dir, "other", id), 0o700))
	_, err := s.Run(repo, id)
	wantClass(t, err, gavel.StorageCorrupt)
	_, err = s.Findings(repo, id, FindingQuery{})
	wantClass(t, err, gavel.StorageCorrupt)
	_, err = s.Artifact(repo, id, RunLog, "", 0)
	wantClass(t, err, gavel.StorageCorrupt)
}

// The documents of a run in every state of damage.
func TestCorruptRuns(t *testing.T) {
	t.Parallel()
	const account = "holds no account"
	tests := []struct {
		name   string
		live   bool // damage a run that has not ended, else one that has
		damage func(dir string) error
		class  gavel.Class    // of Run, "" for none
		state  gavel.RunState // where there is none
		cause  string
	}{
		{"cut manifest", false, cutFile(manifestName), gavel.StorageCorrupt, "", ""},
		{"empty manifest", false, putFile(manifestName, ""), gavel.StorageCorrupt, "", ""},
		{"manifest of another run", false, putFile(manifestName, `{"schema":1,"run":{"run_id":"x"}}`), gavel.StorageCorrupt, "", ""},
		{"manifest without version", false, putFile(manifestName, `{}`), gavel.StorageCorrupt, "", ""},
		{"manifest of a newer version", false, putFile(manifestName, `{"schema":2}`), gavel.Refused, "", ""},
		{"manifest that others can write", false, chmodFile(manifestName, 0o622), gavel.Refused, "", ""},
		{"manifest that leads out", false, putFile(manifestName, `{"schema":1,"run":{"run_id":"20260310-123000-0123456789ab"},"files":{"../x":{}}}`), gavel.StorageCorrupt, "", ""},
		{"no manifest", false, removeFile(manifestName), "", gavel.StateFailed, account},
		{"extra file", false, putFile("extra.txt", "x"), "", gavel.StateCompleted, ""},
		{"old mark", false, putFile(runningName, "{"), "", gavel.StateCompleted, ""},
		{"both ends", false, putFile(failedName, `{"schema":1,"cause":"x"}`), "", gavel.StateCompleted, ""},
		{"garbled mark while it runs", true, putFile(runningName, "{"), "", gavel.StateRunning, ""},
		{"no mark while it runs", true, removeFile(runningName), "", gavel.StateRunning, ""},
		{"failed", true, putFile(failedName, `{"schema":1,"cause":"why","run":{"run_id":"20260310-123000-0123456789ab"}}`), "", gavel.StateFailed, "why"},
		{"garbled failure", true, putFile(failedName, "{"), "", gavel.StateFailed, "cannot be read"},
		{"no lease", true, removeFile(leaseName), "", gavel.StateStale, ""},
		{"garbled mark of a dead run", true, both(removeFile(leaseName), putFile(runningName, "{")), "", gavel.StateStale, ""},
		{"nothing", true, both(removeFile(leaseName), removeFile(runningName)), "", gavel.StateFailed, account},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s, repo := home(t), someRepo("shop")
			run := start(t, s, repo, someRun("main"), runStart)
			if !tt.live {
				pack(t, run)
				must(t, run.Finish(someEnd(run)))
			}
			must(t, tt.damage(run.Dir()))
			row, err := s.Run(repo, run.Record().ID)
			rows, listErr := s.Runs(repo, RunQuery{})
			if listErr != nil || len(rows) != 1 || rows[0].ID != run.Record().ID {
				t.Fatalf("listed: %+v, %v", rows, listErr)
			}
			if tt.class != "" {
				wantClass(t, err, tt.class)
				if _, _, err := s.LatestFor(repo, "main", someCommit); gavel.AsError(err) == nil || gavel.AsError(err).Class != tt.class {
					t.Errorf("latest: %v", err)
				}
				if rows[0].State != gavel.StateFailed || rows[0].Cause == "" {
					t.Errorf("listed: %+v", rows[0])
				}
				return
			}
			if err != nil || row.State != tt.state || !strings.Contains(row.Cause, tt.cause) || rows[0].State != tt.state {
				t.Errorf("%+v, %v", row, err)
			}
			if tt.state != gavel.StateCompleted {
				if _, err := s.PackFile(repo, run.Record().ID, PackMergeGate); err == nil {
					t.Error("there is a pack")
				}
			}
		})
	}
}

func putFile(name, content string) func(string) error {
	return func(dir string) error { return os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600) }
}

func cutFile(name string) func(string) error {
	return func(dir string) error {
		info, err := os.Stat(filepath.Join(dir, name))
		if err != nil {
			return err
		}
		return os.Truncate(filepath.Join(dir, name), info.Size()/2)
	}
}

func removeFile(name string) func(string) error {
	return func(dir string) error { return os.Remove(filepath.Join(dir, name)) }
}

func chmodFile(name string, mode os.FileMode) func(string) error {
	return func(dir string) error { return os.Chmod(filepath.Join(dir, name), mode) }
}

func both(first, second func(string) error) func(string) error {
	return func(dir string) error { return errors.Join(first(dir), second(dir)) }
}

func TestLatestRun(t *testing.T) {
	t.Parallel()
	s, repo := home(t), someRepo("shop")
	at := func(n int) time.Time { return runStart.Add(time.Duration(n) * time.Minute) }
	older := finished(t, s, repo, someRun("main"), at(0))
	other := someRun("main")
	other.Commit = "fedcba9876543210fedcba9876543210fedcba98"
	newer := finished(t, s, repo, other, at(1))
	for n, rec := range []gavel.RunRecord{
		{Kind: gavel.RunOfChange, Subject: gavel.SubjectIndex, Commit: someCommit, Branch: "main"},
		{Kind: gavel.RunOfChecks, Subject: gavel.SubjectCommit, Commit: someCommit, Branch: "main"},
		{Kind: gavel.RunOfChange, Subject: gavel.SubjectCommit, Commit: someCommit, Branch: "other"},
	} {
		must(t, start(t, s, repo, rec, at(2+n)).Fail("x"))
	}
	want := func(branch, commit, id string, state gavel.RunState) {
		t.Helper()
		row, ok, err := s.LatestFor(repo, branch, commit)
		if err != nil || ok != (id != "") || row.ID != id || ok && row.State != state {
			t.Errorf("%s at %.4s: %s %s, %v; want %s", branch, commit, row.ID, row.State, err, id)
		}
	}
	want("main", someCommit, older, gavel.StateCompleted)
	want("main", other.Commit, newer, gavel.StateCompleted)
	want("main", "", newer, gavel.StateCompleted)
	want("none", "", "", "")
	want("", "", "", "")
	run := start(t, s, repo, someRun("main"), at(-5)) // the clock went back
	want("main", someCommit, run.Record().ID, gavel.StateRunning)
	must(t, run.Fail("stopped"))
	want("main", someCommit, older, gavel.StateCompleted)
	run = start(t, s, repo, someRun("main"), at(9))
	must(t, run.Fail("stopped"))
	want("main", someCommit, run.Record().ID, gavel.StateFailed)
	detached := someRun("")
	id := finished(t, s, repo, detached, at(10))
	want("", someCommit, id, gavel.StateCompleted)
	if rows, err := s.Runs(repo, RunQuery{Branch: "main", State: gavel.StateFailed, Limit: 2}); err != nil || len(rows) != 2 || rows[0].ID != run.Record().ID {
		t.Errorf("%+v, %v", rows, err)
	}
}

func TestPackIsVerified(t *testing.T) {
	t.Parallel()
	for name, spoil := range map[string]func(run *LiveRun) error{
		"lacks a file":     func(*LiveRun) error { return nil },
		"is being written": func(run *LiveRun) error { pack(t, run); _, err := run.Create("x.txt"); return err },
		"staged file gone": func(run *LiveRun) error {
			pack(t, run)
			return os.Remove(filepath.Join(run.Dir(), stagingName, PackReport))
		},
		"staged file cut": func(run *LiveRun) error {
			pack(t, run)
			return os.Truncate(filepath.Join(run.Dir(), stagingName, PackReport), 1)
		},
		"live file gone": func(run *LiveRun) error {
			pack(t, run)
			return os.Remove(filepath.Join(run.Dir(), PackQuality, "go-vet.json"))
		},
		"link in the way": func(run *LiveRun) error {
			pack(t, run)
			return os.Symlink(t.TempDir(), filepath.Join(run.Dir(), "00_summary"))
		},
	} {
		s, repo := home(t), someRepo("shop")
		run := start(t, s, repo, someRun("main"), runStart)
		must(t, spoil(run))
		err := run.Finish(someEnd(run))
		if err == nil {
			t.Errorf("%s: it completed", name)
			continue
		}
		must(t, run.Fail(err.Error()))
		if row, err := s.Run(repo, run.Record().ID); err != nil || row.State != gavel.StateFailed || row.Cause == "" {
			t.Errorf("%s: %+v, %v", name, row, err)
		}
	}
}

func TestNamesInARun(t *testing.T) {
	t.Parallel()
	s, repo := home(t), someRepo("shop")
	run := start(t, s, repo, someRun("main"), runStart)
	for _, name := range []string{"", ".", "..", "../x", "/x", "a/../b", "a//b", "./a", ".x", "a/.x", manifestName, runningName, failedName, RunLog, RunErrors, `a\b`, "a\x00", "a/"} {
		wantClass(t, run.Write(name, nil), gavel.Internal)
	}
	wantClass(t, run.WriteLive("report.json", nil), gavel.Internal)
	wantClass(t, run.WriteLive(PackQuality+"/../x", nil), gavel.Internal)
	must(t, run.Write("a/b.txt", nil))
	wantClass(t, run.Write("a/b.txt", nil), gavel.Internal)
	if err := run.Write("a/b.txt/c", nil); err == nil {
		t.Error("a file became a folder")
	}
	must(t, run.Fail("over"))
	must(t, run.Fail("again"))
	wantClass(t, run.Write("c.txt", nil), gavel.Internal)
	wantClass(t, run.Finish(RunRow{}), gavel.Internal)
	_, err := run.Scratch()
	wantClass(t, err, gavel.Internal)
	run.Log("after the end")
}

func TestScratch(t *testing.T) {
	t.Parallel()
	s, repo := home(t), someRepo("shop")
	run := start(t, s, repo, someRun("main"), runStart)
	dir, err := run.Scratch()
	must(t, err)
	if info, err := os.Stat(dir); err != nil || info.Mode().Perm() != 0o700 || !strings.HasPrefix(dir, filepath.Join(s.Root(), scratchFolder)) {
		t.Errorf("%s: %v, %v", dir, info, err)
	}
	must(t, os.WriteFile(filepath.Join(dir, "raw"), []byte("secret"), 0o600))
	dead := filepath.Join(s.Root(), scratchFolder, "gone-0123", "20260101-000000-0123456789ab")
	must(t, os.MkdirAll(dead, 0o700))
	other := start(t, s, repo, someRun("other"), runStart)
	if _, err := os.Stat(dead); err == nil {
		t.Error("what a dead run left is there")
	}
	if _, err := os.Stat(filepath.Join(dir, "raw")); err != nil {
		t.Errorf("a living run lost its raw output: %v", err)
	}
	must(t, other.Fail("over"))
	must(t, run.Fail("over"))
	if _, err := os.Stat(dir); err == nil {
		t.Error("the raw output is left")
	}
}

func TestModesOfRuns(t *testing.T) {
	t.Parallel()
	s, repo := home(t), someRepo("shop")
	id := withSARIF(t, s, repo, someSARIF(3))
	allFindings(t, s, repo, id, FindingQuery{})
	must(t, filepath.WalkDir(s.Root(), func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err == nil && info.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s has mode %04o", path, info.Mode().Perm())
		}
		return err
	}))
}

// Where a file system is shared, a lease is a file that is touched; its holder is dead once it is not.
func TestSharedLeases(t *testing.T) {
	t.Parallel()
	s, repo := home(t), someRepo("shop")
	s.lives = lives{network: func(string) bool { return true }, beat: 20 * time.Millisecond, dead: 2 * time.Second}
	run := start(t, s, repo, someRun("main"), runStart)
	first := lastTouched(t, run)
	for lastTouched(t, run).Equal(first) {
		time.Sleep(5 * time.Millisecond)
	}
	_, err := s.StartRun(repo, someRun("main"), runStart)
	if e := wantClass(t, err, gavel.StorageLocked); e.Extra["active_run_id"] != run.Record().ID {
		t.Errorf("%+v", e)
	}
	pack(t, run)
	must(t, run.Finish(someEnd(run)))

	dead := start(t, s, repo, someRun("main"), runStart)
	for _, l := range []*lease{dead.life, dead.branch} { // its process is gone
		l.beat.Stop()
		long := time.Now().Add(-time.Hour)
		must(t, os.Chtimes(l.path, long, long))
	}
	if row, err := s.Run(repo, dead.Record().ID); err != nil || row.State != gavel.StateStale {
		t.Errorf("%+v, %v", row, err)
	}
	next := start(t, s, repo, someRun("main"), runStart)
	dead.branch.release() // it woke up: the lease of the next one stays
	if alive, err := s.lives.held(next.branch.path); err != nil || !alive {
		t.Errorf("%v, %v", alive, err)
	}
	if rows, err := s.Runs(repo, RunQuery{}); err != nil || len(rows) != 3 {
		t.Errorf("%+v, %v", rows, err)
	}
	must(t, next.Fail("over"))
	dead.ended = true
}

func lastTouched(t *testing.T, run *LiveRun) time.Time {
	t.Helper()
	info, err := os.Stat(run.life.path)
	must(t, err)
	return info.ModTime()
}
