package mcpserver

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"testing/iotest"
)

// FuzzConnection feeds a session anything at all: it must end, every line it writes must be JSON, and a ping on a line
// of its own at the end must be answered.
func FuzzConnection(f *testing.F) {
	for _, seed := range []string{
		"", "\n", "\ufeff", "{}", "[]", "null", "x", "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}",
		initLine("2025-03-26") + `[{"jsonrpc":"2.0","id":1,"method":"ping"},5]`,
		initLine(hello) + callLine(1, "echo", `{"n":1}`) + callLine(1, "fails", `{}`),
		`{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":` + newMeta + `}}`,
		`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"init"}}`,
		strings.Repeat(`{"id":`, 300), strings.Repeat("x", 5000),
	} {
		f.Add([]byte(seed))
	}
	s := newTestServer(f, func(o *Options) {
		o.MaxLine = 2048
		o.Tools = o.Tools[:3] // review, health, echo
	})
	f.Fuzz(func(t *testing.T, input []byte) {
		var out lockedBuffer
		last := `{"jsonrpc":"2.0","id":"the-last","method":"ping"}`
		in := iotest.HalfReader(bytes.NewReader(append(bytes.Clone(input), "\n"+last...)))
		if err := s.Serve(t.Context(), in, &out); err != nil {
			t.Fatal(err)
		}
		for text := range strings.Lines(out.String()) {
			if !json.Valid([]byte(text)) {
				t.Errorf("not JSON: %q", text)
			}
		}
		if !strings.Contains(out.String(), `"the-last"`) {
			t.Errorf("the last ping was not answered: %q", out.String())
		}
	})
}

// trimBlanks cuts what may stand round a message: a byte order mark before it and the blanks of JSON.
func trimBlanks(text []byte) []byte { return bytes.Trim(bytes.TrimPrefix(text, utf8BOM), " \t\r\n") }

// FuzzLines checks the reader against splitting in memory.
func FuzzLines(f *testing.F) {
	f.Add([]byte("a\nbb\r\n\n \ncccccccccccccccccccccc\nd"), uint8(8))
	f.Add([]byte("\ufeffa"), uint8(1))
	f.Add([]byte("\v"), uint8(0)) // no blank of JSON: a message, if a bad one
	f.Fuzz(func(t *testing.T, input []byte, limit uint8) {
		r := newLineReader(iotest.HalfReader(bytes.NewReader(input)), int(limit))
		for _, want := range bytes.Split(input, []byte("\n")) {
			want = trimBlanks(want)
			if len(want) == 0 {
				continue
			}
			got, err := r.next()
			for err == nil && got.long && len(trimBlanks(got.head)) == 0 {
				got, err = r.next() // a blank line beyond the limit
			}
			if err != nil {
				t.Fatal(err)
			}
			// Blanks around a message may make a line too long that would fit without them.
			if !got.long && (!bytes.Equal(got.text, want) || len(want) > int(limit)) {
				t.Fatalf("got %q, want %q", got.text, want)
			}
			if got.long && (len(got.head) > keepHead || len(got.tail) > keepTail) {
				t.Fatalf("kept %d and %d bytes", len(got.head), len(got.tail))
			}
		}
	})
}
