package detect

import (
	"strings"

	"github.com/gavel-review/gavel"
)

const maxUserInfo = 400 // bytes between :// and @

// url reads scheme://user:password@host.
func (s *secretScanner) url(h keywordHit) {
	if h.start == 0 || !isWordByte(s.text[h.start-1]) {
		return
	}
	from := h.end
	at := -1
	for i := from; i < len(s.text) && i-from < maxUserInfo; i++ {
		b := s.text[i]
		if b == '@' {
			at = i
			continue
		}
		if b <= ' ' || strings.IndexByte("/\"'`<>\\", b) >= 0 || at >= 0 && (b == '?' || b == ',') {
			break
		}
	}
	if at < 0 || at+1 >= len(s.text) || !isWordByte(s.text[at+1]) && s.text[at+1] != '[' && s.text[at+1] != '$' && s.text[at+1] != '{' {
		return
	}
	colon := strings.IndexByte(s.text[from:at], ':')
	if colon < 0 {
		return
	}
	s.urlPassword(s.text[from:from+colon], from+colon+1, at, hostAfter(s.text, at+1))
}

func hostAfter(text string, at int) string {
	end := at
	for end < len(text) && end-at < 128 && (isNameByte(text[end]) || text[end] == '.') {
		end++
	}
	return strings.ToLower(text[at:end])
}

func (s *secretScanner) urlPassword(user string, start, end int, host string) {
	if end <= start {
		return
	}
	value := s.text[start:end]
	if value == user || judgeURLPassword(value) == notSecret {
		return
	}
	doc := matcherRule("secret/url-password")
	severity := doc.Severity
	message := "The address holds a password."
	switch {
	case s.place.sample:
		severity = gavel.Low
		message += sampleNote
	case host == "localhost" || host == "127" || strings.HasPrefix(host, "127.") || host == "0.0.0.0" || host == "db" || host == "postgres" || host == "mysql" || host == "redis" || strings.HasPrefix(host, "host.docker"):
		severity = gavel.Medium
	}
	s.add(secretFound{doc: doc, start: start, end: end, shown: "***", severity: severity, message: message, rank: rankURL})
}

func judgeURLPassword(v string) strength {
	if strings.ContainsAny(v, "{}$<>()[]") && template(strings.TrimLeft(v, ":")) || strings.Contains(v, "{") || v[0] == '$' && len(v) > 1 && (isLetter(v[1]) || v[1] == '{') || strings.HasSuffix(v, "%") {
		return notSecret
	}
	return judgeValue(v, namePassword)
}

// dsn reads user:password@tcp(host), the way Go's MySQL driver is told.
func (s *secretScanner) dsn(h keywordHit) {
	start := h.start
	for start > 0 && h.start-start < maxUserInfo && strings.IndexByte(" \t\"'`=/", s.text[start-1]) < 0 {
		start--
	}
	colon := strings.IndexByte(s.text[start:h.start], ':')
	if colon < 0 {
		return
	}
	s.urlPassword(s.text[start:start+colon], start+colon+1, h.start, hostAfter(s.text, h.end))
}
