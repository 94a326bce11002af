package mcpserver

import (
	"context"
	"errors"
	"io"
	"os"
	"os/signal"
	"sync/atomic"
	"syscall"
	"time"
)

// exitGrace bounds what may happen between the last answer and the return of Serve.
const exitGrace = 2 * time.Second

// sessionKey finds the context that ends the calls of a session in the context of a call.
type sessionKey struct{}

// Serve runs one session over two streams until the input ends, the client stops reading, or ctx is done. It closes in
// if it is an [io.Closer]. When the input ends, calls in flight have Options.Drain to finish; when ctx is done they are
// interrupted at once. Either way they are answered, and Serve returns at most 2 s after the last of them. The error is
// that of ctx, or nil.
func (s *Server) Serve(ctx context.Context, in io.Reader, out io.Writer) error {
	session, interrupt := context.WithCancelCause(context.WithoutCancel(ctx))
	defer interrupt(nil)
	c := newConnection(in, out, s.opts, interrupt)
	defer c.Close()
	// The context given to Connect only carries values: what ends calls is the session's own.
	ss, err := s.sdk.Connect(context.WithValue(session, sessionKey{}, session), c, nil)
	if err != nil {
		return err
	}
	done := make(chan struct{})
	go func() {
		_ = ss.Wait() // a broken stream is how every session ends
		close(done)
	}()
	select {
	case <-done:
		return nil
	case <-c.ended:
	case <-ctx.Done():
		close(c.stop)
		waitFor(done, afterInterrupt+exitGrace)
		return context.Cause(ctx)
	}
	waitFor(done, exitGrace)
	return nil
}

func waitFor(done <-chan struct{}, patience time.Duration) {
	select {
	case <-done:
	case <-time.After(patience):
	}
}

// ServeStdio serves the process's standard streams. From then on only the server can reach them: whatever else writes
// to standard output, in this process or a child, ends up on standard error. It may be called once in a process.
func (s *Server) ServeStdio(ctx context.Context) error {
	if !stdioTaken.CompareAndSwap(false, true) {
		return errors.New("standard input and output are taken")
	}
	in, out, err := claimStdio()
	if err != nil {
		return err
	}
	ignoreBrokenPipes()
	return s.Serve(ctx, in, out)
}

var stdioTaken atomic.Bool

// ignoreBrokenPipes keeps a host that closed our standard error from killing the process with the next line of log.
// Catching the signal, unlike ignoring it, does not change what children inherit.
func ignoreBrokenPipes() {
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
}
