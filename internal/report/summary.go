package report

import (
	"fmt"
	"strings"

	"github.com/gavel-review/gavel"
	"github.com/gavel-review/gavel/internal/untrusted"
)

// SummaryLine says in one line what came out: what could not be judged and a gate that failed first, then the findings
// that count, the verdict, and how much was looked at.
//
//	GATE FAILED: 1 finding at or above high; 3 findings (1 high, 2 medium); BLOCK; 12 of 13 files reviewed, no model configured
func SummaryLine(doc *gavel.Document, v gavel.Verdict) string {
	return strings.Join(summaryParts(doc, v), "; ")
}

func summaryParts(doc *gavel.Document, v gavel.Verdict) []string {
	var parts []string
	if reason := notJudged(doc, v); reason != "" {
		parts = append(parts, "NOT JUDGED: "+reason)
	}
	if g := doc.Summary.Gate; g.FailOn != nil && !g.Passed {
		parts = append(parts, strings.TrimSuffix("GATE FAILED: "+phrase(g.Reason), ": "))
	}
	parts = append(parts, countsPart(doc))
	if word := verdictPart(v); word != "" {
		parts = append(parts, word)
	}
	return append(parts, coveragePart(&doc.Meta))
}

// notJudged returns why there is no verdict, or "" where there is one.
func notJudged(doc *gavel.Document, v gavel.Verdict) string {
	switch {
	case v.Decision != gavel.NoDecision && doc.Meta.DegradeReason == "":
		return ""
	case v.NotJudged != "":
		return phrase(v.NotJudged)
	case doc.Meta.DegradeReason != "":
		return phrase(doc.Meta.DegradeReason)
	}
	return "no verdict was reached"
}

// phrase makes foreign text part of a line that is meant to be read at a glance.
func phrase(s string) string { return untrusted.Visible(clip(s, maxPlace)) }

func countsPart(doc *gavel.Document) string {
	counts, descriptive := doc.Summary.Counts, 0
	for i := range doc.Findings {
		if doc.Findings[i].Descriptive {
			descriptive++
		}
	}
	text := "no findings"
	if total := counts.Total(); total > 0 {
		text = plural(total, "finding") + " (" + strings.Join(countWords(counts), ", ") + ")"
	}
	if descriptive > 0 {
		text += fmt.Sprintf(" and %d descriptive", descriptive)
	}
	return text
}

func countWords(c gavel.Counts) []string {
	var words []string
	for _, s := range gavel.Severities {
		if n := *c.Of(s); n > 0 {
			words = append(words, fmt.Sprintf("%d %s", n, s))
		}
	}
	return words
}

func verdictPart(v gavel.Verdict) string {
	var notes []string
	if v.Pending {
		notes = append(notes, "suppression pending")
	}
	if v.Incomplete {
		notes = append(notes, "incomplete")
	}
	switch {
	case v.Decision == gavel.NoDecision:
		return ""
	case len(notes) == 0:
		return string(v.Decision)
	}
	return string(v.Decision) + " (" + strings.Join(notes, ", ") + ")"
}

func coveragePart(m *gavel.Meta) string {
	c := m.Coverage
	text := fmt.Sprintf("%d of %s reviewed", c.Reviewed, plural(c.Files, "file"))
	if c.Files == 0 {
		text = "nothing to review"
	}
	return text + ", " + modelPart(m)
}

func modelPart(m *gavel.Meta) string {
	name := phrase(m.Provider)
	if m.Model != "" {
		name += "/" + phrase(m.Model)
	}
	switch m.Coverage.Model {
	case gavel.ModelFull:
		name = "by " + name
	case gavel.ModelPartial:
		name = "in part by " + name
	case gavel.ModelHost:
		name = "by the host"
	default:
		if m.Provider == "" || m.Provider == "none" {
			return "no model configured"
		}
		return "no answer from " + name
	}
	if m.Cached {
		name += " (cached)"
	}
	return name
}

func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
