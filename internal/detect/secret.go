package detect

import (
	"strings"

	"github.com/gavel-review/gavel"
)

// secretDetector finds private keys, provider tokens and passwords on added lines, in every kind of path. A value
// is never quoted: reports show a token's public prefix at most.
func secretDetector() Detector {
	return Detector{Name: "secret", Rules: secretDocs(), Run: runSecret}
}

func runSecret(p *Pass) { runSecretWith(p, builtinSecrets) }

// runSecretWith runs an engine, which is only built when there is an added line.
func runSecretWith(p *Pass, engine func() *secretEngine) {
	s := secretScanner{place: classifySecretPath(p.File.Path), path: p.File.Path, tick: p.tick}
	s.place.sample = s.place.sample || p.Test
	s.place.quiet = s.place.quiet || p.strewn
	var spare []gavel.Line
	for i := range p.File.Hunks {
		h := &p.File.Hunks[i]
		lines, added := newSide(h.Lines, &spare)
		s.lines = lines
		if !added {
			continue
		}
		if s.engine == nil {
			s.engine = engine()
		}
		s.emit = func(f secretFound) { reportSecret(p, s.lines, f) }
		s.scan()
	}
	reportPath(p)
	if !p.Whole {
		reportKeyBodies(p, s.place)
	}
}

// newSide are the lines without the removed ones; spare is room for a copy, which is needed only where some were. added
// tells whether any line is.
func newSide(all []gavel.Line, spare *[]gavel.Line) (lines []gavel.Line, added bool) {
	removed := false
	for i := range all {
		added = added || all[i].Op == gavel.Add
		removed = removed || all[i].Op == gavel.Remove
	}
	if !added || !removed {
		return all, added
	}
	*spare = (*spare)[:0]
	for i := range all {
		if all[i].Op != gavel.Remove {
			*spare = append(*spare, all[i])
		}
	}
	return *spare, true
}

// maskRepeats hides the same value where it stands on the line again, as far as a report could quote it.
func maskRepeats(p *Pass, line gavel.Line, f secretFound) {
	value := line.Text[f.start:f.end]
	if len(value) < 6 {
		return
	}
	const reach = 1 << 12
	from, to := max(0, f.start-reach), min(len(line.Text), f.end+reach)
	for at := from; at < to; {
		next := strings.Index(line.Text[at:to], value)
		if next < 0 {
			return
		}
		at += next
		if at != f.start {
			p.Mask(line.New, at, at+len(value), f.shown)
		}
		at += len(value)
	}
}

func reportSecret(p *Pass, lines []gavel.Line, f secretFound) {
	first := lines[f.line]
	p.Mask(first.New, f.start, f.end, f.shown)
	maskRepeats(p, first, f)
	for i := f.line + 1; i <= f.lineEnd; i++ {
		if n := len(lines[i].Text); n > 0 {
			p.Mask(lines[i].New, 0, n, "***")
		}
	}
	at := Span{Line: first.New, Column: f.start, End: f.end, Text: first.Text}
	if f.lineEnd > f.line {
		at.LineEnd = lines[f.lineEnd].New
	}
	finding := p.Report(f.doc, at, f.message)
	if finding == nil {
		return
	}
	finding.Severity, finding.Confidence = f.severity, f.confidence
}
