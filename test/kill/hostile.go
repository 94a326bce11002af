//go:build linux

package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"
)

const (
	budget  = 5 * time.Second
	ample   = time.Minute     // for a check that ends by itself
	overrun = 2 * time.Second // how much longer than its budget a run may take
	// largest is what one stream of a tool may leave on disk, with what a run keeps beside it.
	largest = 200 << 20
)

// hostile is a check that behaves badly.
type hostile struct {
	name, script string
	ends         bool // by itself: the run completes
}

var hostiles = []hostile{
	{"never ends", "while :; do sleep 1; done", false},
	{"never ends and is deaf", `trap "" TERM INT HUP; while :; do sleep 1; done`, false},
	{"floods its output", "yes 'a line that nobody asked for' ", false},
	{"floods its errors", "yes 'a line that nobody asked for' >&2", false},
	{"floods and ends", "head -c 100000000 /dev/zero | tr '\\0' x", true},
	{"forks daemons", `for i in 1 2 3 4 5; do (setsid sh -c 'trap "" TERM; setsid sleep 1000 & sleep 1000' >/dev/null 2>&1 &); done`, true},
	{"forks daemons and never ends", `for i in 1 2 3; do (setsid sh -c 'trap "" TERM; setsid sleep 1000 & sleep 1000' >/dev/null 2>&1 &); done; sleep 1000`, false},
}

// hostileChecks runs them all. timed = a run that outlives its budget by too much is an error.
func (s *scene) hostileChecks(timed bool) (told []string, err error) {
	for _, h := range hostiles {
		line, err := s.hostile(h, timed)
		if line != "" {
			told = append(told, line)
		}
		if err != nil {
			return told, fmt.Errorf("a check that %s: %w", h.name, err)
		}
	}
	return told, nil
}

func (s *scene) hostile(h hostile, timed bool) (string, error) {
	if err := s.behave(h.script); err != nil {
		return "", err
	}
	allowed := budget
	if h.ends {
		allowed = ample
	}
	a, err := s.ask("run", "--budget", allowed.String())
	if err != nil {
		return "", err
	}
	left, err := s.quiet()
	if err != nil {
		return "", err
	}
	line := fmt.Sprintf("a check that %s: %.1f s with a budget of %v, the last process ended %v later, %s", h.name, a.took.Seconds(), allowed, left.Round(time.Millisecond), a.outcome())
	if timed && a.took > allowed+overrun {
		return line, fmt.Errorf("the run took %v", a.took)
	}
	if size := sizeOf(s.home); size > largest {
		return line, fmt.Errorf("%d bytes are left in the state folder", size)
	}
	if h.ends {
		if a.Status != "completed" {
			return line, fmt.Errorf("it did not complete: %s", a.text)
		}
		return line, nil
	}
	return line, s.kept(a)
}

func (a *answer) outcome() string {
	if a.ErrorClass != "" {
		return a.ErrorClass
	}
	return a.Verdict + " " + strings.Join(a.Caveats, "; ")
}

// kept makes sure that a run which its budget ended says so, and that what was measured can be read.
func (s *scene) kept(a *answer) error {
	if a.ErrorClass != "run_timeout" || len(a.Unfinished) != 1 || a.Unfinished[0] != "eslint" {
		return fmt.Errorf("not run_timeout for want of eslint: %s", a.text)
	}
	v, err := s.ask("verdict", a.RunID)
	if err != nil {
		return err
	}
	if v.Status != "failed" || !strings.Contains(v.Cause, "eslint") {
		return fmt.Errorf("the verdict does not say why: %s", v.text)
	}
	part, err := s.ask("artifact", "20_quality/prettier.json", "--run-id", a.RunID)
	if err != nil {
		return err
	}
	if !strings.Contains(part.Content, `"pass"`) {
		return fmt.Errorf("what prettier said is lost: %s", part.text)
	}
	return nil
}

func sizeOf(dir string) int64 {
	var size int64
	_ = filepath.Walk(dir, func(_ string, info os.FileInfo, err error) error {
		if err == nil && info.Mode().IsRegular() {
			size += info.Size()
		}
		return nil
	})
	return size
}
