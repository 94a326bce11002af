package mcpserver

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// schema is the part of JSON Schema 2020-12 that tools may use. It is checked by us, because the SDK checks nothing for
// tools with a ready-made schema, and because a client must learn every fault at once.
type schema struct {
	Type        typeList           `json:"type"`
	Title       string             `json:"title"`
	Description string             `json:"description"`
	Default     json.RawMessage    `json:"default"`
	Enum        []any              `json:"enum"`
	Properties  map[string]*schema `json:"properties"`
	Required    []string           `json:"required"`
	Additional  *bool              `json:"additionalProperties"`
	Items       *schema            `json:"items"`
	MinItems    *int               `json:"minItems"`
	MaxItems    *int               `json:"maxItems"`
	MinLength   *int               `json:"minLength"` // characters
	MaxLength   *int               `json:"maxLength"`
	Minimum     *float64           `json:"minimum"`
	Maximum     *float64           `json:"maximum"`
	Pattern     string             `json:"pattern"`
	Format      string             `json:"format"` // "date" only

	pattern *regexp.Regexp
}

// typeList is one type name or several.
type typeList []string

func (t *typeList) UnmarshalJSON(data []byte) error {
	var one string
	if json.Unmarshal(data, &one) == nil {
		*t = typeList{one}
		return nil
	}
	return json.Unmarshal(data, (*[]string)(t))
}

var typeNames = []string{"object", "array", "string", "number", "integer", "boolean", "null"}

// compileSchema refuses every keyword that would be published without being enforced.
func compileSchema(raw json.RawMessage) (*schema, error) {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.DisallowUnknownFields()
	d.UseNumber()
	var s schema
	if err := d.Decode(&s); err != nil {
		return nil, fmt.Errorf("input schema: %w", err)
	}
	if !slices.Equal(s.Type, typeList{"object"}) {
		return nil, errors.New(`input schema: the root must be of type "object"`)
	}
	if s.Additional == nil || *s.Additional {
		return nil, errors.New("input schema: the root must have additionalProperties false")
	}
	if err := s.compile("root"); err != nil {
		return nil, fmt.Errorf("input schema: %w", err)
	}
	return &s, nil
}

func (s *schema) compile(at string) error {
	if len(s.Type) == 0 {
		return fmt.Errorf("%s has no type", at)
	}
	for _, t := range s.Type {
		if !slices.Contains(typeNames, t) {
			return fmt.Errorf("%s has the unknown type %q", at, t)
		}
	}
	if s.Format != "" && s.Format != "date" {
		return fmt.Errorf("%s has the unknown format %q", at, s.Format)
	}
	if s.Pattern != "" {
		p, err := regexp.Compile(s.Pattern)
		if err != nil {
			return fmt.Errorf("%s: %w", at, err)
		}
		s.pattern = p
	}
	return s.compileChildren(at)
}

func (s *schema) compileChildren(at string) error {
	for _, name := range s.Required {
		if s.Properties[name] == nil {
			return fmt.Errorf("%s requires %q, which is no property", at, name)
		}
	}
	for name, child := range s.Properties {
		if child == nil {
			return fmt.Errorf("%s.%s is no schema", at, name)
		}
		if err := child.compile(at + "." + name); err != nil {
			return err
		}
	}
	if s.Items != nil {
		return s.Items.compile(at + "[]")
	}
	return nil
}

// checkRoot is the quick look that the SDK insists on by a panic.
func checkRoot(raw json.RawMessage) error {
	var root struct {
		Type string `json:"type"`
	}
	if err := json.Unmarshal(raw, &root); err != nil || root.Type != "object" {
		return errors.New(`the input schema must be a JSON object of type "object"`)
	}
	return nil
}

// names lists the properties, sorted.
func (s *schema) names() []string {
	names := make([]string, 0, len(s.Properties))
	for name := range s.Properties {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// article puts the type names into a sentence.
func (t typeList) article() string {
	words := make([]string, len(t))
	for i, name := range t {
		switch name {
		case "object", "array", "integer":
			words[i] = "an " + name
		case "null":
			words[i] = name
		default:
			words[i] = "a " + name
		}
	}
	return strings.Join(words, " or ")
}
