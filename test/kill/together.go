//go:build linux

package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"
)

// together begins n runs of one branch at once: one of them runs, the others are told which.
func (s *scene) together(n int) (string, error) {
	stop := filepath.Join(s.dir, "stop")
	if err := s.behave("while ! [ -e '" + stop + "' ]; do sleep 0.05; done"); err != nil {
		return "", err
	}
	defer os.Remove(stop)
	ended := make(chan *answer, n)
	failed := make(chan error, n)
	for range n {
		cmd := s.command("run", "--json")
		var out bytes.Buffer
		cmd.Stdout = &out
		if err := cmd.Start(); err != nil {
			return "", err
		}
		go wait(cmd, &out, ended, failed)
	}
	var locked []*answer
	for len(locked) < n-1 {
		select {
		case a := <-ended:
			locked = append(locked, a)
		case err := <-failed:
			return "", err
		case <-time.After(60 * time.Second):
			return "", fmt.Errorf("of %d runs %d were refused within a minute", n, len(locked))
		}
	}
	if err := os.WriteFile(stop, nil, 0o600); err != nil {
		return "", err
	}
	var run *answer
	select {
	case run = <-ended:
	case err := <-failed:
		return "", err
	}
	if run.Status != "completed" {
		return "", fmt.Errorf("the last of them did not complete: %s", run.text)
	}
	for _, a := range locked {
		if a.ErrorClass != "storage_locked" || a.ActiveRun != run.RunID {
			return "", fmt.Errorf("not storage_locked by %s: %s", run.RunID, a.text)
		}
	}
	return fmt.Sprintf("%d runs of one branch at once: %s ran, %d were told storage_locked with its id, exit %d", n, run.RunID, len(locked), locked[0].exit), nil
}

func wait(cmd *exec.Cmd, out *bytes.Buffer, ended chan<- *answer, failed chan<- error) {
	a, err := read(cmd.Wait(), out)
	if err != nil {
		failed <- err
		return
	}
	ended <- a
}
