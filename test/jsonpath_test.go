package test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

func jsonPath(ts *testscript.TestScript, neg bool, args []string) {
	usage(ts, len(args) < 2 || len(args) > 3, "[!] jsonpath FILE PATH [JSON]")
	got, found, err := query([]byte(ts.ReadFile(args[0])), args[1])
	ts.Check(err)
	if len(args) == 2 {
		if found == neg {
			ts.Fatalf("%s: found is %t: %s", args[1], found, got)
		}
		return
	}
	// A value may be written without its quotes.
	want := args[2]
	if equal := found && (got == want || got == quoted(want)); equal == neg {
		ts.Fatalf("%s is %s, found is %t, compared with %s", args[1], got, found, want)
	}
}

func quoted(s string) string {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if enc.Encode(s) != nil {
		return ""
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// query returns the value at a path as compact JSON. A path is a sequence of
//
//	.name      a member; ["any name"] is the same
//	[0]        an element
//	[*]        all elements: the rest of the path applies to each, and the result is a list
//	[#]        the number of elements
//
// A path that begins with @ID looks at the one document of several whose "id" is ID: the answer to a JSON-RPC request.
func query(data []byte, path string) (result string, found bool, err error) {
	docs, err := documents(data)
	if err != nil {
		return "", false, err
	}
	doc := docs[0]
	if id, ok := strings.CutPrefix(path, "@"); ok {
		end := strings.IndexAny(id, ".[")
		if end < 0 {
			end = len(id)
		}
		if doc, ok = byID(docs, id[:end]); !ok {
			return "", false, nil
		}
		path = id[end:]
	}
	steps, err := parsePath(path)
	if err != nil {
		return "", false, err
	}
	v, found := walk(doc, steps)
	if !found {
		return "", false, nil
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	err = enc.Encode(v)
	return strings.TrimSuffix(b.String(), "\n"), true, err
}

func documents(data []byte) ([]any, error) {
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.UseNumber()
	var docs []any
	for {
		var v any
		err := dec.Decode(&v)
		if err == io.EOF && len(docs) > 0 {
			return docs, nil
		}
		if err != nil {
			return nil, fmt.Errorf("document %d is no JSON: %w", len(docs)+1, err)
		}
		docs = append(docs, v)
	}
}

func byID(docs []any, id string) (any, bool) {
	for _, d := range docs {
		if m, ok := d.(map[string]any); ok && fmt.Sprint(m["id"]) == id {
			return d, true
		}
	}
	return nil, false
}

// parsePath splits a path into member names and, in brackets, elements.
func parsePath(path string) ([]string, error) {
	var steps []string
	for rest := path; rest != ""; {
		switch {
		case rest[0] == '.' && len(rest) > 1:
			end := strings.IndexAny(rest[1:], ".[")
			if end < 0 {
				end = len(rest) - 1
			}
			steps, rest = append(steps, rest[1:end+1]), rest[end+1:]
		case strings.HasPrefix(rest, `["`):
			name, err := strconv.QuotedPrefix(rest[1:])
			if err != nil || !strings.HasPrefix(rest[1+len(name):], "]") {
				return nil, fmt.Errorf("%s: a quoted name does not end", path)
			}
			rest = rest[len(name)+2:]
			name, _ = strconv.Unquote(name)
			steps = append(steps, name)
		case rest[0] == '[' && strings.Contains(rest, "]"):
			end := strings.IndexByte(rest, ']')
			steps, rest = append(steps, rest[:end+1]), rest[end+1:]
		case rest == ".":
			return steps, nil
		default:
			return nil, fmt.Errorf("%s: no path: %q", path, rest)
		}
	}
	return steps, nil
}

func walk(v any, steps []string) (any, bool) {
	if len(steps) == 0 {
		return v, true
	}
	step, rest := steps[0], steps[1:]
	switch v := v.(type) {
	case map[string]any:
		child, ok := v[step]
		if !ok {
			return nil, false
		}
		return walk(child, rest)
	case []any:
		return walkList(v, step, rest)
	}
	return nil, false
}

func walkList(list []any, step string, rest []string) (any, bool) {
	switch step {
	case "[#]":
		return len(list), len(rest) == 0
	case "[*]":
		all := make([]any, 0, len(list))
		for _, e := range list {
			if v, ok := walk(e, rest); ok {
				all = append(all, v)
			}
		}
		return all, true
	}
	i, err := strconv.Atoi(strings.Trim(step, "[]"))
	if err != nil || i < 0 || i >= len(list) {
		return nil, false
	}
	return walk(list[i], rest)
}

func TestQuery(t *testing.T) {
	t.Parallel()
	const doc = `{"a":{"b":[{"c":1},{"c":"x<y"},{}],"d/e":null},"n":1.50}
{"id":7,"result":true}`
	for _, tt := range []struct{ path, want string }{
		{".", `{"a":{"b":[{"c":1},{"c":"x<y"},{}],"d/e":null},"n":1.50}`},
		{".n", "1.50"},
		{".a.b[1].c", `"x<y"`},
		{".a.b[#]", "3"},
		{".a.b[*].c", `[1,"x<y"]`},
		{`.a["d/e"]`, "null"},
		{"@7.result", "true"},
		{"@7", `{"id":7,"result":true}`},
		{"@8", ""}, {".x", ""}, {".a.b[3]", ""}, {".a.b[-1]", ""}, {".a.b.c", ""}, {".n.x", ""}, {".a.b[x]", ""},
	} {
		got, found, err := query([]byte(doc), tt.path)
		if got != tt.want || found != (tt.want != "") || err != nil {
			t.Errorf("%s: %s %t %v, want %s", tt.path, got, found, err, tt.want)
		}
	}
	for _, path := range []string{"x", ".a[", `.a["x`, "..a["} {
		if _, _, err := query([]byte(doc), path); err == nil {
			t.Errorf("%s is no path", path)
		}
	}
	for _, data := range []string{"", "{", "{} x"} {
		if _, _, err := query([]byte(data), "."); err == nil {
			t.Errorf("%q is no JSON", data)
		}
	}
}
