package detect

import "github.com/gavel-review/gavel"

// secretDetector finds private keys, provider tokens and passwords on added lines, in every kind of path. A value
// is never quoted: reports show a token's public prefix at most.
func secretDetector() Detector {
	return Detector{Name: "secret", Rules: secretDocs(), Run: runSecret}
}

func runSecret(p *Pass) {
	s := secretScanner{place: classifySecretPath(p.File.Path)}
	s.place.sample = s.place.sample || p.Test
	for i := range p.File.Hunks {
		h := &p.File.Hunks[i]
		s.lines = s.lines[:0]
		added := false
		for j := range h.Lines {
			l := &h.Lines[j]
			if l.Op == gavel.Remove {
				continue
			}
			added = added || l.Op == gavel.Add
			s.lines = append(s.lines, secretLine{number: l.New, text: l.Text, added: l.Op == gavel.Add})
		}
		if !added {
			continue
		}
		if s.engine == nil {
			s.engine = builtinSecrets()
		}
		s.emit = func(f secretFound) { reportSecret(p, s.lines, f) }
		s.scan()
	}
}

func reportSecret(p *Pass, lines []secretLine, f secretFound) {
	first := lines[f.line]
	p.Mask(first.number, f.start, f.end, f.shown)
	for i := f.line + 1; i <= f.lineEnd; i++ {
		if n := len(lines[i].text); n > 0 {
			p.Mask(lines[i].number, 0, n, "***")
		}
	}
	at := Span{Line: first.number, Column: f.start, End: f.end, Text: first.text}
	if f.lineEnd > f.line {
		at.LineEnd = lines[f.lineEnd].number
	}
	finding := p.Report(f.doc, at, f.message)
	if finding == nil {
		return
	}
	finding.Severity, finding.Confidence = f.severity, f.confidence
}
