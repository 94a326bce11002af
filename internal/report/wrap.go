package report

import (
	"strings"
	"unicode/utf8"
)

// wrap breaks visible text into lines of at most most columns, at blanks where it can. Newlines and the blanks that
// begin a line stay.
func wrap(text string, most int) []string {
	most = max(most, 8)
	var lines []string
	for line := range strings.SplitSeq(strings.Trim(text, "\n"), "\n") {
		line = strings.TrimRight(line, " ")
		if width(line) <= most {
			lines = append(lines, line)
			continue
		}
		lines = append(lines, wrapLine(line, most, 0)...)
	}
	return lines
}

// wrapLine breaks one line, the first part of which begins after offset columns.
func wrapLine(line string, most, offset int) []string {
	indent := line[:min(len(line)-len(strings.TrimLeft(line, " ")), most/2)]
	var lines []string
	current, used := indent, len(indent)+offset
	empty := true
	for word := range strings.FieldsSeq(line) {
		w := width(word)
		if !empty && used+1+w > most {
			lines = append(lines, current)
			current, used, empty = indent, len(indent), true
		}
		for used+w > most && empty {
			head, rest := splitAt(word, most-used)
			lines = append(lines, current+head)
			current, used = indent, len(indent)
			word, w = rest, width(rest)
		}
		if !empty {
			current, used = current+" ", used+1
		}
		current, used, empty = current+word, used+w, false
	}
	if !empty {
		lines = append(lines, current)
	}
	return lines
}

// splitAt cuts text after at most most columns, but after one character at least.
func splitAt(text string, most int) (head, rest string) {
	used := 0
	for i, r := range text {
		w := 1
		if r >= utf8.RuneSelf {
			w = width(string(r))
		}
		if used += w; used > most && i > 0 {
			return text[:i], text[i:]
		}
	}
	return text, ""
}

// window returns the part of a line that fits into most columns and holds the column at (0-based, -1 = none), with
// where that column now is.
func window(line string, at, most int, ellipsis string) (string, int) {
	gap := width(ellipsis)
	most = max(most, 2*gap+8)
	if fits(line, most) {
		return line, at
	}
	if at > most-gap-4 {
		head, rest := splitAt(line, at-most/2)
		line, at = ellipsis+rest, at-width(head)+gap
	}
	if !fits(line, most) {
		head, _ := splitAt(line, most-gap)
		line = head + ellipsis
	}
	return line, at
}

// fits is cheap for lines that are far too long.
func fits(line string, most int) bool {
	if len(line) <= most {
		return true
	}
	_, rest := splitAt(line, most)
	return rest == ""
}
