package detect

import (
	"strings"

	"github.com/gavel-review/gavel"
	"github.com/gavel-review/gavel/internal/code"
)

// Redact returns the text with every secret that is found in it masked, as findings show it: for remarks and error
// messages that quote what stands in a repository. What no rule knows as a secret stays.
func Redact(text string) string {
	lines := strings.Split(text, "\n")
	hunk := gavel.Hunk{NewStart: 1, NewLines: len(lines), Lines: make([]gavel.Line, len(lines))}
	for i, line := range lines {
		hunk.Lines[i] = gavel.Line{Op: gavel.Add, New: i + 1, Text: line}
	}
	p := &Pass{File: &gavel.File{Path: "message", Status: gavel.Added, Hunks: []gavel.Hunk{hunk}}, Lang: code.Plain, Whole: true}
	runSecret(p)
	for i := range lines {
		lines[i] = masked(lines[i], disjoint(p.masks[i+1], len(lines[i])), func(m mask) string { return m.shown })
	}
	return strings.Join(lines, "\n")
}
