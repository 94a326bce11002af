package detect

import (
	"fmt"
	"strings"

	"github.com/gavel-review/gavel"
)

const (
	tokenWindow = 320  // bytes that most tokens fit in
	tokenLimit  = 4096 // bytes that any token is looked at
	tokenReach  = 256  // bytes on either side of a keyword inside a token
)

// tokenAt tries a family whose tokens begin with the keyword.
func (s *secretScanner) tokenAt(f *secretFamily, h keywordHit) {
	if isWordByte(s.text[h.start]) && !freshStart(s.text, h.start) || f.Shown < 5 && insideBase64(s.text, h) {
		return
	}
	re := f.pattern()
	if re == nil {
		return
	}
	window := s.text[h.start:min(len(s.text), h.start+tokenWindow)]
	m := re.FindStringSubmatchIndex(window)
	if h.start+len(window) < len(s.text) && (m == nil && f.Long || m != nil && m[1] == len(window)) {
		window = s.text[h.start:min(len(s.text), h.start+tokenLimit)]
		m = re.FindStringSubmatchIndex(window)
	}
	if m != nil {
		start, end := f.value(m)
		s.token(f, h.start+start, h.start+end, rankToken)
	}
}

// tokenAround tries a family whose tokens hold the keyword further inside.
func (s *secretScanner) tokenAround(f *secretFamily, h keywordHit) {
	if f.Inside && (h.start == 0 || !isNameByte(s.text[h.start-1])) {
		return
	}
	re := f.pattern()
	if re == nil {
		return
	}
	from, to, ok := s.window(f, h)
	if !ok {
		return
	}
	for _, m := range re.FindAllStringSubmatchIndex(s.text[from:to], -1) {
		if start, end := f.value(m); start >= 0 {
			s.token(f, from+start, from+end, rankToken)
		}
	}
}

// window is what was looked at for a family on the line so far.
type window struct {
	hit  int // where the last keyword stood
	done int // keywords before here need no look of their own
}

// window is where to look for a family around a keyword. Where keywords crowd, one look serves several of them, so that
// no text is read more often than a few times.
func (s *secretScanner) window(f *secretFamily, h keywordHit) (from, to int, ok bool) {
	reach := f.Reach
	if reach == 0 {
		reach = tokenReach
	}
	w, seen := s.around[f]
	if seen && h.start < w.done {
		return 0, 0, false
	}
	ahead := reach
	if seen && h.start-w.hit < reach {
		ahead = 8 * reach
	}
	if s.around == nil {
		s.around = make(map[*secretFamily]window)
	}
	s.around[f] = window{hit: h.end + ahead - reach, done: h.end + ahead - reach}
	return max(0, h.start-reach), min(len(s.text), h.end+ahead), true
}

// tokenNamed tries a family whose tokens are known by the name that they are given to.
func (s *secretScanner) tokenNamed(f *secretFamily, h keywordHit) {
	if s.place.quiet {
		return
	}
	a, ok := s.assignment(h)
	if !ok || a.end-a.start > tokenWindow {
		return
	}
	re := f.pattern()
	if re == nil {
		return
	}
	if m := re.FindStringSubmatchIndex(s.text[a.start:a.end]); m != nil {
		start, end := f.value(m)
		s.token(f, a.start+start, a.start+end, rankNamed)
	}
}

// token weighs a match: its ends, whether anyone could use it, what its structure proves.
func (s *secretScanner) token(f *secretFamily, start, end, rank int) {
	if start < 0 || end <= start || end < len(s.text) && isWordByte(s.text[end]) && isWordByte(s.text[end-1]) {
		return
	}
	value := s.text[start:end]
	if f.allow != nil && (!f.allow.place(s.path) || !f.allow.value(value)) {
		return
	}
	switch {
	case f.extra:
		rank = rankExtra
	case rank == rankNamed && f.severity() < gavel.Medium:
		rank = rankWeak
	}
	shown := min(f.Shown, len(value))
	if f.extra {
		shown = min(shown, len(value)/3) // nobody knows that the prefix is public
	}
	if f.Entropy > 0 && entropy(value[shown:]) < f.Entropy || published(value) {
		return
	}
	proved := secretProof(f.Check, value)
	if unusable(value[shown:]) && f.Check != "dropbox" {
		return
	}
	severity, confidence := f.severity(), f.doc.Confidence
	message := fmt.Sprintf("This is %s.", withArticle(f.Title))
	switch proved {
	case proofNever:
		return
	case proofHolds:
		if !f.extra {
			rank = rankChecked
		}
		message = fmt.Sprintf("This is %s; its inner structure holds.", withArticle(f.Title))
	case proofFails:
		severity, confidence = severity-1, gavel.ConfidenceMedium
		message = fmt.Sprintf("This has the shape of a %s, but its checksum does not hold: it may be altered or made up.", f.Title)
		if s.place.sample {
			severity = gavel.Low
		}
	}
	if f.Loose && s.place.sample {
		severity = gavel.Low
		message += sampleNote
	}
	s.add(secretFound{doc: f.doc, start: start, end: end, shown: value[:shown] + "***", severity: severity, confidence: confidence, message: message, loose: f.Loose, rank: rank})
}

const sampleNote = " The path is one of tests, examples or documentation, so it is rated low."

// insideBase64 reports whether a keyword of letters alone follows a plus or slash in a run of base64, where any letters
// happen.
func insideBase64(text string, h keywordHit) bool {
	if h.start < 4 || text[h.start-1] != '+' && text[h.start-1] != '/' || !isWordByte(text[h.end-1]) || text[h.end-1] == '_' {
		return false
	}
	run := text[max(0, h.start-8) : h.start-1]
	return strings.Trim(run, base62Digits+"+/") == "" && strangeShare(run) > 0 || digitsOf(run) > 0 && strings.Trim(run, base62Digits+"+/") == ""
}

// freshStart reports whether a token can begin at the offset: what stands before is no part of a longer word. Escapes
// such as \n and %3D count as a break.
func freshStart(text string, at int) bool {
	if at == 0 || !isWordByte(text[at-1]) {
		return true
	}
	if at >= 2 && text[at-2] == '\\' && (text[at-1] == 'n' || text[at-1] == 't' || text[at-1] == 'r') {
		return true
	}
	if at >= 3 && text[at-3] == '%' && isHex(text[at-2]) && isHex(text[at-1]) {
		return true
	}
	return at >= 6 && text[at-6] == '\\' && text[at-5] == 'u' && isHex(text[at-2]) && isHex(text[at-1])
}

func isHex(b byte) bool {
	b = foldByte(b)
	return '0' <= b && b <= '9' || 'a' <= b && b <= 'f'
}

// seeds finds NATS seeds: runs of exactly 58 base32 digits that begin with S and a kind. They have no keyword, so the
// line is probed at intervals shorter than a seed.
func (s *secretScanner) seeds() {
	const length = 58
	text := s.text
	for i := length - 1; i < len(text); i += length {
		if !isBase32(text[i]) {
			continue
		}
		start, end := i, i+1
		for start > 0 && i-start < length && isBase32(text[start-1]) {
			start--
		}
		for end < len(text) && isBase32(text[end]) {
			end++
		}
		if end-start == length && text[start] == 'S' && isSeedKind(text[start+1]) && freshStart(text, start) {
			s.token(nkeyFamily(s.engine), start, end, rankToken)
		}
		if end > i+length {
			i = end - 1
		}
	}
}

func isBase32(b byte) bool { return 'A' <= b && b <= 'Z' || '2' <= b && b <= '7' }

func isSeedKind(b byte) bool {
	return b == 'U' || b == 'A' || b == 'O' || b == 'N' || b == 'C' || b == 'X'
}

func nkeyFamily(e *secretEngine) *secretFamily {
	for i := range e.families {
		if e.families[i].ID == "nats-seed" {
			return &e.families[i]
		}
	}
	return nil
}

// withArticle puts "a" or "an" before a name, by its first sound as far as the first letter tells.
func withArticle(name string) string {
	if strings.HasPrefix(name, "npm") || name != "" && strings.ContainsRune("AEIOaeio", rune(name[0])) {
		return "an " + name
	}
	return "a " + name
}
