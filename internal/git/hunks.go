package git

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/bluekeyes/go-gitdiff/gitdiff"

	"github.com/gavel-review/gavel"
)

// hunkStart begins the line above a hunk's content.
const hunkStart = "@@ -"

// fileStart begins the first line of a file's section. No line of a hunk can begin like this: each has an operation
// before its text.
const fileStart = "diff --git "

// feed hands text to the parser line by line without copying it, after a header of our own: names are never parsed
// from text.
type feed struct {
	header, text string
}

var errFeed = errors.New("git: only whole lines can be read")

// Read is never called: the parser asks for lines.
func (f *feed) Read([]byte) (int, error) { return 0, errFeed }

// ReadString implements what the parser looks for before it would buffer.
func (f *feed) ReadString(byte) (line string, err error) {
	if f.header != "" {
		line, f.header = f.header, ""
		return line, nil
	}
	i := strings.IndexByte(f.text, '\n')
	if i < 0 {
		line, f.text = f.text, ""
		return line, io.EOF
	}
	line, f.text = f.text[:i+1], f.text[i+1:]
	return line, nil
}

// parseHunks reads one file's hunks: text begins with the first "@@ -" line and holds nothing but hunks, which end
// where their line counts say. The lines share text's memory.
func parseHunks(text string) ([]gavel.Hunk, error) {
	if text == "" {
		return nil, nil
	}
	files, _, err := gitdiff.Parse(&feed{header: fileStart + "a/f b/f\n", text: text})
	if err != nil {
		return nil, err
	}
	if len(files) != 1 {
		return nil, fmt.Errorf("%d files where one was expected", len(files))
	}
	fragments := files[0].TextFragments
	hunks := make([]gavel.Hunk, len(fragments))
	lines := 0
	for i, fragment := range fragments {
		n, err := convertHunk(fragment, &hunks[i])
		if err != nil {
			return nil, err
		}
		fragments[i] = nil
		lines += n
	}
	if want := strings.Count(text, "\n"); lines != want {
		return nil, fmt.Errorf("%d lines where the hunks count %d", want, lines)
	}
	return hunks, nil
}

// maxLineNumber keeps line numbers within what every platform's int holds.
const maxLineNumber = 1<<31 - 1

// convertHunk fills h and returns how many lines of text the hunk takes.
func convertHunk(f *gitdiff.TextFragment, h *gavel.Hunk) (lines int, err error) {
	for _, n := range [...]int64{f.OldPosition, f.OldLines, f.NewPosition, f.NewLines} {
		if n < 0 || n > maxLineNumber/2 {
			return 0, errors.New("a line number is out of range")
		}
	}
	h.OldStart, h.OldLines = int(f.OldPosition), int(f.OldLines)
	h.NewStart, h.NewLines = int(f.NewPosition), int(f.NewLines)
	h.Lines = make([]gavel.Line, len(f.Lines))
	lines = 1 + len(f.Lines)
	old, new := h.OldStart, h.NewStart
	for i := range f.Lines {
		l := &h.Lines[i]
		var ended bool
		l.Text, ended = strings.CutSuffix(f.Lines[i].Line, "\n")
		if l.NoEOL = !ended; l.NoEOL {
			lines++ // the marker
		}
		switch f.Lines[i].Op {
		case gitdiff.OpAdd:
			l.Op, l.New = gavel.Add, new
			new++
		case gitdiff.OpDelete:
			l.Op, l.Old = gavel.Remove, old
			old++
		default:
			l.Op, l.Old, l.New = gavel.Context, old, new
			old++
			new++
		}
	}
	return lines, nil
}
