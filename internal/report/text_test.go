package report

import (
	"bytes"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/gavel-review/gavel"
)

func textOf(t *testing.T, s sample, o TextOptions) string {
	t.Helper()
	var b bytes.Buffer
	if err := Text(&b, s.doc, s.verdict, o); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

var sgr = regexp.MustCompile(`\x1b\[[0-9;]*m`)

// TestColourChangesNothing: without colour there is no escape sequence, and with it there is nothing else more.
func TestColourChangesNothing(t *testing.T) {
	t.Parallel()
	for _, s := range samples() {
		plain, painted := textOf(t, s, TextOptions{}), textOf(t, s, TextOptions{Color: true})
		if strings.Contains(plain, "\x1b") {
			t.Errorf("%s: escape sequences in plain text", s.name)
		}
		if sgr.ReplaceAllString(painted, "") != plain {
			t.Errorf("%s: colour changes the text", s.name)
		}
		for line := range strings.SplitSeq(painted, "\n") {
			if codes := sgr.FindAllString(line, -1); len(codes) > 0 && codes[len(codes)-1] != "\x1b[m" {
				t.Errorf("%s: a style runs over the end of %q", s.name, line)
			}
		}
	}
}

// TestTextKeepsItsWidth: no line but the summary is wider than the terminal.
func TestTextKeepsItsWidth(t *testing.T) {
	t.Parallel()
	for _, s := range samples() {
		for _, columns := range []int{1, 40, 60, 80, 120, 500} {
			allowed := min(max(columns, 40), 120)
			for line := range strings.SplitSeq(textOf(t, s, TextOptions{Width: columns}), "\n") {
				if width(line) > allowed && line != SummaryLine(s.doc, s.verdict) && !strings.HasPrefix(line, "    gavel ") {
					t.Errorf("%s at %d: %d columns: %s", s.name, columns, width(line), line)
				}
			}
		}
	}
}

// TestTextCannotBeForged: a line that does not begin with the frame or an indent is ours.
func TestTextCannotBeForged(t *testing.T) {
	t.Parallel()
	s := hostileSample()
	summary := 0
	for line := range strings.SplitSeq(textOf(t, s, TextOptions{Width: 60}), "\n") {
		switch first, _, _ := strings.Cut(line+" ", " "); {
		case line == SummaryLine(s.doc, s.verdict):
			summary++
		case slices.Contains([]string{"", "╭─", "│", "╰─", "Not", "Settled:", "Also", "Notes:", "Next:"}, first):
		default:
			t.Errorf("whose line is this? %q", line)
		}
	}
	if summary != 1 {
		t.Errorf("%d summary lines", summary)
	}
}

func TestTextOrder(t *testing.T) {
	t.Parallel()
	text := textOf(t, fullSample(), TextOptions{})
	at := 0
	for _, want := range []string{"CRITICAL  internal/pay", "HIGH  web/cart.test.js:17", "HIGH  web/cart.test.js:40", "HIGH  web/pay", "MEDIUM", "INFO", "GATE FAILED", "Not reviewed: 8 paths", "too_large", "binary: assets/a.png", "and 3 more", "Settled: 5", "Also for", "Notes:", "Next:", "gavel acknowledge g1:", "gavel explain secret/aws"} {
		next := strings.Index(text[at:], want)
		if next < 0 {
			t.Fatalf("%q is not below %q", want, text[:at])
		}
		at += next
	}
	if n := strings.Count(text, "it.only keeps"); n != 1 {
		t.Errorf("the same words stand there %d times", n)
	}
	if n := strings.Count(text, "╭─"); n != len(fullSample().doc.Findings) {
		t.Errorf("%d frames", n)
	}
}

func TestTextCaret(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name    string
		column  int
		snippet string
		want    string // the part of the caret line behind the gutter, "" = none
	}{
		{"ascii", 5, "abcdef", "    ^"},
		{"indented", 3, "\t\tif x", ""},
		{"behind a tab", 6, "\tx\tfoo(", "       ^"},
		{"wide", 8, "日本 x", "     ^"},
		{"first column", 1, "abc", ""},
		{"whole line", 0, "abc", ""},
		{"cut before", 5, "…abcdef", ""},
		{"behind the end", 50, "abc", ""},
		{"long line", 200, strings.Repeat("a", 199) + "B" + strings.Repeat("c", 500), ""},
	} {
		s := newSample(c.name, []gavel.Finding{finding(func(f *gavel.Finding) { f.Column, f.Snippet = c.column, c.snippet })}, nil)
		lines := strings.Split(textOf(t, s, TextOptions{}), "\n")
		got, mark := "", -1
		for i, l := range lines {
			if strings.HasSuffix(l, "^") {
				got, mark = strings.TrimPrefix(l, "│     │ "), i
			}
		}
		if c.name == "long line" {
			above := []rune(lines[mark-1])
			if at := len([]rune(lines[mark])) - 1; above[at] != 'B' {
				t.Errorf("the caret points at %q:\n%s\n%s", above[at], lines[mark-1], lines[mark])
			}
		} else if got != c.want {
			t.Errorf("%s: %q, want %q\n%s", c.name, got, c.want, strings.Join(lines, "\n"))
		}
	}
}

func TestSummaryLine(t *testing.T) {
	t.Parallel()
	pass := gavel.Verdict{Decision: gavel.Pass}
	block := gavel.Verdict{Decision: gavel.Block, Pending: true}
	for _, c := range []struct {
		want   string
		v      gavel.Verdict
		change func(*gavel.Document)
	}{
		{"no findings; PASS; 4 of 4 files reviewed, no model configured", pass, nil},
		{"no findings; PASS; 1 of 1 file reviewed, no model configured", pass, func(d *gavel.Document) { d.Meta.Coverage = gavel.Coverage{Files: 1, Reviewed: 1} }},
		{"no findings; PASS; nothing to review, no model configured", pass, func(d *gavel.Document) { d.Meta.Coverage = gavel.Coverage{} }},
		{"3 findings (1 high, 2 medium); BLOCK (suppression pending); 4 of 4 files reviewed, no model configured", block, func(d *gavel.Document) { d.Summary.Counts = gavel.Counts{High: 1, Medium: 2} }},
		{"1 finding (1 info) and 2 descriptive; PASS; 4 of 4 files reviewed, no model configured", pass, func(d *gavel.Document) {
			d.Summary.Counts = gavel.Counts{Info: 1}
			d.Findings = []gavel.Finding{{Descriptive: true}, {Descriptive: true}, {}}
		}},
		{"no findings; PASS; 4 of 4 files reviewed, by p/m (cached)", pass, func(d *gavel.Document) {
			d.Meta.Provider, d.Meta.Model, d.Meta.Cached, d.Meta.Coverage.Model = "p", "m", true, gavel.ModelFull
		}},
		{"no findings; PASS; 4 of 4 files reviewed, in part by p", pass, func(d *gavel.Document) { d.Meta.Provider, d.Meta.Coverage.Model = "p", gavel.ModelPartial }},
		{"no findings; PASS; 4 of 4 files reviewed, by the host", pass, func(d *gavel.Document) { d.Meta.Coverage.Model = gavel.ModelHost }},
		{"no findings; PASS; 4 of 4 files reviewed, no answer from p/m", pass, func(d *gavel.Document) { d.Meta.Provider, d.Meta.Model = "p", "m" }},
		{"GATE FAILED: 1 at or above low; no findings; PASS; 4 of 4 files reviewed, no model configured", pass, func(d *gavel.Document) {
			d.Summary.Gate = gavel.GateAnswer{FailOn: ptr(gavel.Threshold("low")), Reason: "1 at or above low"}
		}},
		{"no findings; PASS; 4 of 4 files reviewed, no model configured", pass, func(d *gavel.Document) { d.Summary.Gate = gavel.GateAnswer{Reason: "x"} }},
		{"NOT JUDGED: the model failed; no findings; 4 of 4 files reviewed, no model configured", gavel.Verdict{NotJudged: "the model failed"}, nil},
		{"NOT JUDGED: no verdict was reached; no findings; 4 of 4 files reviewed, no model configured", gavel.Verdict{}, nil},
		{`NOT JUDGED: bad\nanswer; no findings; PASS; 4 of 4 files reviewed, no model configured`, pass, func(d *gavel.Document) { d.Meta.DegradeReason = "bad\nanswer" }},
		{"no findings; CONDITIONAL (incomplete); 4 of 4 files reviewed, no model configured", gavel.Verdict{Decision: gavel.Conditional, Incomplete: true}, nil},
	} {
		s := newSample("x", nil, nil)
		if c.change != nil {
			c.change(s.doc)
		}
		if got := SummaryLine(s.doc, c.v); got != c.want {
			t.Errorf("got  %s\nwant %s", got, c.want)
		}
	}
}

func TestWrap(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		in   string
		most int
		want []string
	}{
		{"", 10, []string{""}},
		{"short", 10, []string{"short"}},
		{"one two three", 10, []string{"one two", "three"}},
		{"  one two three", 10, []string{"  one two", "  three"}},
		{"abcdefghijklmnop", 10, []string{"abcdefghij", "klmnop"}},
		{"a\n\n  b\n", 10, []string{"a", "", "  b"}},
		{"日本語日本語", 8, []string{"日本語日", "本語"}},
		{"ab 日本語日本語", 8, []string{"ab", "日本語日", "本語"}},
	} {
		if got := wrap(c.in, c.most); !slices.Equal(got, c.want) {
			t.Errorf("wrap(%q, %d) = %q, want %q", c.in, c.most, got, c.want)
		}
	}
}

func FuzzWrap(f *testing.F) {
	f.Add("one two three", 10)
	f.Add("日本語日本語 e\u0301 👩", 8)
	f.Add("                              x", 12)
	f.Fuzz(func(t *testing.T, text string, most int) {
		most = 8 + max(most, -most)%100
		if most < 8 {
			return
		}
		lines := wrap(text, most)
		if strings.Join(strings.Fields(strings.Join(lines, "")), "") != strings.Join(strings.Fields(text), "") {
			t.Fatalf("%q lost or gained something: %q", text, lines)
		}
		for _, l := range lines {
			if len([]rune(l)) > 1 && ascii(l) && len(l) > most {
				t.Fatalf("%q is wider than %d", l, most)
			}
		}
	})
}
