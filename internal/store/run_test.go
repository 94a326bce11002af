package store

import (
	"encoding/json"
	"os"
	"path/filepath"
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
