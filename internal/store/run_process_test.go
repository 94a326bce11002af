package store

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gavel-review/gavel"
)

// writeRun is the body of the writer processes that carry out runs.
func writeRun(s *Store, what string) error {
	repo := someRepo("shop")
	switch what {
	case "one run":
		run, err := s.StartRun(repo, someRun("main"), runStart)
		if e := gavel.AsError(err); e != nil && e.Class == gavel.StorageLocked {
			fmt.Printf("locked %v", e.Extra["active_run_id"])
			return nil
		}
		if err != nil {
			return err
		}
		fmt.Printf("started %s", run.Record().ID)
		for { // until every other process has its answer
			if _, err := os.Stat(filepath.Join(s.Root(), "stop")); err == nil {
				return run.Fail("over")
			}
			time.Sleep(5 * time.Millisecond)
		}
	case "one run a branch":
		run, err := s.StartRun(repo, someRun(fmt.Sprint("b", os.Getpid())), runStart)
		if err == nil {
			fmt.Print(run.Record().ID)
			err = run.Fail("over")
		}
		return err
	}
	for n := 0; ; n++ {
		run, err := s.StartRun(repo, someRun("main"), runStart.Add(time.Duration(n%7)*time.Second))
		if err != nil {
			return err
		}
		if n%5 == 4 {
			if err := run.Fail("the fifth fails"); err != nil {
				return err
			}
			continue
		}
		if _, err := run.Scratch(); err != nil {
			return err
		}
		run.Log("began")
		for name, content := range packFiles(run) {
			if err := run.Write(name, content); err != nil {
				return err
			}
		}
		if err := run.WriteLive(PackQuality+"/go-vet.json", []byte("{}\n")); err != nil {
			return err
		}
		if err := run.Finish(someEnd(run)); err != nil {
			return err
		}
	}
}

func packFiles(run *LiveRun) map[string][]byte {
	return map[string][]byte{
		PackMergeGate: []byte(`{"run_id":"` + run.Record().ID + `"}` + "\n"), PackSummary: []byte("# Summary\n"), PackReport: []byte("{}\n"), PackHTML: []byte("<!DOCTYPE html>\n"),
		PackIndex: []byte("# Index\n"), PackSARIF: someSARIF(20), PackPatch: []byte(strings.Repeat("+a line\n", 10_000)),
	}
}

// A process that carries out runs is killed at random moments: no half pack can be seen, no run reads as alive, and the
// next run of the branch can begin at once.
func TestKilledRuns(t *testing.T) {
	t.Parallel()
	rounds := 40
	if testing.Short() {
		rounds = 5
	}
	s, repo := home(t), someRepo("shop")
	d := rand.New(rand.NewPCG(7, 7))
	seen := map[gavel.RunState]int{}
	for range rounds {
		cmd, out := writer(t, s, "runs")
		time.Sleep(time.Duration(20+d.IntN(150)) * time.Millisecond)
		must(t, cmd.Process.Kill())
		_ = cmd.Wait()
		if out.Len() > 0 {
			t.Fatalf("the writer failed: %s", out)
		}
		for state, n := range wholeRuns(t, s, repo) {
			seen[state] += n
		}
	}
	if seen[gavel.StateCompleted] == 0 {
		t.Errorf("nothing was written: %v", seen)
	}
	t.Logf("states seen: %v", seen)
	run := start(t, s, repo, someRun("main"), runStart)
	must(t, run.Fail("over"))
	wholeRuns(t, s, repo)
	dir := filepath.Join(s.Root(), runsFolder, keyOf(t, repo))
	for _, path := range append(s.temporary(runsFolder, keyOf(t, repo), "main"), glob(t, dir, "main", "*", stagingName)...) {
		t.Errorf("%s is left", path)
	}
	if left := glob(t, s.Root(), scratchFolder, "*", "*"); len(left) > 0 {
		t.Errorf("raw output is left: %v", left)
	}
}

func glob(t *testing.T, parts ...string) []string {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(parts...))
	must(t, err)
	return paths
}

// wholeRuns looks at every run that can be seen. None may be alive.
func wholeRuns(t *testing.T, s *Store, repo RunRepo) map[gavel.RunState]int {
	t.Helper()
	rows, err := s.Runs(repo, RunQuery{})
	must(t, err)
	states := map[gavel.RunState]int{}
	for _, r := range rows {
		states[r.State]++
		again, err := s.Run(repo, r.ID)
		if err != nil || again.State != r.State || r.Kind != gavel.RunOfChange {
			t.Fatalf("%s: %+v, %v", r.ID, again, err)
		}
		switch r.State {
		case gavel.StateRunning:
			t.Fatalf("%s reads as alive", r.ID)
		case gavel.StateCompleted:
			m, _, err := readManifest(r.Dir)
			must(t, err)
			for name := range m.Files {
				if _, err := s.PackFile(repo, r.ID, name); err != nil {
					t.Fatalf("%s: %v", r.ID, err)
				}
			}
			if len(m.Files) != len(packFilesOf(r))+3 {
				t.Fatalf("%s has %d files", r.ID, len(m.Files))
			}
			if page, err := s.Findings(repo, r.ID, FindingQuery{}); err != nil || page.Total != 20 {
				t.Fatalf("%s: %d findings, %v", r.ID, page.Total, err)
			}
		default:
			if _, err := s.Artifact(repo, r.ID, RunLog, "", 0); err != nil {
				t.Fatalf("%s: %v", r.ID, err)
			}
		}
	}
	return states
}

func packFilesOf(r RunRow) map[string][]byte { return packFiles(&LiveRun{record: r.RunRecord}) }

// Ten processes start a run of one branch at once while five look at it all the time: one gets it, nine are told which
// run has it, and looking makes nobody lose.
func TestOneRunAmongMany(t *testing.T) {
	t.Parallel()
	const starters = 10
	s, repo := home(t), someRepo("shop")
	stop := make(chan struct{})
	var watchers sync.WaitGroup
	for range 5 {
		watchers.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
				}
				rows, err := s.Runs(repo, RunQuery{})
				if err != nil {
					t.Error(err)
					return
				}
				for _, r := range rows {
					if r.State == gavel.StateStale {
						t.Errorf("%s reads as stale while it lives", r.ID)
					}
				}
			}
		})
	}
	var group sync.WaitGroup
	answers := make(chan string, starters)
	for range starters {
		cmd, out := writer(t, s, "one run")
		group.Go(func() {
			if err := cmd.Wait(); err != nil {
				t.Errorf("%v: %s", err, out)
			}
			answers <- out.String()
		})
	}
	var locked []string
	for len(locked) < starters-1 {
		locked = append(locked, <-answers)
	}
	close(stop)
	watchers.Wait()
	must(t, os.WriteFile(filepath.Join(s.Root(), "stop"), nil, 0o600))
	group.Wait()
	started, ok := strings.CutPrefix(<-answers, "started ")
	if !ok {
		t.Fatalf("the last answer is no start: %q", started)
	}
	for _, answer := range locked {
		if answer != "locked "+started {
			t.Errorf("%q, while %q was started", answer, started)
		}
	}
	if rows, err := s.Runs(repo, RunQuery{}); err != nil || len(rows) != 1 {
		t.Errorf("%d runs, %v", len(rows), err)
	}
}

// Runs of many branches that begin in one second have ids of their own.
func TestRunIDsOfManyProcesses(t *testing.T) {
	t.Parallel()
	s := home(t)
	seen := map[string]bool{}
	for _, id := range together(t, s, 12, "one run a branch") {
		if seen[id] || !strings.HasPrefix(id, "20260310-123000-0123456789ab") {
			t.Errorf("the id %q was given twice", id)
		}
		seen[id] = true
		if _, err := s.Run(someRepo("shop"), id); err != nil {
			t.Error(err)
		}
	}
}
