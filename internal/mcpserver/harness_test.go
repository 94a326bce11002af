package mcpserver

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gavel-review/gavel"
)

const asServer = "GAVEL_TEST_AS_SERVER"

// TestMain lets the test binary play the server, so that tests can look at a real process.
func TestMain(m *testing.M) {
	if os.Getenv(asServer) == "" {
		os.Exit(m.Run())
	}
	s, err := New(Options{Version: "test", Tools: fixtureTools()})
	if err == nil {
		err = s.ServeStdio(context.Background())
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// realTools have the committed schemas and the texts of the product's tools, with nothing behind them.
func realTools() []Tool {
	nothing := func(context.Context, json.RawMessage, func(string)) (Result, error) {
		return Result{Body: map[string]any{"ok": true}, Summary: "no findings"}, nil
	}
	return []Tool{
		{Name: "review", Title: "Review a change", Toolset: "review", InputSchema: Schema("review"), Call: nothing,
			Description: "Review a git change (staged by default) and return findings, counts, gate and verdict.",
			Annotations: Annotations{ReadOnly: true, Idempotent: true, OpenWorld: true}},
		{Name: "health", Title: "Health", InputSchema: Schema("health"), Call: nothing,
			Description: "Version of the server and which programs it finds.",
			Annotations: Annotations{ReadOnly: true, Idempotent: true}},
	}
}

var anyObject = json.RawMessage(`{"type":"object","properties":{"n":{"type":"integer"},"text":{"type":"string"}},"additionalProperties":false}`)

type fixtureArgs struct {
	N    int    `json:"n"`
	Text string `json:"text"`
}

// fixture makes a tool of a short function.
func fixture(name string, call func(ctx context.Context, a fixtureArgs, progress func(string)) (any, error)) Tool {
	return Tool{Name: name, Description: "A fixture.", InputSchema: anyObject,
		Call: func(ctx context.Context, args json.RawMessage, progress func(string)) (Result, error) {
			var a fixtureArgs
			if err := json.Unmarshal(args, &a); err != nil {
				return Result{}, err
			}
			body, err := call(ctx, a, progress)
			return Result{Body: body}, err
		}}
}

func fixtureTools() []Tool {
	ok := map[string]any{"ok": true}
	return append(realTools(),
		fixture("echo", func(_ context.Context, a fixtureArgs, _ func(string)) (any, error) { return a, nil }),
		fixture("panics", func(context.Context, fixtureArgs, func(string)) (any, error) { panic("a bug") }),
		fixture("panics_nil", func(_ context.Context, _ fixtureArgs, _ func(string)) (any, error) {
			var m map[string]int
			//lint:ignore SA5000 the panic of the runtime is what this tool is for
			m["x"] = 1
			return m, nil
		}),
		// sleeps n milliseconds unless cancelled
		fixture("sleeps", func(ctx context.Context, a fixtureArgs, progress func(string)) (any, error) {
			progress("sleeping")
			select {
			case <-ctx.Done():
				return nil, ctx.Err()
			case <-time.After(time.Duration(a.N) * time.Millisecond):
				return ok, nil
			}
		}),
		fixture("prints", func(_ context.Context, a fixtureArgs, _ func(string)) (any, error) {
			fmt.Println("printed:", a.Text)
			child := exec.Command("/bin/sh", "-c", "echo child; cat; echo late >&1")
			child.Stdout, child.Stdin = os.Stdout, os.Stdin
			return ok, child.Run()
		}),
		fixture("blob", func(_ context.Context, a fixtureArgs, _ func(string)) (any, error) {
			return map[string]any{"blob": strings.Repeat("<", a.N)}, nil
		}),
		fixture("fails", func(_ context.Context, a fixtureArgs, _ func(string)) (any, error) {
			if a.Text == "" {
				return nil, errors.New("some plain error")
			}
			return nil, &gavel.Error{Class: gavel.Class(a.Text), Message: "it failed", Hint: "try", RetryAfter: 2 * time.Second,
				Extra: map[string]any{"tried": []string{"a"}, "message": "not this"}}
		}),
	)
}

func quietLog() *slog.Logger { return slog.New(slog.NewTextHandler(io.Discard, nil)) }

func newTestServer(t testing.TB, change func(*Options)) *Server {
	t.Helper()
	opts := Options{Version: "test", Tools: fixtureTools(), Logger: quietLog()}
	if change != nil {
		change(&opts)
	}
	s, err := New(opts)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// message is a response or notification as it stood on the wire.
type message struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
	Result json.RawMessage `json:"result"`
	Error  *struct {
		Code    int    `json:"code"`
		Message string `json:"message"`
	} `json:"error"`
	raw string
}

func (m message) String() string { return m.raw }

// toolResult decodes the answer to tools/call.
type toolResult struct {
	Content []struct{ Type, Text string }
	Body    map[string]any `json:"structuredContent"`
	IsError bool           `json:"isError"`
}

func (m message) tool(t *testing.T) toolResult {
	t.Helper()
	var r toolResult
	if m.Error != nil || json.Unmarshal(m.Result, &r) != nil {
		t.Fatalf("no tool result: %s", m)
	}
	return r
}

func parseLine(t testing.TB, text string) message {
	t.Helper()
	m := message{raw: text}
	if err := json.Unmarshal([]byte(text), &m); err != nil {
		t.Fatalf("a line of output is not JSON: %q", clip(text, 200))
	}
	return m
}

// oneShot gives the whole input at once and returns everything that was answered.
func oneShot(t testing.TB, s *Server, input string) []message {
	t.Helper()
	var out lockedBuffer
	if err := s.Serve(t.Context(), strings.NewReader(input), &out); err != nil {
		t.Fatal(err)
	}
	var all []message
	for text := range strings.Lines(out.String()) {
		if !strings.HasPrefix(text, "[") {
			all = append(all, parseLine(t, strings.TrimSuffix(text, "\n")))
			continue
		}
		var parts []json.RawMessage
		if err := json.Unmarshal([]byte(text), &parts); err != nil {
			t.Fatalf("a line of output is not JSON: %q", text)
		}
		for _, p := range parts {
			all = append(all, parseLine(t, string(p)))
		}
	}
	return all
}

func byID(all []message) map[string]message {
	m := map[string]message{}
	for _, one := range all {
		m[string(one.ID)] = one
	}
	return m
}

type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lockedBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

func initLine(version string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":"init","method":"initialize","params":{"protocolVersion":%q,"capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`, version) +
		"\n" + `{"jsonrpc":"2.0","method":"notifications/initialized"}` + "\n"
}

const hello = "2025-06-18"

func callLine(id any, tool, args string) string {
	rawID, _ := json.Marshal(id)
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":"tools/call","params":{"name":%q,"arguments":%s}}`, rawID, tool, args) + "\n"
}

// live is a session with somebody at the other end.
type live struct {
	t     testing.TB
	in    io.WriteCloser
	lines chan message
	early map[string]message // answers that came before they were asked for
	done  chan error
}

func startLive(t testing.TB, s *Server) *live {
	t.Helper()
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	l := &live{t: t, in: inW, lines: make(chan message, 1000), early: map[string]message{}, done: make(chan error, 1)}
	go func() {
		err := s.Serve(t.Context(), inR, outW)
		outW.Close()
		l.done <- err
	}()
	go l.collect(outR)
	t.Cleanup(func() { inW.Close() })
	l.send(initLine(hello))
	l.until("init")
	return l
}

func (l *live) collect(r io.Reader) {
	defer close(l.lines)
	sc := bufio.NewScanner(r)
	sc.Buffer(nil, 32<<20)
	for sc.Scan() {
		l.lines <- parseLine(l.t, sc.Text())
	}
}

func (l *live) send(text string) {
	l.t.Helper()
	if _, err := io.WriteString(l.in, text); err != nil {
		l.t.Fatal(err)
	}
}

// until returns the answer to id.
func (l *live) until(id string) message {
	l.t.Helper()
	raw, _ := json.Marshal(id)
	want := string(raw)
	if m, ok := l.early[want]; ok {
		delete(l.early, want)
		return m
	}
	timeout := time.After(20 * time.Second)
	for {
		select {
		case m, ok := <-l.lines:
			if !ok {
				l.t.Fatalf("the session ended without an answer to %s", id)
			}
			if string(m.ID) == want {
				return m
			}
			l.early[string(m.ID)] = m
		case <-timeout:
			l.t.Fatalf("no answer to %s", id)
		}
	}
}
