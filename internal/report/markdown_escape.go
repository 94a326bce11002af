package report

import (
	"html"
	"strings"

	"github.com/gavel-review/gavel/internal/untrusted"
)

// breaker keeps a mention, an issue number or an address from being recognised. It does not show.
const breaker = "&#8203;"

// markdownText returns foreign text as Markdown that renders as that text and nothing else: no markup, link, image,
// HTML, mention, issue reference or automatic link. Lines and paragraphs are kept, indents are not.
func markdownText(s string) string {
	var b strings.Builder
	paragraph := true
	for line := range strings.SplitSeq(strings.TrimSpace(untrusted.VisibleText(s)), "\n") {
		line = strings.TrimSpace(line)
		switch {
		case line == "" && !paragraph:
			b.WriteString("\n\n")
		case line != "" && !paragraph:
			b.WriteString("<br>\n")
		}
		if paragraph = line == ""; !paragraph {
			b.WriteString(markdownLine(line))
		}
	}
	return b.String()
}

func markdownLine(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == '&' || c == '<' || c == '>':
			b.WriteString(html.EscapeString(s[i : i+1]))
		case c == '@' || c == '#':
			b.WriteString(`\` + s[i:i+1] + breaker)
		case c == '-' && endsInGH(s[:i]):
			b.WriteString("-" + breaker)
		case markup(s, i):
			b.WriteByte('\\')
			b.WriteByte(c)
		default:
			b.WriteByte(c)
		}
	}
	return b.String()
}

// markup reports whether the character at i could begin or end anything in GitHub-flavoured Markdown.
func markup(s string, i int) bool {
	switch s[i] {
	case '\\', '`', '*', '_', '[', ']', '!', '|', '~', '$':
		return true
	case '-', '+', '=':
		return i == 0 // a list, a rule or the line below a heading
	case '.', ')':
		return strings.Trim(s[:i], "0123456789") == "" || strings.HasSuffix(strings.ToLower(s[max(0, i-3):i]), "www")
	case ':':
		return strings.HasPrefix(s[i:], ":/")
	}
	return false
}

// endsInGH recognises the start of GH-123, which some services link to an issue.
func endsInGH(s string) bool { return len(s) >= 2 && strings.EqualFold(s[len(s)-2:], "gh") }

// htmlText returns foreign text for the inside of an HTML element that Markdown does not look into.
func htmlText(s string) string {
	s = html.EscapeString(untrusted.Visible(s))
	for _, mark := range []string{"@", "://"} {
		s = strings.ReplaceAll(s, mark, mark[:1]+breaker+mark[1:])
	}
	s = strings.ReplaceAll(s, "www.", "www"+breaker+".")
	return breakIssues(s)
}

// breakIssues keeps #123 and GH-123 apart without touching the numeric entities around.
func breakIssues(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		b.WriteByte(s[i])
		if s[i] == '#' && (i == 0 || s[i-1] != '&') || s[i] == '-' && endsInGH(s[:i]) {
			b.WriteString(breaker)
		}
	}
	return b.String()
}

// codeSpan returns foreign text as a code span on one line.
func codeSpan(s string) string {
	s = untrusted.Visible(s)
	if strings.TrimSpace(s) == "" {
		return "` `"
	}
	ticks := strings.Repeat("`", longestRun(s)+1)
	if len(ticks) > 1 || s[0] == ' ' {
		return ticks + " " + s + " " + ticks
	}
	return ticks + s + ticks
}

// fenced returns foreign text as a code block whose fence is longer than any run of backticks in it.
func fenced(language, code string) string {
	code = dedent(strings.Trim(untrusted.VisibleText(code), "\n"))
	fence := strings.Repeat("`", max(3, longestRun(code)+1))
	return fence + fenceInfo(language) + "\n" + code + "\n" + fence
}

// dedent takes away the blanks that every line begins with.
func dedent(code string) string {
	lines := strings.Split(code, "\n")
	common := len(code)
	for _, l := range lines {
		if indent := len(l) - len(strings.TrimLeft(l, " ")); indent < len(l) {
			common = min(common, indent)
		}
	}
	for i, l := range lines {
		lines[i] = l[min(common, len(l)):]
	}
	return strings.Join(lines, "\n")
}

// fenceInfo lets through words that only choose colours. Some others make services draw, or offer an edit.
func fenceInfo(language string) string {
	switch strings.ToLower(language) {
	case "suggestion", "mermaid", "math", "geojson", "topojson", "stl":
		return ""
	}
	for i := 0; i < len(language); i++ {
		if c := language[i]; !unreserved(c) && c != '+' {
			return ""
		}
	}
	return language[:min(len(language), 20)]
}

func longestRun(s string) int {
	longest, run := 0, 0
	for i := 0; i < len(s); i++ {
		if s[i] != '`' {
			run = 0
			continue
		}
		run++
		longest = max(longest, run)
	}
	return longest
}
