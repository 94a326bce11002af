package cli

import (
	"io"
	"os"
	"strconv"
)

// stream is a standard stream and what stands at its other end.
type stream struct {
	io.Writer
	// columns returns the width of the terminal, and whether there is one.
	columns func() (width int, terminal bool)
}

func newStream(f *os.File) stream {
	return stream{f, func() (int, bool) { return terminalWidth(f) }}
}

func (s stream) terminal() bool {
	_, ok := s.columns()
	return ok
}

// color decides whether text is coloured. The flag has the last word, then NO_COLOR (https://no-color.org), then
// CLICOLOR_FORCE, then what is known about the terminal.
func (p *program) color(to target) bool {
	force := p.getenv("CLICOLOR_FORCE")
	switch {
	case p.global.color != "auto":
		return p.global.color == "always"
	case p.getenv("NO_COLOR") != "":
		return false
	case force != "" && force != "0":
		return true
	case p.getenv("TERM") == "dumb", p.getenv("CLICOLOR") == "0":
		return false
	}
	_, standard := to.(standardOutput)
	return standard && p.stdout.terminal()
}

// width is the number of columns that a result may take, 0 when nobody said. COLUMNS is exported only by who means it.
func (p *program) width(to target) int {
	if n, err := strconv.Atoi(p.getenv("COLUMNS")); err == nil && n > 0 {
		return n
	}
	if _, standard := to.(standardOutput); standard {
		if n, ok := p.stdout.columns(); ok {
			return n
		}
	}
	return 0
}
