package report

import (
	"strings"
	"sync"

	"charm.land/lipgloss/v2"

	"github.com/gavel-review/gavel"
)

// paint is what a style writes before and after text. Rendering a style costs more than writing these two, and a report
// writes them a million times.
type paint struct{ open, close string }

func (p paint) of(s string) string { return p.open + s + p.close }

// palette names the styles by what they mean. The zero palette paints nothing. Colours are the terminal's own sixteen,
// so that they fit its theme; nothing is said by colour alone.
type palette struct {
	severity                   [gavel.Critical + 1]paint
	frame, place, title, label paint
	faint, fix, caret          paint
	good, careful, bad         paint
}

var colours = sync.OnceValue(func() *palette {
	const red, green, yellow, blue, magenta, cyan = "1", "2", "3", "4", "5", "6"
	style := lipgloss.NewStyle
	bold := func(c string) paint { return painted(style().Bold(true).Foreground(lipgloss.Color(c))) }
	p := &palette{
		frame: painted(style().Faint(true)), faint: painted(style().Faint(true)),
		place: painted(style().Bold(true)), title: painted(style().Bold(true)), label: painted(style().Bold(true)),
		fix: painted(style().Foreground(lipgloss.Color(green))), caret: bold(red),
		good: bold(green), careful: bold(yellow), bad: bold(red),
	}
	p.severity = [...]paint{
		gavel.Critical: painted(style().Bold(true).Reverse(true).Foreground(lipgloss.Color(red))),
		gavel.High:     bold(red), gavel.Medium: bold(yellow), gavel.Low: bold(blue), gavel.Info: bold(cyan),
	}
	return p
})

// painted takes the style apart around a letter.
func painted(s lipgloss.Style) paint {
	open, end, _ := strings.Cut(s.Render("x"), "x")
	return paint{open, end}
}

// glyphs draw the frame.
type glyphs struct{ top, side, bottom, dash, gutter, dot, more string }

var (
	drawn = glyphs{"╭─", "│", "╰─", "─", "│", " · ", "…"}
	typed = glyphs{"+-", "|", "+-", "-", "|", ", ", "..."}
)

// width is the number of columns that visible text takes.
func width(s string) int {
	if ascii(s) {
		return len(s)
	}
	return lipgloss.Width(s)
}
