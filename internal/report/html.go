package report

import (
	"cmp"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/gavel-review/gavel"
)

// Caps of the page. What does not fit is counted where it is missing; all of it is in the pack's other files.
const (
	maxHTMLFindings = 300 // shown in full
	maxHTMLFiles    = 100 // that they are in
	maxHTMLRows     = 200 // of one table
	maxHTMLLines    = 100 // of one list
)

//go:embed html.css
var styleSheet string

// contentPolicy lets a browser load nothing, run nothing, and style by the one sheet alone.
// See https://www.w3.org/TR/CSP3/.
var contentPolicy = sync.OnceValue(func() string {
	sum := sha256.Sum256([]byte(styleSheet))
	return "default-src 'none'; style-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'; base-uri 'none'; form-action 'none'"
})

// RunHTML writes report.html, the run as one page that needs nothing beside it: the verdict first, then what to do,
// what stops the merge, the findings by file with the lines around them, the checks and tests, what was not looked at,
// and the facts. It holds no script and loads nothing, and no foreign text can become markup or an address.
func RunHTML(w io.Writer, r *Run) error {
	v := newRunPage(r)
	v.head()
	v.start("body")
	v.leaf("a", "Skip to what to do", class("skip"), reference("todo"))
	v.verdict()
	v.contents()
	v.start("main")
	for _, s := range v.parts {
		v.section(s.id, s.title)
		s.write()
		v.end()
	}
	v.end()
	v.start("footer")
	v.leaf("p", "Written by gavel. What is quoted here from the repository and from tools is shown as text.")
	for len(v.open) > 0 {
		v.end()
	}
	_, err := w.Write(v.Bytes())
	return err
}

// runPage is the page of one run under way.
type runPage struct {
	page
	run     *Run
	outline *runOutline
	shown   *htmlFindings
	parts   []part
}

// part is a section of the page.
type part struct {
	id, title, count string // count is shown beside the title in the contents
	write            func()
}

func newRunPage(r *Run) *runPage {
	v := &runPage{run: r, outline: newRunOutline(r)}
	v.shown = chooseFindings(v.outline.counted)
	add := func(n int, id, title string, write func()) {
		if n > 0 {
			v.parts = append(v.parts, part{id, title, fmt.Sprint(n), write})
		}
	}
	todo := todoLines(r, v.outline)
	notes := slices.Concat(v.outline.remarks, r.Notes)
	v.parts = []part{{"todo", "What to do", "", func() { v.todo(todo) }}}
	add(len(v.outline.blocking), "blocking", "Against the merge", func() { v.list(v.outline.blocking, maxHTMLLines) })
	add(len(v.outline.counted), "findings", "Findings", v.findings)
	add(len(v.outline.checks), "checks", "Checks", v.checks)
	add(countTests(v.outline.checks), "tests", "Tests", v.tests)
	add(v.countUnseen(), "unseen", "Not looked at", v.unseen)
	add(len(notes), "notes", "Notes", func() { v.list(notes, maxHTMLLines) })
	add(v.outline.settled, "settled", "Settled findings", v.settled)
	add(len(r.Gate.Gates), "gates", "How the verdict came about", v.gates)
	v.parts = append(v.parts, part{"facts", "Facts", "", v.facts})
	add(len(r.Files), "files", "Files of the pack", v.files)
	return v
}

func (v *runPage) head() {
	v.WriteString("<!DOCTYPE html>\n")
	v.start("html", attr{"lang", "en"})
	v.start("head")
	v.void("meta", attr{"charset", "utf-8"})
	v.void("meta", attr{"http-equiv", "Content-Security-Policy"}, attr{"content", contentPolicy()})
	v.void("meta", attr{"name", "viewport"}, attr{"content", "width=device-width, initial-scale=1"})
	v.void("meta", attr{"name", "color-scheme"}, attr{"content", "light dark"})
	v.void("meta", attr{"name", "referrer"}, attr{"content", "no-referrer"})
	v.leaf("title", decisionWord(v.run.Gate)+": gavel run "+v.run.Gate.ID)
	v.WriteString("<style>" + styleSheet + "</style>\n")
	v.end()
}

// decisionWord is the decision, also where there is none.
func decisionWord(g *gavel.MergeGate) string {
	word, _, _ := strings.Cut(runHeadline(g), ":")
	return word
}

// decisionClass chooses the colour. The word says it too.
func decisionClass(g *gavel.MergeGate) name {
	switch g.Decision {
	case gavel.Pass:
		return "verdict good"
	case gavel.Conditional:
		return "verdict careful"
	}
	return "verdict bad"
}

func (v *runPage) verdict() {
	g := v.run.Gate
	word, rest, _ := strings.Cut(v.outline.headline, ":")
	v.start("header", class(decisionClass(g)))
	v.start("h1")
	v.leaf("span", word+":", class("word"))
	v.WriteByte(' ')
	v.leaf("bdi", strings.TrimSpace(rest))
	v.end()
	v.start("p")
	v.leaf("bdi", runSubject(g))
	v.end()
	v.leaf("p", runNumbers(v.run, v.outline))
	if g.BaseFallback {
		v.leaf("p", "No default branch is known; the base was guessed.")
	}
	v.end()
}

func (v *runPage) contents() {
	v.start("nav", attr{"aria-label", "Contents"})
	v.start("ul")
	for _, s := range v.parts {
		v.start("li")
		v.leaf("a", s.title, reference(s.id))
		if s.count != "" {
			v.WriteByte(' ')
			v.leaf("span", s.count, class("count"))
		}
		v.end()
	}
	v.end()
	v.end()
}

func (v *runPage) todo(lines []string) {
	v.list(lines, maxHTMLLines)
	for _, s := range runSteps(v.outline) {
		v.leaf("p", s.text, class("step"))
		for _, command := range s.commands {
			v.start("pre", class("command"), attr{"tabindex", "0"}, attr{"aria-label", "command"})
			v.leaf("code", command)
			v.end()
		}
	}
}

func (v *runPage) gates() {
	v.fold(plural(len(v.run.Gate.Gates), "condition") + " of the verdict")
	t := v.table("Every condition and what it rests on", "state", "condition", "why", "evidence")
	for i := range v.run.Gate.Gates[:min(len(v.run.Gate.Gates), maxHTMLRows)] {
		g := &v.run.Gate.Gates[i]
		var evidence func()
		if len(g.Evidence) > 0 {
			evidence = func() { v.list(g.Evidence, listed) }
		}
		t.row(func() { v.leaf("span", string(g.Status), class(gateClass(g.Status))) }, v.code(g.ID), v.word(g.Reason), evidence)
	}
	t.close()
	v.leftOver(len(v.run.Gate.Gates), "condition")
	v.end()
}

// leftOver counts the rows that a table had no room for.
func (v *runPage) leftOver(total int, noun string) {
	if total > maxHTMLRows {
		v.leaf("p", plural(total-maxHTMLRows, noun)+" more: see the pack's other files.", class("more"))
	}
}

func gateClass(s gavel.GateStatus) name {
	switch s {
	case gavel.GatePass:
		return "badge good"
	case gavel.GateFail:
		return "badge bad"
	case gavel.GateConditional, gavel.GateUnknown:
		return "badge careful"
	}
	return "badge"
}

func (v *runPage) facts() {
	g := v.run.Gate
	v.start("dl")
	fact := func(term, text string) {
		if strings.TrimSpace(text) != "" {
			v.leaf("dt", term)
			v.start("dd")
			v.leaf("code", text)
			v.end()
		}
	}
	fact("verdict", fmt.Sprintf("%s, merge %s, allowed: %v", decisionWord(g), g.MergeRecommendation, g.MergeAllowed))
	fact("mode", string(g.Mode))
	fact("run", g.ID)
	fact("profile", string(g.Profile))
	fact("subject", string(g.Subject))
	fact("branch", orElse(g.Branch, "detached"))
	fact("commit", orElse(g.Commit, "before the first commit"))
	fact("tree", g.Tree)
	fact("base", strings.TrimSpace(strings.Join(g.BaseUsed, ", ")+" "+g.BaseCommit))
	fact("merge base", g.MergeBase)
	if !g.StartedAt.IsZero() {
		fact("started", g.StartedAt.UTC().Format(time.RFC3339))
	}
	if !g.GeneratedAt.IsZero() {
		fact("finished", g.GeneratedAt.UTC().Format(time.RFC3339))
	}
	fact("time", runTime(g))
	fact("isolation of the tools", isolation(v.outline.checks))
	fact("gavel", v.run.Version)
	v.end()
}

// isolation says what confined the tools.
func isolation(checks []CheckLine) string {
	var words []string
	for i := range checks {
		if w := checks[i].Isolation; w != "" && !slices.Contains(words, w) {
			words = append(words, w)
		}
	}
	slices.Sort(words)
	return strings.Join(words, ", ")
}

func (v *runPage) files() {
	v.fold(plural(len(v.run.Files), "file"))
	files := slices.Sorted(slices.Values(v.run.Files))
	v.start("ul")
	for i, path := range files {
		if i == maxHTMLRows {
			v.leaf("li", more(len(files)-i), class("more"))
			break
		}
		v.start("li")
		v.file(path)
		v.end()
	}
	v.end()
	v.end()
}

// file refers to a file of the pack.
func (v *runPage) file(path string) {
	v.start("a", packFile(path))
	v.leaf("code", path)
	v.end()
}

func more(n int) string { return fmt.Sprintf("and %d more", n) }

// countUnseen is how many things the section about them says.
func (v *runPage) countUnseen() int {
	n := len(v.run.LeftOut) + len(unmeasured(v.outline.checks)) + v.outline.skips.skipped
	if v.run.Coverage.Model == gavel.ModelNone {
		n++
	}
	return n
}

func (v *runPage) unseen() {
	var lines []string
	for _, family := range v.run.LeftOut {
		lines = append(lines, "not asked for by the profile: "+family)
	}
	for _, k := range unmeasured(v.outline.checks) {
		lines = append(lines, "measured nothing: "+k.ID+" ("+cmp.Or(strings.TrimSuffix(k.Reason+": "+k.Detail, ": "), string(k.Status))+")")
	}
	if v.run.Coverage.Model == gavel.ModelNone {
		lines = append(lines, "no model reviewed the change")
	}
	if len(lines) > 0 {
		v.list(lines, maxHTMLLines)
	}
	for _, g := range v.outline.skips.unjudged {
		v.skips("Could not be judged: "+string(g.reason), g.skips)
	}
	for _, g := range v.outline.skips.expected {
		v.skips("Not reviewed as text: "+string(g.reason), g.skips)
	}
}

func (v *runPage) skips(title string, skips []gavel.Skip) {
	v.leaf("h3", title)
	lines := make([]string, 0, min(len(skips), maxHTMLLines))
	for i, s := range skips {
		if i == maxHTMLLines {
			break
		}
		lines = append(lines, strings.TrimSuffix(s.Path+": "+s.Detail, ": "))
	}
	v.list(lines, maxHTMLLines)
	if n := len(skips) - len(lines); n > 0 {
		v.leaf("p", more(n), class("more"))
	}
}
