package report

import (
	"fmt"
	"strings"

	"github.com/gavel-review/gavel"
	"github.com/gavel-review/gavel/internal/untrusted"
)

// summary writes the one line that is always there, with the words that matter painted.
func (c *console) summary(doc *gavel.Document, v gavel.Verdict) {
	parts := summaryParts(doc, v)
	for i, part := range parts {
		parts[i] = c.summaryPaint(part, v).of(part)
	}
	c.line(strings.Join(parts, "; "))
}

func (c *console) summaryPaint(part string, v gavel.Verdict) paint {
	switch {
	case strings.HasPrefix(part, "NOT JUDGED"), strings.HasPrefix(part, "GATE FAILED"):
		return c.p.bad
	case part != verdictPart(v):
		return paint{}
	}
	switch v.Decision {
	case gavel.Pass:
		return c.p.good
	case gavel.Block:
		return c.p.bad
	}
	return c.p.careful
}

func (c *console) sections(o *outline, doc *gavel.Document) {
	c.notReviewed(o)
	if o.settled > 0 {
		c.section("Settled", plural(o.settled, "finding")+" ("+strings.Join(o.reasons, ", ")+")")
	}
	c.list("Also for the verdict", o.conditions)
	c.list("Notes", doc.Meta.Notes)
	c.steps(o.next)
}

// section begins a part below the summary.
func (c *console) section(label, text string) {
	c.line()
	c.hanging(c.p.label.of(label)+": ", len(label)+2, "  ", text)
}

func (c *console) list(label string, items []string) {
	if len(items) == 0 {
		return
	}
	c.line()
	c.line(c.p.label.of(label) + ":")
	for i, item := range items {
		if i == maxConditions {
			c.line(fmt.Sprintf("  and %d more", len(items)-i))
			break
		}
		c.hanging("  - ", 4, "    ", untrusted.Visible(clip(item, maxProse)))
	}
}

// hanging writes one line of visible text after a label that takes used columns, and what does not fit behind the
// indent.
func (c *console) hanging(label string, used int, indent, text string) {
	for i, l := range wrapLine(text, c.width-len(indent), used-len(indent)) {
		if i == 0 {
			c.line(label, l)
		} else {
			c.line(indent, l)
		}
	}
}

func (c *console) notReviewed(o *outline) {
	if o.skipped == 0 {
		return
	}
	c.section("Not reviewed", plural(o.skipped, "path"))
	for _, g := range o.unjudged {
		c.line("  ", c.p.bad.of("could not be judged, "+string(g.reason)+":"))
		for i, s := range g.skips {
			if i == maxUnjudged {
				c.line(fmt.Sprintf("    and %d more", len(g.skips)-i))
				break
			}
			c.hanging("    ", 4, "      ", skipLine(s))
		}
	}
	for _, g := range o.expected {
		c.hanging("  "+string(g.reason)+": ", len(g.reason)+4, "    ", skipNames(g.skips))
	}
}

func skipLine(s gavel.Skip) string {
	text := clip(untrusted.Visible(s.Path), maxPlace)
	if s.Detail != "" {
		text += " (" + clip(untrusted.Visible(s.Detail), maxPlace) + ")"
	}
	return text
}

// skipNames lists the first paths of an expected reason and counts the rest.
func skipNames(skips []gavel.Skip) string {
	var names []string
	for i, s := range skips {
		if i == maxSkipsShown && len(skips) > maxSkipsShown+1 {
			return strings.Join(names, ", ") + fmt.Sprintf(" and %d more", len(skips)-i)
		}
		names = append(names, clip(untrusted.Visible(s.Path), maxPlace))
	}
	return strings.Join(names, ", ")
}

func (c *console) steps(steps []step) {
	if len(steps) == 0 {
		return
	}
	c.line()
	c.line(c.p.label.of("Next") + ":")
	for _, s := range steps {
		c.hanging("  - ", 4, "    ", s.text)
		for _, command := range s.commands {
			c.line("    ", c.p.place.of(clip(untrusted.Visible(command), maxPlace)))
		}
	}
}
