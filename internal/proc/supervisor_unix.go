//go:build linux || darwin

package proc

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// How long the reaper may take.
const (
	overdue = 250 * time.Millisecond // beyond what a task may take: it is woken, in case that it was stopped
	lost    = 5 * time.Second        // it is given up
	leaving = 2 * time.Second        // to end everything when its input has
)

// supervision is a Supervisor where there are process groups.
type supervision struct {
	cmd      *exec.Cmd
	stderr   *tail
	requests *os.File
	stop     func() bool // the watch over the context
	writing  sync.Mutex  // of requests

	mu      sync.Mutex
	closing bool
	tasks   map[uint64]*pending

	over  chan struct{} // closed when the reaper is gone and nothing of it is left
	cause error         // why, once over is closed
}

// pending is a task that has not been answered yet.
type pending struct {
	leader int // 0 = not known yet
	answer chan reply
}

// lastID gives every task of this process its own number. It begins anywhere, so that the marks of a supervisor that
// runs inside of a task are others.
var lastID = sync.OnceValue(func() *atomic.Uint64 {
	id := new(atomic.Uint64)
	id.Store(uint64(rand.Uint32()))
	return id
})

// supervisors counts those that are open: as long as there is one, orphans come to this process.
var supervisors struct {
	sync.Mutex
	open int
}

func count(by int) {
	supervisors.Lock()
	defer supervisors.Unlock()
	supervisors.open += by
	adoptOrphans(supervisors.open > 0)
}

// Supervise starts the reaper. It must be closed; the end of ctx does so too.
func Supervise(ctx context.Context, o SupervisorOptions) (*Supervisor, error) {
	if o.Self == "" {
		self, err := os.Executable()
		if err != nil {
			return nil, fmt.Errorf("proc: %w", err)
		}
		o.Self = self
	}
	s := &Supervisor{}
	s.tasks, s.over, s.stderr = map[uint64]*pending{}, make(chan struct{}), newTail(0)
	s.cmd = exec.Command(o.Self, o.ReapArgs...)
	s.cmd.Env = []string{}
	s.cmd.Stderr = s.stderr
	// Without a terminal no signal of one reaches it or the tools: this process cancels them.
	s.cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	replies, err := s.start()
	if err != nil {
		return nil, fmt.Errorf("proc: start the reaper: %w", err)
	}
	go s.read(replies)
	_ = s.send(request{Version: protocolVersion}) // whether it arrives, the replies say
	s.stop = context.AfterFunc(ctx, s.end)
	return s, nil
}

func (s *Supervisor) start() (replies *os.File, err error) {
	var ours, theirs []*os.File
	for range 2 {
		r, w, err := os.Pipe()
		if err != nil {
			closeAll(append(ours, theirs...))
			return nil, err
		}
		if len(ours) == 0 {
			ours, theirs = append(ours, w), append(theirs, r)
		} else {
			ours, theirs = append(ours, r), append(theirs, w)
		}
	}
	defer closeAll(theirs)
	s.cmd.Stdin, s.cmd.Stdout = theirs[0], theirs[1]
	count(1)
	if err := s.cmd.Start(); err != nil {
		count(-1)
		closeAll(ours)
		return nil, err
	}
	s.requests = ours[0]
	return ours[1], nil
}

// Pid returns the number of the reaper.
func (s *Supervisor) Pid() int { return s.cmd.Process.Pid }

// send writes one request. A reaper that does not read any more must not hold anybody up.
func (s *Supervisor) send(q request) error {
	line, err := json.Marshal(q)
	if err != nil {
		return err
	}
	s.writing.Lock()
	defer s.writing.Unlock()
	_ = s.requests.SetWriteDeadline(time.Now().Add(lost))
	_, err = s.requests.Write(append(line, '\n'))
	return err
}

// read hands out the replies until the reaper ends, and then ends what it may have left.
func (s *Supervisor) read(replies *os.File) {
	err := s.readReplies(replies)
	replies.Close()
	_ = s.cmd.Process.Kill()
	_ = s.cmd.Wait()
	s.mu.Lock()
	ended := s.closing
	s.mu.Unlock()
	s.sweep()
	count(-1)
	s.cause = ErrClosed
	if !ended {
		s.cause = fmt.Errorf("%w: %w", ErrSupervisorLost, err)
		if said := s.stderr.String(); said != "" {
			s.cause = fmt.Errorf("%w: %s", s.cause, said)
		}
	}
	close(s.over)
}

func (s *Supervisor) readReplies(replies *os.File) error {
	decoder := json.NewDecoder(replies)
	for first := true; ; first = false {
		var line reply
		if err := decoder.Decode(&line); err != nil {
			return errors.New("the reaper ended")
		}
		if first && line.Version != protocolVersion {
			return errors.New("the reaper is another version of this program")
		}
		s.mu.Lock()
		if p := s.tasks[line.ID]; p != nil {
			if line.Pid != 0 {
				p.leader = line.Pid
			} else {
				p.answer <- line // has room for the only one
			}
		}
		s.mu.Unlock()
	}
}

// Run runs a task to its end, which is that of ctx at the latest. The error says that the task did not start (then
// ErrNotFound may be in its chain), that its output could not be kept, that not all of its processes could be ended, or
// that the supervisor is lost or closed. A tool that fails, is cancelled or runs out of time is no error.
func (s *Supervisor) Run(ctx context.Context, t Task) (Exit, error) {
	if ctx.Err() != nil {
		return Exit{Code: -1, Cancelled: true}, nil
	}
	start, err := t.request(lastID().Add(1))
	if err != nil {
		return Exit{}, err
	}
	p, err := s.admit(start.ID)
	if err != nil {
		return Exit{}, err
	}
	defer s.dismiss(start.ID)
	if err := s.send(request{Start: start}); err != nil {
		s.giveUp()
	}
	line, err := s.await(ctx, p, start)
	switch {
	case err != nil:
		return Exit{}, fmt.Errorf("%s: %w", t.Argv[0], err)
	case line.Exit == nil && line.Missing:
		return Exit{}, fmt.Errorf("%w: %s: %s", ErrNotFound, t.Argv[0], line.Error)
	case line.Exit == nil:
		return Exit{}, fmt.Errorf("proc: start %s: %s", t.Argv[0], line.Error)
	case line.Error != "":
		return *line.Exit, fmt.Errorf("%s: %s", t.Argv[0], line.Error)
	}
	return *line.Exit, nil
}

func (s *Supervisor) admit(id uint64) (*pending, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closing {
		return nil, ErrClosed
	}
	p := &pending{answer: make(chan reply, 1)}
	s.tasks[id] = p
	return p, nil
}

func (s *Supervisor) dismiss(id uint64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.tasks, id)
}

// await waits for the answer to a task. A reaper that is late with it may have been stopped by the tool.
func (s *Supervisor) await(ctx context.Context, p *pending, start *startRequest) (reply, error) {
	timer := time.NewTimer(time.Hour)
	timer.Stop()
	defer timer.Stop()
	if start.Timeout > 0 {
		timer.Reset(start.Timeout + start.Grace + overdue)
	}
	cancelled, woken := ctx.Done(), false
	for {
		select {
		case line := <-p.answer:
			return line, nil
		case <-s.over:
			select {
			case line := <-p.answer: // it came before the end did
				return line, nil
			default:
				return reply{}, s.cause
			}
		case <-cancelled:
			cancelled = nil
			_ = s.send(request{Cancel: start.ID})
			timer.Reset(start.Grace + overdue)
		case <-timer.C:
			if woken {
				s.giveUp()
				continue
			}
			woken = true
			_ = s.cmd.Process.Signal(unix.SIGCONT)
			timer.Reset(lost)
		}
	}
}

// giveUp ends a reaper that does not do its work.
func (s *Supervisor) giveUp() { _ = s.cmd.Process.Kill() }

// Close ends all tasks, politely first, and the reaper. Nothing that was started is left when it returns, unless the
// error says so; then the reaper still tries.
func (s *Supervisor) Close() error {
	s.stop()
	s.end()
	select {
	case <-s.over:
		return nil
	default:
		return errAlive
	}
}

func (s *Supervisor) end() {
	s.mu.Lock()
	again := s.closing
	s.closing = true
	var waiting []uint64
	for id := range s.tasks {
		waiting = append(waiting, id)
	}
	s.mu.Unlock()
	if again {
		s.outlast()
		return
	}
	for _, id := range waiting {
		_ = s.send(request{Cancel: id})
	}
	s.drain(MaxGrace + overdue)
	s.requests.Close()
	_ = s.cmd.Process.Signal(unix.SIGCONT)
	s.outlast()
}

// outlast waits for the end of the reaper. It is not given up when it takes too long: nobody else knows what is left.
func (s *Supervisor) outlast() {
	select {
	case <-s.over:
	case <-time.After(MaxGrace + overdue + leaving):
	}
}

// drain waits until every task has been answered, or for so long.
func (s *Supervisor) drain(patience time.Duration) {
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(2 * time.Millisecond) {
		s.mu.Lock()
		waiting := len(s.tasks)
		s.mu.Unlock()
		if waiting == 0 {
			return
		}
	}
}
