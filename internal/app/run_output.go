package app

import (
	"io"

	"github.com/gavel-review/gavel"
	"github.com/gavel-review/gavel/internal/report"
	"github.com/gavel-review/gavel/internal/store"
)

// RunOutput is a completed run. A blocked one has completed.
type RunOutput struct {
	SchemaVersion       string               `json:"schema_version"`
	RunID               string               `json:"run_id"`
	Status              string               `json:"status"` // completed
	Commit              string               `json:"commit"`
	BaseUsed            []string             `json:"base_used"`
	BaseFallback        bool                 `json:"base_fallback"`
	Verdict             gavel.Decision       `json:"verdict"`
	MergeRecommendation gavel.Recommendation `json:"merge_recommendation"`
	AllowMerge          bool                 `json:"allow_merge"`
	BlockingIssues      []string             `json:"blocking_issues"`
	Caveats             []string             `json:"caveats"`
	Gates               []gavel.Gate         `json:"gates"`
	ArtifactPaths       ArtifactPaths        `json:"artifact_paths"`
	Stats               gavel.RunStats       `json:"stats"`

	view *report.Run
	exit int
}

// ArtifactPaths says where the files of a run lie.
type ArtifactPaths struct {
	Pack      string `json:"pack"`       // absolute
	MergeGate string `json:"merge_gate"` // relative to the pack, like those that follow
	SARIF     string `json:"sarif,omitempty"`
	Report    string `json:"report,omitempty"`
}

// ExitCode implements [Exiter].
func (o *RunOutput) ExitCode() int { return o.exit }

func (r *runner) output(g *gavel.MergeGate, view *report.Run) *RunOutput {
	return &RunOutput{
		SchemaVersion: gavel.WireVersion, RunID: g.ID, Status: "completed", Commit: gavel.ShortCommit(g.Commit),
		BaseUsed: g.BaseUsed, BaseFallback: g.BaseFallback,
		Verdict: g.Decision, MergeRecommendation: g.MergeRecommendation, AllowMerge: g.MergeAllowed,
		BlockingIssues: g.Blocking, Caveats: g.Caveats, Gates: g.Gates,
		ArtifactPaths: ArtifactPaths{Pack: r.live.Dir(), MergeGate: store.PackMergeGate, SARIF: store.PackSARIF, Report: store.PackReport},
		Stats:         g.Stats, view: view,
		exit: g.Exit(gavel.ExitOptions{Mode: g.Mode, Strict: r.in.Strict}),
	}
}

func renderRun(w io.Writer, o *RunOutput, opt RenderOptions) error {
	return report.RunText(w, o.view, report.TextOptions{Color: opt.Color, Width: opt.Width, SummaryOnly: o.view.Gate.Mode == gavel.ModeShadow})
}
