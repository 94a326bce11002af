//go:build linux || darwin

package proc

import (
	"errors"
	"os"
	"slices"
	"time"

	"golang.org/x/sys/unix"
)

// sweep ends what a reaper left behind that died before its tasks. Its orphans have come to this process, among children
// that others started and await: they are told by the marks, sessions and groups of the unanswered tasks.
func (s *Supervisor) sweep() {
	ours := s.orphan()
	self := os.Getpid()
	var chase hunt
	for end := time.Now().Add(stubborn); time.Now().Before(end); chase.pause() {
		table, err := processes(nobody)
		if err != nil {
			return
		}
		list := family(table, ours)
		if len(list) == 0 { // not even a zombie, see reaper.rest
			return
		}
		for _, e := range list {
			if e.zombie && e.parent == self {
				wait(e.pid)
			}
		}
		chase.step(alive(list))
	}
}

// orphan tells the processes that belong to an unanswered task and have lost their parents.
func (s *Supervisor) orphan() func(entry) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	var leaders []int
	var marks []uint64
	for id, p := range s.tasks {
		if p.leader != 0 {
			leaders = append(leaders, p.leader)
		}
		if mark := markOf(id); mark != 0 {
			marks = append(marks, mark)
		}
	}
	self := os.Getpid()
	return func(e entry) bool {
		if adopting && e.parent != self {
			return false
		}
		return slices.Contains(leaders, e.session) || slices.Contains(leaders, e.group) ||
			slices.Contains(marks, readMark(e.pid))
	}
}

// wait takes note of the end of one process.
func wait(pid int) {
	for {
		if _, err := unix.Wait4(pid, nil, unix.WNOHANG, nil); !errors.Is(err, unix.EINTR) {
			return
		}
	}
}
