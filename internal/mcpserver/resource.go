package mcpserver

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/gavel-review/gavel"
	"github.com/gavel-review/gavel/internal/app"
	"github.com/gavel-review/gavel/internal/untrusted"
)

// Resources are the texts that clients can read by their address.
type Resources struct {
	// List returns a page. A cursor that List did not give is invalid_args.
	List func(ctx context.Context, cursor string) (page []app.Resource, next string, err error)
	// Read returns a text. Whatever is none is not_found.
	Read func(ctx context.Context, uri string) (text, mimeType string, err error)
}

// The codes of an address that leads nowhere: the first since 2026-07-28, the second before.
const (
	codeNotFound       = jsonrpc.CodeInvalidParams
	codeNotFoundBefore = -32002
)

// maxSignals are listed of a text; the count is of all.
const maxSignals = 50

// resources answers what clients ask about resources. The SDK's own list is made for a fixed set, and its content item
// has no room for what was noticed in the text.
func (s *Server) resources(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		switch r := req.(type) {
		case *mcp.ListResourcesRequest:
			return s.listResources(ctx, r)
		case *mcp.ReadResourceRequest:
			return s.readResource(ctx, r)
		}
		return next(ctx, method, req)
	}
}

func (s *Server) listResources(ctx context.Context, req *mcp.ListResourcesRequest) (mcp.Result, error) {
	cursor := ""
	if req.Params != nil {
		cursor = req.Params.Cursor
	}
	page, more, err := s.opts.Resources.List(ctx, cursor)
	if err != nil {
		return nil, resourceError(err, jsonrpc.CodeInvalidParams)
	}
	res := &mcp.ListResourcesResult{Resources: []*mcp.Resource{}, NextCursor: more, Cacheable: uncached}
	for _, r := range page {
		res.Resources = append(res.Resources, &mcp.Resource{URI: r.URI, Name: r.Name, MIMEType: r.MIMEType, Size: r.Size})
	}
	return res, nil
}

// uncached: runs come and go.
var uncached = mcp.Cacheable{CacheScope: "private"}

func (s *Server) readResource(ctx context.Context, req *mcp.ReadResourceRequest) (mcp.Result, error) {
	uri := req.Params.URI
	text, mimeType, err := s.opts.Resources.Read(ctx, uri)
	if err != nil {
		code := int64(codeNotFound)
		if greeted(req) {
			code = codeNotFoundBefore
		}
		return nil, resourceError(err, code)
	}
	fenced := untrusted.Fence(uri, text)
	if mimeType == "text/x-diff" {
		text = withoutMarkers(text)
	}
	signals, count := signalsOf(text, strings.IndexByte(fenced, '\n')+1)
	return &readResult{
		complete:           !greeted(req),
		ReadResourceResult: &mcp.ReadResourceResult{Cacheable: uncached},
		item:               resourceItem{URI: uri, MIMEType: mimeType, Text: fenced, observed: observed{signals, count}, Meta: observed{signals, count}},
	}, nil
}

// greeted tells the revisions that begin with a handshake from those since.
func greeted(req *mcp.ReadResourceRequest) bool {
	version := req.ProtocolVersion()
	return version != "" && version <= newestHandshake
}

// injection is a place in a text that addresses whoever reads it by machine. It never holds the text itself.
type injection struct {
	Rule   string `json:"rule"`
	Where  string `json:"where"`
	Offset int    `json:"offset"` // bytes of the fenced text
	Span   string `json:"span"`
}

// observed is what the detector of injections has to say of a text.
type observed struct {
	Signals []injection `json:"injectionSignals"`
	Count   int         `json:"injectionCount"`
}

func signalsOf(text string, begin int) (list []injection, count int) {
	list = []injection{}
	found := untrusted.Injections(text)
	for _, f := range found[:min(len(found), maxSignals)] {
		list = append(list, injection{f.Rule, "text", begin + f.Offset, f.Span})
	}
	return list, len(found)
}

// withoutMarkers blanks the first column of a patch, behind which a line is what it is in its file.
func withoutMarkers(patch string) string {
	lines := []byte(patch)
	for i := range lines {
		if (lines[i] == '+' || lines[i] == '-') && (i == 0 || lines[i-1] == '\n') {
			lines[i] = ' '
		}
	}
	return string(lines)
}

// resourceItem is the one content of a read.
type resourceItem struct {
	URI      string `json:"uri"`
	MIMEType string `json:"mimeType"`
	Text     string `json:"text"`
	observed
	Meta observed `json:"_meta"`
}

// readResult is the SDK's result with an item of ours.
type readResult struct {
	*mcp.ReadResourceResult
	item     resourceItem
	complete bool // has to be said since 2026-07-28
}

// MarshalJSON writes what the SDK would, and the item in place of its contents.
func (r *readResult) MarshalJSON() ([]byte, error) {
	data, err := json.Marshal(r.ReadResourceResult)
	if err != nil {
		return nil, err
	}
	var members map[string]json.RawMessage
	if err := json.Unmarshal(data, &members); err != nil {
		return nil, err
	}
	item, err := encodeCompact([]resourceItem{r.item})
	if err != nil {
		return nil, err
	}
	members["contents"] = item
	if r.complete {
		members["resultType"] = json.RawMessage(`"complete"`)
	}
	var b bytes.Buffer
	b.WriteByte('{')
	for i, name := range slices.Sorted(maps.Keys(members)) {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, "%q:%s", name, members[name])
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

// resourceError has no tool result to carry its class, which stands in the error's data. Everything that is not there
// is told in the same words, whatever was asked for.
func resourceError(err error, code int64) error {
	e := gavel.AsError(err)
	switch e.Class {
	case gavel.NotFound, gavel.InvalidArgs:
	default:
		code = jsonrpc.CodeInternalError
	}
	data := map[string]any{"error_class": e.Class, "schema_version": gavel.WireVersion}
	if e.Hint != "" {
		data["hint"] = e.Hint
	}
	raw, _ := encodeCompact(data) // strings
	return &jsonrpc.Error{Code: code, Message: clip(e.Message, 400), Data: raw}
}
