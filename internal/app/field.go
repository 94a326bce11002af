package app

import (
	"reflect"
	"strings"

	"github.com/gavel-review/gavel"
)

// Field describes one input of an operation. It is read from the struct tags of the input type:
//
//	json  the wire name; flags replace "_" by "-"
//	doc   one line of help, at most 40 bytes
//	enum  the allowed values, separated by ","
//	short a one-letter flag
//	door  "cli" or "mcp" where only one of them offers the field
type Field struct {
	Name, Doc, Short string
	Enum             []string
	Doors            Doors
	Index            int // in the struct
	Type             reflect.Type
}

// Flag is the field's name on the command line.
func (f Field) Flag() string { return strings.ReplaceAll(f.Name, "_", "-") }

// Fields lists the inputs of the struct that in points to.
func Fields(in any) []Field {
	t := reflect.TypeOf(in).Elem()
	fields := make([]Field, 0, t.NumField())
	for i := range t.NumField() {
		sf := t.Field(i)
		name, _, _ := strings.Cut(sf.Tag.Get("json"), ",")
		if name == "" || name == "-" {
			continue
		}
		f := Field{Name: name, Doc: sf.Tag.Get("doc"), Short: sf.Tag.Get("short"), Doors: AllDoors, Index: i, Type: sf.Type}
		if enum := sf.Tag.Get("enum"); enum != "" {
			f.Enum = strings.Split(enum, ",")
		}
		switch sf.Tag.Get("door") {
		case "cli":
			f.Doors = CLI
		case "mcp":
			f.Doors = MCP | HTTP
		}
		fields = append(fields, f)
	}
	return fields
}

// checkEnum is the operations' own check of a word, for doors that did not validate against a schema.
func checkEnum(name, value string, allowed ...string) error {
	for _, a := range allowed {
		if value == a {
			return nil
		}
	}
	return gavel.Errorf(gavel.InvalidArgs, "%s: %q is none of %s", name, value, strings.Join(allowed, ", "))
}
