//go:build unix

package proc

import (
	"bufio"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// TestLaunch: a launched program goes on by itself, in a session of its own, with exactly the environment it is given.
func TestLaunch(t *testing.T) {
	t.Parallel()
	fifo := filepath.Join(t.TempDir(), "fifo")
	if err := syscall.Mkfifo(fifo, 0o600); err != nil {
		t.Fatal(err)
	}
	script := `read -r line; printf '%s %s %s\n' "$WORD" "$$" "$line" >"$1"` // blocks until somebody reads
	if err := (Command{Argv: []string{"/bin/sh", "-c", script, "sh", fifo}, Env: []string{"WORD=here"}}).Launch(); err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(fifo)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	line, err := bufio.NewReader(f).ReadString('\n')
	if fields := strings.Fields(line); err != nil || len(fields) != 2 || fields[0] != "here" {
		t.Errorf("%q, %v", line, err)
	}
}

func TestLaunchFails(t *testing.T) {
	t.Parallel()
	for _, argv := range [][]string{nil, {filepath.Join(t.TempDir(), "missing")}, {t.TempDir()}} {
		if err := (Command{Argv: argv}).Launch(); err == nil {
			t.Errorf("%q started", argv)
		}
	}
}
