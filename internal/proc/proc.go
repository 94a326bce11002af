// Package proc is the only starter of processes in gavel. A command is an argument vector, never a shell line; it gets
// exactly the environment it is given, its own process group, and no more output memory than it is allowed. Cancelling
// the context ends the whole group: a polite signal first, an unconditional one after a grace.
package proc

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"time"
)

// The limits of a command that names none.
const (
	DefaultMaxStderr = 64 << 10
	DefaultMaxOutput = 64 << 20
	DefaultGrace     = 500 * time.Millisecond
)

// Command says what to start. The zero value of every field but Argv is usable.
type Command struct {
	Argv []string // Argv[0] is a path, or a name that is looked up in the PATH of this process
	Dir  string   // working folder; "" = this process's
	// Env is the complete environment, as KEY=VALUE. Nothing is inherited: nil is an empty environment.
	Env       []string
	Stdin     io.Reader     // nil = the null device, unless PipeStdin is set
	PipeStdin bool          // Process.Stdin is a pipe that the caller writes and closes
	MaxStderr int           // bytes of stderr that are kept, the last ones; 0 = DefaultMaxStderr
	MaxOutput int64         // bytes of stdout that Output accepts; 0 = DefaultMaxOutput
	Timeout   time.Duration // 0 = none but the context's
	Idle      time.Duration // how long a read of Stdout may wait for the program; 0 = without end
	Grace     time.Duration // between the polite signal and the other; 0 = DefaultGrace
}

// Process is a started command. Read Stdout to its end or close it, then call Wait exactly once.
type Process struct {
	Stdin  io.WriteCloser // nil unless PipeStdin was set
	Stdout io.ReadCloser

	name   string
	cmd    *exec.Cmd
	stderr *tail
	ctx    context.Context
	cancel context.CancelCauseFunc
	last   *time.Timer // of the unconditional signal
	late   *time.Timer // of Timeout, or nil
	wait   func() error
}

// ErrNotFound is in the chain of the error of Start when the program does not exist.
var ErrNotFound = errors.New("program not found")

// ErrTooMuchOutput is in the chain of the error of Output when stdout is larger than MaxOutput.
var ErrTooMuchOutput = errors.New("too much output")

// ErrIdle is in the chain of the error of Wait and Output when the program was ended because it said nothing for as long
// as Idle. It is a context.DeadlineExceeded.
var ErrIdle = fmt.Errorf("said nothing for too long: %w", context.DeadlineExceeded)

// ExitError says that a program ran and did not succeed.
type ExitError struct {
	Name   string // the program
	Code   int    // exit code, -1 when a signal ended it
	Stderr string // the end of what it said, trimmed
	Err    error
}

// Error implements error.
func (e *ExitError) Error() string {
	if e.Stderr == "" {
		return fmt.Sprintf("%s: %v", e.Name, e.Err)
	}
	return fmt.Sprintf("%s: %v: %s", e.Name, e.Err, e.Stderr)
}

// Unwrap returns the cause.
func (e *ExitError) Unwrap() error { return e.Err }

// Start starts the command. It ends when the context does.
func (c Command) Start(ctx context.Context) (*Process, error) {
	if len(c.Argv) == 0 || c.Argv[0] == "" {
		return nil, errors.New("proc: no program")
	}
	path, err := exec.LookPath(c.Argv[0])
	if err != nil {
		return nil, fmt.Errorf("%w: %s", ErrNotFound, c.Argv[0])
	}
	ctx, cancel := context.WithCancelCause(ctx)
	p := &Process{name: c.Argv[0], ctx: ctx, cancel: cancel, stderr: newTail(c.MaxStderr)}
	p.cmd = exec.CommandContext(ctx, path, c.Argv[1:]...)
	p.cmd.Args[0] = c.Argv[0]
	p.cmd.Dir, p.cmd.Stdin, p.cmd.Stderr = c.Dir, c.Stdin, p.stderr
	p.cmd.Env = append([]string{}, c.Env...) // never nil: nil would inherit everything
	ownGroup(p.cmd)
	grace := c.Grace
	if grace <= 0 {
		grace = DefaultGrace
	}
	p.cmd.Cancel = func() error { return p.end(grace) }
	p.cmd.WaitDelay = grace
	if err := p.start(c.PipeStdin); err != nil {
		cancel(nil)
		return nil, fmt.Errorf("proc: start %s: %w", c.Argv[0], err)
	}
	if c.Timeout > 0 {
		p.late = time.AfterFunc(c.Timeout, func() { cancel(context.DeadlineExceeded) })
	}
	if c.Idle > 0 {
		p.Stdout = &patientReader{p.Stdout, stopped(func() { cancel(ErrIdle) }), c.Idle}
	}
	p.wait = sync.OnceValue(p.reap)
	return p, nil
}

func (p *Process) start(pipeStdin bool) (err error) {
	if pipeStdin {
		if p.Stdin, err = p.cmd.StdinPipe(); err != nil {
			return err
		}
	}
	if p.Stdout, err = p.cmd.StdoutPipe(); err != nil {
		return err
	}
	return p.cmd.Start()
}

// end asks the group to end, and sees to it that it does.
func (p *Process) end(grace time.Duration) error {
	group := p.cmd.Process.Pid
	err := terminateGroup(p.cmd.Process)
	p.last = time.AfterFunc(grace, func() { killGroup(group) })
	if errors.Is(err, os.ErrProcessDone) {
		return nil
	}
	return err
}

// Kill ends the process and its group, politely first. Wait must still be called.
func (p *Process) Kill() { p.cancel(nil) }

// Stderr returns the end of what the program has said so far.
func (p *Process) Stderr() string { return strings.TrimSpace(p.stderr.String()) }

// Wait waits for the end. The error is the context's where that ended it, else an *ExitError, or nil. Further calls
// return the same.
func (p *Process) Wait() error { return p.wait() }

func (p *Process) reap() error {
	err := p.cmd.Wait()
	ended := p.ctx.Err()
	p.cancel(nil)
	if p.late != nil {
		p.late.Stop()
	}
	if p.last != nil {
		p.last.Stop() // the group's number may belong to somebody else later
	}
	if err == nil {
		return nil
	}
	if ended != nil {
		killGroup(p.cmd.Process.Pid) // what the leader left behind
		return fmt.Errorf("%s: %w", p.name, context.Cause(p.ctx))
	}
	return &ExitError{Name: p.name, Code: p.cmd.ProcessState.ExitCode(), Stderr: p.Stderr(), Err: err}
}

// Run runs the command to its end and throws its output away.
func (c Command) Run(ctx context.Context) error {
	p, err := c.Start(ctx)
	if err != nil {
		return err
	}
	_, readErr := io.Copy(io.Discard, p.Stdout)
	return errors.Join(p.Wait(), readErr)
}

// Output runs the command to its end and returns its stdout, also beside an error, and the end of its stderr.
func (c Command) Output(ctx context.Context) (stdout []byte, stderr string, err error) {
	p, err := c.Start(ctx)
	if err != nil {
		return nil, "", err
	}
	limit := c.MaxOutput
	if limit <= 0 {
		limit = DefaultMaxOutput
	}
	stdout, readErr := io.ReadAll(io.LimitReader(p.Stdout, limit+1))
	if int64(len(stdout)) > limit {
		p.Kill()
		stdout, readErr = stdout[:limit], fmt.Errorf("%s: %w: more than %d bytes", p.name, ErrTooMuchOutput, limit)
		_ = p.Wait()
		return stdout, p.Stderr(), readErr
	}
	err = p.Wait()
	if err == nil {
		err = readErr
	}
	return stdout, p.Stderr(), err
}

// patientReader ends the program when a read has to wait too long. Between reads no time counts: what is slow then is
// the caller.
type patientReader struct {
	io.ReadCloser
	timer *time.Timer
	idle  time.Duration
}

// Read implements io.Reader.
func (r *patientReader) Read(p []byte) (int, error) {
	r.timer.Reset(r.idle)
	defer r.timer.Stop()
	return r.ReadCloser.Read(p)
}

// stopped is a timer that runs only once it is reset.
func stopped(do func()) *time.Timer {
	t := time.AfterFunc(time.Hour, do)
	t.Stop()
	return t
}
