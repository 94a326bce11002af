package app

import (
	"strings"
	"testing"
	"time"

	"github.com/gavel-review/gavel"
)

var testNow = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)

const goodMarker = "gavel:ignore a/b until 2026-12-31 -- why"

func TestParseMarkers(t *testing.T) {
	tests := []struct {
		name, path, text string
		lines            []int
		notes            int
	}{
		{"line comment", "a.go", "package a\n// " + goodMarker + "\nvar x = 1\n", []int{2}, 0},
		{"trailing", "a.py", "x = 1  # " + goodMarker + "\n", []int{1}, 0},
		{"block over lines", "a.c", "/* text\n   " + goodMarker + "\n*/\nint x;\n", []int{2}, 0},
		{"markup", "a.html", "<!-- " + goodMarker + " -->\n<p>\n", []int{1}, 0},
		{"in a string", "a.go", "package a\nvar s = \"// " + goodMarker + "\"\n", nil, 0},
		{"in code", "a.go", "package a\n" + goodMarker + "\n", nil, 0},
		{"not honoured", "a.go", "// gavel:ignore a/b until 2026-12-31\n", nil, 1},
		{"expired", "a.go", "// gavel:ignore a/b until 2026-11-29 -- old\n", nil, 1},
		{"last day", "a.go", "// gavel:ignore a/b until 2026-11-30 -- today\n", []int{1}, 0},
		{"none", "a.go", "package a\n", nil, 0},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			markers, notes := parseMarkers(test.path, segment{1, test.text}, testNow)
			var lines []int
			for _, m := range markers {
				lines = append(lines, m.Line)
				if m.File != test.path {
					t.Errorf("file %q", m.File)
				}
			}
			if len(lines) != len(test.lines) || len(lines) > 0 && lines[0] != test.lines[0] || len(notes) != test.notes {
				t.Errorf("lines %v notes %q, want lines %v and %d notes", lines, notes, test.lines, test.notes)
			}
		})
	}
}

func TestSegmentKeepsLineNumbers(t *testing.T) {
	markers, _ := parseMarkers("a.go", segment{40, "x := 1\n// " + goodMarker + "\n"}, testNow)
	if len(markers) != 1 || markers[0].Line != 41 {
		t.Errorf("markers = %+v, want one on line 41", markers)
	}
}

func TestMarkerKeyBindsToItsLines(t *testing.T) {
	key := func(text string) string {
		markers, _ := parseMarkers("a.py", segment{1, text}, testNow)
		if len(markers) != 1 {
			t.Fatalf("%d markers in %q", len(markers), text)
		}
		return markers[0].key
	}
	base := key("# " + goodMarker + "\nx = 1\n")
	if key("y = 2\n\n# "+goodMarker+"\nx = 1\n") != base {
		t.Error("moving the marker with its line makes it a new one")
	}
	if key("# "+goodMarker+"\n  x = 1\n") == base || key("# "+goodMarker+"\nx = 2\n") == base {
		t.Error("the marker stays trusted over another line")
	}
	if key("# "+strings.Replace(goodMarker, "12-31", "12-30", 1)+"\nx = 1\n") == base {
		t.Error("another date is the same marker")
	}
}

func TestSegmentsOfHunks(t *testing.T) {
	f := &gavel.File{Path: "a.py", Hunks: []gavel.Hunk{
		{NewStart: 10, Lines: []gavel.Line{{Op: gavel.Remove, Text: "gone"}, {Op: gavel.Add, New: 10, Text: "# " + goodMarker}}},
		{NewStart: 1 << 40, Lines: []gavel.Line{{Op: gavel.Add, New: 1 << 40, Text: "x"}}},
	}}
	segments, err := segmentsOf(f, nil)
	if err != nil || len(segments) != 2 || segments[0].start != 10 || segments[0].text != "# "+goodMarker+"\n" {
		t.Errorf("segments = %+v, %v", segments, err)
	}
	if !bringsMarker(f) {
		t.Error("the added marker is not seen")
	}
}
