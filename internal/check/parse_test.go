package check

import (
	"fmt"
	"strings"
	"testing"
)

// parserOf is the parser of a format as the rest of the program gets it.
func parserOf(t testing.TB, format string) Parser {
	t.Helper()
	parse, ok := ParserFor(format)
	if !ok {
		t.Fatalf("no parser for %q", format)
	}
	return parse
}

// checkSummary reads the output and compares its findings, "severity file:line:column rule title" one a line, or the
// error where want begins with "error: ".
func checkSummary(t *testing.T, format string, o Output, want string) Report {
	t.Helper()
	if o.Stdout == nil {
		o.Stdout = o.Report
	}
	r, err := parserOf(t, format)(o)
	if part, fails := strings.CutPrefix(want, "error: "); fails || err != nil {
		if err == nil || !fails || !strings.Contains(err.Error(), part) {
			t.Fatalf("error %v, want %q; report %+v", err, want, r)
		}
		return r
	}
	checkReport(t, r)
	var lines []string
	for _, f := range r.Findings {
		lines = append(lines, fmt.Sprintf("%s %s:%d:%d %s %s", f.Severity, f.File, f.Line, f.Column,
			strings.TrimPrefix(f.Rule, "check/"+o.Check+"/"), f.Title))
	}
	if got := strings.Join(lines, "\n"); got != want {
		t.Errorf("found\n%s\nwant\n%s", got, want)
	}
	return r
}
