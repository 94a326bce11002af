package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// scanner walks over JSON that is known to be valid. encoding/json alone would take names in any case, let a second
// value of a name win, and read null as nothing, and each of these says one thing to a person and another to a gate.
type scanner struct {
	data []byte
	at   int
}

// path is a place in the document, spelled only when there is something to say about it.
type path struct {
	parent *path
	name   string
	index  int
}

func (p *path) String() string {
	switch {
	case p.parent == nil:
		return ""
	case p.name == "":
		return p.parent.String() + "[" + strconv.Itoa(p.index) + "]"
	}
	return strings.TrimPrefix(p.parent.String()+"."+p.name, ".")
}

func (p *path) wrong(format string, args ...any) error {
	return &DocumentError{Fault: FaultShape, At: p.String(), Detail: fmt.Sprintf(format, args...)}
}

// peek returns the first byte of the next value or closing bracket.
func (s *scanner) peek() byte {
	for s.at < len(s.data) {
		switch c := s.data[s.at]; c {
		case ' ', '\t', '\n', '\r', ',', ':':
			s.at++
		default:
			return c
		}
	}
	return 0
}

// skip steps over one value and returns its bytes.
func (s *scanner) skip() []byte {
	first := s.peek()
	start, depth := s.at, 0
	for s.at < len(s.data) {
		switch c := s.data[s.at]; c {
		case '"':
			s.skipString()
		case '{', '[':
			depth++
			s.at++
		case '}', ']':
			depth--
			s.at++
		default:
			if first != '{' && first != '[' {
				s.skipWord()
			} else {
				s.at++
			}
		}
		if depth == 0 {
			break
		}
	}
	return s.data[start:s.at]
}

func (s *scanner) skipString() { s.at += stringEnd(s.data[s.at:]) }

func (s *scanner) skipWord() {
	n := bytes.IndexAny(s.data[s.at:], ",]} \t\r\n")
	if n < 0 {
		n = len(s.data) - s.at
	}
	s.at += n
}

func (s *scanner) str() string {
	raw := s.skip()
	if bytes.IndexByte(raw, '\\') < 0 {
		return string(raw[1 : len(raw)-1])
	}
	var text string
	_ = json.Unmarshal(raw, &text) // valid by what the scanner is made for
	return text
}

// object calls member for every name, with the scanner before its value; member must step over it.
func (s *scanner) object(member func(name string) error) error {
	s.at++
	for s.peek() != '}' {
		name := s.str()
		s.peek()
		if err := member(name); err != nil {
			return err
		}
	}
	s.at++
	return nil
}

// check holds the next value against the shape.
func (s *scanner) check(want *shape, at path) error {
	if c := s.peek(); c == 'n' && want.nullable {
		s.skip()
		return nil
	} else if kind := kindOf(c); kind != want.kind && !(kind == "number" && want.kind == "integer") {
		return at.wrong("it is %s, not %s", article(kind), article(want.kind))
	}
	switch want.kind {
	case "object":
		return s.checkObject(want, &at)
	case "array":
		s.at++
		for i := 0; s.peek() != ']'; i++ {
			if err := s.check(want.element, path{parent: &at, index: i}); err != nil {
				return err
			}
		}
		s.at++
		return nil
	case "string":
		return s.checkString(want, &at)
	case "boolean":
		s.skip()
		return nil
	}
	return checkNumber(string(s.skip()), want, &at)
}

func (s *scanner) checkObject(want *shape, at *path) error {
	seen := make([]bool, len(want.fields))
	err := s.object(func(name string) error {
		i := slices.IndexFunc(want.fields, func(f shapeField) bool { return f.name == name })
		if i < 0 {
			s.skip()
			return unlikeAny(name, want, at)
		}
		here := path{parent: at, name: name}
		if seen[i] {
			return here.wrong("it is there twice")
		}
		seen[i] = true
		return s.check(want.fields[i].shape, here)
	})
	if err != nil {
		return err
	}
	for i, f := range want.fields {
		if f.required && !seen[i] {
			here := path{parent: at, name: f.name}
			return here.wrong("it is missing")
		}
	}
	return nil
}

// unlikeAny refuses an unknown name that a lenient reader would take for a known one.
func unlikeAny(name string, want *shape, at *path) error {
	for _, f := range want.fields {
		if strings.EqualFold(f.name, name) {
			return at.wrong("%q is not %q", shorten(name, 40), f.name)
		}
	}
	return nil
}

func (s *scanner) checkString(want *shape, at *path) error {
	if want.words == nil && !want.date {
		s.skip()
		return nil
	}
	text := s.str()
	if want.date {
		if _, err := time.Parse(time.RFC3339, text); err != nil {
			return at.wrong("%q is no time as in 2026-01-02T15:04:05Z", shorten(text, 40))
		}
		return nil
	}
	if !slices.Contains(want.words, text) {
		return at.wrong("%q is none of %s", shorten(text, 40), strings.Join(want.words, ", "))
	}
	return nil
}

func checkNumber(text string, want *shape, at *path) error {
	if want.kind == "number" {
		if f, err := strconv.ParseFloat(text, 64); err != nil || f < 0 {
			return at.wrong("%s is out of range", shorten(text, 40))
		}
		return nil
	}
	n, err := strconv.ParseInt(text, 10, 64)
	switch {
	case err != nil:
		return at.wrong("%s is no integer that fits", shorten(text, 40))
	case n < want.minimum:
		return at.wrong("%d is less than %d", n, want.minimum)
	}
	return nil
}

func kindOf(first byte) string {
	switch first {
	case '{':
		return "object"
	case '[':
		return "array"
	case '"':
		return "string"
	case 't', 'f':
		return "boolean"
	case 'n':
		return "null"
	}
	return "number"
}

func article(kind string) string {
	switch kind {
	case "null":
		return "null"
	case "object", "array", "integer":
		return "an " + kind
	}
	return "a " + kind
}
