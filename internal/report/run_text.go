package report

import (
	"io"
	"strings"

	"github.com/gavel-review/gavel"
	"github.com/gavel-review/gavel/internal/untrusted"
)

// RunText writes the run for a terminal: the verdict, what stops the merge, what to do, a line for every check, and what
// was not looked at. Without TextOptions.Color it holds no escape sequence.
func RunText(w io.Writer, r *Run, o TextOptions) error {
	c := newConsole(w, o)
	outline := newRunOutline(r)
	c.runHead(r, outline)
	if !o.SummaryOnly {
		c.list("Against the merge", outline.blocking)
		c.list("To do", outline.todo)
		c.checkLines(outline.checks)
		c.notReviewed(outline.skips)
		c.list("Also", outline.remarks)
		c.list("Notes", r.Notes)
		c.steps(runSteps(outline))
	}
	return c.out.Flush()
}

func (c *console) runHead(r *Run, o *runOutline) {
	style := c.p.careful
	switch r.Gate.Decision {
	case gavel.Pass:
		style = c.p.good
	case gavel.Block, gavel.NoDecision:
		style = c.p.bad
	}
	word, rest, _ := strings.Cut(o.headline, ":")
	c.hanging(style.of(word)+": ", width(word)+2, "  ", strings.TrimSpace(rest))
	facts := []string{untrusted.Visible(clip(runSubject(r.Gate), maxPlace)), phrase(string(r.Gate.Profile))}
	if took := runTime(r.Gate); took != "" {
		facts = append(facts, took)
	}
	c.hanging("", 0, "  ", strings.Join(append(facts, "run "+untrusted.Visible(clip(r.Gate.ID, maxPlace))), c.g.dot))
	c.hanging("", 0, "  ", untrusted.Visible(runNumbers(r, o)))
}

// maxChecksShown is how many checks are listed.
const maxChecksShown = 200

func (c *console) checkLines(checks []CheckLine) {
	if len(checks) == 0 {
		return
	}
	c.line()
	c.line(c.p.label.of("Checks") + ":")
	widest := 0
	for i := range checks {
		widest = min(max(widest, width(untrusted.Visible(checks[i].ID))), 40)
	}
	for i := range checks[:min(len(checks), maxChecksShown)] {
		c.checkLine(&checks[i], widest)
	}
	if more := len(checks) - maxChecksShown; more > 0 {
		c.line("  and " + plural(more, "check") + " more")
	}
}

// checkLine writes status, id, time and remark in columns.
func (c *console) checkLine(k *CheckLine, widest int) {
	const statusColumn, timeColumn = 6, 6
	status := statusWord(k.Status)
	id := untrusted.Visible(clip(k.ID, maxPlace))
	took := shortTime(k.Duration)
	pad := func(n int) string { return strings.Repeat(" ", max(n, 0)) }
	text := strings.TrimRight(id+pad(widest-width(id))+"  "+pad(timeColumn-len(took))+took+"  "+untrusted.Visible(clip(k.remark(), maxPlace)), " ")
	first := "  " + c.statusPaint(k.Status).of(status) + pad(statusColumn-len(status)) + "  "
	used := 4 + statusColumn
	if used+width(text) <= c.width {
		c.line(first, text)
		return
	}
	c.hanging(first, used, "      ", strings.Join(strings.Fields(text), " "))
}

// statusWord is the status, as far as it is one.
func statusWord(s gavel.CheckStatus) string {
	switch s {
	case gavel.CheckPass, gavel.CheckFail, gavel.CheckSkip, gavel.CheckNoScan, gavel.CheckError:
		return string(s)
	}
	return "?"
}

func (c *console) statusPaint(s gavel.CheckStatus) paint {
	switch s {
	case gavel.CheckPass:
		return c.p.good
	case gavel.CheckFail, gavel.CheckError:
		return c.p.bad
	case gavel.CheckNoScan:
		return c.p.careful
	}
	return c.p.faint
}

// runSteps are the commands that lead on.
func runSteps(o *runOutline) []step {
	var steps []step
	if o.found > 0 {
		steps = append(steps, step{"What was found, page by page:", []string{"gavel findings"}})
	}
	for i := range o.checks {
		if k := &o.checks[i]; k.Status != gavel.CheckPass && k.Status != gavel.CheckSkip && k.Log != "" {
			steps = append(steps, step{"What " + untrusted.Visible(clip(k.ID, maxPlace)) + " said:", []string{"gavel artifact " + k.Log}})
			break
		}
	}
	waiting := step{text: "Look at what the change suppresses itself, then fix it or accept it:"}
	for _, f := range o.counted {
		if f.Pending != "" && len(waiting.commands) < maxCommands {
			waiting.commands = append(waiting.commands, "gavel acknowledge "+f.Fingerprint+" --why REASON")
		}
	}
	if len(waiting.commands) > 0 {
		steps = append(steps, waiting)
	}
	return steps
}
