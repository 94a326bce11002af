//go:build unix

package cli

import (
	"bufio"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
)

// command is this test binary as a gavel process with the fake operations.
func command(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), self, args...)
	cmd.Env = append(os.Environ(), "GAVEL_TEST_CLI=1")
	return cmd
}

func TestSignalsCancel(t *testing.T) {
	t.Parallel()
	for _, sig := range []os.Signal{os.Interrupt, syscall.SIGTERM} {
		cmd := command(t, "wait", "--json")
		var out strings.Builder
		cmd.Stdout = &out
		stderr, err := cmd.StderrPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		r := bufio.NewReader(stderr)
		if line, err := r.ReadString('\n'); line != "waiting\n" {
			t.Fatal(line, err)
		}
		if err := cmd.Process.Signal(sig); err != nil {
			t.Fatal(err)
		}
		rest, _ := io.ReadAll(r)
		cmd.Wait()
		if code := cmd.ProcessState.ExitCode(); code != 130 || string(rest) != "gavel: cancelled\n" || !strings.Contains(out.String(), `"error_class": "cancelled"`) {
			t.Errorf("%v: exit %d %q %q", sig, code, out.String(), rest)
		}
	}
}

func TestReaderGoesAway(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{{"big"}, {"big", "--json"}} {
		cmd := command(t, args...)
		var stderr strings.Builder
		cmd.Stderr = &stderr
		stdout, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		if _, err := io.ReadFull(stdout, make([]byte, 10)); err != nil {
			t.Fatal(err)
		}
		stdout.Close()
		cmd.Wait()
		if code := cmd.ProcessState.ExitCode(); code != 1 || stderr.String() != "" {
			t.Errorf("%q: %v, %q", args, cmd.ProcessState, stderr.String())
		}
	}
}

func TestProcessServesMCP(t *testing.T) {
	t.Parallel()
	cmd := command(t, "mcp", "--tools=review", "--repo", ".")
	cmd.Dir = t.TempDir()
	out, err := cmd.CombinedOutput()
	if err != nil || !strings.HasPrefix(string(out), "serving [review] repo=\"/") {
		t.Errorf("%v %s", err, out)
	}
}
