package report

import (
	"fmt"
	"html"
	"strings"

	"github.com/gavel-review/gavel"
	"github.com/gavel-review/gavel/internal/untrusted"
)

// The lines of a finding: how many of the change around it, how many of its own, and how much of each.
const (
	linesAround  = 3
	maxOwnLines  = 12
	maxLineBytes = 500
)

// lines writes the lines of the change around the finding, or what it quotes itself where the change does not show
// them.
func (v *runPage) lines(f *gavel.Finding) {
	if lines, hit := excerpt(v.run.Excerpts[f.File], f); len(lines) > 0 {
		v.start("pre", class("lines"), attr{"tabindex", "0"}, attr{"aria-label", "the change at " + orElse(whereIn(f), "this place")})
		for i := range lines {
			v.changeLine(&lines[i], hit[i])
		}
		v.end()
		return
	}
	v.snippetLines(f)
}

func (v *runPage) changeLine(l *gavel.Line, hit bool) {
	number, c := l.New, name("context")
	switch l.Op {
	case gavel.Add:
		c = "added"
	case gavel.Remove:
		c, number = "removed", l.Old
	}
	v.line(c, hit, fmt.Sprint(number), string(l.Op), l.Text)
}

// line writes one line. The sign says what the colour says.
func (v *runPage) line(c name, hit bool, number, sign, text string) {
	if hit {
		c += " hit"
	}
	v.start("span", class(c))
	v.leaf("span", fmt.Sprintf("%5s ", number), class("number"))
	v.WriteString(html.EscapeString(sign) + " ")
	v.WriteString(html.EscapeString(untrusted.Visible(strings.ReplaceAll(clip(strings.TrimSuffix(text, "\r"), maxLineBytes), "\t", "    "))))
	v.WriteByte('\n')
	v.end()
}

func (v *runPage) snippetLines(f *gavel.Finding) {
	text := strings.Trim(clip(f.Snippet, maxSnippet), "\n")
	if strings.TrimSpace(text) == "" {
		return
	}
	all := strings.Split(text, "\n")
	v.start("pre", class("lines"), attr{"tabindex", "0"}, attr{"aria-label", "what the finding quotes"})
	for i, l := range all[:min(len(all), maxOwnLines)] {
		number := ""
		if f.Line > 0 && (len(all) == 1 || f.LineEnd-f.Line+1 == len(all)) {
			number = fmt.Sprint(f.Line + i)
		}
		v.line("context", false, number, " ", l)
	}
	if n := len(all) - maxOwnLines; n > 0 {
		v.line("context", false, "", " ", more(n))
	}
	v.end()
}

// excerpt is what of the hunks to show for a finding: its lines, at most [maxOwnLines] of them, and those around. hit
// tells which are its own.
func excerpt(hunks []gavel.Hunk, f *gavel.Finding) (lines []gavel.Line, hit []bool) {
	if f.Line <= 0 {
		return nil, nil
	}
	hunk, from := locate(hunks, f)
	if hunk == nil {
		return nil, nil
	}
	old := hunk.Lines[from].Op == gavel.Remove
	to := from
	for i := from + 1; i < len(hunk.Lines) && i < from+maxOwnLines; i++ {
		if number := sideNumber(&hunk.Lines[i], old); number > 0 && number <= f.LineEnd {
			to = i
		}
	}
	first, last := max(0, from-linesAround), min(len(hunk.Lines)-1, to+linesAround)
	for i := first; i <= last; i++ {
		l := &hunk.Lines[i]
		lines = append(lines, *l)
		number := sideNumber(l, old)
		hit = append(hit, i >= from && i <= to && number > 0)
	}
	return lines, hit
}

// locate finds the line of a finding: on the new side, unless what the finding quotes stands only on the old one.
func locate(hunks []gavel.Hunk, f *gavel.Finding) (hunk *gavel.Hunk, at int) {
	quoted := strings.TrimSpace(f.Snippet)
	holds := func(l *gavel.Line) bool { return quoted == "" || strings.Contains(l.Text, quoted) }
	var removed *gavel.Hunk
	var removedAt int
	for i := range hunks {
		for j := range hunks[i].Lines {
			switch l := &hunks[i].Lines[j]; {
			case l.New == f.Line && (hunk == nil || holds(l)):
				hunk, at = &hunks[i], j
			case l.Op == gavel.Remove && l.Old == f.Line && quoted != "" && holds(l):
				removed, removedAt = &hunks[i], j
			}
		}
	}
	if removed != nil && (hunk == nil || !holds(&hunk.Lines[at])) {
		return removed, removedAt
	}
	return hunk, at
}

// sideNumber is the number of the line on one side, 0 where it is not on it.
func sideNumber(l *gavel.Line, old bool) int {
	if old {
		return l.Old
	}
	return l.New
}
