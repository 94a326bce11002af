package report

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"reflect"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/gavel-review/gavel"
	"github.com/gavel-review/gavel/internal/untrusted"
)

// JSON writes the document, indented by two spaces, with a newline at its end. Empty lists are [], never null. Equal
// documents give equal bytes. Findings are written one at a time, so that memory does not grow with their number.
//
// Characters that do not show are written as \u escapes, which mean the same to every parser, so that a terminal can
// print the document without obeying it.
func JSON(w io.Writer, doc *gavel.Document) error {
	if doc == nil {
		return errors.New("report: no document")
	}
	e := newEncoder(w)
	e.object(reflect.ValueOf(complete(doc)), "")
	e.text("\n")
	return e.close()
}

// complete returns the document with every list in place.
func complete(doc *gavel.Document) gavel.Document {
	d := *doc
	list(&d.Findings)
	list(&d.Settled)
	list(&d.Meta.Notes)
	list(&d.Meta.Repo.Filters)
	list(&d.Meta.Coverage.Skipped)
	return d
}

func list[T any](s *[]T) {
	if *s == nil {
		*s = []T{}
	}
}

// encoder writes indented JSON piece by piece and keeps the first error.
type encoder struct {
	out *bufio.Writer
	buf bytes.Buffer
	err error
}

func newEncoder(w io.Writer) *encoder { return &encoder{out: bufio.NewWriterSize(w, 64<<10)} }

func (e *encoder) close() error {
	if err := e.out.Flush(); e.err == nil {
		e.err = err
	}
	return e.err
}

func (e *encoder) text(s string) {
	if e.err == nil {
		_, e.err = e.out.WriteString(s)
	}
}

// value writes v as json.MarshalIndent would with the prefix, without HTML escapes.
func (e *encoder) value(v any, prefix string) {
	if e.err != nil {
		return
	}
	e.buf.Reset()
	enc := json.NewEncoder(&e.buf)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		e.err = fmt.Errorf("report: %w", err)
		return
	}
	e.err = writeIndented(e.out, e.buf.Bytes(), prefix)
}

// object writes the fields of a struct, those that are lists of structs, or sequences, element by element.
func (e *encoder) object(v reflect.Value, prefix string) {
	e.text("{")
	separator := "\n"
	for i := range v.NumField() {
		name, options, _ := strings.Cut(v.Type().Field(i).Tag.Get("json"), ",")
		field := v.Field(i)
		if name == "-" || strings.Contains(options, "omitempty") && field.IsZero() {
			continue
		}
		e.text(separator + prefix + `  "` + name + `": `)
		separator = ",\n"
		if elements, ok := elementsOf(field); ok {
			e.array(elements, prefix+"  ")
		} else {
			e.value(field.Interface(), prefix+"  ")
		}
	}
	e.text("\n" + prefix + "}")
}

func elementsOf(v reflect.Value) (iter.Seq[any], bool) {
	if elements, ok := v.Interface().(iter.Seq[any]); ok {
		return elements, true
	}
	if v.Kind() != reflect.Slice || v.Type().Elem().Kind() != reflect.Struct {
		return nil, false
	}
	return func(yield func(any) bool) {
		for i := 0; i < v.Len() && yield(v.Index(i).Addr().Interface()); i++ {
		}
	}, true
}

func (e *encoder) array(elements iter.Seq[any], prefix string) {
	separator, end := "[\n", "[]"
	for element := range elements {
		e.text(separator + prefix + "  ")
		e.value(element, prefix+"  ")
		if separator, end = ",\n", "\n"+prefix+"]"; e.err != nil {
			return
		}
	}
	e.text(end)
}

// writeIndented writes compact JSON over several lines, and every hidden character in its strings as an escape. The
// writer keeps the first error.
func writeIndented(w *bufio.Writer, b []byte, prefix string) error {
	depth := 0
	line := func() {
		_, _ = w.WriteString("\n" + prefix)
		for range depth {
			_, _ = w.WriteString("  ")
		}
	}
	for i := 0; i < len(b); i++ {
		switch c := b[i]; c {
		case '"':
			n := stringEnd(b[i:])
			writeEscaped(w, b[i:i+n])
			i += n - 1
		case '{', '[':
			_ = w.WriteByte(c)
			if b[i+1] == c+2 { // the closing bracket: in ASCII both stand two behind
				_ = w.WriteByte(c + 2)
				i++
				continue
			}
			depth++
			line()
		case '}', ']':
			depth--
			line()
			_ = w.WriteByte(c)
		case ',':
			_ = w.WriteByte(c)
			line()
		case ':':
			_, _ = w.WriteString(": ")
		case '\n': // the end
		default:
			_ = w.WriteByte(c)
		}
	}
	_, err := w.Write(nil)
	return err
}

// stringEnd returns the length of the JSON string that b begins with.
func stringEnd(b []byte) int {
	i := 1
	for b[i] != '"' {
		if b[i] == '\\' {
			i++
		}
		i++
	}
	return i + 1
}

// writeEscaped writes a JSON string. U+FFFD is escaped too: encoding/json does so where it stands for a bad byte, and
// what is read and written again must not change.
func writeEscaped(w *bufio.Writer, b []byte) {
	start := 0
	for i := 0; i < len(b); {
		if b[i] < 0x7f {
			i++
			continue
		}
		r, size := utf8.DecodeRune(b[i:])
		if untrusted.Hidden(r) || r == utf8.RuneError {
			_, _ = w.Write(b[start:i])
			_, _ = w.WriteString(jsonEscape(r))
			start = i + size
		}
		i += size
	}
	_, _ = w.Write(b[start:])
}

func jsonEscape(r rune) string {
	if high, low := utf16.EncodeRune(r); high != utf8.RuneError {
		return fmt.Sprintf(`\u%04x\u%04x`, high, low)
	}
	return fmt.Sprintf(`\u%04x`, r)
}
