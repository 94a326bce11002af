package detect

import (
	"strings"

	"github.com/gavel-review/gavel"
)

// ShownPath returns the path as documents and messages show it: like [gavel.DisplayPath], with the value of every
// provider token in it masked. It is also the path by which findings, suppressions and baselines know the file: two
// files whose names differ in nothing but such a value are one to them.
func ShownPath(path string) string {
	masked, _ := maskPath(path)
	return gavel.DisplayPath(masked)
}

// pathSecret is a token that stands in a path.
type pathSecret struct {
	secretFound
	value string
}

// maskPath reads each part of the path as a line of its own. Only what has a structure counts: names such as "key=..."
// partition data.
func maskPath(path string) (masked string, secrets []pathSecret) {
	if !mayHoldToken(path) {
		return path, nil
	}
	parts := strings.Split(path, "/")
	for i, part := range parts {
		if !mayHoldToken(part) {
			continue
		}
		var masks []mask
		s := secretScanner{engine: builtinSecrets(), path: path, lines: []gavel.Line{{Op: gavel.Add, New: 1, Text: part}}}
		s.emit = func(f secretFound) {
			if f.rank >= rankToken && f.rank < rankKey && !f.loose {
				masks = append(masks, mask{f.start, f.end, f.shown})
				secrets = append(secrets, pathSecret{f, part[f.start:f.end]})
			}
		}
		s.scan()
		parts[i] = maskedLine(part, disjoint(masks, len(part)))
	}
	if len(secrets) == 0 {
		return path, nil
	}
	return strings.Join(parts, "/"), secrets
}

// mayHoldToken reports whether the text holds a run of letters and digits that is long enough for a token, with a digit
// in it: few names do, and the others cost nothing more.
func mayHoldToken(text string) bool {
	const least = 14
	run, digit := 0, false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case !isWordByte(c) && c != '-':
			run, digit = 0, false
			continue
		case '0' <= c && c <= '9':
			digit = true
		}
		if run++; run >= least && digit {
			return true
		}
	}
	return false
}

// reportPath reports the secrets of a name that the change brings.
func reportPath(p *Pass) {
	f := p.File
	if !p.Whole && f.Status != gavel.Added && f.Status != gavel.Renamed && f.Status != gavel.Copied {
		return
	}
	_, secrets := maskPath(f.Path)
	if len(secrets) == 0 {
		return
	}
	_, before := maskPath(f.OldPath)
	known := make(map[string]bool)
	for _, s := range before {
		known[s.value] = !p.Whole
	}
	for _, s := range secrets {
		if known[s.value] {
			continue // the file is only moved
		}
		finding := p.Report(s.doc, Span{}, "It stands in the file's name. "+s.message)
		finding.Severity, finding.Confidence = s.severity, s.confidence
	}
}
