package gavel

import "time"

// MergeGate is the stored decision of a run, schema 1: 00_summary/MERGE_GATE.json of its pack. Every view of the run
// renders it. MergeRecommendation and AllowMerge are derived from the verdict and are there for readers that know no
// better.
type MergeGate struct {
	Schema        int    `json:"schema"`
	SchemaVersion string `json:"schema_version"`
	RunRecord
	GeneratedAt         time.Time      `json:"generated_at"` // UTC, whole seconds
	MergeAllowed        bool           `json:"allow_merge"`
	MergeRecommendation Recommendation `json:"merge_recommendation"`
	Verdict
	Mode   EnforcementMode `json:"mode"`
	Checks []CheckResult   `json:"checks"`
	Counts Counts          `json:"counts"` // findings that count
	Stats  RunStats        `json:"stats"`
}

// RunStats is a run in numbers. The three kinds of check add up to all of them.
type RunStats struct {
	ChecksPassed  int `json:"checks_passed"`
	ChecksFailed  int `json:"checks_failed"`
	ChecksSkipped int `json:"checks_skipped"` // skip, noscan and error: they measured nothing
	FilesChanged  int `json:"files_changed"`
}

// NewMergeGate decides and writes the decision down.
func NewMergeGate(run RunRecord, e Evidence, p Policy, filesChanged int, now time.Time) *MergeGate {
	g := &MergeGate{
		Schema: SchemaVersion, SchemaVersion: WireVersion, RunRecord: run, GeneratedAt: now.UTC().Truncate(time.Second),
		Mode: p.Mode, Checks: append([]CheckResult{}, sortedChecks(e.Checks)...), Counts: CountFindings(e.Findings),
	}
	if g.BaseUsed == nil {
		g.BaseUsed = []string{}
	}
	for i := range g.Checks {
		c := &g.Checks[i]
		c.Required = c.Required || p.requires(c.ID)
		switch {
		case c.Status == CheckPass:
			g.Stats.ChecksPassed++
		case c.Status == CheckFail:
			g.Stats.ChecksFailed++
		default:
			g.Stats.ChecksSkipped++
		}
	}
	g.Stats.FilesChanged = filesChanged
	g.conclude(Decide(e, p))
	return g
}

// conclude puts the verdict into force, with what is derived from it.
func (g *MergeGate) conclude(v Verdict) {
	g.Verdict, g.MergeRecommendation, g.MergeAllowed = v, v.Recommendation(), v.AllowMerge()
}
