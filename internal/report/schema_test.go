package report

import (
	"bytes"
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/gavel-review/gavel"
	"github.com/santhosh-tekuri/jsonschema/v6"
)

func schemaBytes(t *testing.T) []byte {
	t.Helper()
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetIndent("", "  ")
	if err := enc.Encode(Schema()); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// TestSchemaIsPublished: the file that the world reads is the one that the types give.
func TestSchemaIsPublished(t *testing.T) {
	t.Parallel()
	golden(t, filepath.Join("..", "..", "docs", "reference", "review.schema.json"), schemaBytes(t))
}

func compile(t *testing.T, name string, data []byte) *jsonschema.Schema {
	t.Helper()
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	if err := c.AddResource(name, value); err != nil {
		t.Fatal(err)
	}
	schema, err := c.Compile(name)
	if err != nil {
		t.Fatal(err)
	}
	return schema
}

func validate(t *testing.T, schema *jsonschema.Schema, data []byte) error {
	t.Helper()
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	return schema.Validate(value)
}

func TestDocumentsAreValid(t *testing.T) {
	t.Parallel()
	schema := compile(t, SchemaID, schemaBytes(t))
	for _, s := range samples() {
		if err := validate(t, schema, render(t, s, formats[0].write)); err != nil {
			t.Errorf("%s: %v", s.name, err)
		}
	}
}

// TestSchemaAndReaderAgree: what the reader refuses for its shape, the schema refuses too.
func TestSchemaAndReaderAgree(t *testing.T) {
	t.Parallel()
	schema := compile(t, SchemaID, schemaBytes(t))
	for _, c := range [][2]string{
		{`"schema": 1`, `"schema": 2`}, {`"gavel.mcp.v1"`, `"gavel.mcp.v2"`}, {`"findings": [`, `"gone": [`},
		{`"severity": "high"`, `"severity": "urgent"`}, {`"line": 17`, `"line": 0`}, {`"line": 17`, `"line": 1.5`},
		{`"critical": 1`, `"critical": -1`}, {`"passed": false`, `"passed": null`}, {`"verdict_hint": "BLOCK"`, `"verdict_hint": ""`},
		{`"filters": []`, `"filters": null`}, {"2026-01-02T03:04:05Z", "yesterday"}, {`"located": true`, `"located": true, "settled": null`},
		{`"fail_on": "high"`, `"fail_on": "never"`}, {`"min_severity": "medium"`, `"min_severity": "any"`},
	} {
		in := edit(t, c[0], c[1])
		_, err := ReadDocument(strings.NewReader(in), 0)
		if err == nil || validate(t, schema, []byte(in)) == nil {
			t.Errorf("%s for %s is accepted (reader: %v)", c[1], c[0], err)
		}
	}
	for _, c := range [][2]string{
		{`"verdict_hint": "BLOCK"`, `"verdict_hint": null`}, {`"fail_on": "high"`, `"fail_on": null`},
		{`"cost_usd": 0.0123`, `"cost_usd": null`}, {`"schema": 1`, `"schema": 1, "more": {}`},
	} {
		in := edit(t, c[0], c[1])
		if _, err := ReadDocument(strings.NewReader(in), 0); err != nil || validate(t, schema, []byte(in)) != nil {
			t.Errorf("%s for %s is refused (reader: %v)", c[1], c[0], err)
		}
	}
}

// TestEverythingHasAMeaning: every object and field is explained, and nothing that is gone.
func TestEverythingHasAMeaning(t *testing.T) {
	t.Parallel()
	known := map[string]bool{}
	var walk func(s *shape, root bool)
	walk = func(s *shape, root bool) {
		if s.kind == "array" {
			walk(s.element, false)
		}
		if s.kind != "object" {
			return
		}
		if !root {
			known[s.name] = true
		}
		for _, f := range s.fields {
			known[s.name+"."+f.name] = true
			walk(f.shape, false)
		}
	}
	walk(documentShape(), true)
	for name := range known {
		if meanings[name] == "" {
			t.Errorf("%s has no meaning", name)
		}
	}
	for name := range meanings {
		if !known[name] {
			t.Errorf("%s is explained, but not there", name)
		}
	}
}

// TestClosedListsAreComplete reads the root package's constants: a word added there has to be known here.
func TestClosedListsAreComplete(t *testing.T) {
	t.Parallel()
	lists := map[string][]string{}
	for _, typ := range []reflect.Type{
		reflect.TypeFor[gavel.Category](), reflect.TypeFor[gavel.Source](), reflect.TypeFor[gavel.Confidence](), reflect.TypeFor[gavel.Scope](),
		reflect.TypeFor[gavel.BaselineState](), reflect.TypeFor[gavel.Reason](), reflect.TypeFor[gavel.SkipReason](),
		reflect.TypeFor[gavel.ModelCoverage](), reflect.TypeFor[gavel.Decision](), reflect.TypeFor[gavel.Threshold](),
	} {
		lists[typ.Name()] = words(typ)
	}
	files, err := filepath.Glob("../../*.go")
	if err != nil || len(files) == 0 {
		t.Fatal("the root package is not where it was", err)
	}
	found := map[string]int{}
	for _, file := range files {
		source, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for name, value := range typedConstants(t, source) {
			typ, _, _ := strings.Cut(name, " ")
			if list, ok := lists[typ]; ok && value != "" {
				found[typ]++
				if !slices.Contains(list, value) {
					t.Errorf("%s %q is not in the list", typ, value)
				}
			}
		}
	}
	for typ := range lists {
		if found[typ] == 0 {
			t.Errorf("no constant of %s was found", typ)
		}
	}
}

// typedConstants returns the string constants with a type, by "Type Name".
func typedConstants(t *testing.T, source []byte) map[string]string {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), "", source, 0)
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]string{}
	ast.Inspect(file, func(n ast.Node) bool {
		spec, ok := n.(*ast.ValueSpec)
		if !ok || spec.Type == nil || len(spec.Values) != len(spec.Names) {
			return true
		}
		typ, _ := spec.Type.(*ast.Ident)
		for i, value := range spec.Values {
			if literal, ok := value.(*ast.BasicLit); ok && literal.Kind == token.STRING && typ != nil {
				text, _ := strconv.Unquote(literal.Value)
				out[typ.Name+" "+spec.Names[i].Name] = text
			}
		}
		return true
	})
	return out
}
