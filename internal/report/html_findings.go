package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/gavel-review/gavel"
)

// htmlFindings is how the findings that count are spread over the page.
type htmlFindings struct {
	files []htmlFile       // shown in full, the file with the gravest finding first
	old   []*gavel.Finding // were there before: one row each
	rest  []findingGroup   // what there was no room for, by rule
	left  int              // findings in rest
}

// htmlFile are the findings of one file that are shown in full, from top to bottom.
type htmlFile struct {
	path     string
	findings []*gavel.Finding
}

type findingGroup struct {
	rule     string
	severity gavel.Severity
	findings int
	files    map[string]bool
}

// chooseFindings takes the first findings in, gravest first, and counts the others.
func chooseFindings(counted []*gavel.Finding) *htmlFindings {
	h := &htmlFindings{}
	at := make(map[string]int) // file to its place in h.files
	shown := 0
	var rest []*gavel.Finding
	for _, f := range counted {
		if oldFinding(f) {
			h.old = append(h.old, f)
			continue
		}
		i, known := at[f.File]
		if shown == maxHTMLFindings || !known && len(h.files) == maxHTMLFiles {
			rest = append(rest, f)
			continue
		}
		if !known {
			i = len(h.files)
			at[f.File] = i
			h.files = append(h.files, htmlFile{path: f.File})
		}
		h.files[i].findings = append(h.files[i].findings, f)
		shown++
	}
	for _, file := range h.files {
		slices.SortStableFunc(file.findings, func(a, b *gavel.Finding) int {
			return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(b.Severity, a.Severity))
		})
	}
	h.left, h.rest = len(rest), groupFindings(rest)
	return h
}

// groupFindings counts findings by rule and severity, gravest and most frequent first.
func groupFindings(findings []*gavel.Finding) []findingGroup {
	type key struct {
		rule     string
		severity gavel.Severity
	}
	at := make(map[key]int)
	var groups []findingGroup
	for _, f := range findings {
		k := key{f.Rule, f.Severity}
		i, known := at[k]
		if !known {
			i = len(groups)
			at[k] = i
			groups = append(groups, findingGroup{rule: f.Rule, severity: f.Severity, files: make(map[string]bool)})
		}
		groups[i].findings++
		groups[i].files[f.File] = true
	}
	slices.SortStableFunc(groups, func(a, b findingGroup) int {
		return cmp.Or(cmp.Compare(b.severity, a.severity), cmp.Compare(b.findings, a.findings), cmp.Compare(a.rule, b.rule))
	})
	return groups
}

// ExcerptFiles are the files whose changed lines the page shows: those that [Run.Excerpts] is looked up for.
func ExcerptFiles(r *Run) []string {
	shown := chooseFindings(newRunOutline(r).counted)
	files := make([]string, len(shown.files))
	for i := range shown.files {
		files[i] = shown.files[i].path
	}
	return files
}

func (v *runPage) findings() {
	for i := range v.shown.files {
		v.fileFindings(i)
	}
	if v.shown.left > 0 {
		v.restFindings()
	}
	if len(v.shown.old) > 0 {
		v.oldFindings()
	}
}

func (v *runPage) fileFindings(i int) {
	file := &v.shown.files[i]
	id := fmt.Sprintf("file-%d", i+1)
	v.start("section", class("file"), anchor(id), attr{"aria-labelledby", id + "-title"})
	v.start("h3", anchor(id+"-title"))
	v.leaf("code", orElse(file.path, "no file"))
	v.WriteByte(' ')
	v.leaf("span", plural(len(file.findings), "finding"), class("count"))
	v.end()
	for j, f := range file.findings {
		again := j > 0 && file.findings[j-1].Line == f.Line && file.findings[j-1].LineEnd == f.LineEnd
		v.finding(f, again && f.Line > 0)
	}
	v.end()
}

// finding writes one finding. again means that the lines stand above already.
func (v *runPage) finding(f *gavel.Finding, again bool) {
	v.start("article", class(severityBlock(f.Severity)))
	v.start("h4")
	v.leaf("span", f.Severity.String(), class(severityBadge(f.Severity)))
	v.WriteByte(' ')
	v.leaf("bdi", orElse(f.Title, f.Rule))
	v.end()
	v.start("p", class("meta"))
	v.text(whereIn(f))
	v.WriteString(" · ")
	v.leaf("code", f.Rule)
	if said := facts(f); len(said) > 0 {
		v.WriteString(" · ")
		v.leaf("bdi", strings.Join(said, " · "))
	}
	v.end()
	if !again {
		v.lines(f)
	}
	said := name("description")
	if f.Source == gavel.SourceCheck {
		said = "description output"
	}
	v.paragraph("", said, f.Description, f.Title)
	v.paragraph("Fix: ", "fix", f.Suggestion, "")
	v.paragraph("Suppressed by the change itself: ", "pending", f.Pending, "")
	v.end()
}

// paragraph writes a text of the finding that says more than what was said before.
func (v *runPage) paragraph(label string, c name, text, before string) {
	if strings.TrimSpace(text) == "" || text == before {
		return
	}
	v.start("p", class(c))
	if label != "" {
		v.leaf("b", label)
	}
	v.start("bdi")
	v.prose(text)
	v.end()
	v.end()
}

// whereIn is the place inside the file.
func whereIn(f *gavel.Finding) string {
	switch {
	case f.File == "":
		return "no place"
	case f.Line <= 0:
		return "the whole file"
	case f.LineEnd > f.Line:
		return fmt.Sprintf("lines %d to %d", f.Line, f.LineEnd)
	case f.Column > 0:
		return fmt.Sprintf("line %d, column %d", f.Line, f.Column)
	}
	return fmt.Sprintf("line %d", f.Line)
}

func (v *runPage) restFindings() {
	v.leaf("h3", plural(v.shown.left, "finding")+" more")
	v.leaf("p", "They are counted here by rule. Each of them is in report.json and in the SARIF.")
	t := v.table("Findings that are not shown in full, by rule", "severity", "rule", "findings", "files")
	left := v.shown.left
	for i := range v.shown.rest[:min(len(v.shown.rest), maxHTMLRows)] {
		g := &v.shown.rest[i]
		left -= g.findings
		t.row(v.severity(g.severity), v.code(g.rule), v.word(fmt.Sprint(g.findings)), v.word(fmt.Sprint(len(g.files))))
	}
	t.close()
	if left > 0 {
		v.leaf("p", fmt.Sprintf("%s more of %s.", plural(left, "finding"), plural(len(v.shown.rest)-maxHTMLRows, "other rule")), class("more"))
	}
}

func (v *runPage) severity(s gavel.Severity) func() {
	return func() { v.leaf("span", s.String(), class(severityBadge(s))) }
}

func (v *runPage) oldFindings() {
	v.fold(plural(len(v.shown.old), "finding") + " from before the change")
	t := v.table("What was there already", "severity", "place", "finding", "rule")
	for _, f := range v.shown.old[:min(len(v.shown.old), maxHTMLRows)] {
		t.row(v.severity(f.Severity), v.code(placeOf(f)), v.word(f.Title), v.code(f.Rule))
	}
	t.close()
	v.leftOver(len(v.shown.old), "finding")
	v.end()
}

// placeOf is the place as far as there is one.
func placeOf(f *gavel.Finding) string {
	if f.Line <= 0 {
		return f.File
	}
	return place(f)
}

func (v *runPage) settled() {
	v.fold(strings.Join(v.outline.reasons, ", "))
	t := v.table("Findings that do not count, and why", "severity", "place", "finding", "rule", "why")
	n := 0
	for i := range v.run.Findings {
		f := &v.run.Findings[i]
		if len(f.Settled) == 0 {
			continue
		}
		if n++; n > maxHTMLRows {
			continue
		}
		t.row(v.severity(f.Severity), v.code(placeOf(f)), v.word(f.Title), v.code(f.Rule), v.word(settledWhy(f)))
	}
	t.close()
	v.leftOver(n, "finding")
	v.end()
}

func settledWhy(f *gavel.Finding) string {
	var why []string
	for _, s := range f.Settled {
		why = append(why, strings.TrimSuffix(cmp.Or(reasonPhrases[s.Reason], string(s.Reason))+": "+s.Detail, ": "))
	}
	return strings.Join(why, "; ")
}

func severityBadge(s gavel.Severity) name {
	switch s {
	case gavel.Critical:
		return "badge critical"
	case gavel.High:
		return "badge bad"
	case gavel.Medium:
		return "badge careful"
	case gavel.Low:
		return "badge low"
	}
	return "badge"
}

func severityBlock(s gavel.Severity) name {
	switch s {
	case gavel.Critical, gavel.High:
		return "finding bad"
	case gavel.Medium:
		return "finding careful"
	case gavel.Low:
		return "finding low"
	}
	return "finding"
}
