package app

import (
	"slices"

	"github.com/gavel-review/gavel"
	"github.com/gavel-review/gavel/internal/report"
)

// detectorChecks are the detectors as checks of a run: they always measure something, on a bare machine too.
var detectorChecks = [...]struct {
	category  gavel.Category
	id, title string
	family    string
}{
	{gavel.CategorySecret, "gavel-secrets", "Secrets", "security"},
	{gavel.CategoryFlaky, "gavel-flaky", "Flaky tests", "tests"},
	{gavel.CategoryRisk, "gavel-risk", "Risky code", "security"},
	{gavel.CategoryInjection, "gavel-injection", "Text that addresses an automated reader", "security"},
	{gavel.CategoryHygiene, "gavel-hygiene", "Hygiene", "lint"},
}

// ownDetectors gives every finding to the detectors' check that it belongs to.
func ownDetectors(findings []gavel.Finding) {
	for i := range findings {
		for _, d := range detectorChecks {
			if findings[i].Category == d.category && findings[i].Source == gavel.SourceDetector {
				findings[i].Check = d.id
			}
		}
	}
}

// detectorResults are the detectors' checks as the verdict weighs them. findings are settled.
func detectorResults(findings []gavel.Finding, p gavel.Policy, coverage gavel.Coverage) []gavel.CheckResult {
	var results []gavel.CheckResult
	for _, d := range detectorChecks {
		r := gavel.CheckResult{ID: d.id, Status: gavel.CheckPass, Required: true, Coverage: gavel.CoverageFull, Baseline: gavel.BaselineNew}
		var own []gavel.Finding
		for i := range findings {
			if findings[i].Check == d.id && findings[i].Counts() {
				own = append(own, findings[i])
			}
		}
		r.Findings = len(own)
		if n, _ := gavel.Tripped(own, p.FailOn); n > 0 {
			r.Status = gavel.CheckFail
		}
		if slices.ContainsFunc(coverage.Skipped, func(s gavel.Skip) bool { return !s.Reason.Expected() }) {
			r.Coverage = gavel.CoverageReduced
		}
		results = append(results, r)
	}
	return results
}

// detectorLines are those checks as reports show them.
func detectorLines(results []gavel.CheckResult) []report.CheckLine {
	lines := make([]report.CheckLine, len(results))
	for i, r := range results {
		lines[i] = report.CheckLine{
			ID: r.ID, Title: detectorChecks[i].title, Family: detectorChecks[i].family, Status: r.Status, Required: r.Required, Tool: "gavel", Findings: r.Findings, New: r.Findings,
		}
	}
	return lines
}

// otherThanDetectors leaves the detectors' checks out of what policy requires: they are there whatever the plan is.
func otherThanDetectors(ids []string) []string {
	return slices.DeleteFunc(slices.Clone(ids), func(id string) bool {
		for _, d := range detectorChecks {
			if d.id == id {
				return true
			}
		}
		return false
	})
}
