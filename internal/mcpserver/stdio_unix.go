//go:build unix

package mcpserver

import (
	"fmt"
	"os"
	"syscall"
)

// claimStdio moves standard input and output to descriptors that children do not inherit, and leaves the null device
// and standard error in their places.
func claimStdio() (in, out *os.File, err error) {
	if in, err = private(0, "stdin"); err != nil {
		return nil, nil, err
	}
	if out, err = private(1, "stdout"); err != nil {
		return nil, nil, err
	}
	null, err := os.Open(os.DevNull)
	if err != nil {
		return nil, nil, err
	}
	defer null.Close()
	if err := redirect(int(null.Fd()), 0); err != nil {
		return nil, nil, fmt.Errorf("redirect standard input: %w", err)
	}
	if err := redirect(2, 1); err != nil {
		return nil, nil, fmt.Errorf("redirect standard output: %w", err)
	}
	os.Stdout = os.Stderr
	return in, out, nil
}

func private(fd int, name string) (*os.File, error) {
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	copied, err := syscall.Dup(fd)
	if err != nil {
		return nil, fmt.Errorf("duplicate %s: %w", name, err)
	}
	syscall.CloseOnExec(copied)
	return os.NewFile(uintptr(copied), name), nil
}
