package cli

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/gavel-review/gavel"
	"github.com/gavel-review/gavel/internal/untrusted"
)

// fail reports an error and returns the exit code of its class.
func (p *program) fail(err error) int {
	e := gavel.AsError(err)
	if p.json {
		var b bytes.Buffer
		if encode(&b, errorDocument(e)) == nil {
			_ = standardOutput{p.stdout}.write(b.Bytes()) // the exit code says the rest
		}
	}
	p.stderr.Write(p.errorText(e))
	return e.Mapping().Exit
}

// errorText is the error for people: one line, one for what to do, and with --verbose what lies behind.
func (p *program) errorText(e *gavel.Error) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "gavel: %s\n", untrusted.VisibleText(e.Message))
	if e.Hint != "" {
		fmt.Fprintf(&b, "hint: %s\n", untrusted.VisibleText(e.Hint))
	}
	if !p.global.verbose {
		return b.Bytes()
	}
	fmt.Fprintf(&b, "class: %s\n", e.Class)
	if e.Err != nil && e.Err.Error() != e.Message {
		fmt.Fprintf(&b, "cause: %s\n", untrusted.VisibleText(e.Err.Error()))
	}
	var crash *crash
	if errors.As(e.Err, &crash) {
		fmt.Fprintf(&b, "\n%s", untrusted.VisibleText(string(crash.stack)))
	}
	return b.Bytes()
}

// errorDocument is the error for programs, in the form that MCP clients get.
func errorDocument(e *gavel.Error) map[string]any {
	doc := make(map[string]any, len(e.Extra)+5)
	for k, v := range e.Extra {
		doc[k] = v
	}
	doc["schema_version"] = gavel.WireVersion
	doc["error_class"] = e.Class
	doc["message"] = e.Message
	if e.Hint != "" {
		doc["hint"] = e.Hint
	}
	if e.RetryAfter > 0 {
		doc["retry_after_ms"] = e.RetryAfter.Milliseconds()
	}
	return doc
}

// crash is a panic on its way to the user.
type crash struct {
	value any
	stack []byte
}

func (c *crash) Error() string { return fmt.Sprint(c.value) }

func panicError(value any, stack []byte) error {
	return &gavel.Error{
		Class:   gavel.Internal,
		Message: fmt.Sprintf("stopped unexpectedly: %v", value),
		Hint:    "this is a bug in gavel; please report it together with what --verbose prints",
		Err:     &crash{value, stack},
	}
}
