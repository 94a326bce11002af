package proc

import (
	"bytes"
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// TestKilled kills the runner, the reaper and a tool in turn at random moments, and nothing may be left of it all.
// GAVEL_TEST_KILLS is the number of moments, GAVEL_TEST_SEED where the random numbers begin; with -v it tells how long
// the last process lived:
//
//	GAVEL_TEST_KILLS=200 go test ./internal/proc -run TestKilled -v
func TestKilled(t *testing.T) {
	moments := 18
	if n, err := strconv.Atoi(os.Getenv("GAVEL_TEST_KILLS")); err == nil {
		moments = n
	}
	seed, _ := strconv.ParseUint(os.Getenv("GAVEL_TEST_SEED"), 10, 64)
	random := rand.New(rand.NewPCG(seed, 1))
	var slowest [3]time.Duration
	for i := range moments {
		k := i % len(slowest)
		slowest[k] = max(slowest[k], killOnce(t, k, time.Duration(random.IntN(400))*time.Millisecond, random))
		if t.Failed() {
			t.Fatalf("moment %d of seed %d", i, seed)
		}
	}
	t.Logf("%d moments; the last process ended after the runner's death in %v, the reaper's in %v, the close in %v",
		moments, slowest[0], slowest[1], slowest[2])
}

// killOnce kills one of the three after a while and returns how long it took until nothing was left.
func killOnce(t *testing.T, victim int, after time.Duration, random *rand.Rand) time.Duration {
	t.Helper()
	mark := word(t)
	cmd := exec.Command(os.Args[0], "child", "runner", t.TempDir(), mark)
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	line := make([]byte, 16)
	n, _ := stdout.Read(line)
	reaper, err := strconv.Atoi(string(bytes.TrimSpace(line[:n])))
	if err != nil {
		t.Fatalf("%v: %s", err, &stderr)
	}
	time.Sleep(after)
	want := ""
	switch victim {
	case 0:
		_ = cmd.Process.Kill()
		want = "signal: killed"
	case 1:
		_ = unix.Kill(reaper, unix.SIGKILL)
		want = "exit status 3"
	case 2:
		killTool(reaper, random)
		time.Sleep(after / 4)
		stdin.Close()
	}
	begin := time.Now()
	_, _ = io.Copy(io.Discard, stdout)
	got := ""
	if err := cmd.Wait(); err != nil {
		got = err.Error()
	}
	if got != want {
		t.Errorf("the runner: %q, not %q: %s", got, want, &stderr)
	}
	for len(bearers(mark)) > 0 && time.Since(begin) < 20*time.Second {
		time.Sleep(2 * time.Millisecond)
	}
	took := time.Since(begin)
	wantNone(t, mark)
	return took
}

// killTool kills one of the leaders, if there is any at the moment.
func killTool(reaper int, random *rand.Rand) {
	table, _ := processes(nobody)
	var leaders []int
	for _, e := range table {
		if e.parent == reaper {
			leaders = append(leaders, e.pid)
		}
	}
	if len(leaders) > 0 {
		_ = unix.Kill(leaders[random.IntN(len(leaders))], unix.SIGKILL)
	}
}

// bearers are the carriers of a word and what has it in its environment.
func bearers(word string) []string {
	pids := carriers(word)
	files, _ := filepath.Glob("/proc/[0-9]*/environ")
	for _, name := range files {
		if env, _ := os.ReadFile(name); bytes.Contains(env, []byte(word)) {
			pids = append(pids, filepath.Base(filepath.Dir(name)))
		}
	}
	return pids
}

// runner runs hostile tasks, several at a time and again and again, until its input ends or the supervisor is lost.
func runner(dir, word string) int {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	s, err := Supervise(ctx, SupervisorOptions{ReapArgs: []string{"child", "reap", word}})
	if err != nil {
		return 4
	}
	os.Stdout.WriteString(strconv.Itoa(s.Pid()) + "\n")
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		cancel()
	}()
	tasks := []Task{
		shell("exit 0"),
		shell("setsid sh -c 'sleep 1000 & sleep 1001 & sleep 1002' & sleep 1003"),
		task("tree-groups", "2", "deaf", word),
		task("tree-sessions", "2", word),
		task("daemon", "deaf", word),
		task("daemon-beside", "tree-sessions", "2", word),
		task("flood", word),
	}
	var group sync.WaitGroup
	var lost atomic.Bool
	for i := range 4 {
		group.Go(func() {
			for n := i; ctx.Err() == nil; n++ {
				task := tasks[n%len(tasks)]
				task.Env = append(task.Env[:len(task.Env):len(task.Env)], "WORD="+word)
				task.Stdout, task.MaxOutput = filepath.Join(dir, strconv.Itoa(i)), 1<<20
				task.Timeout, task.Grace = 100*time.Millisecond, 20*time.Millisecond
				if _, err := s.Run(ctx, task); errors.Is(err, ErrSupervisorLost) {
					lost.Store(true)
					return
				}
			}
		})
	}
	group.Wait()
	_ = s.Close()
	if lost.Load() {
		return 3
	}
	return 0
}
