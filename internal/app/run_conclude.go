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
	for i := range outcomes {
		c.judged.Findings = append(c.judged.Findings, outcomes[i].Findings...)
	}
	findings, err := c.settle(gavel.NoSeverity)
	if err != nil {
		return nil, err
	}
	evidence := c.evidence(findings)
	for i := range outcomes {
		evidence.Checks = append(evidence.Checks, resultOf(&outcomes[i]))
	}
	if g, touched := r.configGate(plan, findings); touched {
		evidence.Gates = append(evidence.Gates, g)
	}
	evidence.Caveats = append(evidence.Caveats, r.caveats...)
	evidence.Caveats = append(evidence.Caveats, leftOut(r.profile, plan.LeftOut)...)
	gate := gavel.NewMergeGate(r.live.Record(), evidence, c.policy, len(r.change.lines.Files()), r.env.Now())
	view := &report.Run{Gate: gate, Findings: findings, Coverage: coverageOf(c.judged), Notes: c.judged.Notes, LeftOut: plan.LeftOut}
	for i := range outcomes {
		view.Checks = append(view.Checks, lineOf(&outcomes[i]))
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

// configGate asks for a person where the change moves what a check goes by: its configuration, or a comment that
// switches a rule off.
func (r *runner) configGate(plan *check.PlanResult, findings []gavel.Finding) (gavel.Gate, bool) {
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
	if len(lines) == 0 {
		return gavel.Gate{}, false
	}
	slices.Sort(lines)
	lines = slices.Compact(lines)
	return gavel.Gate{
		ID: "check_config_changed", Status: gavel.GateConditional, Evidence: lines,
		Reason: fmt.Sprintf("the change moves what its own checks go by: look at %s", listed(lines)),
	}, true
}

// leftOut says what a profile does not look at.
func leftOut(profile gavel.Profile, families []string) []string {
	if len(families) == 0 {
		return nil
	}
	return []string{fmt.Sprintf("profile_%s: not asked for: %s", profile, strings.Join(families, ", "))}
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
			l.Tool = strings.TrimSpace(t.Name + " " + t.Version)
		}
	}
	for i := range o.Findings {
		if o.Findings[i].Baseline == gavel.BaselineNew {
			l.New++
		}
	}
	if d := o.TestDelta; d != nil {
		l.Failing, l.Still, l.Fixed, l.Removed = d.Failing, d.Still, d.Fixed, d.Removed
	}
	return l
}
