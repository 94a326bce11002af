package detect

import (
	"fmt"
	"strings"
	"testing"

	"github.com/gavel-review/gavel"
)

// TestRiskFlowIsBounded: assignments that refer to each other multiply the ways back; the test ends only because the
// steps of one file are counted.
func TestRiskFlowIsBounded(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	b.WriteString("function f(p) {\n")
	for i := range 2000 {
		fmt.Fprintf(&b, "  v%d = v%d + v%d + g(v%d);\n", i%10, (i+1)%10, (i+3)%10, (i+7)%10)
	}
	b.WriteString("  el.innerHTML = v1;\n}\n")
	f := &gavel.File{Path: "a.js", Status: gavel.Added}
	if result := Run(All(), f, func() (string, error) { return b.String(), nil }, true); result.Err != nil {
		t.Fatal(result.Err)
	}
}

// One fault is told once, where the statement is built; where only the call is new, it is told there.
func TestBuiltStatementIsToldOnce(t *testing.T) {
	t.Parallel()
	lines := []string{
		"package a", "", "func f(db *sql.DB, r *http.Request) {",
		"\tq := \"SELECT id FROM orders WHERE owner = '\" + r.FormValue(\"name\") + \"'\"", "\tdb.Query(q)", "}",
	}
	for name, tt := range map[string]struct {
		added []int
		want  string
	}{
		"both lines": {[]int{4, 5}, "4"},
		"the call":   {[]int{5}, "5"},
		"the text":   {[]int{4}, "4"},
	} {
		h := gavel.Hunk{OldStart: 1, NewStart: 1, NewLines: len(lines)}
		for i, text := range lines {
			l := gavel.Line{Op: gavel.Context, Old: i + 1, New: i + 1, Text: text}
			for _, n := range tt.added {
				if n == i+1 {
					l.Op, l.Old = gavel.Add, 0
				}
			}
			h.Lines = append(h.Lines, l)
		}
		f := &gavel.File{Path: "a.go", Status: gavel.Modified, Hunks: []gavel.Hunk{h}}
		got := ""
		for _, found := range Run(All(), f, func() (string, error) { return strings.Join(lines, "\n"), nil }, false).Findings {
			if found.Rule == "risk/sql-built" && found.Scope == gavel.ScopeChangedLine {
				got += fmt.Sprint(found.Line)
			}
		}
		if got != tt.want {
			t.Errorf("%s: told at %q, want %q", name, got, tt.want)
		}
	}
}
