package report

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/gavel-review/gavel"
)

// SchemaID is the address under which the schema is published.
const SchemaID = "https://github.com/gavel-review/gavel/blob/main/docs/reference/review.schema.json"

// SchemaNode is one JSON Schema (2020-12). Its members are written in a fixed order.
type SchemaNode struct {
	Dialect     string           `json:"$schema,omitempty"`
	ID          string           `json:"$id,omitempty"`
	Ref         string           `json:"$ref,omitempty"`
	Title       string           `json:"title,omitempty"`
	Description string           `json:"description,omitempty"`
	Type        any              `json:"type,omitempty"` // a word, or a list of two where null is allowed
	Const       any              `json:"const,omitempty"`
	Enum        []any            `json:"enum,omitempty"`
	Format      string           `json:"format,omitempty"`
	Minimum     *int64           `json:"minimum,omitempty"`
	Items       *SchemaNode      `json:"items,omitempty"`
	Required    []string         `json:"required,omitempty"`
	Properties  SchemaProperties `json:"properties,omitempty"`
	AnyOf       []*SchemaNode    `json:"anyOf,omitempty"`
	Defs        SchemaProperties `json:"$defs,omitempty"`
}

// SchemaProperties are named schemas in the order in which the document writes them.
type SchemaProperties []SchemaProperty

// SchemaProperty is one of them.
type SchemaProperty struct {
	Name   string
	Schema *SchemaNode
}

// MarshalJSON writes an object in order.
func (p SchemaProperties) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	b.WriteByte('{')
	for i, property := range p {
		if i > 0 {
			b.WriteByte(',')
		}
		value, err := json.Marshal(property.Schema)
		if err != nil {
			return nil, err
		}
		fmt.Fprintf(&b, "%q:%s", property.Name, value)
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

// Schema describes the document, schema 1, as JSON Schema 2020-12. It comes from the document's own types. Unknown
// fields are allowed everywhere, because readers ignore them.
func Schema() *SchemaNode {
	g := schemaGenerator{}
	root := g.object(documentShape())
	root.Dialect = "https://json-schema.org/draft/2020-12/schema"
	root.ID = SchemaID
	root.Title = "Gavel review document, schema 1"
	root.Description = "The result of a review. Every finding is in it. Readers ignore fields that they do not know; a changed meaning raises the schema number."
	root.Defs = g.defs
	return root
}

// schemaGenerator collects every object but the root under $defs, in the order in which they are first met.
type schemaGenerator struct{ defs SchemaProperties }

func (g *schemaGenerator) object(s *shape) *SchemaNode {
	n := &SchemaNode{Type: "object"}
	for _, f := range s.fields {
		if f.required {
			n.Required = append(n.Required, f.name)
		}
		property := g.node(f.shape)
		property.Description = meanings[s.name+"."+f.name]
		switch s.name + "." + f.name {
		case "Document.schema":
			property.Const, property.Minimum = gavel.SchemaVersion, nil
		case "Document.schema_version":
			property.Const = gavel.WireVersion
		}
		n.Properties = append(n.Properties, SchemaProperty{f.name, property})
	}
	return n
}

func (g *schemaGenerator) node(s *shape) *SchemaNode {
	switch s.kind {
	case "object":
		ref := &SchemaNode{Ref: g.define(s)}
		if s.nullable {
			return &SchemaNode{AnyOf: []*SchemaNode{ref, {Type: "null"}}}
		}
		return ref
	case "array":
		return &SchemaNode{Type: "array", Items: g.node(s.element)}
	}
	n := &SchemaNode{Type: s.kind}
	if s.nullable {
		n.Type = []string{s.kind, "null"}
	}
	for _, word := range s.words {
		n.Enum = append(n.Enum, word)
	}
	if s.words != nil && s.nullable {
		n.Enum = append(n.Enum, nil)
	}
	if s.date {
		n.Format = "date-time"
	}
	if s.kind == "integer" || s.kind == "number" {
		n.Minimum = &s.minimum
	}
	return n
}

func (g *schemaGenerator) define(s *shape) string {
	for _, d := range g.defs {
		if d.Name == s.name {
			return "#/$defs/" + s.name
		}
	}
	at := len(g.defs)
	g.defs = append(g.defs, SchemaProperty{Name: s.name})
	object := g.object(s)
	object.Description = meanings[s.name]
	g.defs[at].Schema = object
	return "#/$defs/" + s.name
}
