package report

import (
	"fmt"
	"strings"
	"testing"

	"github.com/gavel-review/gavel"
)

// TestTextFolds: many findings of one rule in one file take a few blocks and a list, and every line is named.
func TestTextFolds(t *testing.T) {
	t.Parallel()
	for n, blocks := range map[int]int{1: 1, maxAlike: maxAlike, maxAlike + 1: maxAlike + 1, maxAlike + 2: maxAlike + 1, 40: maxAlike + 1} {
		doc := &gavel.Document{}
		for i := range n {
			doc.Findings = append(doc.Findings, gavel.Finding{Severity: gavel.Low, File: "a.go", Line: 100 + i, Title: "title", Rule: "a/b", Located: true})
		}
		doc.Findings = append(doc.Findings, gavel.Finding{Severity: gavel.High, File: "a.go", Line: 1, Title: "grave", Rule: "a/b"},
			gavel.Finding{Severity: gavel.Low, File: "b.go", Line: 1, Title: "other file", Rule: "a/b"})
		doc.Findings[n-1].Pending = "until then"
		var b strings.Builder
		if err := Text(&b, doc, gavel.Verdict{}, TextOptions{}); err != nil {
			t.Fatal(err)
		}
		if got := strings.Count(b.String(), "LOW  a.go"); got != blocks {
			t.Errorf("%d findings: %d blocks, want %d:\n%s", n, got, blocks, &b)
		}
		for i := range n {
			if !strings.Contains(b.String(), fmt.Sprint(100+i)) {
				t.Errorf("%d findings: line %d is not named", n, 100+i)
			}
		}
		if !strings.Contains(b.String(), "grave") || !strings.Contains(b.String(), "other file") || n > maxAlike+1 && !strings.Contains(b.String(), "Suppressed by the") {
			t.Errorf("%d findings:\n%s", n, &b)
		}
	}
}
