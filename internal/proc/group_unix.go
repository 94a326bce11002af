//go:build unix

package proc

import (
	"os"
	"os/exec"
	"syscall"

	"golang.org/x/sys/unix"
)

// ownGroup makes the child the leader of a new process group, so that a signal from the terminal does not reach it
// behind our back and everything it starts can be ended with it.
func ownGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
}

func terminateGroup(leader *os.Process) error {
	if err := unix.Kill(-leader.Pid, unix.SIGTERM); err != nil {
		return os.ErrProcessDone
	}
	return nil
}

func killGroup(group int) { _ = unix.Kill(-group, unix.SIGKILL) }
