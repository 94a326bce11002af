package detect

import (
	"strings"

	"github.com/gavel-review/gavel"
)

const (
	keyBodyLine  = 40  // the least base64 characters of a line of a key's body
	keyBodyReach = 200 // lines to look back for the line that opens the block
)

// reportKeyBodies finds private keys whose body the change brings under an opening line that stays: a key that is
// swapped in. Where the opening line is added too, the block was found and masked as a whole.
func reportKeyBodies(p *Pass) {
	inBlock := 0
	p.Lines(gavel.Add, func(l *gavel.Line) {
		from, to := keyBodyOf(l.Text)
		if to-from < keyBodyLine || len(p.masks[l.New]) > 0 {
			return
		}
		if inBlock != l.New-1 && !p.opensKey(l.New-1) {
			return
		}
		if inBlock != l.New-1 {
			p.Report(matcherRule("secret/private-key"), Span{Line: l.New, Column: from, End: to, Text: l.Text},
				"The body of a private key is exchanged under the line that opens it.")
		}
		p.Mask(l.New, from, to, "***")
		inBlock = l.New
	})
}

// keyBodyOf is the base64 of a line, without blanks, quotes and escapes round it.
func keyBodyOf(line string) (from, to int) {
	const around = " \t\r\"'`,+\\n"
	from = len(line) - len(strings.TrimLeft(line, " \t\"'`+"))
	body := strings.TrimRight(line[from:], around)
	for i := range len(body) {
		c := body[i]
		if !(c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '+' || c == '/' || c == '=') {
			return 0, 0
		}
	}
	return from, from + len(body)
}

// opensKey reports whether the lines from this one upwards are a key's body below a line that opens a private key.
func (p *Pass) opensKey(line int) bool {
	src := p.Source()
	for n := line; n > 0 && line-n < keyBodyReach; n-- {
		text := src.Line(n)
		if strings.Contains(text, "-----BEGIN ") && strings.Contains(text, "PRIVATE KEY") {
			return true
		}
		if from, to := keyBodyOf(text); to-from < keyBodyLine {
			return false
		}
	}
	return false
}
