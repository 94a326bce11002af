package check

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/gavel-review/gavel"
)

// mypyDiagnostic is one line of mypy --output json, and what a line of its text form is turned into.
type mypyDiagnostic struct {
	File     string  `json:"file"`
	Line     int     `json:"line"`   // 1-based; -1 = the whole file
	Column   int     `json:"column"` // 0-based; -1 = unknown
	EndLine  int     `json:"end_line"`
	Message  *string `json:"message"`
	Hint     string  `json:"hint"`
	Code     string  `json:"code"`
	Severity string  `json:"severity"`
}

// mypyExitBlocked is mypy's exit code for errors that prevented further checking, and for a call it could not make sense of.
const mypyExitBlocked = 2

// parseMypy reads mypy's two forms: JSON lines (--output json, mypy 1.11 and later) and text
// (path:line:column: error: message  [code]). In both, mypy's own summary is checked against what was read. A clean run
// is exit code 0 with nothing but the summary, which the JSON form leaves blank.
//
// Errors are high, notes low.
func parseMypy(o Output) (Report, error) {
	var m mypyReader
	for n, line := range strings.Split(cleanText(o.Report), "\n") {
		if err := m.line(strings.TrimRight(line, " \t")); err != nil {
			return Report{}, fmt.Errorf("line %d: %w", n+1, err)
		}
	}
	return m.report(o)
}

type mypyReader struct {
	found   []mypyDiagnostic
	summary bool // the summary was there
	errors  int  // what it says
	checked int  // files, -1 where it does not say
}

func (m *mypyReader) line(s string) error {
	switch {
	case s == "":
		return nil
	case s[0] == '{':
		var d mypyDiagnostic
		if err := json.Unmarshal([]byte(s), &d); err != nil {
			return fmt.Errorf("not a diagnostic of mypy: %w", err)
		}
		if d.Message == nil || d.File == "" {
			return fmt.Errorf("a diagnostic of mypy without file and message")
		}
		d.Column++
		m.found = append(m.found, d)
		return nil
	case m.readSummary(s):
		return nil
	}
	d, ok := mypyText(s)
	if !ok {
		return fmt.Errorf("%q is no diagnostic of mypy", excerpt(s))
	}
	if last := len(m.found) - 1; d.Severity == "note" && last >= 0 && d.follows(&m.found[last]) {
		m.found[last].Hint = strings.TrimPrefix(m.found[last].Hint+"\n"+*d.Message, "\n")
		return nil
	}
	m.found = append(m.found, d)
	return nil
}

// follows reports whether a note explains the error before it, at the same place.
func (d *mypyDiagnostic) follows(before *mypyDiagnostic) bool {
	return before.Severity == "error" && d.File == before.File && d.Line == before.Line && d.Column == before.Column
}

// readSummary reads "Success: no issues found in 2 source files" and "Found 6 errors in 1 file (checked 2 source files)".
func (m *mypyReader) readSummary(s string) bool {
	if rest, ok := strings.CutPrefix(s, "Success: no issues found in "); ok {
		m.summary, m.errors, m.checked = true, 0, leadingNumber(rest)
		return true
	}
	rest, ok := strings.CutPrefix(s, "Found ")
	if !ok || !strings.Contains(rest, " error") || !strings.HasSuffix(rest, ")") {
		return false
	}
	m.summary, m.errors, m.checked = true, leadingNumber(rest), -1
	if _, files, ok := strings.Cut(rest, "(checked "); ok {
		m.checked = leadingNumber(files)
	}
	return true
}

func (m *mypyReader) report(o Output) (Report, error) {
	r := Report{Measured: -1}
	errors, missing := 0, 0
	for i := range m.found {
		d := &m.found[i]
		if strings.HasPrefix(*d.Message, "INTERNAL ERROR") {
			return Report{}, fmt.Errorf("mypy crashed at %s:%d: %s", d.File, d.Line, excerpt(*d.Message))
		}
		if d.Severity == "error" {
			errors++
		}
		if d.Code == "import-not-found" {
			missing++
		}
		r.Findings = append(r.Findings, o.finding(d.diagnostic()))
	}
	switch {
	case o.Exit > mypyExitBlocked:
		return Report{}, fmt.Errorf("mypy exited %d%s", o.Exit, o.said())
	case o.Exit == 0 && errors > 0:
		return Report{}, fmt.Errorf("mypy exited 0 beside %d errors", errors)
	case m.summary && m.errors != errors:
		return Report{}, fmt.Errorf("mypy counts %d errors, its report holds %d%s", m.errors, errors, o.said())
	}
	if m.summary {
		r.Measured = m.checked
	}
	if o.Exit == mypyExitBlocked {
		r.Reduced = append(r.Reduced, "errors prevented further checking")
	}
	if missing > 0 {
		r.Reduced = append(r.Reduced, fmt.Sprintf("imports that were not found: %d", missing))
	}
	return r, nil
}

func (d *mypyDiagnostic) diagnostic() diagnostic {
	out := diagnostic{
		rule: d.Code, path: d.File, line: max(d.Line, 0), end: max(d.EndLine, 0), column: max(d.Column, 0),
		message: *d.Message, detail: d.Hint, severity: gavel.High, category: gavel.CategoryBug,
	}
	if d.Severity != "error" {
		out.severity = gavel.Low
	}
	// A note without a code of its own is "misc" in the JSON form, and has none in the text form.
	if d.Code == "" || d.Severity == "note" && d.Code == "misc" {
		out.rule = d.Severity
	}
	if d.Code == "syntax" {
		out.category = gavel.CategoryBuild
	}
	return out
}

// mypyText reads "path:line:column:endline:endcolumn: error: message  [code]", where every number may be missing.
func mypyText(s string) (mypyDiagnostic, bool) {
	d := mypyDiagnostic{}
	at := -1
	for _, severity := range []string{"error", "note", "warning"} {
		if i := strings.Index(s, ": "+severity+": "); i > 0 && (at < 0 || i < at) {
			at, d.Severity = i, severity
		}
	}
	if at < 0 {
		return d, false
	}
	message := strings.TrimSpace(s[at+len(d.Severity)+4:])
	if head, code, ok := strings.Cut(message, "  ["); ok && strings.HasSuffix(code, "]") {
		message, d.Code = head, strings.TrimSuffix(code, "]")
	}
	d.Message = &message
	var numbers []int
	d.File, numbers = cutNumbers(s[:at], 4)
	for i, to := range []*int{&d.Line, &d.Column, &d.EndLine} {
		if i < len(numbers) {
			*to = numbers[i]
		}
	}
	return d, d.File != ""
}

// cutNumbers takes up to limit numbers off the end of "path:1:2" and returns them in their order.
func cutNumbers(s string, limit int) (string, []int) {
	var numbers []int
	for len(numbers) < limit {
		before, n, ok := cutNumber(s)
		if !ok {
			break
		}
		s, numbers = before, append([]int{n}, numbers...)
	}
	return s, numbers
}

// leadingNumber is the number that s begins with, -1 where it begins with none.
func leadingNumber(s string) int {
	end := 0
	for end < len(s) && s[end] >= '0' && s[end] <= '9' {
		end++
	}
	n, err := strconv.Atoi(s[:end])
	if err != nil {
		return -1
	}
	return n
}
