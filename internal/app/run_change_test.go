package app

import (
	"strings"
	"testing"

	"github.com/gavel-review/gavel"
)

func oneLine(path, text string) *gavel.File {
	return &gavel.File{
		Path: path, Status: gavel.Added, NewMode: gavel.ModeRegular, NewID: strings.Repeat("1", 40), OldMode: gavel.ModeAbsent,
		Hunks: []gavel.Hunk{{NewStart: 1, NewLines: 1, Lines: []gavel.Line{{Op: gavel.Add, New: 1, Text: text}}}},
	}
}

// TestExcerptsAreWhatThePatchHolds: what is shown of a file went through the patch, with its secrets masked.
func TestExcerptsAreWhatThePatchHolds(t *testing.T) {
	t.Parallel()
	value := "ghp_" + "k3Jd82hGfQpLzXc91VbNmWe4RtYuIoPas0E1"
	var c changeRecord
	renamed := oneLine("new name.go", "renamed")
	renamed.Status, renamed.OldPath, renamed.OldMode, renamed.OldID = gavel.Renamed, "old.go", gavel.ModeRegular, strings.Repeat("2", 40)
	for _, f := range []*gavel.File{
		oneLine("a.go", "+++ b/x.go\r"), oneLine("b.go", `token := "`+value+`"`), renamed, oneLine("odd\xff\n.go", "diff --git a/b b/b"),
		oneLine("keys/"+value+".go", "one"), oneLine("keys/"+strings.ToUpper(value[:4])+value[4:]+".go", "two"), {Path: "image.png", Status: gavel.Added, Binary: true},
	} {
		if err := c.write(f); err != nil {
			t.Fatal(err)
		}
	}
	want := map[string]string{
		"a.go": "+++ b/x.go\r", "b.go": `token := "ghp_***"`, "new name.go": "renamed", gavel.DisplayPath("odd\xff\n.go"): "diff --git a/b b/b",
		"keys/ghp_***.go": "one", "image.png": "", "elsewhere.go": "",
	}
	files := make([]string, 0, len(want))
	for path := range want {
		files = append(files, path)
	}
	hunks, err := c.excerpts(t.Context(), files)
	if err != nil {
		t.Fatal(err)
	}
	for path, text := range want {
		switch h := hunks[path]; {
		case text == "" && len(h) == 0:
		case len(h) != 1 || len(h[0].Lines) != 1 || h[0].Lines[0].Text != text || h[0].Lines[0].New != 1:
			t.Errorf("%q: %+v, want %q", path, h, text)
		}
	}
}

// TestExcerptsOfNamesAlike: where two files go by one name, nothing is shown rather than lines of the wrong one.
func TestExcerptsOfNamesAlike(t *testing.T) {
	t.Parallel()
	var c changeRecord
	for _, value := range []string{"ghp_" + "k3Jd82hGfQpLzXc91VbNmWe4RtYuIoPas0E1", "ghp_" + "Zq7Rt5Yw2Ux9Kb4Mn8Vc1Lp6Sd3Fg0Hj2AeT"} {
		if err := c.write(oneLine("keys/"+value+".go", "x")); err != nil {
			t.Fatal(err)
		}
	}
	hunks, err := c.excerpts(t.Context(), []string{"keys/ghp_***.go"})
	if err != nil || len(hunks) != 0 {
		t.Errorf("%+v, %v", hunks, err)
	}
}
