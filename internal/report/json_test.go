package report

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/gavel-review/gavel"
	"github.com/gavel-review/gavel/internal/untrusted"
	"github.com/google/go-cmp/cmp"
)

// TestJSONIsWhatMarshalWrites: writing piece by piece must not show.
func TestJSONIsWhatMarshalWrites(t *testing.T) {
	t.Parallel()
	for _, s := range samples() {
		var want bytes.Buffer
		enc := json.NewEncoder(&want)
		enc.SetEscapeHTML(false)
		enc.SetIndent("", "  ")
		if err := enc.Encode(complete(s.doc)); err != nil {
			t.Fatal(err)
		}
		got := render(t, s, formats[0].write)
		if s.name != "hostile" && !bytes.Equal(got, want.Bytes()) {
			t.Errorf("%s: %s", s.name, cmp.Diff(want.String(), string(got)))
		}
		var a, b any
		if json.Unmarshal(got, &a) != nil || json.Unmarshal(want.Bytes(), &b) != nil || !cmp.Equal(a, b) {
			t.Errorf("%s: another value than encoding/json writes", s.name)
		}
	}
}

func TestJSONZeroDocument(t *testing.T) {
	t.Parallel()
	var b bytes.Buffer
	if err := JSON(&b, &gavel.Document{}); err != nil {
		t.Fatal(err)
	}
	for _, field := range []string{"findings", "settled", "notes", "filters", "skipped"} {
		if !strings.Contains(b.String(), `"`+field+`": []`) {
			t.Errorf("%s is not an empty list:\n%s", field, b.String())
		}
	}
}

func TestJSONEscapesWhatDoesNotShow(t *testing.T) {
	t.Parallel()
	s := newSample("x", []gavel.Finding{finding(func(f *gavel.Finding) { f.Title = "\x7f\u009b\u202e\U000e0041<b>&日本" })}, nil)
	got := string(render(t, s, formats[0].write))
	if !strings.Contains(got, `"title": "\u007f\u009b\u202e\udb40\udc41<b>&日本"`) {
		t.Errorf("title is not escaped as wanted:\n%s", got)
	}
}

func TestJSONFailures(t *testing.T) {
	t.Parallel()
	if err := JSON(io.Discard, nil); err == nil {
		t.Error("no document, no error")
	}
	if err := JSON(io.Discard, &gavel.Document{Findings: []gavel.Finding{{}}}); err == nil {
		t.Error("a finding without severity was written")
	}
	full := errors.New("disk full")
	for _, s := range samples() {
		for _, f := range formats {
			if err := f.write(failingWriter{full}, s); !errors.Is(err, full) {
				t.Errorf("%s as %s: the write error is lost: %v", s.name, f.ext, err)
			}
		}
	}
}

type failingWriter struct{ err error }

func (w failingWriter) Write([]byte) (int, error) { return 0, w.err }

// TestFormatsAreDeterministic: equal input, equal bytes; and nothing is written into the document.
func TestFormatsAreDeterministic(t *testing.T) {
	t.Parallel()
	for i, s := range samples() {
		again := samples()[i]
		for _, f := range formats {
			if !bytes.Equal(render(t, s, f.write), render(t, again, f.write)) {
				t.Errorf("%s as %s differs between two runs", s.name, f.ext)
			}
		}
		if diff := cmp.Diff(again.doc, s.doc); diff != "" {
			t.Errorf("%s was changed by writing it: %s", s.name, diff)
		}
	}
}

// TestNoFormatLetsControlsThrough holds for every format, whatever the document says.
func TestNoFormatLetsControlsThrough(t *testing.T) {
	t.Parallel()
	for _, s := range samples() {
		for _, f := range formats {
			if strings.HasSuffix(f.ext, "ansi") {
				continue
			}
			checkNoControls(t, s.name+" as "+f.ext, string(render(t, s, f.write)))
		}
	}
}

func checkNoControls(t *testing.T, name, text string) {
	t.Helper()
	for i, r := range text {
		if untrusted.Hidden(r) && r != '\n' && r != 0xfe0f {
			t.Fatalf("%s holds %U at byte %d: %q", name, r, i, text[max(0, i-20):min(len(text), i+20)])
		}
	}
}

func TestHugeStrings(t *testing.T) {
	t.Parallel()
	for piece, size := range map[string]int{"\x1b[31m日": 1 << 17, "x": 1 << 20, "` [a](b) ": 1 << 16, "a b ": 1 << 16} {
		huge := strings.Repeat(piece, size/len(piece))
		s := newSample("huge", []gavel.Finding{finding(func(f *gavel.Finding) {
			f.File, f.Title, f.Description, f.Suggestion, f.Snippet, f.Rule, f.Pending = huge, huge, huge, huge, huge, "model/"+huge, huge
			f.Column = len(huge) / 2
		})}, func(d *gavel.Document, e *gavel.Evidence) {
			d.Meta.DegradeReason, e.NotJudged, d.Meta.Notes = huge, huge, []string{huge}
			d.Meta.Coverage.Skipped = []gavel.Skip{{Path: huge, Reason: gavel.SkipTooLarge, Detail: huge}}
		})
		for _, f := range formats {
			checkNoControls(t, "huge as "+f.ext, strings.ReplaceAll(string(render(t, s, f.write)), "\x1b", ""))
		}
	}
}
