package mcpserver

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime/debug"
	"time"

	"github.com/gavel-review/gavel"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// answerGrace is how long a call may take to return after its context ended; then it is answered without it.
const answerGrace = time.Second

var errDeadline = errors.New("the call's deadline passed")

// call is one run of a tool.
type call struct {
	tool *Tool
	ctx  context.Context
	args json.RawMessage
	note *progress
}

type outcome struct {
	result Result
	err    error
}

// handler makes the SDK's handler of a tool. Domain failures are tool results; it never returns an error.
func (s *Server) handler(t *Tool) mcp.ToolHandler {
	return func(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		started := time.Now()
		result, err := s.call(ctx, t, req)
		s.log.Debug("call", "tool", t.Name, "took", time.Since(started), "error", err)
		if err != nil {
			return failure(gavel.AsError(err)), nil
		}
		return s.success(t, result), nil
	}
}

func (s *Server) call(ctx context.Context, t *Tool, req *mcp.CallToolRequest) (Result, error) {
	args, err := t.arguments(req.Params.Arguments)
	if err != nil {
		return Result{}, err
	}
	ctx, cancel := callContext(ctx, t.timeout())
	defer cancel()
	leave, err := s.gate.enter(ctx, len(args))
	if err != nil {
		return Result{}, explain(ctx, t, err)
	}
	note := &progress{message: t.Name + " is running"}
	stop := note.start(ctx, req, s.opts.Progress)
	result, err := s.await(&call{t, ctx, args, note}, leave)
	stop()
	return result, explain(ctx, t, err)
}

// callContext ends with the request, the session, or the timeout, whichever comes first; the cause tells which.
func callContext(parent context.Context, timeout time.Duration) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(parent)
	ctx, release := context.WithTimeoutCause(ctx, timeout, errDeadline)
	unlink := func() bool { return true }
	if session, ok := parent.Value(sessionKey{}).(context.Context); ok {
		unlink = context.AfterFunc(session, func() { cancel(errSessionEnded) })
	}
	return ctx, func() {
		unlink()
		release()
		cancel(nil)
	}
}

// await runs the call apart, so that one that ignores its context is answered all the same. Its slot stays taken until
// it really returns.
func (s *Server) await(c *call, leave func()) (Result, error) {
	done := make(chan outcome, 1)
	go func() {
		defer leave()
		done <- s.invoke(c)
	}()
	select {
	case o := <-done:
		return o.result, o.err
	case <-c.ctx.Done():
	}
	late := time.NewTimer(answerGrace)
	defer late.Stop()
	select {
	case o := <-done:
		return o.result, o.err
	case <-late.C:
		s.log.Warn("a call did not stop in time", "tool", c.tool.Name)
		return Result{}, context.Cause(c.ctx)
	}
}

func (s *Server) invoke(c *call) (o outcome) {
	defer func() {
		if p := recover(); p != nil {
			s.log.Error("panic", "tool", c.tool.Name, "panic", p, "stack", string(debug.Stack()))
			o = outcome{err: gavel.Errorf(gavel.Internal, "%s failed unexpectedly; the server's log has the details", c.tool.Name)}
		}
	}()
	result, err := c.tool.Call(c.ctx, c.args, c.note.set)
	return outcome{result, err}
}

// explain turns the error of a call whose context ended into what ended it.
func explain(ctx context.Context, t *Tool, err error) error {
	if err == nil || ctx.Err() == nil || !stopped(ctx, err) {
		return err
	}
	e := &gavel.Error{Class: gavel.Cancelled, Err: err, Extra: extraOf(err)}
	switch cause := context.Cause(ctx); {
	case errors.Is(cause, errDeadline):
		e.Class, e.Message = gavel.RunTimeout, fmt.Sprintf("%s did not finish within %s", t.Name, t.timeout())
	case errors.Is(cause, errSessionEnded):
		e.Message = t.Name + " was interrupted: the session ended"
	default:
		e.Message = t.Name + " was cancelled by the client"
	}
	return e
}

// extraOf is what the tool had to say beside the words, such as the id of a run.
func extraOf(err error) map[string]any {
	var e *gavel.Error
	if errors.As(err, &e) {
		return e.Extra
	}
	return nil
}

func stopped(ctx context.Context, err error) bool {
	var e *gavel.Error
	if errors.As(err, &e) {
		return e.Class == gavel.Cancelled
	}
	return errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Cause(ctx))
}
