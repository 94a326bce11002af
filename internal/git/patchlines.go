package git

import (
	"bufio"
	"errors"
	"io"
	"strings"

	"github.com/gavel-review/gavel"
)

// patchLines reads lines with a little look-ahead, and knows their numbers.
type patchLines struct {
	in     *bufio.Reader
	ahead  []string
	number int // of the line that peek returns, from 1
	err    error
}

func newPatchLines(r io.Reader) *patchLines {
	return &patchLines{in: bufio.NewReaderSize(r, 64<<10), number: 1}
}

// peek returns the current line without its newline, and io.EOF with "" after the last.
func (l *patchLines) peek() (string, error) {
	if len(l.ahead) == 0 {
		l.fill()
	}
	if len(l.ahead) == 0 {
		return "", l.err
	}
	return l.ahead[0], nil
}

// peekAt returns a later line, "" beyond the end.
func (l *patchLines) peekAt(n int) string {
	for len(l.ahead) <= n && l.err == nil {
		l.fill()
	}
	if len(l.ahead) <= n {
		return ""
	}
	return l.ahead[n]
}

func (l *patchLines) fill() {
	if l.err != nil {
		return
	}
	var line []byte
	for {
		piece, err := l.in.ReadSlice('\n')
		if err == nil && line == nil {
			l.ahead = append(l.ahead, string(piece[:len(piece)-1]))
			return
		}
		line = append(line, piece...)
		switch {
		case len(line) > 2*MaxText:
			l.err = errLong
			return
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		}
		if err != nil {
			l.err = err
		}
		if len(line) > 0 {
			l.ahead = append(l.ahead, strings.TrimSuffix(string(line), "\n"))
		}
		return
	}
}

func (l *patchLines) skip() {
	if len(l.ahead) > 0 {
		copy(l.ahead, l.ahead[1:])
		l.ahead = l.ahead[:len(l.ahead)-1]
		l.number++
	}
}

// fault says at which line something is wrong.
func (l *patchLines) fault(err error) error {
	return gavel.Errorf(gavel.InvalidArgs, "the patch cannot be read at line %d: %w", l.number, err)
}
