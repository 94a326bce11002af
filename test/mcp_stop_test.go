//go:build linux

package test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

const (
	// endless has a child and one that has left its process group, and never ends.
	endless = `setsid sleep 3601 & sleep 3602 & echo started >"$meet/started"; wait`
	// waiting ends when the test says so.
	waiting = `echo started >"$meet/started"; until [ -e "$meet/go" ]; do sleep 0.05; done; echo '[]' >"$report"`
)

// processes are those of this world, by their environment or their folder, whose command line holds the word.
func (w *world) processes(word string) []string {
	var found []string
	entries, _ := os.ReadDir("/proc")
	for _, e := range entries {
		if _, err := strconv.Atoi(e.Name()); err != nil {
			continue
		}
		at := filepath.Join("/proc", e.Name())
		env, _ := os.ReadFile(filepath.Join(at, "environ"))
		args, _ := os.ReadFile(filepath.Join(at, "cmdline"))
		line := string(bytes.ReplaceAll(bytes.TrimRight(args, "\x00"), []byte{0}, []byte(" ")))
		if line != "" && bytes.Contains(env, []byte(w.dir)) && strings.Contains(line, word) {
			found = append(found, e.Name()+" "+line)
		}
	}
	return found
}

// quiet waits until no process is left whose command line holds the word, and says how long that took.
func (w *world) quiet(word string) time.Duration {
	w.t.Helper()
	began := time.Now()
	for ; len(w.processes(word)) > 0; time.Sleep(5 * time.Millisecond) {
		if time.Since(began) > patience/6 {
			w.t.Fatalf("left running: %q", w.processes(word))
		}
	}
	return time.Since(began)
}

// endWorld ends whatever a fault has left running.
func endWorld(w *world) {
	w.t.Cleanup(func() {
		for _, p := range w.processes("") {
			number, _, _ := strings.Cut(p, " ")
			if pid, err := strconv.Atoi(number); err == nil && pid != os.Getpid() {
				_ = syscall.Kill(pid, syscall.SIGKILL)
			}
		}
	})
}

func TestMCPRunReportsProgress(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	endWorld(w)
	repo := w.linted(waiting, nil)
	s := w.serve()
	params := callParams("run_review", map[string]any{"repo": repo})
	params["_meta"] = map[string]any{"progressToken": "a token"}
	_, answer := s.send("tools/call", params)
	for began := time.Now(); len(s.notifications("notifications/progress")) < 2; time.Sleep(10 * time.Millisecond) {
		if time.Since(began) > patience {
			t.Fatal("no progress")
		}
	}
	s.rpc("ping", nil) // is answered while the call goes on
	w.write(repo, map[string]string{"node_modules/.bin/go": ""})
	if b, failed := s.read("run_review", s.wait(answer)); failed || b.word(".status") != "completed" {
		t.Errorf("%v", b)
	}
	last := -1.0
	for _, n := range s.notifications("notifications/progress") {
		var p struct {
			ProgressToken, Message string
			Progress               float64
		}
		if err := json.Unmarshal(n.Params, &p); err != nil || p.ProgressToken != "a token" || p.Message == "" || p.Progress <= last {
			t.Errorf("%v after %v: %s", err, last, n.raw)
		}
		last = p.Progress
	}
}

func TestMCPCancelledRunEndsWithAllItsProcesses(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	endWorld(w)
	repo := w.linted(endless, nil)
	s := w.serve()
	id, answer := s.send("tools/call", callParams("run_review", map[string]any{"repo": repo}))
	await(t, meet(repo, "started"))
	for began := time.Now(); len(w.processes("sleep 360")) != 2; time.Sleep(10 * time.Millisecond) {
		if time.Since(began) > patience {
			t.Fatalf("%q", w.processes("sleep 360"))
		}
	}
	s.write(map[string]any{"jsonrpc": "2.0", "method": "notifications/cancelled", "params": map[string]any{"requestId": id}})
	gone := w.quiet("sleep 360")
	b, _ := s.read("run_review", s.wait(answer))
	t.Logf("the processes were gone after %v", gone)
	if b.word(".error_class") != "cancelled" || b.word(".run_id") == "" {
		t.Errorf("%v", b)
	}
	verdict := s.until(repo, b.word(".run_id"))
	if verdict.word(".status") != "failed" || !strings.Contains(verdict.word(".cause"), "cancelled") {
		t.Errorf("%v", verdict)
	}
	w.write(repo, map[string]string{"node_modules/.bin/eslint": linter + "echo '[]' >\"$report\"\n"})
	if b := s.call("run_review", map[string]any{"repo": repo}); b.word(".status") != "completed" {
		t.Errorf("the branch is still locked: %v", b)
	}
}

func TestMCPRunInFlightIsAnsweredAfterTheEndOfInput(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	endWorld(w)
	repo := w.linted(waiting, nil)
	s := w.serve()
	_, answer := s.send("tools/call", callParams("run_review", map[string]any{"repo": repo}))
	await(t, meet(repo, "started"))
	s.in.Close()
	w.write(repo, map[string]string{"node_modules/.bin/go": ""})
	if b, failed := s.read("run_review", s.wait(answer)); failed || b.word(".status") != "completed" {
		t.Errorf("%v", b)
	}
	if code := s.hangUp(); code != 0 {
		t.Errorf("exit code %d\n%s", code, s.said())
	}
	w.quiet("")
}

// Somebody who ends the server ends what runs in it, and it is written down.
func TestMCPRunInFlightIsRecordedWhenTheServerIsEnded(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	endWorld(w)
	repo := w.linted(endless, nil)
	s := w.serve()
	_, answer := s.send("tools/call", callParams("run_review", map[string]any{"repo": repo}))
	await(t, meet(repo, "started"))
	if err := s.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if b, _ := s.read("run_review", s.wait(answer)); b.word(".error_class") != "cancelled" {
		t.Errorf("%v", b)
	}
	if code := s.hangUp(); code != 130 {
		t.Errorf("exit code %d\n%s", code, s.said())
	}
	w.quiet("")
	if b := w.serve().call("verdict", map[string]any{"repo": repo}); b.word(".status") != "failed" || b.word(".cause") == "" {
		t.Errorf("%v", b)
	}
}

// The client goes away in the middle of a run that does not end: the run has its grace, is ended, and is written down.
func TestMCPRunInFlightIsRecordedAfterItsGrace(t *testing.T) {
	if testing.Short() {
		t.Skip("it waits for the grace of 30 s")
	}
	t.Parallel()
	w := newWorld(t)
	endWorld(w)
	repo := w.linted(endless, nil)
	s := w.serve()
	_, answer := s.send("tools/call", callParams("run_review", map[string]any{"repo": repo}))
	await(t, meet(repo, "started"))
	s.in.Close()
	if b, _ := s.read("run_review", s.wait(answer)); b.word(".error_class") != "cancelled" || !strings.Contains(b.word(".message"), "session ended") {
		t.Errorf("%v", b)
	}
	if code := s.hangUp(); code != 0 {
		t.Errorf("exit code %d\n%s", code, s.said())
	}
	w.quiet("")
	if b := w.serve().call("verdict", map[string]any{"repo": repo}); b.word(".status") != "failed" || b.word(".cause") == "" {
		t.Errorf("%v", b)
	}
}

func TestMCPDeepRunOutlivesTheServer(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	endWorld(w)
	repo := w.linted(waiting, nil)
	s := w.serve()
	id := s.call("run_review", map[string]any{"repo": repo, "profile": "deep"}).word(".run_id")
	await(t, meet(repo, "started"))
	if code := s.hangUp(); code != 0 {
		t.Errorf("exit code %d\n%s", code, s.said())
	}
	s = w.serve()
	if b := s.call("verdict", map[string]any{"repo": repo}); b.word(".run_id") != id || b.word(".status") != "in_progress" {
		t.Errorf("%v", b)
	}
	w.write(repo, map[string]string{"node_modules/.bin/go": ""})
	if b := s.until(repo, id); b.word(".status") != "completed" {
		t.Errorf("%v", b)
	}
	s.hangUp()
	w.quiet("")
}

// A server that is killed outright can write nothing down. Its tools go with it, and the run reads as what it is.
func TestMCPKilledServerLeavesAStaleRunAndNoProcess(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	endWorld(w)
	repo := w.linted(endless, nil)
	s := w.serve()
	s.send("tools/call", callParams("run_review", map[string]any{"repo": repo}))
	await(t, meet(repo, "started"))
	if err := s.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	s.hangUp()
	w.quiet("")
	if b := w.serve().call("verdict", map[string]any{"repo": repo}); b.word(".status") != "stale" {
		t.Errorf("%v", b)
	}
}

// However much a run has found, and however long the lines of its files are, no answer is larger than a host accepts.
func TestMCPAnswersKeepTheirBudget(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	files := map[string]string{"long.txt": strings.Repeat("\"\\\x01<", 100_000) + "\n"}
	for i := range 60 {
		files[fmt.Sprintf("src/%s%d.txt", strings.Repeat("deep/", 20), i)] = strings.Repeat("<<<<<<< HEAD\na\n=======\nb\n>>>>>>> other\n", 5)
	}
	repo := w.repository("large", map[string]string{"a.txt": "a"}, files)
	s := w.serve()
	run := s.call("run_review", map[string]any{"repo": repo})
	s.call("verdict", map[string]any{"repo": repo})
	s.call("state", map[string]any{"repo": repo})
	seen := 0
	for args := map[string]any{"repo": repo, "limit": 1000}; ; {
		b := s.call("findings", args)
		seen += b.number(".items[#]")
		if b.text(".next_cursor") == "null" {
			if seen != b.number(".total") || seen < 60 {
				t.Errorf("%d of %d", seen, b.number(".total"))
			}
			break
		}
		args["cursor"] = b.word(".next_cursor")
	}
	for _, name := range []string{"report.json", "10_diff/full.patch", "30_context/INLINE_FINDINGS.sarif", "00_summary/SUMMARY.md", "00_summary/MERGE_GATE.json"} {
		var whole strings.Builder
		args := map[string]any{"repo": repo, "run_id": run.word(".run_id"), "artifact": name, "limit": 5000}
		for {
			b := s.call("read_artifact", args)
			whole.WriteString(b.word(".content"))
			if b.text(".next_cursor") == "null" {
				break
			}
			args["cursor"] = b.word(".next_cursor")
		}
		file, err := os.ReadFile(filepath.Join(run.word(".artifact_paths.pack"), name))
		if err != nil || whole.String() != string(file) {
			t.Errorf("%s: the pages are not the file: %d bytes of %d, %v", name, whole.Len(), len(file), err)
		}
	}
}
