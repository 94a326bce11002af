package report

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/gavel-review/gavel"
	"github.com/gavel-review/gavel/internal/untrusted"
)

// MaxDocument is the size in bytes that [ReadDocument] accepts when it is given no other: about 300,000 findings.
const MaxDocument = 256 << 20

// Fault says in one word why something is not a document that can be judged.
type Fault string

// The faults.
const (
	FaultTooLarge      Fault = "too_large"      // more bytes than allowed
	FaultSyntax        Fault = "not_json"       // not one JSON value
	FaultCutShort      Fault = "cut_short"      // JSON that ends too early
	FaultForeign       Fault = "not_a_document" // JSON without a schema number
	FaultSchema        Fault = "unknown_schema" // a schema number that this version does not know
	FaultShape         Fault = "wrong_shape"    // a field is missing, doubled, of another type or outside its closed list
	FaultContradiction Fault = "contradiction"  // the parts do not add up
)

// DocumentError is why a document was refused.
type DocumentError struct {
	Fault  Fault
	At     string // the place, as in findings[3].severity; empty when it is the whole
	Detail string
}

// Error implements error.
func (e *DocumentError) Error() string {
	if e.At == "" {
		return "not a review document of schema 1: " + e.Detail
	}
	return fmt.Sprintf("not a review document of schema 1: %s: %s", e.At, e.Detail)
}

// ReadDocument reads one whole document of a known schema and nothing else, at most limit bytes of it (limit <= 0 means
// [MaxDocument]). Every field of the schema must be there once, under its exact name, with the right type and a known
// word, and the numbers must add up. Fields that the schema does not know are ignored. A refusal is a *DocumentError;
// any other error is one of reading. Whether the document is true is for the caller to find out.
func ReadDocument(r io.Reader, limit int64) (*gavel.Document, error) {
	if limit <= 0 {
		limit = MaxDocument
	}
	data, err := io.ReadAll(io.LimitReader(r, limit+1))
	if err != nil {
		return nil, fmt.Errorf("read document: %w", err)
	}
	if int64(len(data)) > limit {
		return nil, &DocumentError{Fault: FaultTooLarge, Detail: fmt.Sprintf("it is larger than %d bytes", limit)}
	}
	return parseDocument(data)
}

func parseDocument(data []byte) (*gavel.Document, error) {
	if err := checkSyntax(data); err != nil {
		return nil, err
	}
	if err := checkSchema(data); err != nil {
		return nil, err
	}
	s := scanner{data: data}
	if err := s.check(documentShape(), path{}); err != nil {
		return nil, err
	}
	var doc gavel.Document
	if err := json.Unmarshal(data, &doc); err != nil {
		return nil, &DocumentError{Fault: FaultShape, Detail: untrusted.Visible(err.Error())}
	}
	if err := checkSums(&doc); err != nil {
		return nil, err
	}
	return &doc, nil
}

func checkSyntax(data []byte) error {
	if len(strings.TrimSpace(string(data[:min(len(data), 64)]))) == 0 && len(data) <= 64 {
		return &DocumentError{Fault: FaultCutShort, Detail: "it is empty"}
	}
	if !utf8.Valid(data) {
		return &DocumentError{Fault: FaultSyntax, Detail: "it is not UTF-8"}
	}
	if json.Valid(data) {
		return nil
	}
	e := &DocumentError{Fault: FaultSyntax, Detail: "it is not JSON"}
	var syntax *json.SyntaxError
	if err := json.Unmarshal(data, new(json.RawMessage)); errors.As(err, &syntax) {
		e.Detail = fmt.Sprintf("%s (byte %d)", untrusted.Visible(syntax.Error()), syntax.Offset)
		if strings.Contains(syntax.Error(), "unexpected end") {
			e.Fault = FaultCutShort
		}
	}
	return e
}

// checkSchema looks at the number before anything else, so that a document of another age is not reported as a broken
// one of ours.
func checkSchema(data []byte) error {
	s := scanner{data: data}
	if s.peek() != '{' {
		return &DocumentError{Fault: FaultForeign, Detail: "it is not a JSON object"}
	}
	number, isError := "", false
	_ = s.object(func(key string) error {
		switch value := s.skip(); key {
		case "schema":
			number = string(value)
		case "error", "error_class":
			isError = true
		}
		return nil
	})
	switch {
	case number == "" && isError:
		return &DocumentError{Fault: FaultForeign, Detail: "it reports an error and holds no review"}
	case number == "":
		return &DocumentError{Fault: FaultForeign, Detail: "it has no schema number"}
	case number != fmt.Sprint(gavel.SchemaVersion):
		return &DocumentError{Fault: FaultSchema, At: "schema", Detail: fmt.Sprintf("%s is not known here, only %d is", shorten(number, 40), gavel.SchemaVersion)}
	}
	return nil
}

// checkSums refuses a document whose parts contradict one another. One that was cut to a result budget holds fewer
// findings than it counts and says so.
func checkSums(d *gavel.Document) error {
	contradiction := func(at, format string, args ...any) error {
		return &DocumentError{Fault: FaultContradiction, At: at, Detail: fmt.Sprintf(format, args...)}
	}
	if d.SchemaVersion != gavel.WireVersion {
		return &DocumentError{Fault: FaultSchema, At: "schema_version", Detail: fmt.Sprintf("%q is not known here, only %q is", shorten(d.SchemaVersion, 40), gavel.WireVersion)}
	}
	if held := len(d.Findings) + len(d.Settled); d.Truncated == nil && held != d.FindingsTotal {
		return contradiction("findings_total", "%d, but %d findings are there", d.FindingsTotal, held)
	}
	if t := d.Truncated; t != nil && (t.Returned > t.Total || t.Total > d.FindingsTotal) {
		return contradiction("truncated", "%d of %d returned, with %d findings in all", t.Returned, t.Total, d.FindingsTotal)
	}
	c := d.Meta.Coverage
	if skipped := len(c.Skipped) + c.Unlisted; c.Files != c.Reviewed+skipped {
		return contradiction("meta.coverage", "%d files are not %d reviewed and %d skipped", c.Files, c.Reviewed, skipped)
	}
	if c.Unlisted > 0 && d.Truncated == nil {
		return contradiction("meta.coverage.skipped_unlisted", "%d, but the document is not truncated", c.Unlisted)
	}
	for i := range d.Findings {
		if len(d.Findings[i].Settled) > 0 {
			return contradiction(fmt.Sprintf("findings[%d]", i), "it is settled, but stands among those that are not")
		}
	}
	for i := range d.Settled {
		if len(d.Settled[i].Settled) == 0 {
			return contradiction(fmt.Sprintf("settled[%d]", i), "it has no reason for being settled")
		}
	}
	return nil
}

// shorten makes foreign text fit for a message.
func shorten(s string, most int) string {
	s = untrusted.Visible(s)
	if len(s) <= most {
		return s
	}
	for most > 0 && !utf8.RuneStart(s[most]) {
		most--
	}
	return s[:most] + "…"
}
