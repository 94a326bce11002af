package app

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/gavel-review/gavel"
	"github.com/gavel-review/gavel/internal/check"
	"github.com/gavel-review/gavel/internal/report"
	"github.com/gavel-review/gavel/internal/store"
)

// conclude settles what was found, decides, and keeps the pack.
func (r *runner) conclude(ctx context.Context, c conclusion, plan *check.PlanResult, outcomes []check.Outcome) (*RunOutput, error) {
	ownDetectors(c.judged.Findings)
	for i := range outcomes {
		c.judged.Findings = append(c.judged.Findings, outcomes[i].Findings...)
	}
	findings, err := c.settle(gavel.NoSeverity)
	if err != nil {
		return nil, err
	}
	evidence := c.evidence(findings)
	coverage := coverageOf(c.judged)
	evidence.Checks = detectorResults(findings, c.policy, coverage)
	for i := range outcomes {
		evidence.Checks = append(evidence.Checks, resultOf(&outcomes[i]))
	}
	evidence.ConfigChanged = r.configChanged(plan, findings)
	evidence.LeftOut, evidence.Profile, evidence.NoChanges = plan.LeftOut, r.profile, r.compare.Len() == 0
	evidence.Caveats = append(evidence.Caveats, r.caveats...)
	evidence.Caveats = append(evidence.Caveats, r.besideTree()...)
	gate := gavel.NewMergeGate(r.live.Record(), evidence, c.policy, len(r.change.lines.Files()), r.env.Now())
	view := &report.Run{
		Gate: gate, Findings: findings, Coverage: coverage, Notes: c.judged.Notes, LeftOut: plan.LeftOut, Version: r.env.Version,
	}
	view.Checks = detectorLines(evidence.Checks[:len(detectorChecks)])
	for i := range outcomes {
		view.Checks = append(view.Checks, lineOf(&outcomes[i]))
	}
	if view.Excerpts, err = r.change.excerpts(ctx, report.ExcerptFiles(view)); err != nil {
		return nil, r.orTimedOut(ctx, err, "reading the patch back")
	}
	out := r.output(gate, view)
	r.log("%s", gate.Decision)
	if err := ctx.Err(); err != nil {
		return nil, r.orTimedOut(ctx, err, "writing the pack")
	}
	document := r.review.document(c, findings, gate.Verdict)
	document.RunID = r.live.Record().ID
	return out, r.pack(view, document, &RunReport{
		Schema: gavel.SchemaVersion, SchemaVersion: gavel.WireVersion, Gate: gate, Checks: withoutFindings(outcomes), LeftOut: append([]string{}, plan.LeftOut...), Document: document,
	})
}

func coverageOf(j *judged) gavel.Coverage {
	return gavel.Coverage{Files: j.Files, Reviewed: j.Files - len(j.Skipped), Skipped: append([]gavel.Skip{}, j.Skipped...), Model: gavel.ModelNone}
}

// withoutFindings leaves out what stands in the document already.
func withoutFindings(outcomes []check.Outcome) []check.Outcome {
	all := slices.Clone(outcomes)
	for i := range all {
		all[i].Findings = nil
	}
	if all == nil {
		all = []check.Outcome{}
	}
	return all
}

// resultOf is an outcome as the verdict weighs it.
func resultOf(o *check.Outcome) gavel.CheckResult {
	c := gavel.CheckResult{
		ID: o.ID, Status: o.Status, Reason: string(o.Reason), Detail: o.Detail, Required: o.Required, Coverage: o.Coverage, Reduced: o.Reduced,
		Baseline: o.Baseline, BaselineDetail: o.BaselineDetail, Findings: len(o.Findings),
	}
	if o.TestDelta != nil {
		c.Evidence = o.TestDelta.Failing
	}
	return c
}

// configChanged names what the change moves of how it is checked: a configuration, or a comment that switches a rule
// off.
func (r *runner) configChanged(plan *check.PlanResult, findings []gavel.Finding) []string {
	var lines []string
	changed := r.change.lines.Files()
	for _, p := range plan.Checks {
		for _, file := range p.Configs {
			if slices.Contains(changed, file) {
				lines = append(lines, fmt.Sprintf("%s configures %s", gavel.DisplayPath(file), p.ID))
			}
		}
	}
	for i := range findings {
		f := &findings[i]
		if f.Rule == "hygiene/suppression-added" && f.Counts() && f.Scope == gavel.ScopeChangedLine {
			lines = append(lines, fmt.Sprintf("%s:%d %s", f.File, f.Line, f.Title))
		}
	}
	slices.Sort(lines)
	return slices.Compact(lines)
}

// besideTree says what came to lie in the user's checkout while it was judged.
func (r *runner) besideTree() []string {
	if len(r.tree.Added) == 0 {
		return nil
	}
	return []string{"beside_the_tree: these files came to be in the checkout during the run, from a tool or by hand: " + listed(displayed(r.tree.Added))}
}

// toolName is a tool with its version; most tools say their name with it.
func toolName(t check.Tool) string {
	if strings.Contains(strings.ToLower(t.Version), strings.ToLower(t.Name)) {
		return t.Version
	}
	return strings.TrimSpace(t.Name + " " + t.Version)
}

// lineOf is an outcome as reports show it.
func lineOf(o *check.Outcome) report.CheckLine {
	l := report.CheckLine{
		ID: o.ID, Title: o.Title, Family: o.Family, Status: o.Status, Reason: string(o.Reason), Detail: o.Detail, Required: o.Required,
		Duration: o.Duration, Cached: o.Cached, Findings: len(o.Findings), Log: store.PackQuality + "/" + check.Slug(o.ID) + ".log",
	}
	if o.Exit != nil {
		l.Isolation = o.Isolation
	}
	for _, t := range o.Tools {
		if t.Path != "" && l.Tool == "" {
			l.Tool = toolName(t)
		}
	}
	for i := range o.Findings {
		switch o.Findings[i].Baseline {
		case gavel.BaselineNew:
			l.New++
		case gavel.BaselineUnchanged:
			l.Old++
		}
	}
	if d := o.TestDelta; d != nil {
		l.Failing, l.Still, l.Fixed, l.Removed = d.Failing, d.Still, d.Fixed, d.Removed
	}
	return l
}
