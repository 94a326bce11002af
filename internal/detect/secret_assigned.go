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
	a, ok := s.assignment(h)
	s.nameDone = max(s.nameDone, a.nameEnd)
	if !ok {
		s.onNextLine(&a, h)
		return
	}
	name := s.text[a.nameStart:a.nameEnd]
	kind := classifyName(name)
	if kind == nameOther && capitalKey(name) && a.op == opEqual {
		kind = nameKey
	}
	if kind == nameOther || !s.takes(&a, name) || s.harmless(&a, name) {
		return
	}
	if kind == nameKey && strings.HasSuffix(strings.ToLower(name), "authorization") {
		scheme := strings.ToLower(s.text[a.start:min(a.end, a.start+7)])
		if strings.HasPrefix(scheme, "basic ") || strings.HasPrefix(scheme, "bearer ") {
			return // read as a header
		}
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
	s.add(s.assignedFound(&a, kind, got))
}

// onNextLine takes a value that stands alone on the next line, or in a member "value" there: YAML's block scalars,
// Kubernetes' environment lists, XML.
func (s *secretScanner) onNextLine(a *assignment, h keywordHit) {
	if len(s.text)-a.nameEnd > 12 || s.line+1 >= len(s.lines) || s.lines[s.line+1].Op != gavel.Add || s.place.syntax == syntaxCode {
		return
	}
	rest := strings.Trim(s.text[a.nameEnd:], " \t\r\"',>:|-=*")
	if rest != "" {
		return
	}
	start := h.start
	for start > 0 && h.start-start < maxSecretName && isNameByte(s.text[start-1]) {
		start--
	}
	kind := classifyName(s.text[start:a.nameEnd])
	if kind == nameOther {
		return
	}
	next := s.lines[s.line+1].Text
	from, to := aloneOn(next)
	if !strings.ContainsAny(s.text[a.nameEnd:], ":>|=") {
		from, to = valueMember(next)
	}
	if to <= from {
		return
	}
	if got := judgeValue(next[from:to], kind); got == strong || got == plausible && s.place.syntax == syntaxConfig && kind != nameKey {
		f := s.assignedFound(&assignment{start: from, end: to}, kind, got)
		s.carried = append(s.carried, f)
	}
}

// aloneOn is the only word of a line.
func aloneOn(line string) (start, end int) {
	line = line[:min(len(line), maxSecretValue)]
	start = len(line) - len(strings.TrimLeft(line, " \t"))
	end = len(strings.TrimRight(line, " \t\r"))
	if end <= start || strings.ContainsAny(line[start:end], " \t<>{}()\"'") {
		return 0, 0
	}
	if strings.IndexByte(line[start:end], ':') >= 0 && strings.Trim(line[start:end], hexDigits+":") != "" {
		return 0, 0 // a member of its own, not a pair of numbers
	}
	return start, end
}

const hexDigits = "0123456789abcdefABCDEF"

// valueMember is what a line gives to the name value.
func valueMember(line string) (start, end int) {
	at := strings.Index(strings.ToLower(line[:min(len(line), 64)]), "value")
	if at < 0 || strings.Trim(line[:at], " \t\"'-") != "" {
		return 0, 0
	}
	a, ok := parseAssignment(line, at, at+len("value"))
	if !ok {
		return 0, 0
	}
	return a.start, a.end
}

// minifiedBytes is how many bytes a line of code has, runs of the same byte counted once, that nobody wrote by hand.
const minifiedBytes = 4000

// minified lines are no text that anyone wrote. Blanks or signs that fill a line up do not make it one.
func (s *secretScanner) minified() bool {
	if len(s.text) <= minifiedBytes || s.place.syntax != syntaxCode {
		return false
	}
	if !s.measured {
		s.measured, s.dense = true, denserThan(s.text, minifiedBytes)
	}
	return s.dense
}

// denserThan reports whether the text has more bytes than limit, runs of the same byte counted once.
func denserThan(text string, limit int) bool {
	n := 1
	for i := 1; i < len(text) && n <= limit; i++ {
		if text[i] != text[i-1] {
			n++
		}
	}
	return n > limit
}

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
		if !a.quoted && strings.HasSuffix(strings.ToLower(name), "authorization") {
			return true // a header: its value is bare and may hold dots
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

// harmless finds the usual places where such a name means something else: a test's result, a badge in an address.
func (s *secretScanner) harmless(a *assignment, name string) bool {
	if name == "PASS" && a.op == opColon && strings.HasSuffix(s.text[:a.nameStart], "--- ") {
		return true
	}
	before := s.text[max(0, a.nameStart-100):a.nameStart]
	return a.op == opEqual && !a.quoted && strings.HasSuffix(before, "?") && strings.Contains(before, "badge")
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
	return v == n || len(v) >= 4 && strings.HasSuffix(n, v) || len(n) >= 6 && strings.HasPrefix(v, n) && strings.Trim(v[len(n):], "0123456789") == ""
}

func (s *secretScanner) assignedFound(a *assignment, kind nameKind, got strength) secretFound {
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
	return secretFound{doc: doc, start: a.start, end: a.end, shown: "***", severity: severity, confidence: confidence, message: message, rank: rankAssigned}
}
