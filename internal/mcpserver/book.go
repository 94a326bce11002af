package mcpserver

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/gavel-review/gavel"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// book knows the requests of a session that are not answered yet.
type book struct {
	mu      sync.Mutex
	pending map[jsonrpc.ID]*request
	writing int           // answers taken from pending and not yet sent
	changed chan struct{} // holds a token after each answer
	version string        // negotiated by initialize; "" before
}

// request is one entry of the book.
type request struct {
	id     json.RawMessage // as the client wrote it
	method string
	batch  *batch // nil for a message of its own
	index  int    // place in the batch
	// cancelled requests are forgotten: they are answered, but the end of the session does not wait for them.
	cancelled bool
	parked    bool  // a subscription, which stays open as long as the session
	code      int64 // where the SDK gives none
}

func (r *request) awaited() bool    { return !r.cancelled && !r.parked }
func (r *request) answerable() bool { return !r.parked }

const newestHandshake = "2025-11-25" // 2026-07-28 has no initialize

// open books a request. The id of one in flight cannot be used again; the refusal then carries no id, because the
// client would take it for the answer to the first.
func (b *book) open(req *jsonrpc.Request, id json.RawMessage, in *batch, index int) *protocolError {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.pending[req.ID] != nil {
		return invalidRequest(nil, "the id %s is in use by a request in flight", clip(string(id), 60))
	}
	r := &request{id: id, method: req.Method, batch: in, index: index, code: jsonrpc.CodeInvalidRequest}
	r.parked = req.Method == "subscriptions/listen"
	if req.Method == "initialize" && b.version == "" {
		r.code = jsonrpc.CodeInvalidParams
		b.version = negotiated(req.Params)
	}
	b.pending[req.ID] = r
	return nil
}

// negotiated repeats the SDK's choice, which it does not tell foreign connections. It is needed as soon as initialize
// is read: whatever follows in the same pipe is already bound by it.
func negotiated(params json.RawMessage) string {
	var p struct {
		ProtocolVersion string `json:"protocolVersion"`
	}
	if json.Unmarshal(params, &p) != nil {
		return ""
	}
	if p.ProtocolVersion <= newestHandshake && slices.Contains(mcp.SupportedProtocolVersions(), p.ProtocolVersion) {
		return p.ProtocolVersion
	}
	return newestHandshake
}

// note looks at a notification: a cancelled request needs no waiting for.
func (b *book) note(req *jsonrpc.Request) {
	if req.Method != "notifications/cancelled" {
		return
	}
	var p struct {
		RequestID json.RawMessage `json:"requestId"`
	}
	if json.Unmarshal(req.Params, &p) != nil || len(p.RequestID) == 0 || checkID(p.RequestID) != "" {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if r := b.pending[key(p.RequestID)]; r != nil {
		r.cancelled = true
	}
}

// take removes the entry of a request that is being answered, before the answer is sent, so that the client may use the
// id again as soon as it has read it. Each take is followed by written.
func (b *book) take(id jsonrpc.ID) *request {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.writing++
	r := b.pending[id]
	delete(b.pending, id)
	if r == nil { // an answer nobody asked for; the SDK has none
		raw, _ := json.Marshal(id.Raw())
		r = &request{id: raw, code: jsonrpc.CodeInternalError}
	}
	return r
}

func (b *book) written() {
	b.mu.Lock()
	b.writing--
	b.mu.Unlock()
	select {
	case b.changed <- struct{}{}:
	default:
	}
}

func (b *book) batches() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.version != "" && b.version <= "2025-03-26"
}

// wait blocks until no request is left for which still holds, at most for patience, and until one of the channels is
// closed at the latest.
func (b *book) wait(patience time.Duration, closed, stop <-chan struct{}, still func(*request) bool) {
	timer := time.NewTimer(patience)
	defer timer.Stop()
	for b.busy(still) {
		select {
		case <-b.changed:
		case <-timer.C:
			return
		case <-closed:
			return
		case <-stop:
			return
		}
	}
}

func (b *book) busy(still func(*request) bool) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.writing > 0 {
		return true
	}
	for _, r := range b.pending {
		if still(r) {
			return true
		}
	}
	return false
}

// encode gives the SDK's response under the client's id. The SDK leaves the code of some errors at 0, which is none of
// JSON-RPC's, and repeats whole requests in messages.
func (r *request) encode(resp *jsonrpc.Response) []byte {
	if resp.Error == nil {
		return encodeResponse(r.id, resp.Result, nil)
	}
	if r.method == "tools/call" && errors.Is(resp.Error, context.Canceled) {
		return encodeResponse(r.id, cancelledEarly(), nil)
	}
	failure := jsonrpc.Error{Code: r.code, Message: clip(resp.Error.Error(), 400)}
	var wire *jsonrpc.Error
	if errors.As(resp.Error, &wire) && wire.Code != 0 {
		failure.Code, failure.Data = wire.Code, wire.Data
	}
	return encodeResponse(r.id, nil, &failure)
}

// cancelledEarly answers a call that was cancelled before its handler could start; such calls the SDK answers by itself.
func cancelledEarly() json.RawMessage {
	res := failure(&gavel.Error{Class: gavel.Cancelled, Message: "the call was cancelled by the client"})
	result, _ := encodeCompact(struct { // strings only
		Content    []mcp.Content `json:"content"`
		Structured any           `json:"structuredContent"`
		IsError    bool          `json:"isError"`
		ResultType string        `json:"resultType"` // wanted since 2026-07-28, ignored before
	}{res.Content, res.StructuredContent, true, "complete"})
	return result
}
