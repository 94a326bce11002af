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
