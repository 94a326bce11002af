//go:build linux || darwin

package proc

import (
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// entry is a row of the table of processes.
type entry struct {
	pid, parent, group, session int
	zombie                      bool // over, but for its parent to take note
}

// nobody is the filter of processes that lets all pass.
func nobody(int) bool { return false }

// family returns the roots that a table has and everything that descends from them, zombies included.
func family(table []entry, isRoot func(entry) bool) []entry {
	children := make(map[int][]entry, len(table))
	var list []entry
	seen := map[int]bool{os.Getpid(): true}
	for _, e := range table {
		children[e.parent] = append(children[e.parent], e)
		if !seen[e.pid] && isRoot(e) {
			seen[e.pid] = true
			list = append(list, e)
		}
	}
	for i := 0; i < len(list); i++ {
		for _, e := range children[list[i].pid] {
			if !seen[e.pid] {
				seen[e.pid] = true
				list = append(list, e)
			}
		}
	}
	return list
}

// alive returns the entries that are no zombies.
func alive(list []entry) []entry {
	var out []entry
	for _, e := range list {
		if !e.zombie {
			out = append(out, e)
		}
	}
	return out
}

// terminate asks a process to end, also a stopped one.
func terminate(e entry) {
	_ = unix.Kill(e.pid, unix.SIGTERM)
	_ = unix.Kill(e.pid, unix.SIGCONT)
}

// hunt ends processes that may start others faster than they can be ended one by one: they are stopped until no new one
// turns up, and only then killed, because each that is gone would make room for another.
type hunt struct {
	stopped map[int]bool
	passes  int
}

// maxPasses is how many looks at the table may each find a new process before those that are stopped are killed anyway.
const maxPasses = 50

// step takes all processes that are alive. It is called until there are none.
func (h *hunt) step(list []entry) {
	var fresh []entry
	for _, e := range list {
		if !h.stopped[e.pid] {
			fresh = append(fresh, e)
		}
	}
	if len(fresh) == 0 || h.passes >= maxPasses {
		signalAll(list, unix.SIGKILL)
		h.stopped, h.passes = nil, 0
		return
	}
	signalAll(fresh, unix.SIGSTOP)
	if h.stopped == nil {
		h.stopped = make(map[int]bool, len(fresh))
	}
	for _, e := range fresh {
		h.stopped[e.pid] = true
	}
	h.passes++
}

// pause gives what was killed time to end.
func (h *hunt) pause() {
	if !h.busy() {
		time.Sleep(time.Millisecond)
	}
}

// busy reports that the next step should come at once.
func (h *hunt) busy() bool { return h.passes > 0 }

// signalAll sends a signal to processes. Their groups come first: the kernel sends to a group at once, however fast its
// members fork. No group of theirs can hold a stranger, since each task has its own session.
func signalAll(list []entry, signal unix.Signal) {
	done := map[int]bool{0: true, 1: true, unix.Getpgrp(): true}
	for _, e := range list {
		if !done[e.group] {
			done[e.group] = true
			_ = unix.Kill(-e.group, signal)
		}
	}
	for _, e := range list {
		_ = unix.Kill(e.pid, signal)
	}
}
