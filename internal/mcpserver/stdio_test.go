package mcpserver

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"testing"
	"time"
)

// process starts the test binary as a server.
func process(t *testing.T) (*exec.Cmd, *bytes.Buffer) {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), asServer+"=1")
	var log bytes.Buffer
	cmd.Stderr = &log
	return cmd, &log
}

func runProcess(t *testing.T, input string) (map[string]message, string) {
	t.Helper()
	cmd, log := process(t)
	cmd.Stdin = strings.NewReader(input)
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, log)
	}
	var all []message
	for text := range strings.Lines(string(out)) {
		all = append(all, parseLine(t, strings.TrimSuffix(text, "\n")))
	}
	return byID(all), log.String()
}

func TestProcessAnswersOnePipe(t *testing.T) {
	t.Parallel()
	input := initLine(hello) + `{"jsonrpc":"2.0","id":2,"method":"tools/list"}` + "\n" + strings.TrimSpace(callLine(3, "sleeps", `{"n":300}`))
	got, log := runProcess(t, input) // no end of line at the end of the input
	if len(got) != 3 || got["3"].tool(t).IsError || got["2"].Error != nil || got[`"init"`].Error != nil {
		t.Errorf("want three answers, got %v", got)
	}
	if log != "" {
		t.Errorf("standard error: %s", log)
	}
}

func TestProcessKeepsStdoutClean(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("needs a shell")
	}
	t.Parallel()
	got, log := runProcess(t, initLine(hello)+callLine(1, "prints", `{"text":"x"}`)+callLine(2, "echo", `{}`))
	if len(got) != 3 || got["1"].tool(t).IsError {
		t.Errorf("got %v", got)
	}
	for _, want := range []string{"printed: x", "child", "late"} {
		if !strings.Contains(log, want) {
			t.Errorf("standard error lacks %q: %s", want, log)
		}
	}
}

func TestProcessSurvivesPanic(t *testing.T) {
	t.Parallel()
	got, log := runProcess(t, initLine(hello)+callLine(1, "panics", `{}`)+callLine(2, "panics_nil", `{}`)+callLine(3, "echo", `{"n":7}`))
	for _, id := range []string{"1", "2"} {
		if r := got[id].tool(t); !r.IsError || r.Body["error_class"] != "internal" || strings.Contains(got[id].raw, "a bug") {
			t.Errorf("%s", got[id])
		}
	}
	if got["3"].tool(t).Body["n"] != 7.0 {
		t.Errorf("%s", got["3"])
	}
	if !strings.Contains(log, "a bug") || !strings.Contains(log, "harness_test.go") {
		t.Errorf("the log has no stack: %s", log)
	}
}

// The client goes away without a word: no crash, no signal, no output but a log line at most.
func TestProcessEndsWhenNobodyReads(t *testing.T) {
	t.Parallel()
	cmd, log := process(t)
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	out.Close()
	in.Write([]byte(initLine(hello) + callLine(1, "echo", `{}`)))
	wait(t, cmd) // with its input still open
	if cmd.ProcessState.ExitCode() != 0 || strings.Contains(log.String(), "goroutine") {
		t.Errorf("%v\n%s", cmd.ProcessState, log)
	}
}

// A host that closes our standard error must not kill us with the next line of log.
func TestProcessSurvivesClosedStderr(t *testing.T) {
	t.Parallel()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd, _ := process(t)
	cmd.Stderr = w
	cmd.Stdin = strings.NewReader(initLine(hello) + callLine(1, "panics", `{}`) + callLine(2, "echo", `{}`))
	r.Close()
	out, err := cmd.Output()
	w.Close()
	if err != nil || bytes.Count(out, []byte("\n")) != 3 {
		t.Errorf("%v: %s", err, out)
	}
}

func wait(t *testing.T, cmd *exec.Cmd) {
	t.Helper()
	done := make(chan struct{})
	go func() {
		cmd.Wait() // the state is looked at by the caller
		close(done)
	}()
	select {
	case <-done:
	case <-time.After(20 * time.Second):
		cmd.Process.Kill()
		t.Fatal("the process did not end")
	}
}

// 10,000 calls leave nothing behind.
func TestManyCallsLeakNothing(t *testing.T) {
	s := newTestServer(t, nil)
	l := startLive(t, s)
	round := func(n int) {
		for i := range n {
			l.send(callLine("c", []string{"echo", "fails", "panics"}[i%3], `{"n":1}`))
			l.until("c")
		}
	}
	round(100)
	goroutines, files := runtime.NumGoroutine(), openFiles()
	round(10_000)
	time.Sleep(50 * time.Millisecond)
	if now := runtime.NumGoroutine(); now > goroutines+3 {
		t.Errorf("goroutines: %d before, %d after", goroutines, now)
	}
	if now := openFiles(); now > files+3 {
		t.Errorf("open files: %d before, %d after", files, now)
	}
}

func openFiles() int {
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		return 0
	}
	return len(entries)
}

// A burst that is written before anything is read is answered in full.
func TestPipelinedCalls(t *testing.T) {
	t.Parallel()
	var input strings.Builder
	input.WriteString(initLine(hello))
	const n = 3000
	for i := range n {
		input.WriteString(callLine(i, "echo", `{"n":1}`))
	}
	got := byID(oneShot(t, newTestServer(t, func(o *Options) { o.Concurrency = 4 }), input.String()))
	for i := range n {
		id, _ := json.Marshal(i)
		if m, ok := got[string(id)]; !ok || m.tool(t).IsError {
			t.Fatalf("call %d: %s", i, m)
		}
	}
}
