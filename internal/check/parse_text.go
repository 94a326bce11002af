package check

import (
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"
)

// cleanText is what a tool printed as text: UTF-8 without a byte order mark, lines that end in a line feed, no terminal
// sequences, and U+FFFD for other control characters.
func cleanText(b []byte) string { return cleanString(string(b)) }

func cleanString(s string) string {
	s = strings.TrimPrefix(s, "\ufeff")
	if isClean(s) {
		return s
	}
	var b strings.Builder
	b.Grow(len(s))
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == 0x1b:
			size = escapeSequence(s[i:])
		case r == '\r':
			if i+1 < len(s) && s[i+1] != '\n' {
				b.WriteByte('\n') // a line that a terminal would have written over
			}
		case r == '\n' || r == '\t' || r >= ' ' && r < 0x7f || r > 0x9f:
			b.WriteRune(r) // bytes that are no UTF-8 are U+FFFD too
		default:
			b.WriteRune(utf8.RuneError)
		}
		i += size
	}
	return b.String()
}

func isClean(s string) bool {
	for i := 0; i < len(s); i++ {
		if c := s[i]; c < ' ' && c != '\n' && c != '\t' || c >= 0x7f {
			return false
		}
	}
	return true
}

// escapeSequence is the length of the terminal sequence that s begins with (ECMA-48): CSI … final byte, or a string
// such as OSC … BEL, which never goes beyond its line.
func escapeSequence(s string) int {
	if len(s) < 2 {
		return len(s)
	}
	switch s[1] {
	case '[':
		for i := 2; i < len(s); i++ {
			if s[i] < ' ' || s[i] >= 0x7f {
				return i // cut short
			} else if s[i] >= 0x40 {
				return i + 1
			}
		}
		return len(s)
	case ']', 'P', '_', '^', 'X':
		for i := 2; i < len(s) && s[i] != '\n'; i++ {
			if s[i] == 0x07 {
				return i + 1
			} else if strings.HasPrefix(s[i:], "\x1b\\") {
				return i + 2
			}
		}
		return 1
	}
	return 1
}

// clean makes text of a tool fit for a finding: cleanText, without the folder of the tree, which differs between two
// trees of one repository, and without blank lines around it.
func (o Output) clean(s string) string {
	s = cleanString(s)
	for _, root := range []string{slashed(o.Root), o.Root} {
		if len(root) > 1 && strings.Contains(s, root) {
			s = withoutRoot(s, root)
		}
	}
	return strings.Trim(strings.TrimRight(s, " \t\n"), "\n")
}

// withoutRoot leaves out the root where it begins a path.
func withoutRoot(s, root string) string {
	var b strings.Builder
	for {
		before, after, found := strings.Cut(s, root)
		b.WriteString(before)
		switch {
		case !found:
			return b.String()
		case endsWithWord(before), wordBegins(after):
			b.WriteString(root) // /srv/shop in /private/srv/shop and in /srv/shopping
		case after != "" && (after[0] == '/' || after[0] == '\\'):
			after = after[1:]
		default:
			b.WriteByte('.')
		}
		s = after
	}
}

func endsWithWord(s string) bool { return s != "" && wordByte(s[len(s)-1]) }

// wordBegins takes a full stop at the end of a sentence for no part of a name.
func wordBegins(s string) bool {
	return s != "" && wordByte(s[0]) && (s[0] != '.' || len(s) > 1 && wordByte(s[1]))
}

func wordByte(c byte) bool {
	return c == '-' || c == '_' || c == '.' || c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'z' || c >= utf8.RuneSelf
}

// cut bounds s to limit bytes, at a character's border, and shows that something is missing.
func cut(s string, limit int) string {
	const mark = "…"
	if len(s) <= limit {
		return s
	}
	end := limit - len(mark)
	for end > 0 && !utf8.RuneStart(s[end]) {
		end--
	}
	return s[:end] + mark
}

// boundMessage bounds what a tool said of a test.
func boundMessage(s string) string { return cut(s, maxMessage) }

// excerpt is text of a tool in an error message: one line, bounded.
func excerpt(s string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(cleanString(s)), "\n")
	return cut(line, maxTitle)
}

// joinLines joins two texts with a line feed, and without one where either is empty.
func joinLines(a, b string) string { return strings.Trim(a+"\n"+b, "\n") }

// said is the line that a tool most likely explained itself with, for the end of an error message: ": " and the first
// line on stderr that speaks of an error, else its first line, else the first of stdout.
func (o Output) said() string {
	for _, stream := range [][]byte{o.Stderr, o.Stdout, o.Report} {
		first := ""
		for line := range strings.SplitSeq(o.clean(string(stream[:min(len(stream), 64<<10)])), "\n") {
			if line = strings.TrimSpace(line); len(line) > 2*maxMessage {
				continue // source of the tool that it prints when it crashes
			}
			if strings.Contains(strings.ToLower(line), "error") {
				return ": " + cut(line, maxTitle)
			}
			if first == "" {
				first = line
			}
		}
		if first != "" {
			return ": " + cut(first, maxTitle)
		}
	}
	return ""
}

// decodeJSON reads one JSON value and nothing after it, whatever colours a tool puts around it. Nesting is bounded by
// encoding/json at 10,000.
func decodeJSON(b []byte, v any) error {
	text := strings.TrimPrefix(string(b), "\ufeff")
	if strings.IndexByte(text, 0x1b) >= 0 {
		text = cleanString(text) // no JSON holds the byte
	}
	text = strings.TrimSpace(text)
	if text == "" {
		return fmt.Errorf("the report is empty")
	}
	if err := json.Unmarshal([]byte(text), v); err != nil {
		return fmt.Errorf("the report is not the JSON that was expected: %w", err)
	}
	return nil
}
