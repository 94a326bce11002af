package report

import (
	"bytes"
	"fmt"
	"io"
	"strings"

	"github.com/gavel-review/gavel"
	"github.com/gavel-review/gavel/internal/untrusted"
)

// MarkdownOptions shape the Markdown for the place where it goes.
type MarkdownOptions struct {
	// Limit is the most bytes to write, 0 for no limit. GitHub takes 65,536 characters in a comment. Findings that do
	// not fit are counted; the rest of the report always fits into 16 KiB.
	Limit  int
	Accept Acceptance
}

// Markdown writes the report as GitHub-flavoured Markdown, fit for a comment on a pull request: a table of counts, a
// folded block for every finding, the gravest first, and what the text report says below its summary line. No foreign
// text can become markup, a link, a mention or a reference.
func Markdown(w io.Writer, doc *gavel.Document, v gavel.Verdict, o MarkdownOptions) error {
	outline := newOutline(doc, v, o.Accept)
	m := markdown{}
	m.head(doc, v, outline)
	tail := markdown{}
	tail.sections(outline, doc)
	budget := o.Limit - m.Len() - tail.Len() - 200
	for i, f := range outline.findings {
		block := markdown{}
		block.finding(f, i == 0)
		if budget -= block.Len(); o.Limit > 0 && budget < 0 {
			m.printf("%s more: see the JSON or the text report.\n\n", plural(len(outline.findings)-i, "finding"))
			break
		}
		m.Write(block.Bytes())
	}
	m.Write(tail.Bytes())
	_, err := w.Write(append(bytes.TrimRight(m.Bytes(), "\n"), '\n'))
	return err
}

type markdown struct{ bytes.Buffer }

func (m *markdown) printf(format string, args ...any) { fmt.Fprintf(&m.Buffer, format, args...) }

func (m *markdown) head(doc *gavel.Document, v gavel.Verdict, o *outline) {
	word := string(v.Decision)
	if notJudged(doc, v) != "" {
		word = "not judged"
	}
	m.printf("### Gavel: %s\n\n", word)
	m.printf("%s\n\n", markdownText(clip(SummaryLine(doc, v), maxProse)))
	m.printf("| critical | high | medium | low | info | settled | not reviewed |\n|---:|---:|---:|---:|---:|---:|---:|\n|")
	for _, s := range gavel.Severities {
		m.printf(" %d |", *doc.Summary.Counts.Of(s))
	}
	m.printf(" %d | %d |\n\n", o.settled, o.skipped)
}

// finding writes one folded block. Inside <summary> Markdown is not read, so that text there is escaped as HTML.
func (m *markdown) finding(f *gavel.Finding, open bool) {
	state := ""
	if open {
		state = " open"
	}
	m.printf("<details%s>\n<summary><b>%s</b> <code>%s</code> %s</summary>\n\n", state, f.Severity,
		htmlText(clip(place(f), maxPlace)), htmlText(clip(f.Title, maxPlace)))
	if strings.TrimSpace(f.Snippet) != "" {
		m.printf("%s\n\n", fenced(f.Language, clip(f.Snippet, maxProse)))
	}
	if f.Description != "" && f.Description != f.Title {
		m.printf("%s\n\n", markdownText(clip(f.Description, maxProse)))
	}
	if f.Suggestion != "" {
		m.printf("**Fix:** %s\n\n", markdownText(clip(f.Suggestion, maxProse)))
	}
	if f.Pending != "" {
		m.printf("**Suppressed by the change itself:** %s\n\n", markdownText(clip(f.Pending, maxProse)))
	}
	m.printf("%s", codeSpan(clip(f.Rule, maxPlace)))
	for _, fact := range facts(f) {
		m.printf(", %s", markdownText(clip(fact, maxPlace)))
	}
	m.printf("\n\n</details>\n\n")
}

func (m *markdown) sections(o *outline, doc *gavel.Document) {
	m.notReviewed(o)
	if o.settled > 0 {
		m.printf("**Settled:** %s (%s)\n\n", plural(o.settled, "finding"), strings.Join(o.reasons, ", "))
	}
	m.list("Also for the verdict", o.conditions)
	m.list("Notes", doc.Meta.Notes)
	if len(o.next) == 0 {
		return
	}
	m.printf("**Next**\n\n")
	for _, s := range o.next {
		m.printf("- %s", markdownText(s.text))
		for i, command := range s.commands {
			if i > 0 {
				m.printf(",")
			}
			m.printf(" %s", codeSpan(clip(command, maxPlace)))
		}
		m.printf("\n")
	}
	m.printf("\n")
}

// listed are the caps of one list in a comment: entries, and bytes of one entry.
const listed, listedBytes = 10, 300

func (m *markdown) list(label string, items []string) {
	if len(items) == 0 {
		return
	}
	m.printf("**%s**\n\n", label)
	for i, item := range items {
		if i == listed {
			m.printf("- and %d more\n", len(items)-i)
			break
		}
		m.printf("- %s\n", markdownText(untrusted.Visible(clip(item, listedBytes))))
	}
	m.printf("\n")
}

func (m *markdown) notReviewed(o *outline) {
	if o.skipped == 0 {
		return
	}
	m.printf("**Not reviewed:** %s\n\n", plural(o.skipped, "path"))
	for _, g := range o.unjudged {
		m.skips(fmt.Sprintf("could not be judged, %s", g.reason), g.skips, maxUnjudged)
	}
	for _, g := range o.expected {
		m.skips(string(g.reason), g.skips, maxSkipsShown)
	}
	m.printf("\n")
}

func (m *markdown) skips(label string, skips []gavel.Skip, most int) {
	m.printf("- %s: ", markdownText(label))
	for i, s := range skips {
		if i == most {
			m.printf(" and %d more", len(skips)-i)
			break
		}
		if i > 0 {
			m.printf(", ")
		}
		m.printf("%s", codeSpan(clip(s.Path, listedBytes)))
		if s.Detail != "" && !s.Reason.Expected() {
			m.printf(" (%s)", markdownText(untrusted.Visible(clip(s.Detail, listedBytes))))
		}
	}
	m.printf("\n")
}
