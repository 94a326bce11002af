package detect

import (
	"strings"

	"github.com/gavel-review/gavel"
	"github.com/gavel-review/gavel/internal/code"
)

var mergeMarker = Detector{Name: "merge_marker", Rules: []*gavel.Rule{ruleMergeMarker}, Run: runMergeMarker}

var ruleMergeMarker = &gavel.Rule{
	ID:    "hygiene/merge-marker",
	Title: "Merge conflict marker left in the text",
	Text: "git writes `<<<<<<<`, `|||||||`, `=======` and `>>>>>>>` around the versions that it could not merge. A file that still " +
		"holds them was never resolved: it does not compile, or it ships both versions. The rule fires on markers of seven signs at the " +
		"start of an added line. A lone `=======` is a heading's underline and is no finding. In fixtures, documentation and the " +
		"multi-line strings of tests the finding is low.",
	Fix:      "Decide between the versions, delete the markers and run the tests.",
	Before:   "<<<<<<< HEAD\n" + "limit := 10\n" + "=======\n" + "limit := 20\n" + ">>>>>>> feature",
	After:    "limit := 20",
	Severity: gavel.High, Category: gavel.CategoryHygiene, Confidence: gavel.ConfidenceHigh,
}

// markerOf returns the sign of the conflict marker that the line is, 0 where it is none.
func markerOf(line string) byte {
	if len(line) < 7 {
		return 0
	}
	sign := line[0]
	if sign != '<' && sign != '=' && sign != '>' && sign != '|' {
		return 0
	}
	for i := 1; i < 7; i++ {
		if line[i] != sign {
			return 0
		}
	}
	rest := strings.TrimSuffix(line[7:], "\r")
	if rest == "" || rest[0] == ' ' && sign != '=' {
		return sign
	}
	return 0
}

func runMergeMarker(p *Pass) {
	var open, previous *gavel.Line // the first marker of a conflict, and its last so far
	lone := p.Lang == code.Plain || p.Lang.Name == "markdown"
	flush := func() {
		if open != nil && (previous != open || !lone) {
			reportConflict(p, open, previous)
		}
		open, previous = nil, nil
	}
	for i := range p.File.Hunks {
		for j := range p.File.Hunks[i].Lines {
			l := &p.File.Hunks[i].Lines[j]
			if l.Op != gavel.Add {
				continue
			}
			sign := markerOf(l.Text)
			switch {
			case sign == 0:
			case sign == '<':
				flush()
				open, previous = l, l
			case sign == '>':
				if open == nil {
					open = l
				}
				previous = l
				flush()
			case open != nil:
				previous = l
			}
		}
	}
	flush()
}

func reportConflict(p *Pass, from, to *gavel.Line) {
	f := p.Report(ruleMergeMarker, Span{Line: from.New, LineEnd: to.New, Text: from.Text},
		"The change adds git's marks of an unresolved merge.")
	switch {
	case code.IsFixture(p.File.Path), p.Lang.Name == "markdown":
		f.Severity = gavel.Low
	case p.Test:
		if t, ok := p.Source().At(from.New, 0); ok && t.Kind == code.String && t.Line < from.New {
			f.Severity = gavel.Low
		}
	}
}
