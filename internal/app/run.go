package app

import (
	"context"
	"errors"
	"fmt"

	"github.com/gavel-review/gavel"
	"github.com/gavel-review/gavel/internal/store"
)

// RunInput is what a run can be asked for.
type RunInput struct {
	Repo     string `json:"repo,omitempty" doc:"absolute path of the repository" door:"mcp"`
	Profile  string `json:"profile,omitempty" doc:"how much: quick (default) or deep" enum:"quick,deep"`
	Base     string `json:"base,omitempty" doc:"compare with this revision"`
	Staged   bool   `json:"staged,omitempty" doc:"judge the index"`
	Worktree bool   `json:"worktree,omitempty" doc:"judge the work tree, with untracked"`
	Fetch    bool   `json:"fetch,omitempty" doc:"fetch the base branch first" door:"cli"`
	Strict   bool   `json:"strict,omitempty" doc:"exit 2 on CONDITIONAL" door:"cli"`
	Budget   string `json:"budget,omitempty" doc:"time for everything: 90s, 10m" door:"cli"`
	Workers  int    `json:"workers,omitempty" doc:"checks at once; 0 = one a core" door:"cli"`
}

// Run judges a change with the repository's own tools beside the detectors.
var Run = Op[RunInput, *RunOutput]{
	Name: "run",
	Doc:  "Run the repository's own checks and the detectors on exactly one tree, tell old from new, and keep the verdict.",
	Long: `The subject is HEAD; --staged judges the index, --worktree the files as they stand. It is compared with the merge base
of --base, or of the default branch of origin. Checks are those that the repository configures or its ecosystem cannot
do without, see docs/reference/checks.md; nothing is downloaded. quick: detectors, linters and type checks; deep: tests
and dependency audit too. What fails on the merge base as well is not charged to the change.
Running checks runs the repository's code.
Exit code: 0 pass (or conditional), 1 block, 2 conditional with --strict, 3 no trustworthy verdict, 64 usage.`,
	Example: "  gavel run\n  gavel run --profile deep --base origin/main\n  gavel run --staged --strict --json",
	Doors:   CLI,
	Run:     runRun,
	Render:  renderRun,
}

func runRun(ctx context.Context, env *Env, in RunInput) (*RunOutput, error) {
	r, err := beginRun(ctx, env, in)
	if err != nil {
		return nil, err
	}
	return r.finish(ctx)
}

// beginRun does everything up to the moment from which on there is a run with an id.
func beginRun(ctx context.Context, env *Env, in RunInput) (*runner, error) {
	r, err := newRunner(ctx, env, in)
	if err != nil {
		return nil, err
	}
	if err = r.locate(ctx); err == nil {
		err = r.start()
	}
	if err != nil {
		r.close()
		return nil, err
	}
	return r, nil
}

// finish carries the run out, and writes down why where it comes to nothing.
func (r *runner) finish(ctx context.Context) (*RunOutput, error) {
	defer r.close()
	out, err := r.execute(ctx)
	if err != nil {
		return nil, r.fail(err)
	}
	return out, nil
}

// validate looks at every word before anything is started. The budget is zero where policy has the say.
func (in RunInput) validate() (profile gavel.Profile, budget gavel.Budget, err error) {
	profile = gavel.ProfileQuick
	if in.Profile != "" {
		if profile, err = gavel.ParseProfile(in.Profile); err != nil {
			return "", 0, err
		}
	}
	if in.Budget != "" {
		if budget, err = gavel.ParseBudget(in.Budget); err != nil {
			return "", 0, gavel.Errorf(gavel.InvalidArgs, "budget: %w", err)
		}
	}
	switch {
	case in.Staged && in.Worktree:
		return "", 0, gavel.Errorf(gavel.InvalidArgs, "staged and worktree exclude each other")
	case in.Workers < 0 || in.Workers > 256:
		return "", 0, gavel.Errorf(gavel.InvalidArgs, "workers: %d is not between 0 and 256", in.Workers)
	}
	return profile, budget, nil
}

// errBudget is the cause of a run's context once its time is up.
var errBudget = errors.New("the run's budget is spent")

// fail writes down why the run has no pack, and says which run it was.
func (r *runner) fail(err error) error {
	e := *gavel.AsError(err)
	if e.Class == gavel.Cancelled {
		e.Message = "the run was cancelled" // whatever it was doing
	}
	record := r.live.Record()
	if e.Class == gavel.RunTimeout {
		e.Hint = r.env.hint("see how far it came: gavel verdict "+record.ID,
			fmt.Sprintf("run again with profile deep, or see how far it came: read_artifact(run_id: %q, artifact: %q)", record.ID, store.RunLog))
	}
	extra := map[string]any{
		"run_id": record.ID, "base_used": record.BaseUsed, "base_fallback": record.BaseFallback, "caveats": append([]string{}, r.caveats...),
	}
	for k, v := range e.Extra {
		extra[k] = v
	}
	e.Extra = extra
	if failErr := r.live.Fail(e.Message); failErr != nil {
		e.Message += "; nor could that be written down: " + gavel.AsError(failErr).Message
	}
	r.live = nil
	return &e
}

// timedOut is the answer of a run that its budget has ended.
func (r *runner) timedOut(unfinished []string) error {
	e := gavel.Errorf(gavel.RunTimeout, "the budget of %s ended the run before these checks were through: %s", r.budget, listed(unfinished))
	if r.profile == gavel.ProfileQuick {
		e.Extra = map[string]any{"retry_hint": map[string]any{"profile": string(gavel.ProfileDeep)}, "unfinished": unfinished}
	} else {
		e.Extra = map[string]any{"unfinished": unfinished}
	}
	return e
}
