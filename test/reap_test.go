package test

import (
	"bytes"
	"os/exec"
	"strings"
	"testing"
)

// The reaper is no command: help and completion do not know it, and by hand it does nothing.
func TestReaperIsNoCommand(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{{"help"}, {"--help"}, {"__complete", ""}, {"__complete", "__"}, {"__complete", "__re"}} {
		out, _ := exec.Command(gavel(t), args...).CombinedOutput()
		if bytes.Contains(out, []byte("__reap")) {
			t.Errorf("%v: %s", args, out)
		}
	}
	for _, input := range []string{"", "text\n"} {
		cmd := exec.Command(gavel(t), "__reap")
		cmd.Stdin = strings.NewReader(input)
		if out, _ := cmd.CombinedOutput(); len(out) > 0 || cmd.ProcessState.ExitCode() != 64 {
			t.Errorf("%q: exit code %d: %s", input, cmd.ProcessState.ExitCode(), out)
		}
	}
	cmd := exec.Command(gavel(t), "__reap")
	cmd.Stdin = strings.NewReader("{\"v\":1}\n")
	if out, err := cmd.CombinedOutput(); string(out) != "{\"v\":1}\n" || err != nil {
		t.Errorf("%q, %v", out, err)
	}
}
