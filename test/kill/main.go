//go:build linux

// Command kill treats real runs badly and looks at what they leave: runner, reaper and tools killed at random moments,
// ten runs of one branch begun at once, and checks that never end, flood their output or fork daemons.
//
//	go run ./test/kill [-n 200] [-seed 1] [-gavel BINARY]
//
// It makes its own repository in a temporary folder, whose linter is a shell script. Linux only: it looks for what is
// left among the processes below /proc. Times are told, and a check that outlives the budget by 2 s is a fault here.
package main

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"
)

func main() {
	n := flag.Int("n", 200, "moments at which something is killed")
	seed := flag.Uint64("seed", 1, "where the random numbers begin")
	gavel := flag.String("gavel", "", "binary to drive; built when not given")
	flag.Parse()
	dir, err := os.MkdirTemp("", "gavel-kill-")
	if err == nil {
		err = all(dir, *gavel, *n, *seed)
		if err == nil {
			os.RemoveAll(dir)
		}
	}
	if err != nil {
		fmt.Fprintf(os.Stderr, "kill: %v\nwhat is left lies in %s\n", err, dir)
		os.Exit(1)
	}
}

func all(dir, gavel string, n int, seed uint64) error {
	if gavel == "" {
		gavel = filepath.Join(dir, "gavel")
		if out, err := exec.Command("go", "build", "-o", gavel, "./cmd/gavel").CombinedOutput(); err != nil {
			return fmt.Errorf("building gavel: %w\n%s", err, out)
		}
	}
	s, err := newScene(filepath.Join(dir, "scene"), gavel)
	if err != nil {
		return err
	}
	defer s.end()
	told, err := s.hostileChecks(true, true)
	for _, line := range told {
		fmt.Println(line)
	}
	if err != nil {
		return err
	}
	line, err := s.together(10)
	if err != nil {
		return err
	}
	fmt.Println(line)
	started := time.Now()
	c := campaign{scene: s, seed: seed}
	if err := c.kill(n); err != nil {
		return err
	}
	fmt.Printf("%s, %.0f s\n", c.tally(), time.Since(started).Seconds())
	return nil
}
