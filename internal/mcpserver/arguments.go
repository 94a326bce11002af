package mcpserver

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/gavel-review/gavel"
)

const (
	maxDepth  = 32 // of arguments; no tool nests more than a few levels
	maxValues = 100_000
	maxFaults = 20 // named in one message
)

// faults collects what is wrong, each with its place.
type faults struct {
	list []string
	more int
}

func (f *faults) add(at, format string, args ...any) {
	if f.full() {
		f.more++
		return
	}
	f.list = append(f.list, at+": "+fmt.Sprintf(format, args...))
}

func (f *faults) full() bool { return len(f.list) == maxFaults }

func (f *faults) String() string {
	text := strings.Join(f.list, "; ")
	if f.more > 0 {
		text += fmt.Sprintf("; and %d more", f.more)
	}
	return text
}

// arguments checks the arguments of a call and returns them as an object without nulls, doubled keys and numbers like
// 5.0 for integers, so that whoever decodes it next can see nothing else than what was checked.
func (t *Tool) arguments(raw json.RawMessage) (json.RawMessage, error) {
	s, err := t.compiled()
	if err != nil {
		return nil, err
	}
	var f faults
	value := readArguments(raw, &f)
	if len(f.list) == 0 {
		value = s.check("", value, &f)
	}
	if len(f.list) > 0 {
		return nil, gavel.Errorf(gavel.InvalidArgs, "%s: %s", t.Name, &f).WithHint("%s", t.accepts(s))
	}
	return encodeCompact(value)
}

func (t *Tool) accepts(s *schema) string {
	names := s.names()
	if len(names) == 0 {
		return t.Name + " takes no arguments"
	}
	return "arguments: " + strings.Join(names, ", ")
}

// readArguments parses the arguments. Absent and null are an empty object.
func readArguments(raw json.RawMessage, f *faults) any {
	if trimmed := bytes.TrimSpace(raw); len(trimmed) == 0 || string(trimmed) == "null" {
		return map[string]any{}
	}
	r := reader{d: json.NewDecoder(bytes.NewReader(raw)), f: f}
	r.d.UseNumber()
	value, err := r.value("", 0)
	if err == nil {
		if _, end := r.d.Token(); end != io.EOF {
			err = errNotJSON
		}
	}
	if err != nil {
		f.add("arguments", "%v", err)
	}
	return value
}

var (
	errNotJSON = errors.New("not JSON")
	errDeep    = fmt.Errorf("nested deeper than %d levels", maxDepth)
	errMany    = fmt.Errorf("more than %d values", maxValues)
)

// reader is json.Unmarshal into any, but it notices doubled keys and stops at bounds of depth and number.
type reader struct {
	d      *json.Decoder
	f      *faults
	values int
}

func (r *reader) value(at string, depth int) (any, error) {
	token, err := r.d.Token()
	if err != nil {
		return nil, errNotJSON
	}
	if r.values++; r.values > maxValues {
		return nil, errMany
	}
	delim, ok := token.(json.Delim)
	switch {
	case !ok:
		return token, nil
	case depth == maxDepth:
		return nil, errDeep
	case delim == '[':
		return r.array(at, depth)
	default:
		return r.object(at, depth)
	}
}

func (r *reader) array(at string, depth int) (any, error) {
	list := []any{}
	for r.d.More() {
		v, err := r.value(at+"[]", depth+1)
		if err != nil {
			return nil, err
		}
		list = append(list, v)
	}
	return list, r.end()
}

func (r *reader) object(at string, depth int) (any, error) {
	object := map[string]any{}
	for r.d.More() {
		token, err := r.d.Token()
		if err != nil {
			return nil, errNotJSON
		}
		name := token.(string) // the decoder allows nothing else here
		v, err := r.value(join(at, name), depth+1)
		if err != nil {
			return nil, err
		}
		if _, double := object[name]; double {
			r.f.add(join(at, name), "given twice")
		}
		object[name] = v
	}
	return object, r.end()
}

func (r *reader) end() error {
	if _, err := r.d.Token(); err != nil {
		return errNotJSON
	}
	return nil
}

func join(at, name string) string {
	name = clip(name, 60)
	if at == "" {
		return name
	}
	return at + "." + name
}

// nearest returns the known name that is at most two edits from the given one, or "".
func nearest(name string, known []string) string {
	best, distance := "", 3
	for _, k := range known {
		if len(name) > 64 {
			break
		}
		if d := gavel.EditDistance(name, k); d < distance && d < len(k) {
			best, distance = k, d
		}
	}
	return best
}

func sortedKeys(m map[string]any) []string { return slices.Sorted(maps.Keys(m)) }
