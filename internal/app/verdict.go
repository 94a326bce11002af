package app

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/gavel-review/gavel"
	"github.com/gavel-review/gavel/internal/git"
	"github.com/gavel-review/gavel/internal/report"
	"github.com/gavel-review/gavel/internal/store"
	"github.com/gavel-review/gavel/internal/untrusted"
)

// VerdictInput names a run.
type VerdictInput struct {
	Repo   string `json:"repo,omitempty" doc:"absolute path of the repository" door:"mcp"`
	RunID  string `json:"run_id,omitempty" doc:"a run; default: the latest for HEAD"`
	Strict bool   `json:"strict,omitempty" doc:"exit 2 on CONDITIONAL" door:"cli"`
}

// VerdictOutput is the decision of a run, or how far it has come.
type VerdictOutput struct {
	SchemaVersion string   `json:"schema_version"`
	RunID         string   `json:"run_id"`
	Commit        string   `json:"commit"`
	Status        string   `json:"status"` // completed, in_progress, stale, failed
	BaseUsed      []string `json:"base_used"`

	*Decided
	*Underway
	Cause string `json:"cause,omitempty"` // why a failed run has no pack

	gate   *gavel.MergeGate
	strict bool
}

// Decided is what only a completed run has.
type Decided struct {
	Verdict             gavel.Decision       `json:"verdict"`
	MergeRecommendation gavel.Recommendation `json:"merge_recommendation"`
	AllowMerge          bool                 `json:"allow_merge"`
	BlockingIssues      []string             `json:"blocking_issues"`
	Caveats             []string             `json:"caveats"`
	Gates               []gavel.Gate         `json:"gates"`
	GeneratedAt         time.Time            `json:"generated_at"`
}

// Underway is what only a run without an end has; a stale one has just its beginning.
type Underway struct {
	RunStatus    string    `json:"run_status,omitempty"` // "running"
	StartedAt    time.Time `json:"started_at"`
	ElapsedS     *int64    `json:"elapsed_s,omitempty"`
	RetryAfterMS int64     `json:"retry_after_ms,omitempty"`
}

// ExitCode implements [Exiter]: that of the run where there is a decision, else no trustworthy verdict.
func (o *VerdictOutput) ExitCode() int {
	if o.gate == nil {
		return gavel.ExitNoVerdict
	}
	return o.gate.Exit(gavel.ExitOptions{Mode: o.gate.Mode, Strict: o.strict})
}

// ReadVerdict answers with what a run has decided.
var ReadVerdict = Op[VerdictInput, *VerdictOutput]{
	Name:       "verdict",
	Doc:        "Read the verdict of a run, or how far it has come. Without an id: the latest run for HEAD.",
	Long:       "A run that goes on beats a finished one. Exit code: that of the run; 3 while there is no verdict.",
	Example:    "  gavel verdict\n  gavel verdict 20261130-101500-0123456789ab --json",
	Doors:      AllDoors,
	ReadOnly:   true,
	Positional: "run_id",
	Run: func(ctx context.Context, env *Env, in VerdictInput) (*VerdictOutput, error) {
		repo, err := openRepo(ctx, env, in.Repo)
		if err != nil {
			return nil, err
		}
		defer repo.Close()
		row, err := findRun(env, repo, in.RunID)
		if err != nil {
			return nil, err
		}
		out, err := verdictOf(env, repo, row)
		if out != nil {
			out.strict = in.Strict
		}
		return out, err
	},
	Render: renderVerdict,
}

// findRun is the run with an id, else the latest for HEAD.
func findRun(env *Env, repo *git.Repo, id string) (store.RunRow, error) {
	s := store.Open(env.Getenv)
	if id != "" {
		return s.Run(runRepo(repo), id)
	}
	row, found, err := s.LatestFor(runRepo(repo), branchOf(repo), repo.Head)
	if err == nil && !found {
		err = gavel.Errorf(gavel.RunNotFound, "there is no run for HEAD, %s", gavel.ShortCommit(repo.Head)).WithHint("%s", env.hint("start one: gavel run; older ones: gavel runs", "start one: run_review(repo)"))
	}
	return row, err
}

func verdictOf(env *Env, repo *git.Repo, row store.RunRow) (*VerdictOutput, error) {
	out := &VerdictOutput{
		SchemaVersion: gavel.WireVersion, RunID: row.ID, Commit: gavel.ShortCommit(row.Commit), BaseUsed: append([]string{}, row.BaseUsed...),
	}
	switch row.State {
	case gavel.StateCompleted:
		gate, err := readGate(env, repo, row.ID)
		if err != nil {
			return nil, err
		}
		out.Status, out.gate = "completed", gate
		out.Decided = &Decided{
			Verdict: gate.Decision, MergeRecommendation: gate.MergeRecommendation, AllowMerge: gate.MergeAllowed,
			BlockingIssues: gate.Blocking, Caveats: gate.Caveats, Gates: gate.Gates, GeneratedAt: gate.GeneratedAt,
		}
	case gavel.StateRunning:
		out.Status = "in_progress"
		out.Underway = &Underway{RunStatus: string(gavel.StateRunning), StartedAt: row.StartedAt, ElapsedS: new(int64(row.ElapsedS)), RetryAfterMS: row.RetryAfter.Milliseconds()}
	case gavel.StateStale:
		out.Status = "stale"
		out.Underway = &Underway{StartedAt: row.StartedAt}
	default:
		out.Status, out.BaseUsed, out.Cause = "failed", []string{}, row.Cause
	}
	return out, nil
}

// readGate reads the decision of a completed run.
func readGate(env *Env, repo *git.Repo, id string) (*gavel.MergeGate, error) {
	data, err := store.Open(env.Getenv).PackFile(runRepo(repo), id, store.PackMergeGate)
	if err != nil {
		return nil, err
	}
	return gavel.ReadMergeGate(data)
}

func renderVerdict(w io.Writer, o *VerdictOutput, opt RenderOptions) error {
	switch o.Status {
	case "completed":
		return report.RunText(w, &report.Run{Gate: o.gate}, report.TextOptions{Color: opt.Color, Width: opt.Width})
	case "in_progress":
		_, err := fmt.Fprintf(w, "run %s of %s goes on, for %d s so far; ask again in %d s\n", o.RunID, o.Commit, *o.ElapsedS, o.RetryAfterMS/1000)
		return err
	case "stale":
		_, err := fmt.Fprintf(w, "run %s of %s died before it was through; start another: gavel run\n", o.RunID, o.Commit)
		return err
	}
	_, err := fmt.Fprintf(w, "run %s of %s failed: %s\nsee gavel artifact run.log --run-id %s\n", o.RunID, o.Commit, untrusted.VisibleText(o.Cause), o.RunID)
	return err
}
