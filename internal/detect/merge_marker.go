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
	rest := line[7:]
	if rest == "" || rest[0] == ' ' && sign != '=' {
		return sign
	}
	return 0
}

// markersOf calls yield for the sign of each conflict marker of the line. A byte order mark at the start of the file
// does not hide one, nor that the file's lines end with "\r" alone.
func markersOf(l *gavel.Line, yield func(sign byte)) {
	text := l.Text
	if l.New == 1 {
		text = strings.TrimPrefix(text, "\ufeff")
	}
	for text != "" {
		var piece string
		piece, text, _ = strings.Cut(text, "\r")
		if sign := markerOf(piece); sign != 0 {
			yield(sign)
		}
	}
}

func runMergeMarker(p *Pass) {
	var open, last *gavel.Line // where a conflict begins, and its last marker so far
	markers := 0               // of the conflict
	lone := p.Lang == code.Plain || p.Lang.Name == "markdown"
	flush := func() {
		if open != nil && (markers > 1 || !lone) {
			reportConflict(p, open, last)
		}
		open, last, markers = nil, nil, 0
	}
	p.Lines(gavel.Add, func(l *gavel.Line) {
		markersOf(l, func(sign byte) {
			if sign == '<' {
				flush()
			}
			if open == nil && (sign == '<' || sign == '>') {
				open = l
			}
			if open != nil {
				last, markers = l, markers+1
			}
			if sign == '>' {
				flush()
			}
		})
	})
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
