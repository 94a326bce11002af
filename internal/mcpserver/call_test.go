package mcpserver

import (
	"context"
	"encoding/json"
	"io"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/gavel-review/gavel"
)

func TestResultHasTheSameFactsTwice(t *testing.T) {
	t.Parallel()
	got := byID(oneShot(t, newTestServer(t, nil), initLine(hello)+callLine(1, "echo", `{"n":3,"text":"<a> & b"}`)+callLine(2, "review", `{}`)))
	r := got["1"].tool(t)
	if len(r.Content) != 1 || r.Content[0].Text != `{"schema_version":"gavel.mcp.v1","n":3,"text":"<a> & b"}` || r.Body["text"] != "<a> & b" {
		t.Errorf("%s", got["1"])
	}
	r = got["2"].tool(t)
	if len(r.Content) != 2 || r.Content[0].Text != "no findings" || r.Body["schema_version"] != gavel.WireVersion {
		t.Errorf("%s", got["2"])
	}
}

// Every class reaches the client as a tool result with the fields of the contract.
func TestFailureOfEveryClass(t *testing.T) {
	t.Parallel()
	l := startLive(t, newTestServer(t, nil))
	for _, c := range gavel.Classes {
		l.send(callLine(string(c.Class), "fails", `{"text":"`+string(c.Class)+`"}`))
		r := l.until(string(c.Class)).tool(t)
		want := map[string]any{"error_class": string(c.Class), "message": "it failed", "hint": "try",
			"retry_after_ms": 2000.0, "schema_version": gavel.WireVersion}
		for k, v := range want {
			if r.Body[k] != v {
				t.Errorf("%s: %s = %v, want %v", c.Class, k, r.Body[k], v)
			}
		}
		var text map[string]any
		if !r.IsError || json.Unmarshal([]byte(r.Content[0].Text), &text) != nil || len(text) != len(r.Body) || text["tried"] == nil {
			t.Errorf("%s: %v", c.Class, r)
		}
	}
	l.send(callLine("plain", "fails", `{}`))
	if r := l.until("plain").tool(t); r.Body["error_class"] != "internal" || r.Body["message"] != "some plain error" {
		t.Errorf("plain error: %v", r)
	}
}

func TestUnencodableResults(t *testing.T) {
	t.Parallel()
	s := newTestServer(t, func(o *Options) {
		o.Tools = []Tool{
			fixture("a_func", func(context.Context, fixtureArgs, func(string)) (any, error) { return func() {}, nil }),
			fixture("nothing", func(context.Context, fixtureArgs, func(string)) (any, error) { return nil, nil }),
			fixture("a_list", func(context.Context, fixtureArgs, func(string)) (any, error) { return []int{1}, nil }),
			fixture("empty", func(context.Context, fixtureArgs, func(string)) (any, error) { return struct{}{}, nil }),
			fixture("bad_extra", func(context.Context, fixtureArgs, func(string)) (any, error) {
				return nil, &gavel.Error{Class: gavel.Conflict, Message: "m", Extra: map[string]any{"f": func() {}}}
			}),
		}
	})
	l := startLive(t, s)
	for tool, class := range map[string]any{"a_func": "internal", "nothing": "internal", "a_list": "internal", "bad_extra": "conflict", "empty": nil} {
		l.send(callLine(tool, tool, `{}`))
		if r := l.until(tool).tool(t); r.Body["error_class"] != class || r.Body["schema_version"] != gavel.WireVersion {
			t.Errorf("%s: %v", tool, r)
		}
	}
}

func TestDeadline(t *testing.T) {
	t.Parallel()
	release := make(chan struct{})
	defer close(release)
	s := newTestServer(t, func(o *Options) {
		for i := range o.Tools {
			o.Tools[i].Timeout = 50 * time.Millisecond
		}
		stuck := fixture("stuck", func(context.Context, fixtureArgs, func(string)) (any, error) { <-release; return nil, nil })
		stuck.Timeout = 50 * time.Millisecond
		o.Tools = append(o.Tools, stuck)
	})
	l := startLive(t, s)
	for _, tool := range []string{"sleeps", "stuck"} {
		l.send(callLine(tool, tool, `{"n":60000}`))
		r := l.until(tool).tool(t)
		if r.Body["error_class"] != "run_timeout" || !strings.Contains(r.Body["message"].(string), "50ms") {
			t.Errorf("%s: %v", tool, r)
		}
	}
}

func TestCancelIsAnswered(t *testing.T) {
	t.Parallel()
	l := startLive(t, newTestServer(t, nil))
	l.send(callLine("c", "sleeps", `{"n":60000}`))
	l.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"c","reason":"enough"}}` + "\n")
	if r := l.until("c").tool(t); r.Body["error_class"] != "cancelled" {
		t.Errorf("%v", r)
	}
	l.send(callLine("c", "echo", `{}`)) // the id is free again
	if r := l.until("c").tool(t); r.IsError {
		t.Errorf("%v", r)
	}
}

// Whether the cancellation comes before or after the handler's start, the answer has the same form.
func TestCancelRaces(t *testing.T) {
	t.Parallel()
	l := startLive(t, newTestServer(t, nil))
	for range 300 {
		l.send(callLine("c", "sleeps", `{"n":60000}`) + `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"c"}}` + "\n")
		if r := l.until("c").tool(t); r.Body["error_class"] != "cancelled" || len(r.Content) != 1 {
			t.Fatalf("%v", r)
		}
	}
}

// A slow call holds up neither ping nor another call, and a full gate holds up only calls.
func TestNothingWaitsForASlowCall(t *testing.T) {
	t.Parallel()
	l := startLive(t, newTestServer(t, func(o *Options) { o.Concurrency = 2 }))
	l.send(callLine("slow", "sleeps", `{"n":60000}`))
	l.send(callLine("quick", "echo", `{}`))
	l.until("quick")
	l.send(callLine("slow2", "sleeps", `{"n":60000}`))
	l.send(callLine("waits", "echo", `{}`))
	l.send(ping)
	l.until("ping")
	l.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"slow"}}` + "\n")
	if r := l.until("waits").tool(t); r.IsError {
		t.Errorf("%v", r)
	}
	l.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"slow2"}}` + "\n")
	l.until("slow2")
}

func TestGate(t *testing.T) {
	t.Parallel()
	g := newGate(1)
	leave, err := g.enter(t.Context(), 10)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := g.enter(t.Context(), maxWaitingBytes+1); gavel.AsError(err).Class != gavel.QueueFull {
		t.Errorf("got %v, want queue_full", err)
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(io.ErrClosedPipe)
	if _, err := g.enter(ctx, 1); err != io.ErrClosedPipe {
		t.Errorf("got %v, want the cause", err)
	}
	if g.waiting != 0 || g.bytes != 0 {
		t.Errorf("%d calls of %d bytes still wait", g.waiting, g.bytes)
	}
	leave()
	if leave, err = g.enter(t.Context(), maxWaitingBytes+1); err != nil { // nothing is held while nothing waits
		t.Errorf("%v", err)
	} else {
		leave()
	}
}

func TestProgress(t *testing.T) {
	t.Parallel()
	s := newTestServer(t, func(o *Options) { o.Progress = 10 * time.Millisecond })
	l := startLive(t, s)
	l.send(`{"jsonrpc":"2.0","id":"quiet","method":"tools/call","params":{"name":"sleeps","arguments":{"n":60}}}` + "\n")
	l.send(`{"jsonrpc":"2.0","id":"told","method":"tools/call","params":{"name":"sleeps","arguments":{"n":100},"_meta":{"progressToken":"tok"}}}` + "\n")
	last, notes := -1.0, 0
	for m := range l.lines {
		if string(m.ID) == `"told"` {
			break
		}
		if m.Method != "notifications/progress" {
			continue
		}
		var p struct {
			ProgressToken, Message string
			Progress               float64
		}
		if err := json.Unmarshal(m.Params, &p); err != nil || p.ProgressToken != "tok" || p.Message != "sleeping" || p.Progress <= last {
			t.Errorf("%s", m)
		}
		last = p.Progress
		notes++
	}
	if notes == 0 {
		t.Error("no progress was reported")
	}
	l.send(ping)
	for m := range l.lines {
		if m.Method != "" {
			t.Errorf("progress after the answer: %s", m)
		}
		if string(m.ID) == `"ping"` {
			break
		}
	}
}

// At the end of the input calls are waited for; those that take longer than that are interrupted and answered.
func TestEndOfInput(t *testing.T) {
	t.Parallel()
	s := newTestServer(t, func(o *Options) { o.Drain = 300 * time.Millisecond })
	got := byID(oneShot(t, s, initLine(hello)+callLine(1, "sleeps", `{"n":100}`)+callLine(2, "sleeps", `{"n":60000}`)))
	if got["1"].tool(t).IsError {
		t.Errorf("%s", got["1"])
	}
	if r := got["2"].tool(t); r.Body["error_class"] != "cancelled" || !strings.Contains(r.Body["message"].(string), "session ended") {
		t.Errorf("%s", got["2"])
	}
}

// A cancelled call that never returns, and a subscription, do not keep the process.
func TestEndOfInputForgetsTheCancelled(t *testing.T) {
	t.Parallel()
	release := make(chan struct{})
	defer close(release)
	s := newTestServer(t, func(o *Options) {
		o.Drain = time.Hour
		o.Tools = append(o.Tools, fixture("stuck", func(context.Context, fixtureArgs, func(string)) (any, error) { <-release; return nil, nil }))
	})
	input := initLine(hello) + callLine(1, "stuck", `{}`) + `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}` + "\n" +
		`{"jsonrpc":"2.0","id":2,"method":"subscriptions/listen","params":{"notifications":{"toolsListChanged":true},"_meta":` + newMeta + `}}` + "\n"
	got := byID(oneShot(t, s, input))
	if r := got["1"].tool(t); r.Body["error_class"] != "cancelled" {
		t.Errorf("%v", got)
	}
}

func TestServeEndsWithItsContext(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	inR, inW := io.Pipe()
	defer inW.Close()
	var out lockedBuffer
	var entered atomic.Bool
	s := newTestServer(t, func(o *Options) {
		o.Tools = []Tool{fixture("waits", func(ctx context.Context, _ fixtureArgs, _ func(string)) (any, error) {
			entered.Store(true)
			<-ctx.Done()
			return nil, ctx.Err()
		})}
	})
	done := make(chan error)
	go func() { done <- s.Serve(ctx, inR, &out) }()
	io.WriteString(inW, initLine(hello)+callLine(1, "waits", `{}`))
	for !entered.Load() {
		time.Sleep(time.Millisecond)
	}
	cancel()
	if err := <-done; err != context.Canceled {
		t.Errorf("got %v", err)
	}
	if !strings.Contains(out.String(), `"error_class":"cancelled"`) {
		t.Errorf("the call was not answered: %s", out.String())
	}
}

// blocked never takes a byte.
type blocked chan struct{}

func (b blocked) Write([]byte) (int, error) { <-b; return 0, io.ErrClosedPipe }

// A client that stops reading cannot keep the process for ever.
func TestClientThatDoesNotRead(t *testing.T) {
	t.Parallel()
	out := make(blocked)
	defer close(out)
	s := newTestServer(t, func(o *Options) { o.Drain = 50 * time.Millisecond })
	if err := s.Serve(t.Context(), strings.NewReader(initLine(hello)+ping), out); err != nil {
		t.Error(err)
	}
}
