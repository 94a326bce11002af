//go:build linux || darwin

package proc

import (
	"os"

	"golang.org/x/sys/unix"
)

// entry is a row of the table of processes.
type entry struct {
	pid, parent, group, session int
	zombie                      bool // over, but for its parent to take note
}

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

// kill ends processes. Their groups come first: the kernel ends a group at once, however fast its members fork. No
// group of theirs can hold a stranger, since each task has its own session.
func kill(list []entry) {
	done := map[int]bool{0: true, 1: true, unix.Getpgrp(): true}
	for _, e := range list {
		if !done[e.group] {
			done[e.group] = true
			_ = unix.Kill(-e.group, unix.SIGKILL)
		}
	}
	for _, e := range list {
		_ = unix.Kill(e.pid, unix.SIGKILL)
	}
}
