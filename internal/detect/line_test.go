package detect

import (
	"strings"
	"testing"

	"github.com/gavel-review/gavel"
	"github.com/gavel-review/gavel/internal/code"
)

// TestMoved: a line that moves and stays what it is is not new; one that comes out of a comment or a string is, with
// the whole text at hand and with the hunks alone.
func TestMoved(t *testing.T) {
	t.Parallel()
	const focus = "it.only('a', () => {})\n"
	far := strings.Repeat("f()\n", 12)
	for _, tt := range []struct {
		name, path, before, after string
		found                     int
	}{
		{"code to code", "a.test.js", focus + far, far + "\t" + focus, 0},
		{"code to code, tabs", "a.test.js", "\t\t" + focus + far, far + focus, 0},
		{"out of a comment", "a.test.js", "/*\n" + focus + "*/\n" + far, "/*\n*/\n" + far + focus, 1},
		{"out of a far comment", "a.test.js", "/*\n" + far + focus + "*/\n" + far, "/*\n" + far + "*/\n" + far + focus, 1},
		{"out of a template", "a.test.js", "x = `\n" + focus + "`\n" + far, "x = `\n`\n" + far + focus, 1},
		{"into a comment", "a.test.js", "/*\n*/\n" + far + focus, "/*\n" + focus + "*/\n" + far, 0},
		{"one of two was code", "a.test.js", "/*\n" + focus + "*/\n" + far + focus, "/*\n*/\n" + focus + far, 0},
		{"text to code", "a.js", "x = `\n// \u202e ok\n`\n" + far, "x = `\n`\n" + far + "// \u202e ok\n", 1},
		{"comment to comment", "a.js", "// \u202e ok\n" + far, far + "// \u202e ok\n", 0},
		{"the end of the line", "a.test.js", "f('it.only(`a`)')\n/*\nx */ it.only('b')\n" + far, "/*\nx */ it.only('b')\n" + far + "f('it.only(`a`)')\n", 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			for _, load := range []func() (string, error){func() (string, error) { return tt.after, nil }, nil} {
				if load == nil && strings.Contains(tt.name, "far") {
					continue // the hunk does not show where the comment begins
				}
				f := &gavel.File{Path: tt.path, Status: gavel.Modified, Hunks: diffHunks(tt.before, tt.after)}
				result := Run([]Detector{focused, invisible}, f, load, false)
				if len(result.Findings) != tt.found || result.Err != nil {
					t.Errorf("whole text %v: %+v", load != nil, result)
				}
			}
		})
	}
}

// TestOldSource: hunks taken back from the new side give the old one.
func TestOldSource(t *testing.T) {
	t.Parallel()
	texts := []string{"", "a\n", "a\nb\nc\n", strings.Repeat("x\n", 20), "y\n" + strings.Repeat("x\n", 20) + "z\n", strings.Repeat("x\n", 9) + "q\n" + strings.Repeat("x\n", 11)}
	for _, before := range texts {
		for _, after := range texts {
			f := &gavel.File{Path: "a.js", Hunks: diffHunks(before, after)}
			p := &Pass{File: f, Lang: code.Plain, load: func() (string, error) { return after, nil }}
			if got := p.oldSource().Text; got != before {
				t.Errorf("%q to %q: %q", before, after, got)
			}
		}
	}
}
