package mcpserver

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// connection carries JSON-RPC messages over two streams, one message a line. It is used in place of the SDK's own
// because that one ends the session on a line that is not JSON, and forgets calls in flight when the input ends.
type connection struct {
	lines  chan line
	stop   chan struct{} // closed to end the session from our side
	closed chan struct{}
	ended  chan struct{} // closed when Read has returned for the last time
	close  func() error

	endOnce   sync.Once
	drain     time.Duration
	interrupt func(error) // cancels the calls in flight
	log       *slog.Logger

	queue   []jsonrpc.Message // the rest of a batch; only Read touches it
	book    book
	writeMu sync.Mutex
	out     io.Writer
}

// afterInterrupt is how long an interrupted call may take to answer.
const afterInterrupt = 1500 * time.Millisecond

var errSessionEnded = errors.New("the session ended")

func newConnection(in io.Reader, out io.Writer, opts Options, interrupt func(error)) *connection {
	c := &connection{
		lines: make(chan line), stop: make(chan struct{}), closed: make(chan struct{}), ended: make(chan struct{}),
		drain: opts.Drain, interrupt: interrupt, log: opts.Logger, out: out,
		book: book{pending: map[jsonrpc.ID]*request{}, changed: make(chan struct{}, 1)},
	}
	c.close = sync.OnceValue(func() error {
		close(c.closed)
		if closer, ok := in.(io.Closer); ok {
			return closer.Close()
		}
		return nil
	})
	go c.readLines(newLineReader(in, opts.MaxLine))
	return c
}

// readLines runs apart from Read, because a read of standard input cannot be interrupted but Read must be.
func (c *connection) readLines(r *lineReader) {
	defer close(c.lines)
	for {
		l, err := r.next()
		if err != nil {
			return
		}
		select {
		case c.lines <- l:
		case <-c.closed:
			return
		}
	}
}

// Read returns the next message for the SDK. What no handler should see is answered here. At the end of the input it
// blocks until the calls in flight are answered, because the SDK drops their answers once Read fails.
func (c *connection) Read(context.Context) (jsonrpc.Message, error) {
	for len(c.queue) == 0 {
		select {
		case l, ok := <-c.lines:
			if !ok {
				return nil, c.end(c.drain)
			}
			if err := c.accept(l); err != nil {
				return nil, c.end(0)
			}
		case <-c.stop:
			return nil, c.end(0)
		case <-c.closed:
			return nil, c.end(0)
		}
	}
	next := c.queue[0]
	c.queue = c.queue[1:]
	return next, nil
}

func (c *connection) end(patience time.Duration) error {
	c.book.wait(patience, c.closed, c.stop, (*request).awaited)
	c.interrupt(errSessionEnded)
	c.book.wait(afterInterrupt, c.closed, nil, (*request).answerable)
	c.endOnce.Do(func() { close(c.ended) })
	return io.EOF
}

// accept queues the messages of a line. The error is one of writing.
func (c *connection) accept(l line) error {
	if l.long {
		c.log.Warn("message too long", "head", clip(string(l.head), 80))
		return c.refuse(invalidRequest(lostID(l.head, l.tail), "the message is longer than the limit of a line"))
	}
	if l.text[0] == '[' {
		return c.acceptBatch(l.text)
	}
	e, fault := readEnvelope(l.text)
	if fault == nil {
		fault = c.enqueue(e, l.text, nil, 0)
	}
	if fault != nil && (e == nil || !e.answer) { // answering a response could go back and forth for ever
		return c.refuse(fault)
	}
	return nil
}

// enqueue books a message and hands it to the SDK.
func (c *connection) enqueue(e *envelope, text []byte, b *batch, index int) *protocolError {
	if e.method == nil {
		if msg, err := jsonrpc.DecodeMessage(text); err == nil {
			c.queue = append(c.queue, msg)
		}
		return nil
	}
	req := &jsonrpc.Request{Method: *e.method, Params: e.params}
	if e.id == nil {
		c.book.note(req)
	} else {
		req.ID = key(e.id)
		if fault := c.book.open(req, e.id, b, index); fault != nil {
			return fault
		}
	}
	c.queue = append(c.queue, req)
	return nil
}

// Write sends one message. It may be called from several goroutines.
func (c *connection) Write(_ context.Context, msg jsonrpc.Message) error {
	resp, ok := msg.(*jsonrpc.Response)
	if !ok {
		data, err := jsonrpc.EncodeMessage(msg)
		if err != nil {
			return err
		}
		return c.send(data)
	}
	r := c.book.take(resp.ID)
	defer c.book.written()
	data := r.encode(resp)
	if r.batch != nil {
		if data = r.batch.add(r.index, data); data == nil {
			return nil
		}
	}
	return c.send(data)
}

func (c *connection) refuse(fault *protocolError) error {
	return c.send(fault.encode())
}

// send writes one line. A client that went away is no error of ours, but nobody is left to work for.
func (c *connection) send(data []byte) error {
	c.writeMu.Lock()
	defer c.writeMu.Unlock()
	_, err := c.out.Write(append(data, '\n'))
	if err != nil {
		c.log.Info("the client no longer reads", "error", err)
		c.interrupt(errSessionEnded)
	}
	return err
}

// Close ends Read. The output stays open: it belongs to the caller.
func (c *connection) Close() error { return c.close() }

// SessionID is empty: a stream is one session.
func (c *connection) SessionID() string { return "" }

// Connect implements [mcp.Transport]; a connection serves as its own transport, once.
func (c *connection) Connect(context.Context) (mcp.Connection, error) { return c, nil }

// encode gives the error as a response.
func (p *protocolError) encode() []byte {
	return encodeResponse(p.id, nil, &jsonrpc.Error{Code: p.code, Message: p.message})
}

// encodeResponse writes the id exactly as the client wrote it. result is JSON by the SDK's encoder.
func encodeResponse(id, result json.RawMessage, failure *jsonrpc.Error) []byte {
	if id == nil {
		id = json.RawMessage("null")
	}
	name := `,"result":`
	switch {
	case failure != nil:
		name = `,"error":`
		result, _ = json.Marshal(failure) // two scalars and JSON
	case len(result) == 0:
		result = json.RawMessage("{}")
	}
	data := make([]byte, 0, len(result)+len(id)+48)
	data = append(data, `{"jsonrpc":"2.0","id":`...)
	data = append(data, id...)
	data = append(data, name...)
	data = append(data, result...)
	return append(data, '}')
}
