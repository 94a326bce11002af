package detect

import (
	"strings"
	"testing"

	"github.com/gavel-review/gavel"
)

// planted is a value of a provider's shape, put together so that no whole one stands in this file.
var planted = "ghp_" + "k3Jd82hGfQpLzXc91VbNmWe4RtYuIoPas0E1"

func TestMaskHunks(t *testing.T) {
	t.Parallel()
	f := &gavel.File{Path: "deploy.go", Status: gavel.Modified, Hunks: []gavel.Hunk{{OldStart: 3, OldLines: 3, NewStart: 3, NewLines: 3, Lines: []gavel.Line{
		{Op: gavel.Context, Old: 3, New: 3, Text: `const kept = "` + planted + `"`},
		{Op: gavel.Remove, Old: 4, Text: `const gone = "` + planted + `"`},
		{Op: gavel.Add, New: 4, Text: `var a, b = "` + planted + `", "` + planted + `"`},
		{Op: gavel.Context, Old: 5, New: 5, Text: `// nothing here`},
	}}}}
	got, places, err := MaskHunks(f)
	if err != nil || places != 4 {
		t.Fatalf("%d places, %v", places, err)
	}
	for _, l := range got.Hunks[0].Lines {
		if strings.Contains(l.Text, planted[4:20]) {
			t.Errorf("the value is shown: %q", l.Text)
		}
	}
	if got.Hunks[0].Lines[3].Text != "// nothing here" || !strings.HasPrefix(got.Hunks[0].Lines[1].Text, "const gone = ") {
		t.Errorf("more than the value is gone: %+v", got.Hunks[0].Lines)
	}
	if !strings.Contains(f.Hunks[0].Lines[0].Text, planted) {
		t.Error("the file itself was changed")
	}
}

func TestMaskHunksOfNothing(t *testing.T) {
	t.Parallel()
	for _, f := range []*gavel.File{{Path: "a"}, {Path: "a", Hunks: []gavel.Hunk{{}}}} {
		if got, places, err := MaskHunks(f); err != nil || places != 0 || len(got.Hunks) != len(f.Hunks) {
			t.Errorf("%+v: %+v, %d, %v", f, got, places, err)
		}
	}
}
