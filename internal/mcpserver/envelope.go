package mcpserver

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"unicode/utf8"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// envelope is the outside of one JSON-RPC message. Members are matched by their exact names and a doubled one is
// refused, so that no two readers of the message can disagree about it.
type envelope struct {
	version string
	id      json.RawMessage // nil when absent
	method  *string
	params  json.RawMessage
	answer  bool // it has a result or an error: a response of the client
}

// protocolError is what the peer is told about a message that never reaches a handler.
type protocolError struct {
	id      json.RawMessage // nil is sent as null
	code    int64
	message string
}

func invalidRequest(id json.RawMessage, format string, args ...any) *protocolError {
	return &protocolError{id, jsonrpc.CodeInvalidRequest, fmt.Sprintf(format, args...)}
}

func parseError(format string, args ...any) *protocolError {
	return &protocolError{nil, jsonrpc.CodeParseError, fmt.Sprintf(format, args...)}
}

// readEnvelope parses one message that is no batch.
func readEnvelope(text []byte) (*envelope, *protocolError) {
	if !utf8.Valid(text) {
		return nil, parseError("the message is not UTF-8")
	}
	d := json.NewDecoder(bytes.NewReader(text))
	start, err := d.Token()
	if err != nil {
		return nil, parseError("the message is not JSON")
	}
	if start != json.Delim('{') {
		if !json.Valid(text) {
			return nil, parseError("the message is not JSON")
		}
		return nil, invalidRequest(nil, "the message is not an object")
	}
	e, double, err := readMembers(d)
	if err != nil {
		return nil, parseError("the message is not JSON: %v", err)
	}
	if _, err := d.Token(); err != io.EOF {
		return nil, parseError("the message is followed by other data on its line")
	}
	return e, e.fault(double)
}

func readMembers(d *json.Decoder) (e *envelope, double string, err error) {
	e = &envelope{}
	seen := map[string]bool{}
	for d.More() {
		key, err := d.Token()
		if err != nil {
			return nil, "", err
		}
		var value json.RawMessage
		if err := d.Decode(&value); err != nil {
			return nil, "", err
		}
		name := key.(string) // the decoder allows nothing else here
		if !e.set(name, value) {
			continue
		}
		if seen[name] {
			double = name
		}
		seen[name] = true
	}
	_, err = d.Token() // the closing brace
	return e, double, err
}

// set reports whether the member has a meaning.
func (e *envelope) set(name string, value json.RawMessage) bool {
	switch name {
	case "jsonrpc":
		_ = json.Unmarshal(value, &e.version) // anything but a string stays "" and is refused
	case "id":
		e.id = value
	case "method":
		var m string
		if json.Unmarshal(value, &m) == nil && value[0] == '"' {
			e.method = &m
		}
	case "params":
		e.params = value
	case "result", "error":
		e.answer = true
	default:
		return false
	}
	return true
}

func (e *envelope) fault(double string) *protocolError {
	id := e.id
	if checkID(id) != "" {
		id = nil
	}
	switch {
	case double != "":
		return invalidRequest(id, "the member %q occurs twice", clip(double, 40))
	case e.version != "2.0":
		return invalidRequest(id, `the member "jsonrpc" must be "2.0"`)
	case e.method == nil && !e.answer:
		return invalidRequest(id, `the member "method" must be a string`)
	case e.id != nil && e.method != nil && id == nil:
		return invalidRequest(nil, "the id %s", checkID(e.id))
	}
	return nil
}

// maxSafeInteger is the largest number that every JSON reader keeps exactly (RFC 8259 §6).
const maxSafeInteger = 1 << 53

// checkID says what is wrong with an id of a request, or "". The protocol allows strings and integers.
func checkID(id json.RawMessage) string {
	switch {
	case len(id) == 0:
		return ""
	case len(id) > 1024:
		return "is longer than 1024 bytes"
	case id[0] == '"':
		return ""
	}
	n, err := strconv.ParseInt(string(id), 10, 64)
	if err != nil || n > maxSafeInteger || n < -maxSafeInteger {
		return "must be a string or an integer within ±2^53"
	}
	return ""
}

// key turns a checked id into the SDK's form.
func key(id json.RawMessage) jsonrpc.ID {
	var v any
	_ = json.Unmarshal(id, &v)   // it was parsed before
	made, _ := jsonrpc.MakeID(v) // a string or a number by checkID
	return made
}

// lostID looks for the id of a message too long to be parsed, at both ends, where clients write it.
func lostID(head, tail []byte) json.RawMessage {
	if id := headID(head); id != nil {
		return id
	}
	return tailID(tail)
}

func headID(head []byte) json.RawMessage {
	d := json.NewDecoder(bytes.NewReader(bytes.TrimPrefix(head, utf8BOM)))
	if start, err := d.Token(); err != nil || start != json.Delim('{') {
		return nil
	}
	for {
		name, err := d.Token()
		if err != nil {
			return nil
		}
		var value json.RawMessage
		if d.Decode(&value) != nil {
			return nil
		}
		if name == "id" {
			return soundID(value)
		}
	}
}

// tailID accepts only an id that is the very last member: then the brace after it must be the message's own.
func tailID(tail []byte) json.RawMessage {
	before, value, ok := cutLast(bytes.TrimSpace(tail), []byte(`"id"`))
	value, braced := bytes.CutSuffix(value, []byte("}"))
	value, colon := bytes.CutPrefix(bytes.TrimSpace(value), []byte(":"))
	value = bytes.TrimSpace(value)
	if !ok || !braced || !colon || !bytes.HasSuffix(bytes.TrimSpace(before), []byte(",")) || !json.Valid(value) {
		return nil
	}
	return soundID(bytes.Clone(value))
}

func cutLast(text, sep []byte) (before, after []byte, found bool) {
	at := bytes.LastIndex(text, sep)
	if at < 0 {
		return text, nil, false
	}
	return text[:at], text[at+len(sep):], true
}

func soundID(id json.RawMessage) json.RawMessage {
	if checkID(id) != "" {
		return nil
	}
	return id
}

// clip shortens text to at most max bytes, on a character boundary.
func clip(text string, max int) string {
	if len(text) <= max {
		return text
	}
	for max > 0 && !utf8.RuneStart(text[max]) {
		max--
	}
	return text[:max] + "…"
}
