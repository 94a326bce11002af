package report

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/gavel-review/gavel"
	"github.com/gavel-review/gavel/internal/untrusted"
)

// Caps of the summary. All of it is in the pack's other files.
const (
	maxSummaryFiles    = 50
	maxSummaryFindings = 200
	maxSummaryLines    = 50
)

// RunSummary writes 00_summary/SUMMARY.md, the run for people, as GitHub-flavoured Markdown: the verdict first, then
// what to do, what stops the merge, the findings by file, the checks, and what was not looked at. No foreign text can
// become markup, a link, a mention or a reference.
func RunSummary(w io.Writer, r *Run) error {
	o := newRunOutline(r)
	m := markdown{}
	m.printf("# %s\n\n", markdownText(o.headline))
	m.runFacts(r, o)
	m.lines("What to do", todoLines(r, o))
	m.lines("Against the merge", o.blocking)
	m.findingsByFile(o)
	m.checkTable(o.checks)
	m.notLookedAt(r, o)
	m.lines("Notes", slices.Concat(o.remarks, r.Notes))
	_, err := w.Write(append(bytes.TrimRight(m.Bytes(), "\n"), '\n'))
	return err
}

// todoLines say what happens next, also where that is nothing.
func todoLines(r *Run, o *runOutline) []string {
	switch r.Gate.Decision {
	case gavel.Pass:
		return []string{"nothing: it may be merged"}
	case gavel.Conditional:
		return o.todo
	case gavel.Block:
		return append([]string{"mend what stands against the merge, then run again"}, o.todo...)
	}
	return append([]string{"see why it could not be judged, then run again"}, o.todo...)
}

func (m *markdown) runFacts(r *Run, o *runOutline) {
	g := r.Gate
	m.fact("Merge", fmt.Sprintf("%s, allowed: %v", g.MergeRecommendation, g.MergeAllowed))
	m.fact("Judged", runSubject(g))
	if g.BaseFallback {
		m.fact("Base", "no default branch is known; the base was guessed")
	}
	m.fact("Run", fmt.Sprintf("%s, profile %s, %s", g.ID, g.Profile, g.GeneratedAt.UTC().Format(time.RFC3339)))
	m.fact("Found", runNumbers(r, o))
	m.printf("\n")
}

// fact is one item of a list of facts.
func (m *markdown) fact(label, text string) {
	m.printf("- **%s:** %s\n", label, markdownText(untrusted.Visible(clip(text, maxPlace))))
}

func (m *markdown) heading(text string) { m.printf("## %s\n\n", text) }

// lines is a bounded list under a heading.
func (m *markdown) lines(label string, items []string) {
	if len(items) == 0 {
		return
	}
	m.heading(label)
	for i, item := range items {
		if i == maxSummaryLines {
			m.printf("- and %d more\n", len(items)-i)
			break
		}
		m.printf("- %s\n", markdownText(untrusted.Visible(clip(item, maxPlace))))
	}
	m.printf("\n")
}

// findingsByFile lists what counts, the file with the gravest finding first.
func (m *markdown) findingsByFile(o *runOutline) {
	if len(o.counted) == 0 {
		return
	}
	m.heading("Findings")
	byFile := make(map[string][]*gavel.Finding)
	var files []string
	for _, f := range o.counted {
		if byFile[f.File] == nil {
			files = append(files, f.File)
		}
		byFile[f.File] = append(byFile[f.File], f)
	}
	shown := 0
	for i, file := range files {
		if i == maxSummaryFiles || shown >= maxSummaryFindings {
			break
		}
		m.printf("### %s\n\n", codeSpan(clip(orElse(file, "no file"), maxPlace)))
		for _, f := range byFile[file] {
			if shown == maxSummaryFindings {
				break
			}
			m.findingLine(f)
			shown++
		}
		m.printf("\n")
	}
	if more := len(o.counted) - shown; more > 0 {
		m.printf("%s more: see report.html, which counts them by rule, and the SARIF.\n\n", plural(more, "finding"))
	}
}

func orElse(s, other string) string {
	if strings.TrimSpace(s) == "" {
		return other
	}
	return s
}

func (m *markdown) findingLine(f *gavel.Finding) {
	where := ""
	if f.Line > 0 {
		where = fmt.Sprintf(" line %d", f.Line)
	}
	m.printf("- **%s**%s %s: %s", f.Severity, where, codeSpan(clip(f.Rule, listedBytes)), markdownText(untrusted.Visible(clip(f.Title, listedBytes))))
	notes := facts(f)
	if f.Pending != "" {
		notes = append(notes, "suppressed by the change itself")
	}
	if len(notes) > 0 {
		m.printf(" (%s)", markdownText(untrusted.Visible(clip(strings.Join(notes, ", "), listedBytes))))
	}
	m.printf("\n")
}

// cell is foreign text inside a table: on one line, without code spans, in which a bar would end the cell.
func cell(s string) string { return markdownText(untrusted.Visible(clip(s, listedBytes))) }

func (m *markdown) checkTable(checks []CheckLine) {
	if len(checks) == 0 {
		return
	}
	m.heading("Checks")
	m.printf("| status | check | time | tool | remarks |\n|---|---|---:|---|---|\n")
	for i := range checks[:min(len(checks), maxChecksShown)] {
		k := &checks[i]
		m.printf("| %s | %s | %s | %s | %s |\n", statusWord(k.Status), cell(k.ID), shortTime(k.Duration), cell(k.Tool), cell(k.remark()))
	}
	m.printf("\n")
	if more := len(checks) - maxChecksShown; more > 0 {
		m.printf("%s more.\n\n", plural(more, "check"))
	}
	for i := range checks[:min(len(checks), maxChecksShown)] {
		m.testNames(&checks[i])
	}
}

// testNames lists the tests of a check by what became of them.
func (m *markdown) testNames(k *CheckLine) {
	for _, g := range k.testGroups() {
		if len(g.names) == 0 {
			continue
		}
		m.printf("%s, %s:\n\n", codeSpan(clip(k.ID, listedBytes)), g.title)
		for i, name := range g.names {
			if i == maxSummaryLines {
				m.printf("- and %d more\n", len(g.names)-i)
				break
			}
			m.printf("- %s\n", codeSpan(clip(name, listedBytes)))
		}
		m.printf("\n")
	}
}

// notLookedAt names the families that the profile leaves out, the checks that measured nothing and the paths that
// nobody read.
func (m *markdown) notLookedAt(r *Run, o *runOutline) {
	var missed []string
	for i := range o.checks {
		switch k := &o.checks[i]; k.Status {
		case gavel.CheckNoScan, gavel.CheckError:
			missed = append(missed, k.ID+" ("+orElse(k.Reason, string(k.Status))+")")
		}
	}
	if len(r.LeftOut)+len(missed)+o.skips.skipped == 0 && r.Coverage.Model != gavel.ModelNone {
		return
	}
	m.heading("Not looked at")
	if len(r.LeftOut) > 0 {
		m.fact("Not asked for by the profile", strings.Join(r.LeftOut, ", "))
	}
	if len(missed) > 0 {
		m.fact("Measured nothing", strings.Join(missed, ", "))
	}
	if r.Coverage.Model == gavel.ModelNone {
		m.fact("Model", "none reviewed the change")
	}
	m.printf("\n")
	m.notReviewed(o.skips)
}
