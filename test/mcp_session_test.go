//go:build unix

package test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os/exec"
	"reflect"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// answerBudget is what one answer of a tool may have, in bytes of JSON.
const answerBudget = 40 << 10

// patience is how long a test waits for what has to come; it measures nothing.
const patience = 3 * time.Minute

// session is a client of one `gavel mcp` process.
type session struct {
	t    *testing.T
	cmd  *exec.Cmd
	in   io.WriteCloser
	done chan struct{} // the process's output has ended

	hello wireMessage // the answer to initialize

	mu      sync.Mutex
	next    int
	waiting map[string]chan wireMessage
	notes   []wireMessage // notifications, in the order in which they came
	log     bytes.Buffer
}

// wireMessage is a line that the server wrote.
type wireMessage struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
	Result json.RawMessage `json:"result"`
	Error  *struct {
		Code    int            `json:"code"`
		Message string         `json:"message"`
		Data    map[string]any `json:"data"`
	} `json:"error"`
	raw string
}

// begin starts the server and greets it. Whatever the test leaves running ends with the test.
func begin(t *testing.T, cmd *exec.Cmd) *session {
	t.Helper()
	s := &session{t: t, cmd: cmd, waiting: map[string]chan wireMessage{}, done: make(chan struct{})}
	var err error
	if s.in, err = cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stderr = &lockedWriter{mu: &s.mu, to: &s.log}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go s.listen(out)
	t.Cleanup(s.end)
	s.hello = s.rpc("initialize", map[string]any{
		"protocolVersion": "2025-06-18", "capabilities": map[string]any{}, "clientInfo": map[string]any{"name": "test", "version": "1"},
	})
	s.write(map[string]any{"jsonrpc": "2.0", "method": "notifications/initialized"})
	return s
}

type lockedWriter struct {
	mu *sync.Mutex
	to io.Writer
}

func (l *lockedWriter) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.to.Write(p)
}

func (s *session) listen(out io.Reader) {
	defer close(s.done)
	lines := bufio.NewScanner(out)
	lines.Buffer(nil, 64<<20)
	for lines.Scan() {
		m := wireMessage{raw: lines.Text()}
		if err := json.Unmarshal(lines.Bytes(), &m); err != nil {
			s.t.Errorf("not JSON on standard output: %.200s", m.raw)
			continue
		}
		s.mu.Lock()
		waiter := s.waiting[string(m.ID)]
		delete(s.waiting, string(m.ID))
		if m.Method != "" {
			s.notes = append(s.notes, m)
		}
		s.mu.Unlock()
		if waiter != nil {
			waiter <- m
		}
	}
}

func (s *session) write(m any) {
	s.t.Helper()
	line, err := json.Marshal(m)
	if err == nil {
		_, err = s.in.Write(append(line, '\n'))
	}
	if err != nil {
		s.t.Errorf("the server no longer listens: %v", err)
	}
}

// send begins a request and returns its id and where its answer will come.
func (s *session) send(method string, params any) (id int, answer <-chan wireMessage) {
	s.t.Helper()
	s.mu.Lock()
	s.next++
	id = s.next
	raw, _ := json.Marshal(id)
	c := make(chan wireMessage, 1)
	s.waiting[string(raw)] = c
	s.mu.Unlock()
	s.write(map[string]any{"jsonrpc": "2.0", "id": id, "method": method, "params": params})
	return id, c
}

func (s *session) wait(answer <-chan wireMessage) wireMessage {
	s.t.Helper()
	select {
	case m := <-answer:
		return m
	case <-s.done:
		select {
		case m := <-answer:
			return m
		default:
		}
		s.t.Fatalf("the session ended without an answer\n%s", s.said())
	case <-time.After(patience):
		s.t.Fatalf("no answer\n%s", s.said())
	}
	panic("not reached")
}

// said is what the server wrote to standard error.
func (s *session) said() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.log.String()
}

func (s *session) notifications(method string) []wireMessage {
	s.mu.Lock()
	defer s.mu.Unlock()
	var some []wireMessage
	for _, n := range s.notes {
		if n.Method == method {
			some = append(some, n)
		}
	}
	return some
}

// rpc is a request that succeeds.
func (s *session) rpc(method string, params any) wireMessage {
	s.t.Helper()
	_, c := s.send(method, params)
	m := s.wait(c)
	if m.Error != nil {
		s.t.Fatalf("%s: %s", method, m.raw)
	}
	return m
}

// body is the body of a tool's answer.
type body map[string]any

// text is the value at a path as compact JSON, see query; "" where there is none.
func (b body) text(path string) string {
	data, _ := json.Marshal(b)
	found, _, err := query(data, path)
	if err != nil {
		return err.Error()
	}
	return found
}

// word is a string at a path.
func (b body) word(path string) string {
	var word string
	_ = json.Unmarshal([]byte(b.text(path)), &word)
	return word
}

// number is a number at a path, -1 where there is none.
func (b body) number(path string) int {
	n := -1
	_ = json.Unmarshal([]byte(b.text(path)), &n)
	return n
}

func callParams(tool string, args map[string]any) map[string]any {
	if args == nil {
		args = map[string]any{}
	}
	return map[string]any{"name": tool, "arguments": args}
}

// read takes an answer apart, and holds what is true of each one: the same facts twice, the version of the wire, the
// budget.
func (s *session) read(tool string, m wireMessage) (b body, failed bool) {
	s.t.Helper()
	var result struct {
		IsError    bool            `json:"isError"`
		Structured json.RawMessage `json:"structuredContent"`
		Content    []struct{ Type, Text string }
	}
	if m.Error != nil {
		s.t.Fatalf("%s: a JSON-RPC error: %s", tool, m.raw)
	}
	if err := json.Unmarshal(m.Result, &result); err != nil || len(result.Content) == 0 {
		s.t.Fatalf("%s: no result of a tool: %.300s", tool, m.raw)
	}
	text := result.Content[len(result.Content)-1].Text
	var same body
	if err := errors.Join(json.Unmarshal(result.Structured, &b), json.Unmarshal([]byte(text), &same)); err != nil {
		s.t.Fatalf("%s: the body is no object: %v: %.300s", tool, err, result.Structured)
	}
	if !reflect.DeepEqual(b, same) {
		s.t.Errorf("%s: text and structured content differ:\n%.300s\n%.300s", tool, text, result.Structured)
	}
	if len(text) > answerBudget {
		s.t.Errorf("%s: %d bytes, more than %d", tool, len(text), answerBudget)
	}
	if b["schema_version"] != "gavel.mcp.v1" {
		s.t.Errorf("%s: schema_version %v", tool, b["schema_version"])
	}
	if result.IsError != (b["error_class"] != nil) {
		s.t.Errorf("%s: isError %v, error_class %v", tool, result.IsError, b["error_class"])
	}
	return b, result.IsError
}

// ask calls a tool, whatever comes of it.
func (s *session) ask(tool string, args map[string]any) (b body, failed bool) {
	s.t.Helper()
	_, c := s.send("tools/call", callParams(tool, args))
	return s.read(tool, s.wait(c))
}

// call is a call that succeeds.
func (s *session) call(tool string, args map[string]any) body {
	s.t.Helper()
	b, failed := s.ask(tool, args)
	if failed {
		s.t.Fatalf("%s %v: %v", tool, args, b)
	}
	return b
}

// fails is a call that fails with an error of a class, which says what is wrong.
func (s *session) fails(class, tool string, args map[string]any) body {
	s.t.Helper()
	b, _ := s.ask(tool, args)
	if b.word(".error_class") != class || b.word(".message") == "" {
		s.t.Fatalf("%s %v: want %s, got %v", tool, args, class, b)
	}
	return b
}

// hangUp closes the server's input and waits until the process has ended. It returns the exit code.
func (s *session) hangUp() int {
	s.t.Helper()
	s.in.Close()
	select {
	case <-s.done:
	case <-time.After(patience):
		s.t.Fatalf("the server does not end\n%s", s.said())
	}
	_ = s.cmd.Wait()
	return s.cmd.ProcessState.ExitCode()
}

// end is the end of the test.
func (s *session) end() {
	s.in.Close()
	if s.cmd.ProcessState != nil {
		return
	}
	kill := time.AfterFunc(5*time.Second, func() { _ = s.cmd.Process.Signal(syscall.SIGKILL) })
	<-s.done
	_ = s.cmd.Wait()
	kill.Stop()
	if log := s.said(); strings.Contains(log, "panic") {
		s.t.Errorf("the server's log:\n%s", log)
	}
}
