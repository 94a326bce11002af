package app

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/gavel-review/gavel"
	"github.com/gavel-review/gavel/internal/git"
	"github.com/gavel-review/gavel/internal/store"
	"github.com/gavel-review/gavel/internal/untrusted"
)

// RunsInput asks for a list of runs.
type RunsInput struct {
	Branch  string `json:"branch,omitempty" doc:"only runs of this branch"`
	All     bool   `json:"all,omitempty" doc:"of every repository"`
	Limit   int    `json:"limit,omitempty" doc:"at most so many; 0 = 20"`
	Rebuild bool   `json:"rebuild,omitempty" doc:"make the index anew from the packs"`
}

// RunsOutput lists runs, newest first.
type RunsOutput struct {
	SchemaVersion string             `json:"schema_version"`
	Runs          []store.RunRow     `json:"runs"`
	Rebuilt       *store.RebuiltRuns `json:"rebuilt,omitempty"` // what the new index holds
	now           time.Time
}

const defaultRuns = 20

// Runs lists what has been run.
var Runs = Op[RunsInput, *RunsOutput]{
	Name:     "runs",
	Doc:      "List the runs that are kept for this repository, newest first.",
	Example:  "  gavel runs\n  gavel runs --branch feature --json\n  gavel runs --rebuild",
	Doors:    CLI,
	ReadOnly: true,
	Run:      runRuns,
	Render:   renderRuns,
}

func runRuns(ctx context.Context, env *Env, in RunsInput) (*RunsOutput, error) {
	if in.Limit < 0 {
		return nil, gavel.Errorf(gavel.InvalidArgs, "limit: %d is negative", in.Limit)
	}
	out := &RunsOutput{SchemaVersion: gavel.WireVersion, Runs: []store.RunRow{}, now: env.Now()}
	s := store.Open(env.Getenv)
	if in.Rebuild {
		n, err := s.RebuildRuns()
		if err != nil {
			return nil, err
		}
		out.Rebuilt = &n
	}
	var of store.RunRepo
	if !in.All {
		repo, err := openRepo(ctx, env, "")
		if err != nil {
			return nil, err
		}
		defer repo.Close()
		of = runRepo(repo)
	}
	rows, err := s.Runs(of, store.RunQuery{Branch: in.Branch, Limit: cmp.Or(in.Limit, defaultRuns)})
	if err != nil {
		return nil, err
	}
	out.Runs = append(out.Runs, rows...)
	return out, nil
}

// runRepo is how the store tells repositories apart: all worktrees of one are the same.
func runRepo(repo *git.Repo) store.RunRepo { return store.RunRepo{CommonDir: repo.CommonDir} }

// branchOf is the branch that is checked out, "" where HEAD is detached.
func branchOf(repo *git.Repo) string { return strings.TrimPrefix(repo.HeadRef, "refs/heads/") }

func renderRuns(w io.Writer, o *RunsOutput, _ RenderOptions) error {
	if o.Rebuilt != nil {
		fmt.Fprintf(w, "The index was made anew: %d runs.\n", o.Rebuilt.Runs)
	}
	if len(o.Runs) == 0 {
		_, err := fmt.Fprintln(w, "There are no runs. Start one: gavel run")
		return err
	}
	t := tabwriter.NewWriter(w, 0, 8, 2, ' ', 0)
	for _, r := range o.Runs {
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s\n", r.ID, resultWord(&r), r.Profile, untrusted.Visible(cmp.Or(r.Branch, "(detached)")), runFacts(&r))
	}
	return t.Flush()
}

// resultWord is the verdict, or the state of a run that has none.
func resultWord(r *store.RunRow) string {
	if r.State == gavel.StateCompleted {
		return cmp.Or(string(r.Verdict), "no verdict")
	}
	return string(r.State)
}

func runFacts(r *store.RunRow) string {
	if r.State == gavel.StateFailed {
		return untrusted.Visible(r.Cause)
	}
	facts := fmt.Sprintf("%d passed, %d failed", r.ChecksPassed, r.ChecksFailed)
	if r.State != gavel.StateCompleted {
		facts = "started " + r.StartedAt.UTC().Format(time.RFC3339)
	}
	if r.Subject != gavel.SubjectCommit {
		facts += ", " + string(r.Subject)
	}
	return facts
}
