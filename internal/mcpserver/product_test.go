package mcpserver

import (
	"reflect"
	"slices"
	"testing"

	"github.com/gavel-review/gavel/internal/app"
)

// Each schema file says exactly what its operation takes through this door: the same names, types and words.
func TestSchemasMatchOperations(t *testing.T) {
	t.Parallel()
	var names []string
	for _, op := range app.Operations() {
		if op.Doors&app.MCP == 0 {
			continue
		}
		name := op.Tool
		names = append(names, name)
		s, err := compileSchema(Schema(name))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		left := s.names()
		for _, f := range app.Fields(op.NewInput()) {
			if f.Doors&app.MCP == 0 {
				continue
			}
			p := s.Properties[f.Name]
			if p == nil {
				t.Errorf("%s: the schema lacks %s", name, f.Name)
				continue
			}
			left = slices.DeleteFunc(left, func(n string) bool { return n == f.Name })
			if want := jsonType(f.Type); !slices.Equal(p.Type, typeList{want}) {
				t.Errorf("%s.%s: the schema says %v, the operation takes %s", name, f.Name, p.Type, want)
			}
			var enum []string
			for _, v := range p.Enum {
				enum = append(enum, v.(string))
			}
			if !slices.Equal(enum, f.Enum) {
				t.Errorf("%s.%s: the schema offers %v, the operation %v", name, f.Name, enum, f.Enum)
			}
		}
		if len(left) > 0 {
			t.Errorf("%s: the operation does not take %v", name, left)
		}
	}
	slices.Sort(names)
	if got := SchemaNames(); !slices.Equal(got, names) {
		t.Errorf("schemas: %v, operations: %v", got, names)
	}
}

func jsonType(t reflect.Type) string {
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch t.Kind() {
	case reflect.Slice:
		return "array"
	case reflect.Bool:
		return "boolean"
	case reflect.Int, reflect.Int64:
		return "integer"
	case reflect.Struct, reflect.Map:
		return "object"
	}
	return "string"
}
