package detect

import (
	"strings"

	"github.com/gavel-review/gavel"
)

// assigned reads a literal that is given to a name that speaks of a secret: in code in quotes, in configuration bare,
// as an option of a command, in SQL.
func (s *secretScanner) assigned(h keywordHit) {
	if s.place.quiet || h.start < s.nameDone || s.minified() {
		return
	}
	a, ok := parseAssignment(s.text, h.start, h.end)
	s.nameDone = max(s.nameDone, a.nameEnd)
	if !ok {
		return
	}
	name := s.text[a.nameStart:a.nameEnd]
	kind := classifyName(name)
	if kind == nameOther || !s.takes(&a, name) {
		return
	}
	if kind == nameKey && strings.HasSuffix(strings.ToLower(name), "authorization") {
		a.start = afterScheme(s.text, a.start, a.end)
	}
	if a.end <= a.start {
		return
	}
	value := s.text[a.start:a.end]
	got := judgeValue(value, kind)
	if got == notSecret || s.echo(name, value) {
		return
	}
	if !a.quoted && s.place.syntax != syntaxConfig && s.place.syntax != syntaxShell && a.op != opOption && got != strong && !a.inString {
		return
	}
	s.addAssigned(&a, kind, got)
}

// minified lines are no text that anyone wrote.
func (s *secretScanner) minified() bool { return len(s.text) > 4000 && s.place.syntax == syntaxCode }

// takes reports whether the way the value is given fits the file.
func (s *secretScanner) takes(a *assignment, name string) bool {
	switch a.op {
	case opCall:
		first := strings.ToLower(name[strings.LastIndexByte(name, '.')+1:])
		for _, verb := range [...]string{"get", "find", "has", "is", "verify", "check", "validate", "expect", "parse", "require", "read", "load", "fetch", "delete", "remove", "unset", "t", "translate"} {
			if strings.HasPrefix(first, verb) {
				return false
			}
		}
		return true
	case opOption:
		return s.option(a, name)
	case opColon:
		if !a.quoted && strings.HasPrefix(s.wordBefore(a.nameStart), "-pass") {
			return true // openssl's -passin pass:value
		}
	}
	if a.quoted || a.inString {
		return true
	}
	value := s.text[a.start:a.end]
	if strings.ContainsAny(value, "(){}[]<>") && !strings.ContainsAny(value, "@!#%^") {
		return false
	}
	switch s.place.syntax {
	case syntaxCode:
		return a.op == opXML || name[0] == '-'
	case syntaxConfig, syntaxShell:
		return !reference(value)
	}
	return !reference(value) && (a.op != opXML || strings.IndexByte(value, ' ') < 0)
}

// option takes --password value and SQL's PASSWORD 'value'.
func (s *secretScanner) option(a *assignment, name string) bool {
	if name[0] == '-' {
		value := s.text[a.start:a.end]
		return !strings.HasPrefix(value, "-") && (a.quoted || !reference(value))
	}
	if !a.quoted {
		return false
	}
	if strings.HasSuffix(strings.ToLower(name), "by") {
		return true
	}
	before := strings.ToLower(s.text[max(0, a.nameStart-200):a.nameStart])
	for _, word := range [...]string{"role", "user", "login", "with", "identified", "alter", "create", "encrypted"} {
		if strings.Contains(before, word) {
			return true
		}
	}
	return false
}

// wordBefore is the word that ends before the offset, past blanks.
func (s *secretScanner) wordBefore(at int) string {
	end := at
	for end > 0 && at-end < 8 && s.text[end-1] == ' ' {
		end--
	}
	start := end
	for start > 0 && end-start < 32 && isNameByte(s.text[start-1]) {
		start--
	}
	return s.text[start:end]
}

// reference reports whether a bare value names something else: a member, an index, a call.
func reference(v string) bool {
	dot := strings.IndexByte(v, '.')
	return dot > 0 && dot+1 < len(v) && isLetter(v[0]) && isLetter(v[dot+1]) && strangeShare(v) < 0.5 && digitChanges(v) < 3 || strings.Contains(v, "::") || strings.Contains(v, "->")
}

// afterScheme passes the scheme word of an authorization value.
func afterScheme(text string, start, end int) int {
	if cut := strings.IndexByte(text[start:end], ' '); cut > 0 && cut < 12 {
		return start + cut + 1
	}
	return start
}

// echo reports whether the value only repeats its name.
func (s *secretScanner) echo(name, value string) bool {
	fold := func(r rune) rune {
		if r == '_' || r == '-' || r == '.' || r == ' ' {
			return -1
		}
		return r
	}
	n, v := strings.ToLower(strings.Map(fold, name)), strings.ToLower(strings.Map(fold, value))
	return v == n || len(v) >= 4 && strings.HasSuffix(n, v)
}

func (s *secretScanner) addAssigned(a *assignment, kind nameKind, got strength) {
	id, message := "secret/assigned-key", "A name that speaks of a key or token is given a literal that looks machine-made."
	if kind == namePassword || kind == nameSecret {
		id, message = "secret/assigned-password", "A name that speaks of a password or secret is given a literal."
	}
	doc := matcherRule(id)
	severity, confidence := doc.Severity, doc.Confidence
	if got != strong && !a.quoted {
		confidence = gavel.ConfidenceLow
	}
	if s.place.sample {
		severity = gavel.Low
		message += sampleNote
	}
	s.add(secretFound{doc: doc, start: a.start, end: a.end, shown: "***", severity: severity, confidence: confidence, message: message, rank: rankAssigned})
}
