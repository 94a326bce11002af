//go:build !unix

package proc

import (
	"os"
	"os/exec"
)

// Where there are no process groups only the leader is ended.
func ownGroup(*exec.Cmd) {}

func terminateGroup(leader *os.Process) error { return leader.Kill() }

func killGroup(int) {}
