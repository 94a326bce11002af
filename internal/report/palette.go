package report

import (
	"strings"

	"github.com/clipperhouse/displaywidth"

	"github.com/gavel-review/gavel"
)

// paint is what a style writes before and after text.
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

// The parts of SGR, ECMA-48 section 8.3.117, that are used.
const (
	bold, faint, reverse           = "1", "2", "7"
	red, green, yellow, blue, cyan = "31", "32", "33", "34", "36"
)

// colours is the palette for a terminal.
func colours() *palette {
	p := &palette{
		frame: rendition(faint), faint: rendition(faint),
		place: rendition(bold), title: rendition(bold), label: rendition(bold),
		fix: rendition(green), caret: rendition(bold, red),
		good: rendition(bold, green), careful: rendition(bold, yellow), bad: rendition(bold, red),
	}
	p.severity = [...]paint{
		gavel.Critical: rendition(bold, reverse, red),
		gavel.High:     rendition(bold, red), gavel.Medium: rendition(bold, yellow), gavel.Low: rendition(bold, blue), gavel.Info: rendition(bold, cyan),
	}
	return p
}

// rendition is the paint of some graphic renditions, and the way back to none.
func rendition(parts ...string) paint {
	return paint{"\x1b[" + strings.Join(parts, ";") + "m", "\x1b[m"}
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
	return displaywidth.String(s)
}
