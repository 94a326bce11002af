package app

import (
	"fmt"
	"strings"
	"time"

	"github.com/gavel-review/gavel"
	"github.com/gavel-review/gavel/internal/code"
	"github.com/gavel-review/gavel/internal/detect"
)

// judgeSettings is what the caller decides about a judge.
type judgeSettings struct {
	NoFlaky bool
	Only    []gavel.Category    // empty = all
	Rules   *detect.SecretRules // the user's own; nil = none
	Workers int                 // 0 = one a core
	Now     time.Time
	// Baseline is what may settle findings of the change; see [judge.untouched].
	Baseline map[string]int
}

// marker is a suppression with what ties it to the lines it stands on: a trusted marker that comes to stand over other
// lines is a new one.
type marker struct {
	gavel.Suppression
	key string
}

// parseMarkers reads the suppression comments of a text. A marker in a string or in code is none.
func parseMarkers(path string, seg segment, now time.Time) (markers []marker, notes []string) {
	if !strings.Contains(seg.text, gavel.SuppressionMarker) {
		return nil, nil
	}
	first, _, _ := strings.Cut(seg.text, "\n")
	lines := strings.Split(seg.text, "\n")
	display := detect.ShownPath(path)
	for _, c := range code.LanguageOf(path, first).Comments(seg.text) {
		line := seg.start + c.Line - 1
		s, found, err := gavel.ParseSuppression(c.Text, now)
		switch {
		case !found:
			continue
		case err != nil:
			notes = append(notes, detect.Redact(fmt.Sprintf("%s:%d: suppression not honoured: %v", display, line, err)))
			continue
		}
		s.File, s.Line, s.Reason = display, line, detect.Redact(s.Reason)
		markers = append(markers, marker{s, markerKey(s, lines, c.Line)})
	}
	return markers, notes
}

// markerKey ties a marker to the text of its line and the next, blanks included: what covers a line that came to look
// different is a new marker. index is its line within lines, from 1.
func markerKey(s gavel.Suppression, lines []string, index int) string {
	at := func(n int) string {
		if n < 1 || n > len(lines) {
			return ""
		}
		return strings.TrimRight(lines[n-1], " \t\r")
	}
	return strings.Join([]string{strings.Join(s.Rules, ","), s.Until.Format(time.DateOnly), at(index), at(index + 1)}, "\x00")
}

// bringsMarker reports whether an added line holds the marker's word.
func bringsMarker(f *gavel.File) bool {
	for _, h := range f.Hunks {
		for _, l := range h.Lines {
			if l.Op == gavel.Add && strings.Contains(l.Text, gavel.SuppressionMarker) {
				return true
			}
		}
	}
	return false
}

// segment is a run of consecutive lines of a file's new side.
type segment struct {
	start int // the number of its first line
	text  string
}

// segmentsOf is the new side of a file: whole where it can be read, else one segment a hunk.
func segmentsOf(f *gavel.File, text func() (string, error)) ([]segment, error) {
	if text != nil {
		whole, err := text()
		return []segment{{1, whole}}, err
	}
	segments := make([]segment, 0, len(f.Hunks))
	for _, h := range f.Hunks {
		var b strings.Builder
		for _, l := range h.Lines {
			if l.Op != gavel.Remove {
				b.WriteString(l.Text)
				b.WriteByte('\n')
			}
		}
		segments = append(segments, segment{h.NewStart, b.String()})
	}
	return segments, nil
}
