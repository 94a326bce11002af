//go:build linux

package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

const (
	budget  = 5 * time.Second
	patient = 20 * time.Second // for tests, which are built first
	ample   = time.Minute      // for a check that ends by itself
	overrun = 2 * time.Second  // how much longer than its budget a run may take
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

// hostileChecks runs them all, as a linter and, with tests, where Go is, as a test of the repository. timed = a run that
// outlives its budget by too much is an error.
func (s *scene) hostileChecks(timed, tests bool) (told []string, err error) {
	means := []attack{{scene: s, check: "eslint", prepare: s.behave, args: []string{"run"}, budget: budget}}
	if _, err := exec.LookPath("go"); tests && err == nil {
		other, err := newScene(filepath.Join(s.dir, "tests"), s.gavel)
		if err != nil {
			return nil, err
		}
		means = append(means, attack{scene: other, check: "go-test", prepare: other.test, args: []string{"run", "--profile", "deep"}, budget: patient})
	} else if tests {
		told = append(told, "hostile tests: left out, go is not there")
	}
	for _, a := range means {
		for _, h := range hostiles {
			line, err := a.run(h, timed)
			if line != "" {
				told = append(told, line)
			}
			if err != nil {
				return told, fmt.Errorf("%s that %s: %w", a.check, h.name, err)
			}
		}
	}
	return told, nil
}

// attack is how a hostile check gets into a run.
type attack struct {
	scene   *scene
	check   string
	prepare func(script string) error
	args    []string
	budget  time.Duration
}

// run does it once. The line is what happened.
func (at attack) run(h hostile, timed bool) (string, error) {
	if err := at.prepare(h.script); err != nil {
		return "", err
	}
	allowed := at.budget
	if h.ends {
		allowed = ample
	}
	a, err := at.scene.ask(append(at.args[:len(at.args):len(at.args)], "--budget", allowed.String())...)
	if err != nil {
		return "", err
	}
	left, err := at.scene.quiet()
	if err != nil {
		return "", err
	}
	size := sizeOf(at.scene.home)
	line := fmt.Sprintf("%s that %s: %.1f s with a budget of %v, the last process ended %v later, %d MiB kept, %s",
		at.check, h.name, a.took.Seconds(), allowed, left.Round(time.Millisecond), size>>20, a.outcome())
	switch {
	case timed && a.took > allowed+overrun:
		return line, fmt.Errorf("the run took %v", a.took)
	case size > largest:
		return line, fmt.Errorf("%d bytes are left in the state folder", size)
	case !h.ends:
		return line, at.kept(a)
	case a.Status != "completed":
		return line, fmt.Errorf("it did not complete: %s", a.text)
	}
	return line, nil
}

func (a *answer) outcome() string {
	if a.ErrorClass != "" {
		return a.ErrorClass
	}
	return a.Verdict + " " + strings.Join(a.Caveats, "; ")
}

// test commits a Go test that starts the script and waits for it.
func (s *scene) test(script string) error {
	source := fmt.Sprintf(`package shop

import (
	"os"
	"os/exec"
	"testing"
)

func TestHostile(t *testing.T) {
	cmd := exec.Command("sh", "-c", %q)
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	if err := cmd.Run(); err != nil {
		t.Fatal(err)
	}
}
`, script)
	for name, text := range map[string]string{"go.mod": "module example.com/shop\n\ngo 1.24\n", "shop.go": "package shop\n", "shop_test.go": source} {
		if err := os.WriteFile(filepath.Join(s.repo, name), []byte(text), 0o644); err != nil {
			return err
		}
	}
	if err := s.git("add", "-A"); err != nil {
		return err
	}
	return s.behave("")
}

// kept makes sure that a run which its budget ended says so, and that what was measured can be read.
func (at attack) kept(a *answer) error {
	if a.ErrorClass != "run_timeout" || len(a.Unfinished) != 1 || a.Unfinished[0] != at.check {
		return fmt.Errorf("not run_timeout for want of %s: %s", at.check, a.text)
	}
	v, err := at.scene.ask("verdict", a.RunID)
	if err != nil {
		return err
	}
	if v.Status != "failed" || !strings.Contains(v.Cause, at.check) {
		return fmt.Errorf("the verdict does not say why: %s", v.text)
	}
	part, err := at.scene.ask("artifact", "20_quality/prettier.json", "--run-id", a.RunID)
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
