//go:build unix

package proc

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"syscall"
)

// maxFirstLine bounds what a detached program says when it has begun, in bytes.
const maxFirstLine = 256 << 10

// Detach starts a program that outlives this process: it leads a session of its own, and nothing here ends it any more
// once it has begun. It says that it has by writing one line to its standard output, which is returned without its end;
// nobody reads what it writes there later. Its input is stdin, then the end. A program that ends without a line is an
// error, and one that has not said anything when ctx ends is killed.
func (c Command) Detach(ctx context.Context, stdin []byte) ([]byte, error) {
	if len(c.Argv) == 0 {
		return nil, errors.New("proc: no program")
	}
	cmd := exec.Command(c.Argv[0], c.Argv[1:]...)
	cmd.Dir, cmd.Env, cmd.Stdin = c.Dir, append([]string{}, c.Env...), bytes.NewReader(stdin)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("proc: start %s: %w", c.Argv[0], err)
	}
	stop := context.AfterFunc(ctx, func() { killGroup(cmd.Process.Pid) })
	line, err := bufio.NewReader(io.LimitReader(out, maxFirstLine)).ReadBytes('\n')
	if !stop() {
		_ = cmd.Wait()
		return nil, context.Cause(ctx)
	}
	if err != nil {
		killGroup(cmd.Process.Pid)
		_ = cmd.Wait()
		return nil, fmt.Errorf("proc: %s ended before it had begun: %v", c.Argv[0], cmd.ProcessState)
	}
	out.Close()
	go func() { _ = cmd.Wait() }() // so that it is no zombie while this process lives
	return bytes.TrimSuffix(line, []byte("\n")), nil
}

// Launch starts a program that this process has nothing more to do with: it leads a session of its own, reads and writes
// the null device, and nobody waits for it. An error means that it did not start.
func (c Command) Launch() error {
	if len(c.Argv) == 0 {
		return errors.New("proc: no program")
	}
	cmd := exec.Command(c.Argv[0], c.Argv[1:]...)
	cmd.Dir, cmd.Env = c.Dir, append([]string{}, c.Env...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("proc: start %s: %w", c.Argv[0], err)
	}
	go func() { _ = cmd.Wait() }() // so that it is no zombie while this process lives
	return nil
}
