package proc

import "golang.org/x/sys/unix"

// unmark takes off the mark of the task.
func unmark() {
	_ = unix.Setrlimit(unix.RLIMIT_MSGQUEUE, &unix.Rlimit{Cur: 1, Max: 1})
}
