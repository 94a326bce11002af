package proc

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"
)

// The test binary is its own child: what to do is in argv, after a word that no test flag begins with.
func TestMain(m *testing.M) {
	if len(os.Args) > 2 && os.Args[1] == "child" {
		behave(os.Args[2:])
		return
	}
	os.Exit(m.Run())
}

func behave(args []string) {
	switch args[0] {
	case "env":
		fmt.Print(strings.Join(os.Environ(), "\n"))
	case "cat":
		_, _ = io.Copy(os.Stdout, os.Stdin)
	case "args":
		fmt.Print(strings.Join(args[1:], "|"))
	case "fail":
		fmt.Fprintln(os.Stderr, "it broke")
		os.Exit(7)
	case "loud":
		chunk := strings.Repeat("x", 1000)
		for range 1000 {
			fmt.Fprint(os.Stderr, chunk)
			fmt.Print(chunk)
		}
		fmt.Fprint(os.Stderr, "the end")
	case "sleep":
		fmt.Println("ready")
		time.Sleep(time.Hour)
	case "parent": // starts a grandchild that holds stdout and stderr open
		cmd := exec.Command(os.Args[0], "child", "sleep")
		cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
		if err := cmd.Start(); err != nil {
			os.Exit(1)
		}
		if len(args) > 1 && args[1] == "leave" {
			return
		}
		_ = cmd.Wait()
	default:
		hostile(args)
	}
}

func self(args ...string) Command {
	return Command{Argv: append([]string{os.Args[0], "child"}, args...)}
}

func TestOutput(t *testing.T) {
	t.Parallel()
	c := self("cat")
	c.Stdin = strings.NewReader("hello")
	out, stderr, err := c.Output(t.Context())
	if string(out) != "hello" || stderr != "" || err != nil {
		t.Errorf("got %q, %q, %v", out, stderr, err)
	}
}

func TestStdinIsNullByDefault(t *testing.T) {
	t.Parallel()
	out, _, err := self("cat").Output(t.Context())
	if len(out) != 0 || err != nil {
		t.Errorf("got %q, %v", out, err)
	}
}

func TestEnvironmentIsNotInherited(t *testing.T) {
	t.Parallel()
	for _, env := range [][]string{nil, {"A=1"}} {
		c := self("env")
		c.Env = env
		out, _, err := c.Output(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(out)) {
			if line != "A=1" && !strings.HasPrefix(line, "GOCOVERDIR") {
				t.Errorf("inherited %q", line)
			}
		}
	}
}

func TestArgumentsAreNoShellLine(t *testing.T) {
	t.Parallel()
	out, _, err := self("args", "a b", "$HOME", "; false", "*").Output(t.Context())
	if want := "a b|$HOME|; false|*"; string(out) != want || err != nil {
		t.Errorf("got %q, %v", out, err)
	}
}

func TestFailure(t *testing.T) {
	t.Parallel()
	err := self("fail").Run(t.Context())
	var exit *ExitError
	if !errors.As(err, &exit) || exit.Code != 7 || exit.Stderr != "it broke" {
		t.Errorf("got %#v", err)
	}
}

func TestNotFound(t *testing.T) {
	t.Parallel()
	for _, argv := range [][]string{{"no-such-program-anywhere"}, {"/no/such/file"}} {
		if err := (Command{Argv: argv}).Run(t.Context()); !errors.Is(err, ErrNotFound) {
			t.Errorf("%v: got %v", argv, err)
		}
	}
	if err := (Command{}).Run(t.Context()); err == nil {
		t.Error("no program: no error")
	}
}

func TestOutputIsCapped(t *testing.T) {
	t.Parallel()
	c := self("loud")
	c.MaxOutput, c.MaxStderr = 10_000, 100
	out, _, err := c.Output(t.Context())
	if len(out) != 10_000 || !errors.Is(err, ErrTooMuchOutput) {
		t.Errorf("got %d bytes, %v", len(out), err)
	}
	c.MaxOutput = 0
	out, stderr, err := c.Output(t.Context())
	if len(out) != 1_000_000 || err != nil {
		t.Errorf("got %d bytes, %v", len(out), err)
	}
	if len(stderr) > 110 || !strings.HasSuffix(stderr, "the end") || !strings.HasPrefix(stderr, "[...] ") {
		t.Errorf("stderr: %q", stderr)
	}
}

func TestPipe(t *testing.T) {
	t.Parallel()
	c := self("cat")
	c.PipeStdin = true
	p, err := c.Start(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for range 3 {
		if _, err := io.WriteString(p.Stdin, "ping\n"); err != nil {
			t.Fatal(err)
		}
		buf := make([]byte, 5)
		if _, err := io.ReadFull(p.Stdout, buf); err != nil || string(buf) != "ping\n" {
			t.Fatalf("got %q, %v", buf, err)
		}
	}
	p.Stdin.Close()
	if _, err := io.ReadAll(p.Stdout); err != nil {
		t.Error(err)
	}
	if err := p.Wait(); err != nil {
		t.Error(err)
	}
	if err := p.Wait(); err != nil {
		t.Errorf("second Wait: %v", err)
	}
}

// wantEnd fails the test where the process does not end by itself; the bound is no measurement.
func wantEnd(t *testing.T, p *Process) error {
	t.Helper()
	done := make(chan error, 1)
	go func() {
		_, _ = io.Copy(io.Discard, p.Stdout)
		done <- p.Wait()
	}()
	select {
	case err := <-done:
		return err
	case <-time.After(time.Minute):
		t.Fatal("still running")
		return nil
	}
}

func TestCancelEndsTheGroup(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{{"sleep"}, {"parent"}} {
		ctx, cancel := context.WithCancel(t.Context())
		c := self(args...)
		c.Grace = 200 * time.Millisecond
		p, err := c.Start(ctx)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.ReadFull(p.Stdout, make([]byte, 6)); err != nil {
			t.Fatal(err)
		}
		cancel()
		// The copy inside wantEnd ends only when nobody holds the pipe any more, the grandchild included.
		if err := wantEnd(t, p); !errors.Is(err, context.Canceled) {
			t.Errorf("%v: got %v", args, err)
		}
	}
}

func TestTimeout(t *testing.T) {
	t.Parallel()
	c := self("sleep")
	c.Timeout, c.Grace = 50*time.Millisecond, 50*time.Millisecond
	if err := c.Run(t.Context()); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v", err)
	}
}

func TestWaitDoesNotHangOnHeldPipe(t *testing.T) {
	t.Parallel()
	c := self("parent", "leave")
	c.Grace = 50 * time.Millisecond
	p, err := c.Start(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.ReadFull(p.Stdout, make([]byte, 6)); err != nil {
		t.Fatal(err)
	}
	p.Stdout.Close()
	done := make(chan error, 1)
	go func() { done <- p.Wait() }()
	select {
	case <-done:
	case <-time.After(time.Minute):
		t.Error("Wait hangs on a pipe that a grandchild holds")
	}
	killGroup(p.cmd.Process.Pid)
}

func TestTail(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		writes []string
		want   string
	}{
		{nil, ""},
		{[]string{"ab"}, "ab"},
		{[]string{"abcd"}, "abcd"},
		{[]string{"abcd", "e"}, "[...] bcde"},
		{[]string{"abcdefghijkl"}, "[...] ijkl"},
		{[]string{"a", "b", "c", "d", "e", "f", "g", "h", "i"}, "[...] fghi"},
	} {
		tail := newTail(4)
		for _, w := range test.writes {
			if n, err := io.WriteString(tail, w); n != len(w) || err != nil {
				t.Errorf("Write = %d, %v", n, err)
			}
		}
		if got := tail.String(); got != test.want {
			t.Errorf("%q: got %q, want %q", test.writes, got, test.want)
		}
	}
}

// A program that says nothing is ended, one that is only read slowly is not.
func TestIdle(t *testing.T) {
	t.Parallel()
	c := self("sleep")
	c.Idle = 200 * time.Millisecond
	_, _, err := c.Output(t.Context())
	if !errors.Is(err, ErrIdle) || !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("a silent program: %v", err)
	}
	c = self("cat")
	c.Idle, c.PipeStdin = 20*time.Second, true
	p, err := c.Start(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	fmt.Fprint(p.Stdin, "text")
	p.Stdin.Close()
	if data, err := io.ReadAll(p.Stdout); string(data) != "text" || err != nil || p.Wait() != nil {
		t.Errorf("%q, %v", data, err)
	}
}
