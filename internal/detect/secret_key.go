package detect

import (
	"encoding/base64"
	"strings"

	"github.com/gavel-review/gavel"
)

const (
	keyLines  = 200    // lines after a BEGIN that are read for a key
	keyWindow = 32_768 // bytes of one line that are read for a key
	keyDigits = 24     // base64 digits that a body needs to count
)

// privateKey reads a PEM, OpenSSH, SSH2 or PGP block that begins here: over the next lines, or on this one with
// escaped line ends. A header without a body is no finding.
func (s *secretScanner) privateKey(h keywordHit) {
	header := s.text[h.end:min(len(s.text), h.end+64)]
	cut := strings.Index(header, "----")
	if cut < 0 {
		return
	}
	label := strings.TrimSpace(header[:cut])
	if !strings.Contains(label, "PRIVATE KEY") || len(label) > 48 {
		return
	}
	from := h.end + cut
	for from < len(s.text) && s.text[from] == '-' {
		from++
	}
	b := keyBody{label: label}
	end := from + b.read(s.text[from:min(len(s.text), from+keyWindow)])
	lastLine := s.line
	for i := s.line + 1; i < len(s.lines) && i-s.line <= keyLines && !b.done && !b.broken; i++ {
		if s.lines[i].New != s.lines[i-1].New+1 {
			break
		}
		text := s.lines[i].Text
		b.read(text[:min(len(text), keyWindow)])
		if !b.broken {
			lastLine = i
		}
	}
	s.reportKey(b, h.start, end, lastLine)
}

// name is what the label calls the key, as part of a sentence.
func (b *keyBody) name() string {
	kind, _, _ := strings.Cut(b.label, "PRIVATE KEY")
	if kind = strings.TrimSpace(strings.Replace(kind, "ENCRYPTED", "", 1)); kind == "" {
		return "a private key"
	}
	return "a private key (" + kind + ")"
}

func (s *secretScanner) reportKey(b keyBody, start, end, lastLine int) {
	doc := matcherRule("secret/private-key")
	severity, confidence, message := doc.Severity, doc.Confidence, "This is "+b.name()+"."
	if strings.Contains(b.label, "PGP") {
		doc = matcherRule("secret/pgp-private-key")
		severity = doc.Severity
	}
	switch {
	case b.digits < keyDigits || b.empty():
		return
	case b.encrypted || strings.Contains(b.label, "ENCRYPTED"):
		severity = gavel.Medium
		message = "This is " + b.name() + ", encrypted with a passphrase."
	case !b.wellFormed():
		severity, confidence = gavel.High, gavel.ConfidenceMedium
		message = "This has the shape of a private key, but its first bytes are not those of one: it may be cut off or made up."
		if s.place.sample {
			severity = gavel.Low
		}
	}
	s.add(secretFound{doc: doc, start: start, end: end, lineEnd: lastLine, shown: "***", severity: severity, confidence: confidence, message: message, rank: rankKey})
}

// empty finds bodies that only stand for one: a key's first bytes repeat by nature, so few different digits are the sign.
func (b *keyBody) empty() bool {
	var seen [256]bool
	distinct := 0
	for i := 0; i < len(b.last); i++ {
		if !seen[b.last[i]] {
			seen[b.last[i]] = true
			distinct++
		}
	}
	return distinct < 8 || strings.Contains(strings.ToLower(b.last), "example")
}

// keyBody collects what stands between BEGIN and END.
type keyBody struct {
	label        string
	digits       int    // base64 digits so far
	head         string // the first of them
	last         string // the last long run of them
	encrypted    bool
	done, broken bool
}

// read takes one more piece of text and returns how much of it belongs to the block. Quotes, comment signs, string
// concatenation and escaped line ends around the digits do not matter.
func (b *keyBody) read(text string) int {
	i := 0
	for i < len(text) {
		switch c := text[i]; {
		case strings.HasPrefix(text[i:], "-----END") || strings.HasPrefix(text[i:], "---- END"):
			b.done = true
			end := strings.IndexByte(text[i+4:], ' ')
			if end < 0 {
				return len(text)
			}
			return i + b.footer(text[i:])
		case isBase64(c):
			from := i
			for i < len(text) && isBase64(text[i]) {
				i++
			}
			b.run(text[from:i])
		case c == '\\':
			for i < len(text) && text[i] == '\\' {
				i++
			}
			if i < len(text) && (text[i] == 'n' || text[i] == 'r' || text[i] == 't') {
				i++
			}
		case strings.HasPrefix(text[i:], "..."), strings.HasPrefix(text[i:], "-----BEGIN"), strings.HasPrefix(text[i:], "---- BEGIN"):
			b.broken = true
		case strings.IndexByte(" \t\r\"'`+=#*|>,[]-", c) >= 0, b.digits == 0 && strings.IndexByte(":.()@<", c) >= 0:
			i++
		default:
			b.broken = true
			return i
		}
		if b.broken {
			return i
		}
	}
	return len(text)
}

// footer is the length of the END line at the start of the text.
func (b *keyBody) footer(text string) int {
	i := 4
	for i < len(text) && text[i] != '\\' && text[i] != '"' && text[i] != '\'' && text[i] != '`' && i < 72 {
		i++
	}
	return i
}

// run takes one run of digits. Short words are headers such as Proc-Type or a comment and are passed over; before any
// digit was seen, prose ends the block.
func (b *keyBody) run(digits string) {
	if digits == "BEGIN" {
		b.broken = true
		return
	}
	if digits == "ENCRYPTED" || digits == "DEK" {
		b.encrypted = true
	}
	if len(digits) < 16 || changes(digits) < 2 {
		if b.digits > 0 {
			b.digits += len(digits)
		}
		return
	}
	if len(b.head) < 64 {
		b.head += digits[:min(len(digits), 64)]
	}
	b.digits += len(digits)
	b.last = digits[:min(len(digits), 128)]
}

func isBase64(b byte) bool { return isLetter(b) || '0' <= b && b <= '9' || b == '+' || b == '/' }

// wellFormed decodes the beginning: an ASN.1 sequence, or OpenSSH's magic word. PGP and SSH2 bodies are taken as they are.
func (b *keyBody) wellFormed() bool {
	if strings.Contains(b.label, "PGP") || strings.Contains(b.label, "SSH2") {
		return true
	}
	raw, err := base64.StdEncoding.DecodeString(b.head[:min(len(b.head), 24)&^3])
	if err != nil || len(raw) < 15 {
		return false
	}
	if strings.Contains(b.label, "OPENSSH") {
		return strings.HasPrefix(string(raw), "openssh-key-v1")
	}
	return raw[0] == 0x30
}

// puttyKey reads a PuTTY key file: its private part comes some lines after the header.
func (s *secretScanner) puttyKey(h keywordHit) {
	for i := s.line + 1; i < len(s.lines) && i-s.line < 60; i++ {
		if strings.HasPrefix(s.lines[i].Text, "Private-Lines:") && i+1 < len(s.lines) && len(s.lines[i+1].Text) >= 16 {
			last := i
			for last+1 < len(s.lines) && last-i < keyLines && !strings.Contains(s.lines[last+1].Text, ":") {
				last++
			}
			doc := matcherRule("secret/putty-private-key")
			s.add(secretFound{doc: doc, start: h.start, end: len(s.text), lineEnd: last, shown: "***", severity: doc.Severity, message: "This is a PuTTY private key.", rank: rankKey})
			return
		}
	}
}

// encodedKey reads a PEM block that was encoded in base64 once more, as Kubernetes does. Certificates look alike until
// they are decoded.
func (s *secretScanner) encodedKey(h keywordHit) {
	if !freshStart(s.text, h.start) || h.start > 0 && isBase64(s.text[h.start-1]) {
		return
	}
	end := h.end
	for end < len(s.text) && (isBase64(s.text[end]) || s.text[end] == '=') {
		end++
	}
	body := s.text[h.start:min(end, h.start+400)]
	raw, err := base64.StdEncoding.DecodeString(body[:len(body)&^3])
	if err != nil || end-h.start < 100 {
		return
	}
	if label, _, ok := strings.Cut(strings.TrimPrefix(string(raw), "-----BEGIN "), "-----"); !ok || !strings.Contains(label, "PRIVATE KEY") {
		return
	}
	doc := matcherRule("secret/private-key")
	s.add(secretFound{doc: doc, start: h.start, end: end, shown: "***", severity: doc.Severity, message: "This is a private key, encoded in base64.", rank: rankKey})
}

// jwk looks for the private members of a JSON web key around its "kty": d of asymmetric keys, k of symmetric ones.
func (s *secretScanner) jwk(h keywordHit) {
	if h.start > 0 && isWordByte(s.text[h.start-1]) || h.end < len(s.text) && isWordByte(s.text[h.end]) {
		return
	}
	if h.start < s.jwkDone {
		return
	}
	from, to := max(s.jwkDone, h.start-tokenLimit), min(len(s.text), h.end+tokenLimit)
	first := s.jwkDone == 0
	s.jwkDone = max(h.end, to-tokenLimit/2)
	symmetric := strings.Contains(strings.ToLower(s.text[h.end:min(len(s.text), h.end+12)]), "oct") && !strings.Contains(s.text[h.end:min(len(s.text), h.end+12)], "OKP")
	if start, end, ok := jwkMember(s.text, from, to, symmetric); ok {
		s.foundJWK(s.line, start, end)
		return
	}
	for i := max(0, s.line-10); first && i < len(s.lines) && i <= s.line+10; i++ {
		text := s.lines[i].Text
		if i == s.line || s.lines[i].Op != gavel.Add {
			continue
		}
		if start, end, ok := jwkMember(text, 0, min(len(text), tokenLimit), symmetric); ok {
			s.foundJWK(i, start, end)
			return
		}
	}
}

func (s *secretScanner) foundJWK(line, start, end int) {
	doc := matcherRule("secret/jwk-private-key")
	f := secretFound{doc: doc, start: start, end: end, shown: "***", severity: doc.Severity, message: "This is the private part of a JSON web key.", rank: rankKey}
	if line == s.line {
		s.add(f)
		return
	}
	if line <= s.jwkLine {
		return
	}
	s.jwkLine = line
	f.line, f.lineEnd, f.confidence = line, line, doc.Confidence
	s.emit(f)
}

// jwkMember finds d: "…" or k: "…" whose value is base64url of a key's size.
func jwkMember(text string, from, to int, symmetric bool) (start, end int, ok bool) {
	member := byte('d')
	if symmetric {
		member = 'k'
	}
	for i := from; i < to; i++ {
		if text[i] != member || i > 0 && isWordByte(text[i-1]) {
			continue
		}
		r := valueReader{line: text, at: i + 1, limit: min(to, i+32)}
		r.quote()
		r.blanks()
		if !r.skip(":") && !r.skip("=>") && !r.skip("=") {
			continue
		}
		r.blanks()
		if r.quote() == "" {
			continue
		}
		start, end = r.at, r.at
		for end < len(text) && end-start < tokenLimit && (isNameByte(text[end])) {
			end++
		}
		if end-start >= 16 && looksRandom(text[start:end]) && !madeUp(text[start:end]) {
			return start, end, true
		}
	}
	return 0, 0, false
}
