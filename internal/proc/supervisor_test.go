//go:build linux || darwin

package proc

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// supervise starts a supervisor whose reaper is this test binary.
func supervise(t testing.TB) *Supervisor {
	t.Helper()
	s, err := Supervise(context.Background(), SupervisorOptions{ReapArgs: []string{"child", "reap"}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

// task is this test binary as a hostile child; the mark is in its arguments and in those of all its descendants.
func task(args ...string) Task {
	self, _ := os.Executable()
	return Task{Argv: append([]string{self, "child"}, args...)}
}

// shell is a task of a line for sh.
func shell(line string) Task {
	return Task{Argv: []string{"sh", "-c", line}, Env: []string{"PATH=/usr/local/bin:/usr/bin:/bin"}}
}

var words atomic.Uint64

// word is a word that no other process has in its arguments.
func word(t testing.TB) string {
	return fmt.Sprintf("hostile-%d-%s-%d", os.Getpid(), strings.ReplaceAll(t.Name(), "/", "-"), words.Add(1))
}

// carriers returns the numbers of the processes that have a word in their arguments, zombies excluded.
func carriers(word string) (pids []string) {
	files, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	for _, name := range files {
		if line, _ := os.ReadFile(name); bytes.Contains(line, []byte(word)) {
			pids = append(pids, filepath.Base(filepath.Dir(name)))
		}
	}
	return pids
}

// wantNone fails the test when a process with the word in its arguments is alive.
func wantNone(t *testing.T, word string) {
	t.Helper()
	if left := carriers(word); len(left) > 0 {
		for _, pid := range left {
			stat, _ := os.ReadFile("/proc/" + pid + "/stat")
			line, _ := os.ReadFile("/proc/" + pid + "/cmdline")
			t.Errorf("still running: %s %q", stat, line)
		}
	}
}

func TestSupervisedOutput(t *testing.T) {
	t.Parallel()
	s := supervise(t)
	dir := t.TempDir()
	task := shell("pwd; echo out; echo err >&2; exit 3")
	task.Dir, task.Stdout, task.Stderr = dir, filepath.Join(dir, "o"), filepath.Join(dir, "e")
	exit, err := s.Run(t.Context(), task)
	if err != nil || exit.Code != 3 || exit.Signal != "" || exit.TimedOut || exit.Cancelled || exit.Capped || exit.Left != 0 {
		t.Errorf("%+v, %v", exit, err)
	}
	if exit.Duration <= 0 || exit.CPU < 0 || exit.MaxRSS <= 0 {
		t.Errorf("%+v", exit)
	}
	for name, want := range map[string]string{"o": dir + "\nout\n", "e": "err\n"} {
		got, err := os.ReadFile(filepath.Join(dir, name))
		if string(got) != want || err != nil {
			t.Errorf("%s: %q, %v", name, got, err)
		}
		info, err := os.Stat(filepath.Join(dir, name))
		if err != nil || info.Mode() != 0o600 {
			t.Errorf("%s: %v, %v", name, info.Mode(), err)
		}
	}
	task.Stderr = task.Stdout
	if _, err := s.Run(t.Context(), task); err != nil {
		t.Error(err)
	}
	if got, _ := os.ReadFile(task.Stdout); string(got) != dir+"\nout\nerr\n" {
		t.Errorf("both streams: %q", got)
	}
}

func TestSupervisedEnvironment(t *testing.T) {
	t.Parallel()
	s := supervise(t)
	out := filepath.Join(t.TempDir(), "out")
	for _, c := range [][2][]string{
		{nil, nil}, {{"A=1"}, {"A=1"}}, {{"A=\xff\xfe", "B="}, {"A=\xff\xfe", "B="}},
		{{"A=1", "B=2", "A=3", "AB=4"}, {"B=2", "A=3", "AB=4"}},
	} {
		task := task("env")
		task.Env, task.Stdout = c[0], out
		if exit, err := s.Run(t.Context(), task); err != nil || exit.Code != 0 {
			t.Errorf("%+v, %v", exit, err)
		}
		if got, _ := os.ReadFile(out); string(got) != strings.Join(c[1], "\n") {
			t.Errorf("%q: %q", c[0], got)
		}
	}
}

func TestSupervisedStartErrors(t *testing.T) {
	t.Parallel()
	s := supervise(t)
	dir := t.TempDir()
	script := filepath.Join(dir, "script")
	if err := os.WriteFile(script, []byte("#!/no/such/interpreter\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name    string
		task    Task
		missing bool
	}{
		{"none", Task{}, false},
		{"name", Task{Argv: []string{"no-such-program-anywhere"}}, true},
		{"path", Task{Argv: []string{"/no/such/file"}}, true},
		{"folder", Task{Argv: []string{"/"}}, true},
		{"relative search path", Task{Argv: []string{"script"}, Dir: dir, Env: []string{"PATH=."}}, true},
		{"interpreter", Task{Argv: []string{"./script"}, Dir: dir}, true},
		{"dir", Task{Argv: []string{"/bin/sh"}, Dir: "/no/such/folder"}, false},
		{"stdout", Task{Argv: []string{"/bin/sh"}, Stdout: "/no/such/folder/out"}, false},
	} {
		_, err := s.Run(t.Context(), tt.task)
		if err == nil || errors.Is(err, ErrNotFound) != tt.missing {
			t.Errorf("%s: %v", tt.name, err)
		}
	}
	if exit, err := s.Run(t.Context(), shell("exit 0")); err != nil || exit.Code != 0 {
		t.Errorf("afterwards: %+v, %v", exit, err)
	}
}

// Whatever a tool does, nothing of it is left when Run returns, and it returns. All run at the same time, those that
// harm others below reapers of their own.
func TestHostile(t *testing.T) {
	t.Parallel()
	shared := supervise(t)
	var group sync.WaitGroup
	defer group.Wait()
	for _, tt := range []struct {
		name   string
		args   []string
		late   bool // ends only because it has to
		signal string
		left   bool // leaves processes behind
		alone  bool
	}{
		{"never ends", []string{"hang"}, true, "SIGTERM", false, false},
		{"ignores TERM", []string{"deaf"}, true, "SIGKILL", false, false},
		{"stops itself", []string{"stop"}, true, "SIGTERM", false, false},
		{"closes its files", []string{"mute"}, true, "SIGTERM", false, false},
		{"stops the reaper", []string{"stop-parent"}, true, "SIGTERM", false, true},
		{"tree", []string{"tree", "4"}, true, "SIGTERM", true, false},
		{"tree of groups", []string{"tree-groups", "4"}, true, "SIGTERM", true, false},
		{"tree of sessions", []string{"tree-sessions", "4"}, true, "SIGTERM", true, false},
		{"daemon", []string{"daemon", "hang"}, false, "", true, false},
		{"deaf daemon", []string{"daemon", "deaf"}, false, "", true, false},
		{"deaf daemons", []string{"daemon", "tree-sessions", "4", "deaf"}, false, "", true, false},
		{"daemon beside", []string{"daemon-beside", "deaf"}, true, "SIGTERM", true, false},
		{"unmarked daemon", []string{"unmark", "daemon", "deaf"}, false, "", true, true},
		{"kills itself", []string{"suicide"}, false, "SIGKILL", false, false},
	} {
		group.Go(func() {
			s := shared
			if tt.alone {
				s = supervise(t)
			}
			mark := word(t)
			task := task(append(tt.args, mark)...)
			task.Stdout, task.Grace = filepath.Join(t.TempDir(), "out"), 300*time.Millisecond
			task.Timeout = time.Hour
			if tt.late {
				task.Timeout = 4 * time.Second // enough for it to become hostile on a busy machine
			}
			exit, err := s.Run(context.Background(), task)
			wantNone(t, mark)
			if err != nil || exit.TimedOut != tt.late || exit.Signal != tt.signal || (exit.Left > 0) != tt.left {
				t.Errorf("%s: %+v, %v", tt.name, exit, err)
			}
		})
	}
}

// A process that is never there for long enough to be hit: each has started the next one when it ends.
func TestComet(t *testing.T) {
	t.Parallel()
	s := supervise(t)
	for name, script := range map[string]string{
		"one group":     "#!/bin/sh\ntrap '' TERM\nf() { f & exit; }\nf\n",
		"many sessions": "#!/bin/sh\ntrap '' TERM\nexec setsid \"$0\" \"$1\" &\n",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			mark := word(t)
			file := filepath.Join(t.TempDir(), "comet")
			if err := os.WriteFile(file, []byte(script), 0o700); err != nil {
				t.Fatal(err)
			}
			exit, err := s.Run(t.Context(), Task{
				Argv: []string{file, mark}, Env: []string{"PATH=/usr/local/bin:/usr/bin:/bin"}, Grace: 100 * time.Millisecond,
			})
			wantNone(t, mark)
			if err != nil || exit.Code != 0 || exit.Left == 0 {
				t.Errorf("%+v, %v", exit, err)
			}
		})
	}
}

func TestFlood(t *testing.T) {
	t.Parallel()
	s := supervise(t)
	mark := word(t)
	task := task("flood", mark)
	task.Stdout, task.Stderr = filepath.Join(t.TempDir(), "o"), filepath.Join(t.TempDir(), "e")
	task.MaxOutput, task.Timeout = 100_000, time.Second
	exit, err := s.Run(t.Context(), task)
	wantNone(t, mark)
	if err != nil || !exit.Capped || !exit.TimedOut {
		t.Errorf("%+v, %v", exit, err)
	}
	for _, name := range []string{task.Stdout, task.Stderr} {
		if info, err := os.Stat(name); err != nil || info.Size() != task.MaxOutput {
			t.Errorf("%v, %v", info, err)
		}
	}
	// A tool that says more than is kept runs on all the same.
	task = loud()
	task.Stdout, task.MaxOutput = filepath.Join(t.TempDir(), "o"), 10
	if exit, err := s.Run(t.Context(), task); err != nil || !exit.Capped || exit.Code != 0 {
		t.Errorf("%+v, %v", exit, err)
	}
}

func loud() Task { return task("loud") }

func TestCancelTask(t *testing.T) {
	t.Parallel()
	s := supervise(t)
	mark := word(t)
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(200*time.Millisecond, cancel)
	exit, err := s.Run(ctx, task("tree-sessions", "3", mark))
	wantNone(t, mark)
	if err != nil || !exit.Cancelled || exit.TimedOut {
		t.Errorf("%+v, %v", exit, err)
	}
	if exit, err := s.Run(ctx, task("hang", mark)); err != nil || !exit.Cancelled {
		t.Errorf("%+v, %v", exit, err)
	}
}

// A task's daemons are its own: the end of one task does not touch those of another.
func TestTasksAreApart(t *testing.T) {
	t.Parallel()
	s := supervise(t)
	mark := word(t)
	done := make(chan Exit, 1)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	go func() {
		exit, _ := s.Run(ctx, task("daemon-beside", "hang", mark))
		done <- exit
	}()
	waitFor(t, func() bool { return len(carriers(mark)) >= 2 })
	for range 10 {
		daemon := task("daemon", "deaf", "other")
		daemon.Grace = time.Millisecond
		if exit, err := s.Run(ctx, daemon); err != nil || exit.Left != 1 {
			t.Errorf("%+v, %v", exit, err)
		}
	}
	if n := len(carriers(mark)); n < 2 {
		t.Errorf("%d of the other task are left", n)
	}
	cancel()
	if exit := <-done; exit.Left != 1 || !exit.Cancelled {
		t.Errorf("%+v", exit)
	}
	wantNone(t, mark)
}

// waitFor waits for something to become true; the bound is no measurement.
func waitFor(t *testing.T, ok func() bool) {
	t.Helper()
	for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		if ok() {
			return
		}
	}
	t.Fatal("it does not happen")
}

func TestManyTasks(t *testing.T) {
	t.Parallel()
	s := supervise(t)
	dir := t.TempDir()
	var group sync.WaitGroup
	for i := range 200 {
		group.Go(func() {
			task := shell(fmt.Sprintf("echo %d; exit %d", i, i%100))
			task.Stdout = filepath.Join(dir, fmt.Sprint(i))
			exit, err := s.Run(t.Context(), task)
			got, _ := os.ReadFile(task.Stdout)
			if err != nil || exit.Code != i%100 || exit.Left != 0 || string(got) != fmt.Sprintln(i) {
				t.Errorf("%d: %+v, %v, %q", i, exit, err, got)
			}
		})
	}
	group.Wait()
}

func TestCloseEndsAll(t *testing.T) {
	t.Parallel()
	for _, byContext := range []bool{false, true} {
		ctx, cancel := context.WithCancel(t.Context())
		s, err := Supervise(ctx, SupervisorOptions{ReapArgs: []string{"child", "reap"}})
		if err != nil {
			t.Fatal(err)
		}
		mark := word(t)
		done := make(chan error, 1)
		go func() {
			exit, err := s.Run(context.Background(), task("tree-sessions", "3", mark))
			if err == nil && !exit.Cancelled {
				err = fmt.Errorf("%+v", exit)
			}
			done <- err
		}()
		waitFor(t, func() bool { return len(carriers(mark)) >= 3 })
		if byContext {
			cancel()
		} else if err := s.Close(); err != nil {
			t.Error(err)
		}
		if err := <-done; err != nil {
			t.Error(err)
		}
		wantNone(t, mark)
		if err := s.Close(); err != nil {
			t.Errorf("again: %v", err)
		}
		if _, err := s.Run(context.Background(), shell("exit 0")); !errors.Is(err, ErrClosed) {
			t.Errorf("after Close: %v", err)
		}
		cancel()
	}
}

func TestReaperDies(t *testing.T) {
	t.Parallel()
	s := supervise(t)
	mark := word(t)
	other := exec.Command("sleep", "3600") // a child that is none of the supervisor's business
	if err := other.Start(); err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 2)
	for _, args := range [][]string{{"tree-sessions", "3", mark}, {"daemon-beside", "deaf", mark}} {
		go func() {
			_, err := s.Run(context.Background(), task(args...))
			done <- err
		}()
	}
	waitFor(t, func() bool { return len(carriers(mark)) >= 5 })
	if err := unix.Kill(s.Pid(), unix.SIGKILL); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := <-done; !errors.Is(err, ErrSupervisorLost) {
			t.Errorf("got %v", err)
		}
		wantNone(t, mark)
	}
	if _, err := s.Run(context.Background(), shell("exit 0")); !errors.Is(err, ErrSupervisorLost) {
		t.Errorf("afterwards: %v", err)
	}
	if err := unix.Kill(other.Process.Pid, 0); err != nil {
		t.Errorf("the other child: %v", err)
	}
	_ = other.Process.Kill()
	if err := other.Wait(); err == nil || err.Error() != "signal: killed" {
		t.Errorf("the other child: %v", err)
	}
}

func TestReaperThatIsNone(t *testing.T) {
	t.Parallel()
	if _, err := Supervise(t.Context(), SupervisorOptions{Self: "/no/such/file"}); err == nil {
		t.Error("no error")
	}
	for _, args := range [][]string{{"child", "args", "text"}, {"child", "fail"}} {
		s, err := Supervise(t.Context(), SupervisorOptions{ReapArgs: args})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := s.Run(t.Context(), shell("exit 0")); !errors.Is(err, ErrSupervisorLost) {
			t.Errorf("%v: %v", args, err)
		}
		_ = s.Close()
	}
}

func TestReapRefusesStrangers(t *testing.T) {
	t.Parallel()
	for _, input := range []string{"", "\n", "text\n", "{}\n", `{"v":99}` + "\n", `{"start":{"id":1}}` + "\n"} {
		cmd := exec.Command(os.Args[0], "child", "reap")
		cmd.Stdin = strings.NewReader(input)
		out, err := cmd.Output()
		if cmd.ProcessState.ExitCode() != 64 || len(out) != 0 {
			t.Errorf("%q: %q, %v", input, out, err)
		}
	}
}
