package mcpserver

import (
	"bufio"
	"bytes"
	"errors"
	"io"
)

// line is one line of the input without its end, or what is left of one that was too long.
type line struct {
	text []byte
	// long is true when the limit was hit; head and tail are then the two ends of the line.
	long       bool
	head, tail []byte
}

const (
	keepHead = 4096
	keepTail = 512
	lineEnd  = 2 // bytes of CRLF, which do not count
)

// lineReader cuts a stream into lines of bounded size. A longer line is read to its end in constant memory, so that it
// costs one message and not the session.
type lineReader struct {
	r     *bufio.Reader
	limit int
}

func newLineReader(r io.Reader, limit int) *lineReader {
	return &lineReader{bufio.NewReaderSize(r, 64<<10), limit}
}

var utf8BOM = []byte("\xef\xbb\xbf")

// next returns the next line that is not blank. A last line without an end is a line. The error is io.EOF or what the
// reader reported.
func (l *lineReader) next() (line, error) {
	for {
		got, err := l.read()
		if !got.long {
			got.text = bytes.Trim(bytes.TrimPrefix(got.text, utf8BOM), " \t\r\n")
		}
		if len(got.text) > l.limit {
			got.lengthen()
		}
		if got.long || len(got.text) > 0 {
			return got, nil
		}
		if err != nil {
			return line{}, err
		}
	}
}

func (l *lineReader) read() (line, error) {
	var got line
	for {
		part, err := l.r.ReadSlice('\n')
		got.add(part, l.limit)
		if !errors.Is(err, bufio.ErrBufferFull) {
			return got, err
		}
	}
}

// add appends part, which is only valid during the call.
func (n *line) add(part []byte, limit int) {
	if !n.long && len(n.text)+len(part) <= limit+lineEnd {
		n.text = append(n.text, part...)
		return
	}
	if !n.long {
		n.text = append(n.text, part[:min(len(part), keepHead)]...)
		n.lengthen()
	}
	n.tail = append(n.tail, part[max(0, len(part)-keepTail):]...)
	n.tail = append(n.tail[:0], n.tail[max(0, len(n.tail)-keepTail):]...)
}

// lengthen keeps only the two ends of the text.
func (n *line) lengthen() {
	n.long = true
	n.head = bytes.Clone(n.text[:min(len(n.text), keepHead)])
	n.tail = bytes.Clone(n.text[max(0, len(n.text)-keepTail):])
	n.text = nil
}
