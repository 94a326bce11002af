package mcpserver

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gavel-review/gavel/internal/app"
)

var update = flag.Bool("update", false, "rewrite golden files")

func listed(t *testing.T, tools []Tool) (whole []byte, byName map[string]json.RawMessage) {
	t.Helper()
	s := newTestServer(t, func(o *Options) { o.Tools = tools })
	got := byID(oneShot(t, s, initLine(hello)+`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`+"\n"))
	var list struct{ Tools []json.RawMessage }
	if err := json.Unmarshal(got["1"].Result, &list); err != nil {
		t.Fatalf("%s", got["1"])
	}
	byName = map[string]json.RawMessage{}
	for _, raw := range list.Tools {
		var tool struct{ Name string }
		if err := json.Unmarshal(raw, &tool); err != nil {
			t.Fatal(err)
		}
		byName[tool.Name] = raw
	}
	return got["1"].Result, byName
}

// What an agent sees of each tool is pinned by a file; rewrite it with -update and review the difference.
func TestListGolden(t *testing.T) {
	t.Parallel()
	whole, tools := listed(t, Product(&app.Env{}, app.Operations()))
	if len(whole) > 16<<10 {
		t.Errorf("tools/list has %d bytes, more than 16 KiB", len(whole))
	}
	for name, raw := range tools {
		var pretty bytes.Buffer
		if err := json.Indent(&pretty, raw, "", "  "); err != nil {
			t.Fatal(err)
		}
		pretty.WriteByte('\n')
		file := filepath.Join("testdata", "list", name+".json")
		if *update {
			if err := os.WriteFile(file, pretty.Bytes(), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(file)
		if err != nil || !bytes.Equal(want, pretty.Bytes()) {
			t.Errorf("%s differs (%v):\n%s", file, err, pretty.Bytes())
		}
	}
}

// All hints are always sent, true or false.
func TestAnnotationsAreComplete(t *testing.T) {
	t.Parallel()
	tool := fixtureTools()[2]
	_, tools := listed(t, []Tool{tool})
	want := `"annotations":{"destructiveHint":false,"idempotentHint":false,"openWorldHint":false,"readOnlyHint":false}`
	if raw := string(tools[tool.Name]); !strings.Contains(raw, want) {
		t.Errorf("%s", raw)
	}
}

// Committed schemas keep the rules of the contract: flat, closed, short texts, nothing a host is known to refuse.
func TestCommittedSchemas(t *testing.T) {
	t.Parallel()
	names := SchemaNames()
	if len(names) == 0 {
		t.Fatal("no schemas")
	}
	for _, name := range names {
		s, err := compileSchema(Schema(name))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if !validName(name) {
			t.Errorf("%s is no tool name", name)
		}
		for _, arg := range s.names() {
			p := s.Properties[arg]
			if p.Description == "" || len(p.Description) > 40 {
				t.Errorf("%s.%s: the text has %d bytes, want 1 to 40", name, arg, len(p.Description))
			}
			if len(p.Type) != 1 || p.Type[0] == "array" && p.Items == nil {
				t.Errorf("%s.%s: want one type, and items for an array", name, arg)
			}
			if arg == "staged" && p.Default != nil {
				t.Errorf("%s.staged has a default, which hosts would send", name)
			}
		}
	}
	if Schema("no_such") != nil {
		t.Error("a schema from nowhere")
	}
}

func TestInstructions(t *testing.T) {
	t.Parallel()
	if len(instructions) > maxInstructions {
		t.Errorf("%d bytes, more than %d", len(instructions), maxInstructions)
	}
	for _, tool := range Product(&app.Env{}, app.Operations()) {
		if !strings.Contains(instructions, tool.Name) {
			t.Errorf("%s is not mentioned", tool.Name)
		}
	}
	if _, err := New(Options{Instructions: strings.Repeat("x", maxInstructions+1)}); err == nil {
		t.Error("too long instructions were accepted")
	}
}

func TestToolRules(t *testing.T) {
	t.Parallel()
	good := fixtureTools()[2]
	if _, err := New(Options{Tools: []Tool{good}}); err != nil {
		t.Fatal(err)
	}
	for name, spoil := range map[string]func(*Tool){
		"no name":          func(t *Tool) { t.Name = "" },
		"upper case":       func(t *Tool) { t.Name = "Echo" },
		"dash":             func(t *Tool) { t.Name = "e-cho" },
		"digit first":      func(t *Tool) { t.Name = "1echo" },
		"too long":         func(t *Tool) { t.Name = strings.Repeat("a", 31) },
		"no description":   func(t *Tool) { t.Description = "" },
		"long description": func(t *Tool) { t.Description = strings.Repeat("a", 201) },
		"no schema":        func(t *Tool) { t.InputSchema = nil },
		"broken schema":    func(t *Tool) { t.InputSchema = json.RawMessage(`{`) },
		"null schema":      func(t *Tool) { t.InputSchema = json.RawMessage(`null`) },
		"array schema":     func(t *Tool) { t.InputSchema = json.RawMessage(`{"type":"array"}`) },
		"unknown toolset":  func(t *Tool) { t.Toolset = "x" },
		"no call":          func(t *Tool) { t.Call = nil },
	} {
		bad := good
		spoil(&bad)
		if _, err := New(Options{Tools: []Tool{bad}}); err == nil {
			t.Errorf("%s was accepted", name)
		}
	}
	if _, err := New(Options{Tools: []Tool{good, good}}); err == nil {
		t.Error("a doubled name was accepted")
	}
}

func TestSchemaRules(t *testing.T) {
	t.Parallel()
	for name, raw := range map[string]string{
		"open":             `{"type":"object"}`,
		"open by word":     `{"type":"object","additionalProperties":true}`,
		"reference":        `{"type":"object","additionalProperties":false,"properties":{"a":{"$ref":"#"}}}`,
		"choice":           `{"type":"object","additionalProperties":false,"anyOf":[]}`,
		"no type":          `{"type":"object","additionalProperties":false,"properties":{"a":{}}}`,
		"unknown type":     `{"type":"object","additionalProperties":false,"properties":{"a":{"type":"int"}}}`,
		"unknown format":   `{"type":"object","additionalProperties":false,"properties":{"a":{"type":"string","format":"uri"}}}`,
		"bad pattern":      `{"type":"object","additionalProperties":false,"properties":{"a":{"type":"string","pattern":"("}}}`,
		"bad items":        `{"type":"object","additionalProperties":false,"properties":{"a":{"type":"array","items":{}}}}`,
		"null property":    `{"type":"object","additionalProperties":false,"properties":{"a":null}}`,
		"required unknown": `{"type":"object","additionalProperties":false,"required":["a"]}`,
		"not an object":    `5`,
	} {
		if _, err := compileSchema(json.RawMessage(raw)); err == nil {
			t.Errorf("%s was accepted", name)
		}
	}
	// A tool with such a schema is listed, but cannot be called.
	tool := fixtureTools()[2]
	tool.InputSchema = json.RawMessage(`{"type":"object"}`)
	s := newTestServer(t, func(o *Options) { o.Tools = []Tool{tool} })
	if r := byID(oneShot(t, s, initLine(hello)+callLine(1, tool.Name, `{}`)))["1"].tool(t); r.Body["error_class"] != "internal" {
		t.Errorf("%v", r)
	}
}
