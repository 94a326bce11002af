package git

import (
	"bytes"
	"io"
	"strings"

	"github.com/gavel-review/gavel"
)

// patchLines reads lines with a little look-ahead, and knows their numbers. Lines share the memory of the block that
// they were read with: whoever keeps one copies it.
type patchLines struct {
	in     io.Reader
	buffer []byte
	rest   string // what was read beyond the lines ahead
	ahead  []string
	number int // of the line that peek returns, from 1
	ended  error
	err    error
}

func newPatchLines(r io.Reader) *patchLines {
	return &patchLines{in: r, buffer: make([]byte, 64<<10), number: 1}
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
	line, rest, found := strings.Cut(l.rest, "\n")
	if found {
		l.ahead, l.rest = append(l.ahead, line), rest
		return
	}
	l.fillFar()
}

// fillFar reads blocks until a line ends. A line that spans several is put together once.
func (l *patchLines) fillFar() {
	begun := []byte(l.rest)
	l.rest = ""
	for idle := 0; l.ended == nil; {
		var n int
		if n, l.ended = l.in.Read(l.buffer); n > 0 {
			idle = 0
		} else if idle++; idle > 100 && l.ended == nil {
			l.ended = io.ErrNoProgress
		}
		end := bytes.IndexByte(l.buffer[:n], '\n')
		if end >= 0 {
			begun = append(begun, l.buffer[:end]...)
			l.ahead, l.rest = append(l.ahead, string(begun)), string(l.buffer[end+1:n])
			return
		}
		begun = append(begun, l.buffer[:n]...)
		if len(begun) > 2*MaxText {
			l.err = errLong
			return
		}
	}
	l.err = l.ended
	if len(begun) > 0 {
		l.ahead = append(l.ahead, string(begun))
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
