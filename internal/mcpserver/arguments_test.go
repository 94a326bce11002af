package mcpserver

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/gavel-review/gavel"
	"github.com/santhosh-tekuri/jsonschema/v6"
)

const manyKinds = `{"type":"object","additionalProperties":false,"required":["need"],"properties":{
	"need":{"type":"string","minLength":1,"maxLength":3},
	"int":{"type":"integer","minimum":1,"maximum":10},
	"num":{"type":"number"},
	"maybe":{"type":["string","null"]},
	"day":{"type":"string","format":"date"},
	"name":{"type":"string","pattern":"^[a-z]+$"},
	"pick":{"type":"string","enum":["one","two"]},
	"level":{"type":"integer","enum":[1,2]},
	"flag":{"type":"boolean"},
	"list":{"type":"array","items":{"type":"string"},"minItems":1,"maxItems":2},
	"any":{"type":"array"},
	"deep":{"type":"object","properties":{"x":{"type":"integer"}},"required":["x"],"additionalProperties":false},
	"open":{"type":"object"}}}`

func schemaTool(name, raw string) *Tool {
	t := &Tool{Name: name, InputSchema: json.RawMessage(raw)}
	t.compiled = func() (*schema, error) { return compileSchema(t.InputSchema) }
	return t
}

func TestArguments(t *testing.T) {
	t.Parallel()
	tool := schemaTool("many", manyKinds)
	tests := []struct{ in, want string }{ // want is the canonical form, or the faults after "!"
		{`{"need":"a"}`, `{"need":"a"}`},
		{`{"need":"a","int":null,"list":null,"maybe":null}`, `{"maybe":null,"need":"a"}`},
		{`{"need":"a","int":5.0,"num":5e0,"level":1.0}`, `{"int":5,"level":1,"need":"a","num":5}`},
		{`{"need":"a","num":0.5}`, `{"need":"a","num":0.5}`},
		{`{"need":"äöü","day":"2024-02-29","any":[null,[1]],"open":{"z":{}},"deep":{"x":1}}`,
			`{"any":[null,[1]],"day":"2024-02-29","deep":{"x":1},"need":"äöü","open":{"z":{}}}`},
		{``, `!need: required`},
		{`null`, `!need: required`},
		{`{}`, `!need: required`},
		{`{"need":null}`, `!need: required`},
		{`[]`, `!arguments: want an object, got an array`},
		{`"{}"`, `!arguments: want an object, got a string`},
		{`5`, `!arguments: want an object, got an integer`},
		{`{"need":""}`, `!need: has 0 characters, want at least 1`},
		{`{"need":"abcd"}`, `!need: has 4 characters, want at most 3`},
		{`{"need":1}`, `!need: want a string, got an integer`},
		{`{"need":"a","need":"b"}`, `!need: given twice`},
		{`{"need":"a","deep":{"x":1,"x":2}}`, `!deep.x: given twice`},
		{`{"need":"a","deep":{}}`, `!deep.x: required`},
		{`{"need":"a","deep":{"x":"1","y":2}}`, `!deep.x: want an integer, got a string; deep.y: unknown argument`},
		{`{"need":"a","int":0}`, `!int: 0 is less than 1`},
		{`{"need":"a","int":11}`, `!int: 11 is more than 10`},
		{`{"need":"a","int":1.5}`, `!int: want an integer, got a number`},
		{`{"need":"a","int":1e400}`, `!int: 1e400 is out of range`},
		{`{"need":"a","int":"5"}`, `!int: want an integer, got a string`},
		{`{"need":"a","maybe":5}`, `!maybe: want a string or null, got an integer`},
		{`{"need":"a","day":"2023-02-29"}`, `!day: "2023-02-29" is not a date like 2026-01-31`},
		{`{"need":"a","day":"2024-2-9"}`, `!day: "2024-2-9" is not a date like 2026-01-31`},
		{`{"need":"a","name":"A"}`, `!name: "A" does not match ^[a-z]+$`},
		{`{"need":"a","pick":"three"}`, `!pick: "three" is not one of one, two`},
		{`{"need":"a","level":3}`, `!level: 3 is not one of 1, 2`},
		{`{"need":"a","flag":"true"}`, `!flag: want a boolean, got a string`},
		{`{"need":"a","list":[]}`, `!list: has 0 items, want at least 1`},
		{`{"need":"a","list":["a",null,3]}`, `!list: has 3 items, want at most 2; list[1]: want a string, got null; list[2]: want a string, got an integer`},
		{`{"need":"a\u0000"}`, `!need: contains a NUL character`},
		{`{"Need":"a","nee":"b","flagg":true}`, `!Need: unknown argument; did you mean need?; flagg: unknown argument; did you mean flag?; nee: unknown argument; did you mean need?; need: required`},
		{`{"need":"a"} {}`, `!arguments: not JSON`},
		{`{"need":`, `!arguments: not JSON`},
		{`{"need":"a","any":` + strings.Repeat("[", 40) + strings.Repeat("]", 40) + `}`, `!arguments: nested deeper than 32 levels`},
		{`{"need":"a","any":[` + strings.Repeat("1,", maxValues) + `1]}`, `!arguments: more than 100000 values`},
	}
	for _, tt := range tests {
		got, err := tool.arguments(json.RawMessage(tt.in))
		text := string(got)
		if err != nil {
			e := gavel.AsError(err)
			if e.Class != gavel.InvalidArgs || !strings.HasPrefix(e.Hint, "arguments: any, day, deep") {
				t.Errorf("%s: %v, %s", clip(tt.in, 80), e, e.Hint)
			}
			text = "!" + strings.TrimPrefix(e.Message, "many: ")
		}
		if text != tt.want {
			t.Errorf("%s\n got %s\nwant %s", clip(tt.in, 80), text, tt.want)
		}
	}
}

func TestFaultsAreBounded(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	for i := range 50_000 {
		fmt.Fprintf(&b, `,"x%d":%d`, i, i)
	}
	_, err := schemaTool("many", manyKinds).arguments(json.RawMessage(`{"need":"a"` + b.String() + `}`))
	if err == nil || len(err.Error()) > 2000 || !strings.Contains(err.Error(), "and 49980 more") {
		t.Errorf("%s", clip(fmt.Sprint(err), 300))
	}
	_, err = schemaTool("none", `{"type":"object","additionalProperties":false}`).arguments(json.RawMessage(`{"a":1}`))
	if e := gavel.AsError(err); e == nil || e.Hint != "none takes no arguments" {
		t.Errorf("%v", err)
	}
}

// The arguments of review as the contract names them, over the wire.
func TestReviewArguments(t *testing.T) {
	t.Parallel()
	s := newTestServer(t, nil)
	good := []string{`{}`, `null`, `{"staged":true}`, `{"unstaged":true,"repo":"/r"}`, `{"diff":["HEAD~3","HEAD"]}`, `{"diff":[]}`,
		`{"provider":"none","model":"m","fail_on":"any","min_severity":"low","no_flaky":true}`,
		`{"file":["a"],"dir":["b"],"exclude_file":["*.go"],"exclude_dir":[]}`}
	bad := map[string]string{
		`{"stagd":true}`:                     "stagd: unknown argument; did you mean staged?",
		`{"staged":"yes"}`:                   "staged: want a boolean, got a string",
		`{"diff":"main...HEAD"}`:             "diff: want an array, got a string",
		`{"diff":["a","b","c"]}`:             "diff: has 3 items, want at most 2",
		`{"fail_on":"HIGH","file":[1]}`:      `fail_on: "HIGH" is not one of critical, high, medium, low, info, any, none; file[0]: want a string, got an integer`,
		`{"min_severity":"none"}`:            `min_severity: "none" is not one of critical, high, medium, low, info`,
		`{"staged":true,"staged":false}`:     "staged: given twice",
		`{"repo":5,"unstaged":1,"model":{}}`: "model: want a string, got an object; repo: want a string, got an integer; unstaged: want a boolean, got an integer",
	}
	l := startLive(t, s)
	for _, args := range good {
		l.send(callLine(args, "review", args))
		if r := l.until(args).tool(t); r.IsError {
			t.Errorf("%s: %v", args, r)
		}
	}
	for args, want := range bad {
		l.send(callLine(args, "review", args))
		r := l.until(args).tool(t)
		if r.Body["error_class"] != "invalid_args" || r.Body["message"] != "review: "+want {
			t.Errorf("%s: %v\nwant %s", args, r.Body, want)
		}
	}
}

// FuzzArguments compares the checker with a complete implementation of JSON Schema.
func FuzzArguments(f *testing.F) {
	for _, seed := range []string{`{"need":"a","int":5,"list":["x"]}`, `{"need":"a","deep":{"x":1e0}}`, `{"level":2,"num":-0.5}`, `[]`,
		`{"need":"a","day":"2024-02-30"}`, `{"need":"a","maybe":null}`, `{"need":"a","pick":"two","name":"q","any":[{}]}`, `{"need":"a","open":{"a":[1]}}`} {
		f.Add(seed)
	}
	reference := referenceSchema(f)
	f.Fuzz(func(t *testing.T, text string) {
		got, err := schemaTool("many", manyKinds).arguments(json.RawMessage(text))
		if err != nil {
			if gavel.AsError(err).Class != gavel.InvalidArgs {
				t.Fatalf("%v", err)
			}
			if !comparable(err.Error()) {
				return
			}
		}
		value, decodeErr := jsonschema.UnmarshalJSON(strings.NewReader(text))
		if decodeErr != nil || strings.Contains(text, "null") {
			return // to us, null mostly means not given
		}
		if theirs := reference.Validate(value); (theirs == nil) != (err == nil) {
			t.Errorf("%s: we say %v, the reference says %v", text, err, theirs)
		}
		if err == nil && !json.Valid(got) {
			t.Errorf("%s: not JSON: %s", text, got)
		}
	})
}

// comparable is false for the faults in which we are stricter than JSON Schema.
func comparable(fault string) bool {
	for _, own := range []string{"given twice", "NUL", "nested", "more than 100000 values", "not JSON", "out of range"} {
		if strings.Contains(fault, own) {
			return false
		}
	}
	return true
}

func referenceSchema(f *testing.F) *jsonschema.Schema {
	f.Helper()
	c := jsonschema.NewCompiler()
	c.RegisterFormat(&jsonschema.Format{Name: "date", Validate: func(v any) error {
		if s, ok := v.(string); ok {
			_, err := time.Parse(time.DateOnly, s)
			return err
		}
		return nil
	}})
	c.AssertFormat()
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader([]byte(manyKinds)))
	if err != nil {
		f.Fatal(err)
	}
	if err := c.AddResource("many.json", doc); err != nil {
		f.Fatal(err)
	}
	s, err := c.Compile("many.json")
	if err != nil {
		f.Fatal(err)
	}
	return s
}
