package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/gavel-review/gavel"
)

// Run is a finished run of a change as its views see it. Each of them renders the stored decision; none computes its own.
// The decision alone will do: the views then say what it knows of checks, findings and files.
type Run struct {
	Gate     *gavel.MergeGate
	Findings []gavel.Finding // all of them, settled ones too
	Checks   []CheckLine     // in the order in which they are shown
	Coverage gavel.Coverage
	Notes    []string
	LeftOut  []string // families that the profile does not ask for
	Files    []string // of the pack, relative to it; for the index
	Version  string   // of gavel
	// Excerpts are the hunks of the change, secrets masked, by [gavel.Finding.File]. The page shows lines of them; those
	// of files beyond [ExcerptFiles] are not looked at.
	Excerpts map[string][]gavel.Hunk
}

// CheckLine is one check as a person sees it.
type CheckLine struct {
	ID, Title, Family string
	Status            gavel.CheckStatus
	Reason, Detail    string // why nothing was measured
	Required          bool
	Tool              string // what ran: "eslint 9.1.0"; "" = nothing did
	Duration          time.Duration
	Cached            bool
	Isolation         string // what confined the tool; "" = nothing ran
	Findings          int    // that it reported
	New, Old          int    // those of them of which it is known; New < 0 = it is known of none
	// Tests that fail newly, that failed before too, that no longer fail, and that are gone; by name.
	Failing, Still, Fixed, Removed []string
	Log                            string // pack-relative path of what it said; "" = nothing
}

// runOutline is what the views of a run say, and in which order.
type runOutline struct {
	headline string
	blocking []string // what stops the merge
	todo     []string // what a person must do so that it can be approved
	remarks  []string // what else limits the verdict
	checks   []CheckLine
	counted  []*gavel.Finding // what the change brings first, then the gravest
	old      int              // of them
	found    int              // what counts, also where the findings themselves are not here
	settled  int
	reasons  []string // why findings do not count
	skips    *outline // the paths whose text was not reviewed
}

func newRunOutline(r *Run) *runOutline {
	v := &r.Gate.Verdict
	o := &runOutline{headline: runHeadline(r.Gate), blocking: v.Blocking, checks: r.Checks, found: r.Gate.Counts.Total()}
	if len(o.checks) == 0 {
		o.checks = storedChecks(r.Gate.Checks)
	}
	asked := make(map[string]bool)
	for _, g := range v.Gates {
		switch g.Status {
		case gavel.GatePass, gavel.GateNeutral, gavel.GateFail:
		default:
			asked[g.ID+": "+g.Reason] = true
		}
	}
	for _, line := range v.Caveats {
		if asked[line] || strings.HasPrefix(line, "core_inconsistency:") {
			o.todo = append(o.todo, line)
		} else {
			o.remarks = append(o.remarks, line)
		}
	}
	var settled []gavel.Finding
	for i := range r.Findings {
		if f := &r.Findings[i]; len(f.Settled) == 0 {
			o.counted = append(o.counted, f)
			if oldFinding(f) {
				o.old++
			}
		} else {
			settled = append(settled, *f)
		}
	}
	slices.SortStableFunc(o.counted, func(a, b *gavel.Finding) int {
		return cmp.Or(cmp.Compare(ageRank(a), ageRank(b)), cmp.Compare(b.Severity, a.Severity), gavel.CompareFindings(*a, *b))
	})
	o.settled, o.reasons = len(settled), settledReasons(settled)
	o.skips = &outline{skipped: len(r.Coverage.Skipped), unjudged: groupSkips(r.Coverage.Skipped, unexpectedSkips), expected: groupSkips(r.Coverage.Skipped, expectedSkips)}
	return o
}

// storedChecks are the checks as the decision knows them.
func storedChecks(results []gavel.CheckResult) []CheckLine {
	lines := make([]CheckLine, len(results))
	for i, c := range results {
		lines[i] = CheckLine{ID: c.ID, Status: c.Status, Reason: c.Reason, Detail: c.Detail, Required: c.Required, Findings: c.Findings, New: -1}
	}
	return lines
}

// oldFinding reports whether the finding was there before the change.
func oldFinding(f *gavel.Finding) bool {
	return f.Baseline == gavel.BaselineUnchanged || f.Baseline == gavel.BaselineAbsent
}

// ageRank puts what is new first, and what is not new last.
func ageRank(f *gavel.Finding) int {
	switch {
	case oldFinding(f):
		return 2
	case f.Baseline == gavel.BaselineUnknown:
		return 1
	}
	return 0
}

// runHeadline is the decision in one line.
func runHeadline(g *gavel.MergeGate) string {
	v := &g.Verdict
	var why []string
	switch v.Decision {
	case gavel.Pass:
		return "PASS: nothing stands against the merge"
	case gavel.Block:
		why = append(why, plural(len(v.Blocking), "reason")+" against the merge")
	case gavel.Conditional:
		why = append(why, "a person must look before the merge")
	default:
		return "NOT JUDGED: " + phrase(cmp.Or(v.NotJudged, "no verdict was reached"))
	}
	if v.Pending {
		why = append(why, "a suppression waits for an answer")
	}
	if v.Incomplete {
		why = append(why, "not all was measured that had to be")
	}
	return string(v.Decision) + ": " + strings.Join(why, "; ")
}

// runSubject says what was judged, against what.
func runSubject(g *gavel.MergeGate) string {
	what := gavel.ShortCommit(g.Commit)
	switch g.Subject {
	case gavel.SubjectIndex:
		what = "the index"
	case gavel.SubjectWorktree:
		what = "the work tree"
	}
	if g.Branch != "" {
		what += " on " + g.Branch
	}
	if len(g.BaseUsed) > 0 {
		what += " against " + strings.Join(g.BaseUsed, ", ")
	}
	return what
}

// runTime is how long the run took, in whole seconds as far as it is known.
func runTime(g *gavel.MergeGate) string {
	if g.StartedAt.IsZero() || g.GeneratedAt.Before(g.StartedAt) {
		return ""
	}
	return g.GeneratedAt.Sub(g.StartedAt).Round(time.Second).String()
}

// runNumbers are the findings and the files in one line.
func runNumbers(r *Run, o *runOutline) string {
	text := "no findings"
	if total := r.Gate.Counts.Total(); total > 0 {
		text = plural(total, "finding") + " (" + strings.Join(countWords(r.Gate.Counts), ", ") + ")"
	}
	if o.old > 0 {
		text += fmt.Sprintf(", %d of them not new", o.old)
	}
	if o.settled > 0 {
		text += fmt.Sprintf(", %d settled (%s)", o.settled, strings.Join(o.reasons, ", "))
	}
	if r.Coverage.Files == 0 {
		return text + "; " + plural(r.Gate.Stats.FilesChanged, "changed file")
	}
	return text + fmt.Sprintf("; %d of %s reviewed", r.Coverage.Reviewed, plural(r.Coverage.Files, "changed file"))
}

// remark is what there is to say of a check beside its status.
func (c *CheckLine) remark() string { return strings.Join(c.remarks(true), ", ") }

// ages are the findings of a check by what is known of their age.
func (c *CheckLine) ages() string {
	var words []string
	if c.New < 0 {
		return ""
	}
	for _, g := range []struct {
		n    int
		what string
	}{{c.New, "new"}, {c.Old, "old"}, {c.Findings - c.New - c.Old, "of unknown age"}} {
		if g.n > 0 {
			words = append(words, fmt.Sprintf("%d %s", g.n, g.what))
		}
	}
	return strings.Join(words, ", ")
}

func (c *CheckLine) remarks(findings bool) []string {
	var out []string
	if why := strings.TrimPrefix(c.Reason+": "+c.Detail, ": "); why != "" {
		out = append(out, strings.TrimSuffix(why, ": "))
	}
	if findings && c.Findings > 0 {
		text := plural(c.Findings, "finding")
		if c.New >= 0 {
			text += " (" + c.ages() + ")"
		}
		out = append(out, text)
	}
	for _, tests := range []struct {
		names []string
		what  string
	}{{c.Failing, "newly failing"}, {c.Still, "still failing"}, {c.Fixed, "fixed"}, {c.Removed, "removed"}} {
		if n := len(tests.names); n > 0 {
			out = append(out, plural(n, "test")+" "+tests.what)
		}
	}
	if c.Cached {
		out = append(out, "cached")
	}
	if c.Required && c.Status != gavel.CheckPass {
		out = append(out, "required")
	}
	return out
}

// shortTime is a duration as a table shows it.
func shortTime(d time.Duration) string {
	switch {
	case d < time.Millisecond:
		return ""
	case d < time.Second:
		return fmt.Sprintf("%dms", d.Milliseconds())
	case d < time.Minute:
		return fmt.Sprintf("%.1fs", d.Seconds())
	}
	return d.Round(time.Second).String()
}
