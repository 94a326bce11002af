//go:build linux || darwin

package proc

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// reaper is the parent of all tools. It waits for every process that ends below it, so nothing else in this process may
// start or await one.
type reaper struct {
	self     int
	unmarked uint64         // the mark of this process and everybody else, see markOf
	children chan os.Signal // SIGCHLD

	out     sync.Mutex
	replies *json.Encoder

	mu    sync.Mutex
	tasks map[int]*child // by the number of the leader, until everything of the task is over
	byID  map[uint64]*child
}

// Reap is the reaper: it starts what the requests on stdin ask for, replies on stdout, and returns the exit code of the
// process when stdin ends or somebody tells it to end; nothing that it started is left then. It takes the process over:
// its signals and all its children.
func Reap(stdin io.Reader, stdout io.Writer) int {
	// What the kernel does when the parent dies, it does when the parent's thread dies: this thread stays.
	runtime.LockOSThread()
	adoptOrphans(true)
	r := &reaper{
		self:     os.Getpid(),
		unmarked: readMark(os.Getpid()),
		children: make(chan os.Signal, 1),
		replies:  json.NewEncoder(stdout),
		tasks:    map[int]*child{},
		byID:     map[uint64]*child{},
	}
	signal.Notify(r.children, unix.SIGCHLD)
	// A signal that is ignored would stay so in the tools, one that is caught does not.
	signal.Notify(make(chan os.Signal, 1), unix.SIGPIPE)
	over := make(chan os.Signal, 1)
	signal.Notify(over, unix.SIGTERM, unix.SIGINT, unix.SIGHUP)
	go r.collect()

	requests := make(chan request)
	go readRequests(stdin, requests)
	defer r.endAll()
	if first, ok := <-requests; !ok || first.Version != protocolVersion {
		return 64 // nobody but a supervisor of this version has any use for a reaper
	}
	r.reply(reply{Version: protocolVersion})
	for {
		select {
		case <-over:
			return 1
		case q, ok := <-requests:
			if !ok {
				return 0
			}
			r.serve(q)
		}
	}
}

// readRequests closes the channel at the end of the input, and at a line that makes no sense.
func readRequests(stdin io.Reader, requests chan<- request) {
	defer close(requests)
	decoder := json.NewDecoder(bufio.NewReader(stdin))
	for {
		var q request
		if decoder.Decode(&q) != nil {
			return
		}
		requests <- q
	}
}

func (r *reaper) reply(line reply) {
	r.out.Lock()
	defer r.out.Unlock()
	_ = r.replies.Encode(line) // a runner that is gone shows at the other pipe
}

func (r *reaper) serve(q request) {
	if q.Start != nil {
		if err := r.start(*q.Start); err != nil {
			r.reply(reply{ID: q.Start.ID, Error: err.Error(), Missing: errors.Is(err, ErrNotFound)})
		}
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if c := r.byID[q.Cancel]; c != nil {
		c.cancel()
	}
}

// start starts a task and leaves it to a goroutine of its own.
func (r *reaper) start(s startRequest) error {
	c := newChild(s)
	if info, err := os.Stat(string(s.Dir)); err != nil || !info.IsDir() {
		return fmt.Errorf("the working folder %q does not exist", s.Dir)
	}
	files, err := c.open()
	if err != nil {
		return err
	}
	defer closeAll(files)
	attr := &syscall.ProcAttr{
		Dir: string(s.Dir), Env: toStrings(s.Env),
		Files: []uintptr{files[0].Fd(), files[1].Fd(), files[2].Fd()},
		// A session of its own has no terminal to ask for passwords on, and its groups hold nobody else's processes.
		Sys: leaderAttributes(),
	}
	// Nothing is collected between the start of a leader and its entry in the table.
	r.mu.Lock()
	c.started = time.Now()
	c.pid, err = withMark(c.mark, func() (int, error) {
		return syscall.ForkExec(string(s.Path), toStrings(s.Argv), attr)
	})
	if err == nil {
		r.tasks[c.pid], r.byID[c.id] = c, c
	}
	r.mu.Unlock()
	if err != nil {
		c.abandon()
		if errors.Is(err, unix.ENOENT) { // also of the program that a script names in its first line
			return fmt.Errorf("%w: %w", ErrNotFound, err)
		}
		return err
	}
	r.reply(reply{ID: c.id, Pid: c.pid})
	go r.watch(c)
	return nil
}

// collect takes note of every process that ended and whose parent this one is.
func (r *reaper) collect() {
	for range r.children {
		r.mu.Lock()
		r.collectLocked()
		r.mu.Unlock()
	}
}

func (r *reaper) collectLocked() {
	for r.collectOne() {
	}
}

func (r *reaper) collectOne() bool {
	var status unix.WaitStatus
	var usage unix.Rusage
	pid, err := unix.Wait4(-1, &status, unix.WNOHANG, &usage)
	if errors.Is(err, unix.EINTR) {
		return true
	}
	if err != nil || pid <= 0 {
		return false
	}
	if c := r.tasks[pid]; c != nil && !c.hasExited() {
		c.exit(status, usage)
	}
	return true
}

// watch sees a task to its end and says how that was.
func (r *reaper) watch(c *child) {
	var exit Exit
	var late <-chan time.Time
	if c.timeout > 0 {
		timer := time.NewTimer(c.timeout - time.Since(c.started))
		defer timer.Stop()
		late = timer.C
	}
	select {
	case <-c.exited:
	case <-late:
		exit.TimedOut = true
	case <-c.cancelled:
		exit.Cancelled = true
	}
	left, endErr := r.end(c, stubborn)
	err := errors.Join(endErr, c.close())
	if endErr == nil {
		r.forget(c)
	}
	exit.Left = left
	c.describe(&exit)
	line := reply{ID: c.id, Exit: &exit}
	if err != nil {
		line.Error = err.Error()
	}
	r.reply(line)
	if endErr != nil {
		c.grace = 0
		_, _ = r.end(c, hunting)
		r.forget(c)
	}
}

// forget takes a task that is over out of the tables.
func (r *reaper) forget(c *child) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.tasks[c.pid] == c {
		delete(r.tasks, c.pid)
	}
	delete(r.byID, c.id)
}
