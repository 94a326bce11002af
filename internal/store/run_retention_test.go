package store

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/gavel-review/gavel"
)

func TestRunsOfABranchAreBounded(t *testing.T) {
	t.Parallel()
	s, repo := home(t), someRepo("shop")
	s.runs = runLimits{branch: 3, repo: 100, bytes: 1 << 30}
	for n := range 8 {
		run := start(t, s, repo, someRun("main"), runStart.Add(time.Duration(n)*time.Minute))
		if n == 2 { // the last that completes
			pack(t, run)
			must(t, run.Finish(someEnd(run)))
			continue
		}
		must(t, run.Fail("x"))
	}
	rows, err := s.Runs(repo, RunQuery{})
	if err != nil || len(rows) != 4 || rows[3].State != gavel.StateCompleted {
		t.Errorf("%d runs are kept: %+v, %v", len(rows), rows, err)
	}
}

func TestRunsOfARepositoryAreBounded(t *testing.T) {
	t.Parallel()
	s, repo := home(t), someRepo("shop")
	s.runs = runLimits{branch: 10, repo: 6, bytes: 1 << 30}
	for n := range 12 {
		plantRun(t, s, repo, fmt.Sprint("branch", n%3), n, 10)
	}
	plantRun(t, s, someRepo("else"), "main", 0, 10)
	live := start(t, s, repo, someRun("old"), runStart.Add(-time.Hour))
	must(t, start(t, s, repo, someRun("new"), runStart.Add(time.Hour)).Fail("x"))
	if ids := listedIDs(t, s, repo); len(ids) != 6 || ids[5] != live.Record().ID {
		t.Errorf("kept %v", ids)
	}
	if ids := listedIDs(t, s, someRepo("else")); len(ids) != 1 {
		t.Errorf("of another repository %v", ids)
	}
	pack(t, live)
	must(t, live.Finish(someEnd(live)))
}

// The latest run of every branch stays; a commit without a branch has none.
func TestLatestOfEachBranchIsKept(t *testing.T) {
	t.Parallel()
	s, repo := home(t), someRepo("shop")
	s.runs = runLimits{branch: 10, repo: 2, bytes: 1 << 30}
	for n := range 5 {
		plantRun(t, s, repo, fmt.Sprint("branch", n), n, 10)
	}
	for n := range 5 {
		plantRun(t, s, repo, "", 10+n, 10)
	}
	must(t, start(t, s, repo, someRun("new"), runStart).Fail("x"))
	rows, err := s.Runs(repo, RunQuery{})
	must(t, err)
	if len(rows) != 6 {
		t.Errorf("%d are kept", len(rows))
	}
	for _, r := range rows {
		if r.Branch == "" {
			t.Errorf("%s is kept", r.ID)
		}
	}
	if _, err := os.Stat(filepath.Join(s.Root(), runsFolder, keyOf(t, repo), branchKey("", someCommit))); err == nil {
		t.Error("an empty folder is left")
	}
}

func TestBytesOfRunsAreBounded(t *testing.T) {
	t.Parallel()
	s := home(t)
	s.runs = runLimits{branch: 100, repo: 100, bytes: 50_000}
	for n := range 10 {
		plantRun(t, s, someRepo(fmt.Sprint("repo", n%2)), "main", n, 10_000)
	}
	must(t, start(t, s, someRepo("repo0"), someRun("main"), runStart.Add(time.Hour)).Fail("x"))
	rows, err := s.Runs(RunRepo{}, RunQuery{})
	must(t, err)
	var size int64
	for _, r := range rows {
		size += r.SizeBytes
	}
	if size > 50_000 || len(rows) < 4 {
		t.Errorf("%d runs of %d bytes are kept", len(rows), size)
	}
}

// Retention reaches nothing outside the state, whatever lies in the folders.
func TestRetentionFollowsNoLink(t *testing.T) {
	t.Parallel()
	s, repo := home(t), someRepo("shop")
	s.runs = runLimits{branch: 1, repo: 1, bytes: 1}
	outside := t.TempDir()
	must(t, os.WriteFile(filepath.Join(outside, "precious"), nil, 0o600))
	ids := []string{plantRun(t, s, repo, "main", 0, 10), plantRun(t, s, repo, "main", 1, 10)}
	dir := filepath.Join(s.Root(), runsFolder, keyOf(t, repo), "main")
	must(t, os.Symlink(outside, filepath.Join(dir, ids[0], "link")))
	must(t, os.Symlink(outside, filepath.Join(dir, "20250101-000000-0123456789ab")))
	must(t, os.Symlink(outside, filepath.Join(dir, temporaryPrefix+"x"+temporarySuffix)))
	must(t, os.Mkdir(filepath.Join(s.Root(), scratchFolder), 0o700))
	must(t, os.Symlink(outside, filepath.Join(s.Root(), scratchFolder, "link")))
	must(t, start(t, s, repo, someRun("main"), runStart.Add(time.Hour)).Fail("x"))
	if _, err := os.Stat(filepath.Join(outside, "precious")); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(dir, ids[0])); err == nil {
		t.Error("the oldest run is kept")
	}
	_, err := s.Run(repo, "20250101-000000-0123456789ab")
	wantClass(t, err, gavel.Refused)
}
