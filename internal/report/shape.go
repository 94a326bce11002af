package report

import (
	"reflect"
	"strings"
	"sync"
	"time"

	"github.com/gavel-review/gavel"
)

// shape is what the document's types say about its JSON: one description for the reader that enforces it and the
// schema that publishes it.
type shape struct {
	kind     string // object, array, string, integer, number, boolean
	name     string // of an object, as in Go
	nullable bool
	fields   []shapeField // of an object, in order
	element  *shape       // of an array
	words    []string     // of a string: the only values
	date     bool         // of a string: RFC 3339
	minimum  int64        // of an integer
}

type shapeField struct {
	name     string
	required bool
	shape    *shape
}

var documentShape = sync.OnceValue(func() *shape { return shapeOf(reflect.TypeFor[gavel.Document]()) })

func shapeOf(t reflect.Type) *shape {
	if list := words(t); list != nil {
		return &shape{kind: "string", words: list}
	}
	if t == reflect.TypeFor[time.Time]() {
		return &shape{kind: "string", date: true}
	}
	switch t.Kind() {
	case reflect.Pointer:
		s := *shapeOf(t.Elem())
		s.nullable = true
		return &s
	case reflect.Struct:
		return structShape(t)
	case reflect.Slice:
		return &shape{kind: "array", element: shapeOf(t.Elem())}
	case reflect.String:
		return &shape{kind: "string"}
	case reflect.Bool:
		return &shape{kind: "boolean"}
	case reflect.Float64:
		return &shape{kind: "number"}
	}
	return &shape{kind: "integer"}
}

// structShape follows encoding/json: a field without omitempty is always there, one with it is never null.
func structShape(t reflect.Type) *shape {
	s := &shape{kind: "object", name: t.Name()}
	for i := range t.NumField() {
		f := t.Field(i)
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		if name == "-" || !f.IsExported() {
			continue
		}
		field := *shapeOf(f.Type)
		optional := strings.Contains(options, "omitempty")
		if optional {
			field.nullable = false
		}
		if field.kind == "integer" && (name == "line" || optional && f.Type.Kind() == reflect.Int) {
			field.minimum = 1
		}
		s.fields = append(s.fields, shapeField{name, !optional, &field})
	}
	return s
}
