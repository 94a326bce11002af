package mcpserver

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// check adds every fault of a value to f and returns the value without what counts as not given. at is its place, ""
// for the root.
func (s *schema) check(at string, value any, f *faults) any {
	place := at
	if place == "" {
		place = "arguments"
	}
	kind := kindOf(value)
	if !s.allows(kind) {
		f.add(place, "want %s, got %s", s.Type.article(), typeList{kind}.article())
		return value
	}
	switch v := value.(type) {
	case map[string]any:
		s.checkObject(at, v, f)
	case []any:
		s.checkArray(at, v, f)
	case string:
		s.checkString(place, v, f)
	case json.Number:
		value = s.checkNumber(place, v, f)
	}
	if len(s.Enum) > 0 && !slices.ContainsFunc(s.Enum, func(e any) bool { return same(e, value) }) {
		f.add(place, "%s is not one of %s", show(value), showAll(s.Enum))
	}
	return value
}

func (s *schema) checkObject(at string, v map[string]any, f *faults) {
	for _, name := range sortedKeys(v) {
		place := join(at, name)
		child := s.Properties[name]
		switch {
		case child == nil && (s.Additional == nil || *s.Additional):
		case child == nil && f.full():
			f.more++
		case child == nil:
			f.add(place, "%s", s.unknown(name))
		case v[name] == nil && !child.allows("null"):
			delete(v, name) // many clients send null for what was left out
		default:
			v[name] = child.check(place, v[name], f)
		}
	}
	for _, name := range s.Required {
		if _, ok := v[name]; !ok {
			f.add(join(at, name), "required")
		}
	}
}

func (s *schema) unknown(name string) string {
	if near := nearest(name, s.names()); near != "" {
		return fmt.Sprintf("unknown argument; did you mean %s?", near)
	}
	return "unknown argument"
}

func (s *schema) checkArray(at string, v []any, f *faults) {
	if s.MinItems != nil && len(v) < *s.MinItems {
		f.add(at, "has %d items, want at least %d", len(v), *s.MinItems)
	}
	if s.MaxItems != nil && len(v) > *s.MaxItems {
		f.add(at, "has %d items, want at most %d", len(v), *s.MaxItems)
	}
	if s.Items == nil {
		return
	}
	for i := range v {
		v[i] = s.Items.check(fmt.Sprintf("%s[%d]", at, i), v[i], f)
	}
}

func (s *schema) checkString(at, v string, f *faults) {
	if strings.ContainsRune(v, 0) { // no path, name or revision has one, and processes cannot be given one
		f.add(at, "contains a NUL character")
	}
	n := utf8.RuneCountInString(v)
	if s.MinLength != nil && n < *s.MinLength {
		f.add(at, "has %d characters, want at least %d", n, *s.MinLength)
	}
	if s.MaxLength != nil && n > *s.MaxLength {
		f.add(at, "has %d characters, want at most %d", n, *s.MaxLength)
	}
	if s.pattern != nil && !s.pattern.MatchString(v) {
		f.add(at, "%s does not match %s", show(v), s.Pattern)
	}
	if s.Format == "date" {
		if _, err := time.Parse(time.DateOnly, v); err != nil {
			f.add(at, "%s is not a date like 2026-01-31", show(v))
		}
	}
}

// checkNumber returns an integer in its plain form, so that 5.0 and 5e0 decode as 5.
func (s *schema) checkNumber(at string, v json.Number, f *faults) any {
	n, err := v.Float64()
	if err != nil {
		f.add(at, "%s is out of range", show(v))
		return v
	}
	if s.Minimum != nil && n < *s.Minimum {
		f.add(at, "%s is less than %v", show(v), *s.Minimum)
	}
	if s.Maximum != nil && n > *s.Maximum {
		f.add(at, "%s is more than %v", show(v), *s.Maximum)
	}
	if n == math.Trunc(n) && math.Abs(n) <= maxSafeInteger {
		return json.Number(strconv.FormatInt(int64(n), 10))
	}
	if slices.Contains(s.Type, "integer") && !slices.Contains(s.Type, "number") {
		f.add(at, "%s is out of range", show(v)) // a fraction has failed allows before
	}
	return v
}

func (s *schema) allows(kind string) bool {
	return slices.Contains(s.Type, kind) || kind == "integer" && slices.Contains(s.Type, "number")
}

func kindOf(value any) string {
	switch v := value.(type) {
	case map[string]any:
		return "object"
	case []any:
		return "array"
	case string:
		return "string"
	case bool:
		return "boolean"
	case json.Number:
		if n, err := v.Float64(); err == nil && n != math.Trunc(n) {
			return "number"
		}
		return "integer"
	}
	return "null"
}

// same compares two JSON scalars; enums hold nothing else.
func same(a, b any) bool {
	x, isNumber := a.(json.Number)
	y, both := b.(json.Number)
	if isNumber && both {
		m, errX := x.Float64()
		n, errY := y.Float64()
		return errX == nil && errY == nil && m == n
	}
	switch a.(type) {
	case string, bool, nil:
		return a == b
	}
	return false
}

func show(value any) string {
	data, err := encodeCompact(value)
	if err != nil {
		return "the value"
	}
	return clip(string(data), 60)
}

func showAll(values []any) string {
	words := make([]string, len(values))
	for i, v := range values {
		words[i] = strings.Trim(show(v), `"`)
	}
	return strings.Join(words, ", ")
}
