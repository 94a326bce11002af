//go:build linux

package main

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// busy is a linter that has children of every kind for a while: in its group, in groups of their own, deaf to TERM.
const busy = `setsid sh -c 'trap "" TERM; setsid sleep 1000 & sleep 1000' >/dev/null 2>&1 &
sh -c 'trap "" TERM; sleep 1000' >/dev/null 2>&1 &
sleep 0.5`

// victims are who is killed, in turn.
var victims = [...]string{"runner", "reaper", "tool"}

// campaign kills one process of a run after the other.
type campaign struct {
	scene *scene
	seed  uint64

	moments [len(victims)]int
	missed  int // moments at which the victim was not there yet, or no more
	longest time.Duration
	states  map[string]int
}

// kill does it n times, and after each time nothing may be left and the next run must be able to begin.
func (c *campaign) kill(n int) error {
	random := rand.New(rand.NewPCG(c.seed, 1))
	for i := range n {
		victim := i % len(victims)
		after := time.Duration(random.IntN(1200)) * time.Millisecond
		if err := c.once(victim, after, random); err != nil {
			return fmt.Errorf("moment %d of seed %d, the %s after %v: %w", i, c.seed, victims[victim], after, err)
		}
	}
	return nil
}

func (c *campaign) once(victim int, after time.Duration, random *rand.Rand) error {
	if err := c.scene.behave(busy); err != nil {
		return err
	}
	cmd := c.scene.command("run", "--json")
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Start(); err != nil {
		return err
	}
	time.Sleep(after)
	pid := c.choose(cmd, victim, random)
	if pid == 0 {
		c.missed++
	} else {
		c.moments[victim]++
		_ = syscall.Kill(pid, syscall.SIGKILL)
	}
	killed := time.Now()
	_ = cmd.Wait() // how it ended is seen in what it left
	if strings.Contains(out.String(), "panic") || strings.Contains(out.String(), "goroutine ") {
		return fmt.Errorf("it panicked: %s", &out)
	}
	if victim == 0 || pid == 0 {
		killed = time.Now()
	}
	if _, err := c.scene.quiet(); err != nil {
		return err
	}
	if victim == 0 && pid != 0 {
		c.longest = max(c.longest, time.Since(killed))
	}
	var err error
	if c.states, err = c.scene.states(); err != nil {
		return err
	}
	return c.again()
}

// choose finds the process to kill, 0 where there is none.
func (c *campaign) choose(cmd *exec.Cmd, victim int, random *rand.Rand) int {
	if victim == 0 {
		return cmd.Process.Pid
	}
	reaper := 0
	for _, pid := range children(cmd.Process.Pid) {
		if args, _ := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "cmdline")); bytes.Contains(args, []byte("__reap")) {
			reaper = pid
		}
	}
	if victim == 1 || reaper == 0 {
		return reaper
	}
	below := descendants(reaper)
	if len(below) == 0 {
		return 0
	}
	return below[random.IntN(len(below))]
}

func children(pid int) []int {
	var all []int
	lists, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", pid))
	for _, name := range lists {
		data, _ := os.ReadFile(name)
		for _, word := range strings.Fields(string(data)) {
			if child, err := strconv.Atoi(word); err == nil {
				all = append(all, child)
			}
		}
	}
	return all
}

func descendants(pid int) []int {
	all := children(pid)
	for i := 0; i < len(all); i++ {
		all = append(all, children(all[i])...)
	}
	return all
}

// again makes sure that a run can begin, and come to its end.
func (c *campaign) again() error {
	if err := c.scene.behave(""); err != nil {
		return err
	}
	a, err := c.scene.ask("run")
	if err != nil {
		return err
	}
	if a.Status != "completed" || a.Verdict != "PASS" {
		return fmt.Errorf("the next run did not pass: %s", a.text)
	}
	return nil
}

func (c *campaign) tally() string {
	n := 0
	for _, m := range c.moments {
		n += m
	}
	return fmt.Sprintf("killed at %d moments (runner %d, reaper %d, tool %d; at %d more the victim was not there): no process left (%v at most after the runner's death), no half pack, no run that reads as running, the next run passed; runs kept: %v",
		n, c.moments[0], c.moments[1], c.moments[2], c.missed, c.longest.Round(time.Millisecond), c.states)
}
