package proc

import (
	"syscall"

	"golang.org/x/sys/unix"
)

// adopting says that orphans come to the nearest ancestor that asked for them, see adoptOrphans.
const adopting = true

// maxRSSUnit is the unit of the largest resident set in a rusage, in bytes.
const maxRSSUnit = 1 << 10

// leaderAttributes starts a leader in a session of its own that does not outlive the thread that started it.
func leaderAttributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setsid: true, Pdeathsig: syscall.SIGKILL}
}

// Every process of a task bears a mark: the soft limit of the bytes in POSIX message queues, a value that forks and
// execs inherit, that survives new sessions, closed files and an emptied environment, and that everybody of the same
// user can read. It is lowered by at most half of what is allowed, which no tool will notice. A mark only says to which
// task a process belongs whose parents are gone; that it is ours at all, its parents say.

// markOf returns the mark of a task, 0 where there is no room for marks.
func markOf(id uint64) uint64 {
	var limit unix.Rlimit
	if unix.Getrlimit(unix.RLIMIT_MSGQUEUE, &limit) != nil || limit.Max < 1<<12 {
		return 0
	}
	top := min(limit.Max, 1<<40)
	return top - 1 - id%(top/2)
}

// readMark returns the mark of a process, 0 when it cannot be read.
func readMark(pid int) uint64 {
	var limit unix.Rlimit
	if unix.Prlimit(pid, unix.RLIMIT_MSGQUEUE, nil, &limit) != nil {
		return 0
	}
	return limit.Cur
}

// withMark calls start while this process bears a mark for its children to inherit.
func withMark(mark uint64, start func() (int, error)) (int, error) {
	var old unix.Rlimit
	if mark == 0 || unix.Getrlimit(unix.RLIMIT_MSGQUEUE, &old) != nil {
		return start()
	}
	marked := unix.Rlimit{Cur: mark, Max: old.Max}
	if unix.Setrlimit(unix.RLIMIT_MSGQUEUE, &marked) == nil {
		defer func() { _ = unix.Setrlimit(unix.RLIMIT_MSGQUEUE, &old) }()
	}
	return start()
}

// adoptOrphans makes this process the parent of all its descendants that lose their own.
func adoptOrphans(yes bool) {
	var on uintptr
	if yes {
		on = 1
	}
	_ = unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, on, 0, 0, 0)
}
