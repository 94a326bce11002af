package report

import (
	"bytes"
	"flag"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write the golden files and docs/reference/review.schema.json")

// formats are all ways to write a document.
var formats = []struct {
	ext   string
	write func(io.Writer, sample) error
}{
	{"json", func(w io.Writer, s sample) error { return JSON(w, s.doc) }},
	{"sarif", func(w io.Writer, s sample) error { return SARIF(w, s.doc, s.verdict, sampleRules) }},
	{"md", func(w io.Writer, s sample) error { return Markdown(w, s.doc, s.verdict, MarkdownOptions{}) }},
	{"limited.md", func(w io.Writer, s sample) error { return Markdown(w, s.doc, s.verdict, MarkdownOptions{Limit: 4000}) }},
	{"txt", func(w io.Writer, s sample) error { return Text(w, s.doc, s.verdict, TextOptions{}) }},
	{"narrow.txt", func(w io.Writer, s sample) error {
		return Text(w, s.doc, s.verdict, TextOptions{Width: 60, ASCII: true})
	}},
	{"wide.ansi", func(w io.Writer, s sample) error {
		return Text(w, s.doc, s.verdict, TextOptions{Width: 120, Color: true})
	}},
	{"shadow.txt", func(w io.Writer, s sample) error { return Text(w, s.doc, s.verdict, TextOptions{SummaryOnly: true}) }},
}

func TestGolden(t *testing.T) {
	t.Parallel()
	for _, s := range samples() {
		for _, f := range formats {
			golden(t, filepath.Join("testdata", "golden", s.name+"."+f.ext), render(t, s, f.write))
		}
	}
}

func render(t *testing.T, s sample, write func(io.Writer, sample) error) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := write(&b, s); err != nil {
		t.Fatalf("%s: %v", s.name, err)
	}
	return b.Bytes()
}

func golden(t *testing.T, path string, got []byte) {
	t.Helper()
	if *update {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("%v (run with -update)", err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("%s is stale (run with -update and read the difference):\n%s", path, diff)
	}
}
