//go:build linux || darwin

package proc

import (
	"os"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

// child is a task as the reaper runs it.
type child struct {
	id             uint64
	mark           uint64
	timeout, grace time.Duration
	limit          int64
	stdout, stderr string

	pid      int // of the leader: the tool itself
	started  time.Time
	captures []*capture
	asked    bool // to end

	cancelled chan struct{}
	cancel    func()

	exited chan struct{} // closed when what follows is set
	ended  time.Time
	status unix.WaitStatus
	usage  unix.Rusage
}

func newChild(s startRequest) *child {
	c := &child{
		id: s.ID, mark: markOf(s.ID), timeout: s.Timeout, grace: s.Grace,
		limit: s.MaxOutput, stdout: string(s.Stdout), stderr: string(s.Stderr),
		cancelled: make(chan struct{}), exited: make(chan struct{}),
	}
	c.cancel = sync.OnceFunc(func() { close(c.cancelled) })
	return c
}

// open opens the three files of the tool. They are to be closed once it has started.
func (c *child) open() (files []*os.File, err error) {
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		return nil, err
	}
	files = []*os.File{null, null, null}
	for i, name := range []string{c.stdout, c.stderr} {
		switch {
		case name == "":
			continue
		case i == 1 && name == c.stdout:
			files[2] = files[1]
			continue
		}
		stream, tool, err := newCapture(name, c.limit)
		if err != nil {
			closeAll(files)
			c.abandon()
			return nil, err
		}
		files[i+1] = tool
		c.captures = append(c.captures, stream)
	}
	for _, stream := range c.captures {
		go stream.pump()
	}
	return files, nil
}

func closeAll(files []*os.File) {
	for _, f := range files {
		f.Close()
	}
}

// abandon gives up the files of a task that did not start.
func (c *child) abandon() {
	for _, stream := range c.captures {
		stream.abandon()
	}
}

// close takes what is left of the output. Every holder of the pipes should be over by now.
func (c *child) close() error {
	var first error
	for _, stream := range c.captures {
		if err := stream.close(draining); err != nil && first == nil {
			first = err
		}
	}
	return first
}

func (c *child) hasExited() bool {
	select {
	case <-c.exited:
		return true
	default:
		return false
	}
}

func (c *child) exit(status unix.WaitStatus, usage unix.Rusage) {
	c.ended, c.status, c.usage = time.Now(), status, usage
	close(c.exited)
}

// pause waits, but no longer than for the end of a leader that still runs.
func (c *child) pause(d time.Duration) {
	if c.hasExited() {
		time.Sleep(d)
		return
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-c.exited:
	case <-timer.C:
	}
}

// describe fills in how the leader ended.
func (c *child) describe(exit *Exit) {
	for _, stream := range c.captures {
		exit.Capped = exit.Capped || stream.capped
	}
	exit.Code = -1
	if !c.hasExited() {
		exit.Duration = time.Since(c.started)
		return
	}
	exit.Duration = c.ended.Sub(c.started)
	exit.CPU = time.Duration(c.usage.Utime.Nano() + c.usage.Stime.Nano())
	exit.MaxRSS = c.usage.Maxrss * maxRSSUnit
	if c.status.Signaled() {
		exit.Signal = unix.SignalName(c.status.Signal())
		return
	}
	exit.Code = c.status.ExitStatus()
}
