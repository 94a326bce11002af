package report

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"github.com/gavel-review/gavel"
	"github.com/gavel-review/gavel/internal/untrusted"
)

// TextOptions is what the caller knows about the terminal.
type TextOptions struct {
	Color bool // styles may be used; without it not one escape sequence is written
	ASCII bool // frames are drawn with ASCII
	Width int  // columns; 0 = 80, and never less than 40 or more than 120
	// SummaryOnly leaves out all but the summary line: what mode shadow prints.
	SummaryOnly bool
	Accept      Acceptance
}

// Caps on what is shown of one thing. All of it is in the JSON.
const (
	maxProse        = 4000 // bytes
	maxPlace        = 1000
	maxSnippet      = 16 << 10
	maxSnippetLines = 12
	maxSkipsShown   = 3 // paths of an expected reason
	maxUnjudged     = 10
	maxConditions   = 20
)

// Text writes the report for people: a framed block for every finding, the gravest first, the summary line, and then
// what was not reviewed, what is settled, what else the verdict hangs on and what to do next.
func Text(w io.Writer, doc *gavel.Document, v gavel.Verdict, o TextOptions) error {
	c := newConsole(w, o)
	outline := newOutline(doc, v, o.Accept)
	if !o.SummaryOnly {
		c.findings(outline.findings)
	}
	c.summary(doc, v)
	if !o.SummaryOnly {
		c.sections(outline, doc)
	}
	return c.out.Flush()
}

// console writes lines; the bufio.Writer keeps the first error.
type console struct {
	out   *bufio.Writer
	width int
	p     *palette
	g     glyphs
	side  string // what begins every line inside a frame
}

func newConsole(w io.Writer, o TextOptions) *console {
	c := &console{out: bufio.NewWriterSize(w, 32<<10), width: o.Width, p: &palette{}, g: drawn}
	if c.width <= 0 {
		c.width = 80
	}
	c.width = min(max(c.width, 40), 120)
	if o.Color {
		c.p = colours()
	}
	if o.ASCII {
		c.g = typed
	}
	c.side = c.p.frame.of(c.g.side) + " "
	return c
}

func (c *console) line(parts ...string) {
	for _, part := range parts {
		_, _ = c.out.WriteString(part)
	}
	_ = c.out.WriteByte('\n')
}

func (c *console) findings(findings []*gavel.Finding) {
	said := map[string]*gavel.Finding{} // by rule: the finding whose texts were printed last
	folds := foldFindings(findings)
	for _, f := range findings {
		fold := folds[foldKey{f.Rule, f.File, f.Severity}]
		if fold.shown++; len(fold.findings) > maxAlike+1 && fold.shown > maxAlike {
			if fold.shown == len(fold.findings) {
				c.folded(fold.findings[maxAlike:])
			}
			continue
		}
		before := said[f.Rule]
		again := before != nil && before.Title == f.Title && before.Description == f.Description && before.Suggestion == f.Suggestion
		c.finding(f, again)
		said[f.Rule] = f
	}
}

// maxAlike is how many findings of one rule and severity in one file have a block of their own, where there are more
// than one more.
const maxAlike = 5

type foldKey struct {
	rule, file string
	severity   gavel.Severity
}

// fold is the findings of one rule and severity in one file.
type fold struct {
	findings []*gavel.Finding
	shown    int // those that were come to
}

func foldFindings(findings []*gavel.Finding) map[foldKey]*fold {
	folds := make(map[foldKey]*fold)
	for _, f := range findings {
		key := foldKey{f.Rule, f.File, f.Severity}
		if folds[key] == nil {
			folds[key] = &fold{}
		}
		folds[key].findings = append(folds[key].findings, f)
	}
	return folds
}

// folded writes the findings that are like those above them in one block: where they are, and what waits for a person.
func (c *console) folded(findings []*gavel.Finding) {
	first := findings[0]
	c.header(first.Severity, first.File, first.Rule)
	lines, pending := make([]string, len(findings)), 0
	for i, f := range findings {
		lines[i] = fmt.Sprint(f.Line)
		if f.Pending != "" {
			pending++
		}
	}
	text := fmt.Sprintf("%d more findings like the ones above, on the lines %s.", len(findings), strings.Join(lines, ", "))
	if pending > 0 {
		text += fmt.Sprintf(" Suppressed by the change itself: %d.", pending)
	}
	c.prose("", clip(text, maxPlace)+" All of them are in the JSON.", paint{})
	c.line(c.p.frame.of(c.g.bottom))
	c.line()
}

// finding writes one block. What the block before said in the same words about the same rule is not said again.
func (c *console) finding(f *gavel.Finding, again bool) {
	c.header(f.Severity, place(f), f.Rule)
	c.prose("", f.Title, c.p.title)
	c.snippet(f)
	if !again {
		if f.Description != f.Title {
			c.prose("", f.Description, paint{})
		}
		c.prose("Fix: ", f.Suggestion, c.p.fix)
	}
	if f.Pending != "" {
		c.prose("Suppressed by the change itself, ", f.Pending, c.p.careful)
	}
	c.footer(f, again)
}

// footer closes the frame, with what else is to be known about the finding where it fits.
func (c *console) footer(f *gavel.Finding, again bool) {
	notes := facts(f)
	if again {
		notes = append([]string{"as above"}, notes...)
	}
	text := untrusted.Visible(clip(strings.Join(notes, c.g.dot), maxPlace))
	if width(text) > c.width-3 {
		c.prose("", text, c.p.faint)
		text = ""
	}
	c.line(c.p.frame.of(strings.TrimRight(c.g.bottom+" "+text, " ")))
	c.line()
}

func (c *console) header(grave gavel.Severity, where, rule string) {
	severity := strings.ToUpper(grave.String())
	where = clip(untrusted.Visible(where), maxPlace)
	rule = clip(untrusted.Visible(rule), maxPlace)
	left := width(c.g.top) + 1 + len(severity) + 2 + width(where) + 1
	head := []string{c.p.frame.of(c.g.top), " ", c.p.severity[min(grave, gavel.Critical)].of(severity), "  "}
	if dashes := c.width - left - 1 - width(rule); dashes >= 1 {
		c.line(append(head, c.p.place.of(where), " ", c.p.frame.of(strings.Repeat(c.g.dash, dashes)), " ", c.p.faint.of(rule))...)
		return
	}
	lines := wrap(where, c.width-len(severity)-6)
	c.line(append(head, c.p.place.of(lines[0]))...)
	for _, l := range lines[1:] {
		c.line(c.side, c.p.place.of(l))
	}
	c.prose("", rule, c.p.faint)
}

// prose writes foreign text inside the frame, with a label before it and its further lines indented below.
func (c *console) prose(label, text string, style paint) {
	text = untrusted.VisibleText(clip(text, maxProse))
	if strings.TrimSpace(text) == "" {
		return
	}
	for i, l := range wrap(label+text, c.width-2) {
		if i == 0 && label != "" {
			l = style.of(l[:len(label)-1]) + l[len(label)-1:]
		} else if label == "" && l != "" {
			l = style.of(l)
		}
		if l == "" {
			c.line(strings.TrimRight(c.side, " "))
			continue
		}
		c.line(c.side, l)
	}
}

func (c *console) snippet(f *gavel.Finding) {
	text := strings.Trim(untrusted.VisibleText(clip(f.Snippet, maxSnippet)), "\n")
	if strings.TrimSpace(text) == "" {
		return
	}
	lines := strings.Split(text, "\n")
	number := func(i int) string {
		if len(lines) == 1 || f.LineEnd-f.Line+1 == len(lines) {
			return fmt.Sprint(f.Line + i)
		}
		return ""
	}
	gutter := len(number(len(lines)-1)) + 1
	at := caret(f, len(lines))
	if len(lines) == 1 {
		cut := len(lines[0]) - len(strings.TrimLeft(lines[0], " "))
		lines[0], at = lines[0][cut:], at-cut
	}
	for i, l := range lines[:min(len(lines), maxSnippetLines)] {
		shown, column := window(l, at, c.width-gutter-5, c.g.more)
		c.line(c.side, c.p.faint.of(fmt.Sprintf("%*s %s", gutter, number(i), c.g.gutter)), " ", shown)
		if column > 0 {
			c.line(c.side, c.p.faint.of(fmt.Sprintf("%*s %s", gutter, "", c.g.gutter)), " ", strings.Repeat(" ", column), c.p.caret.of("^"))
		}
	}
	if more := len(lines) - maxSnippetLines; more > 0 {
		c.line(c.side, c.p.faint.of(fmt.Sprintf("%*s %s %s %s more", gutter, "", c.g.gutter, c.g.more, plural(more, "line"))))
	}
}

// caret returns the 0-based display column of the finding in its snippet, or -1 where the snippet does not tell.
func caret(f *gavel.Finding, lines int) int {
	before := f.Column - 1
	if before <= 0 || before >= len(f.Snippet) || lines != 1 || strings.HasPrefix(f.Snippet, "…") {
		return -1
	}
	return width(untrusted.VisibleText(f.Snippet[:before]))
}
