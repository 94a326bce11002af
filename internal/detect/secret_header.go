package detect

import (
	"encoding/base64"
	"strings"

	"github.com/gavel-review/gavel"
)

// header reads what follows Bearer or Basic.
func (s *secretScanner) header(h keywordHit) {
	if s.place.quiet || !freshStart(s.text, h.start) {
		return
	}
	start := h.end
	for start < len(s.text) && start-h.end < 8 && s.text[start] == ' ' {
		start++
	}
	end := start
	for end < len(s.text) && end-start < tokenLimit && (isNameByte(s.text[end]) || strings.IndexByte(".~+/=", s.text[end]) >= 0) {
		end++
	}
	value := strings.TrimRight(s.text[start:end], ".")
	end = start + len(value)
	if len(value) < 8 || s.inCall(end) {
		return
	}
	before := strings.ToLower(s.text[max(0, h.start-60):h.start])
	known := strings.Contains(before, "authorization") || s.line > 0 && strings.Contains(strings.ToLower(shorten(s.lines[s.line-1].Text)), "authorization")
	switch s.text[h.start] {
	case 'B', 'b':
		if h.end-h.start == len("bearer ") {
			s.bearer(start, end, known)
		} else {
			s.basic(start, end, known)
		}
	}
}

func shorten(text string) string { return text[:min(len(text), 200)] }

// inCall reports whether the text goes on like code: an expression, not a literal.
func (s *secretScanner) inCall(end int) bool {
	return end < len(s.text) && strings.IndexByte("({[$<*:%", s.text[end]) >= 0
}

func (s *secretScanner) bearer(start, end int, known bool) {
	value := s.text[start:end]
	if known && judgeValue(value, nameSecret) == notSecret || !known && (len(value) < 20 || judgeValue(value, nameKey) != strong) {
		return
	}
	s.addHeader(start, end, "The header holds a bearer token.")
}

// basic decodes user:password. What does not decode to text is taken only after the header's name.
func (s *secretScanner) basic(start, end int, known bool) {
	value := s.text[start:end]
	if len(value)%4 != 0 || madeUp(value) {
		return
	}
	raw, err := base64.StdEncoding.DecodeString(value)
	if err != nil {
		return
	}
	if user, password, ok := strings.Cut(string(raw), ":"); ok && printable(string(raw)) {
		if user == password || password == "" || judgeValue(password, namePassword) == notSecret {
			return
		}
		s.addHeader(start, end, "The header holds a user's password in base64.")
		return
	}
	if known && !printable(string(raw)) && (digitsOf(value) > 0 || strangeShare(value) > 0.4) {
		s.addHeader(start, end, "The header holds credentials.")
	}
}

func printable(text string) bool {
	for i := 0; i < len(text); i++ {
		if text[i] < ' ' || text[i] > '~' {
			return false
		}
	}
	return true
}

func (s *secretScanner) addHeader(start, end int, message string) {
	doc := matcherRule("secret/authorization-header")
	severity := doc.Severity
	if s.place.sample {
		severity = gavel.Low
		message += sampleNote
	}
	s.add(secretFound{doc: doc, start: start, end: end, shown: "***", severity: severity, message: message, rank: rankHeader})
}

// command reads passwords on command lines that no name announces: curl -u user:password, mysql -ppassword,
// sshpass -p password.
func (s *secretScanner) command(h keywordHit) {
	if s.place.quiet || h.start > 0 && isNameByte(s.text[h.start-1]) {
		return
	}
	from := h.end
	if foldByte(s.text[h.start]) == 'c' {
		from = min(max(from, min(s.optionDone, h.end+500)), len(s.text)) // up to there no option was found
	}
	window := s.text[from:min(len(s.text), h.end+512)]
	switch foldByte(s.text[h.start]) {
	case 'c':
		for _, option := range [...]string{" -u ", " --user ", " -u", " --user=", "\"-u\", ", "'-u', "} {
			if at := strings.Index(" "+window, option); at >= 0 {
				s.userPassword(from - 1 + at + len(option))
				return
			}
		}
		s.optionDone = h.end + 500 // an option may begin in the last bytes
	case 'm':
		if at := strings.Index(window, " -p"); at >= 0 {
			s.commandPassword(from+at+len(" -p"), false)
		}
	case 's':
		if at := strings.Index(window, " -p"); at >= 0 {
			start := from + at + len(" -p")
			for start < len(s.text) && s.text[start] == ' ' {
				start++
			}
			s.commandPassword(start, true)
		}
	}
}

// wordAt reads one shell word and returns its place without quotes.
func wordAt(text string, at int) (start, end int, quoted bool) {
	stop := " \t\"'`;|&)<>\\,"
	if at < len(text) && (text[at] == '"' || text[at] == '\'') {
		stop, quoted = string(text[at]), true
		at++
	}
	end = at
	for end < len(text) && end-at < 256 && strings.IndexByte(stop, text[end]) < 0 {
		end++
	}
	return at, end, quoted
}

func (s *secretScanner) userPassword(at int) {
	start, end, _ := wordAt(s.text, at)
	user, password, ok := strings.Cut(s.text[start:end], ":")
	if !ok || password == "" || user == password {
		return
	}
	s.commandFound(start+len(user)+1, end)
}

func (s *secretScanner) commandPassword(at int, spaced bool) {
	start, end, _ := wordAt(s.text, at)
	if spaced || at < len(s.text) && s.text[at] != ' ' {
		s.commandFound(start, end)
	}
}

func (s *secretScanner) commandFound(start, end int) {
	if end <= start || judgeValue(s.text[start:end], namePassword) == notSecret {
		return
	}
	doc := matcherRule("secret/command-line-password")
	severity, message := doc.Severity, "The command line holds a password."
	if s.place.sample {
		severity = gavel.Low
		message += sampleNote
	}
	s.add(secretFound{doc: doc, start: start, end: end, shown: "***", severity: severity, message: message, rank: rankHeader})
}
