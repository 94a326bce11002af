package mcpserver

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"strings"

	"github.com/gavel-review/gavel"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// ResultBudget is how many bytes of JSON one answer may have; hosts refuse or cut what is much larger. [Fit] brings a
// review document below it.
const ResultBudget = 40 << 10

// success gives the same facts twice, structured and as text, because hosts show their model only one of the two.
func (s *Server) success(t *Tool, r Result) *mcp.CallToolResult {
	body, err := encodeBody(r.Body)
	if err != nil {
		s.log.Error("a result cannot be encoded", "tool", t.Name, "error", err)
		return failure(gavel.Errorf(gavel.Internal, "the result of %s cannot be encoded", t.Name))
	}
	if len(body) > ResultBudget {
		s.log.Warn("a result is over the budget", "tool", t.Name, "bytes", len(body), "budget", ResultBudget)
	}
	res := &mcp.CallToolResult{StructuredContent: body}
	if r.Summary != "" {
		res.Content = append(res.Content, &mcp.TextContent{Text: strings.Join(strings.Fields(r.Summary), " ")})
	}
	res.Content = append(res.Content, &mcp.TextContent{Text: string(body)})
	return res
}

// failure is the tool result of a domain error.
func failure(e *gavel.Error) *mcp.CallToolResult {
	body, err := encodeCompact(failureBody(e))
	if err != nil { // an extra field that JSON cannot hold
		plain := *e
		plain.Extra = nil
		body, _ = encodeCompact(failureBody(&plain)) // strings and a number
	}
	return &mcp.CallToolResult{
		IsError: true, StructuredContent: json.RawMessage(body),
		Content: []mcp.Content{&mcp.TextContent{Text: string(body)}},
	}
}

func failureBody(e *gavel.Error) map[string]any {
	body := map[string]any{}
	maps.Copy(body, fitExtra(e.Extra))
	body["error_class"] = e.Class
	body["message"] = clip(e.Message, 4096)
	body["schema_version"] = gavel.WireVersion
	if e.Hint != "" {
		body["hint"] = clip(e.Hint, 1024)
	}
	if e.RetryAfter > 0 {
		body["retry_after_ms"] = e.RetryAfter.Milliseconds()
	}
	return body
}

// encodeBody encodes an answer's body and adds the schema_version that every body carries.
func encodeBody(v any) (json.RawMessage, error) {
	body, err := encodeCompact(v)
	if err != nil {
		return nil, err
	}
	var members map[string]json.RawMessage
	if json.Unmarshal(body, &members) != nil || members == nil {
		return nil, fmt.Errorf("the body is no object: %s", clip(string(body), 40))
	}
	if _, ok := members["schema_version"]; ok {
		return body, nil
	}
	head := `{"schema_version":"` + gavel.WireVersion + `"`
	if len(members) > 0 {
		head += ","
	}
	return append([]byte(head), body[1:]...), nil
}

// encodeCompact leaves <, > and & as they are: in text for a model, code should look like code.
func encodeCompact(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimRight(b.Bytes(), "\n"), nil
}
