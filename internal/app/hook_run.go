package app

import (
	"context"
	"fmt"
	"io"

	"github.com/gavel-review/gavel"
	"github.com/gavel-review/gavel/internal/untrusted"
)

// HookRunInput is what git calls a hook with.
type HookRunInput struct {
	Args []string `json:"args" doc:"the hook, then git's arguments to it"`
}

// HookRunOutput is what a hook has reviewed.
type HookRunOutput struct {
	SchemaVersion string       `json:"schema_version"`
	Hook          string       `json:"hook"`
	Reviews       []HookReview `json:"reviews"`
}

// HookReview is one review of a hook: the index before a commit, one reference of a push.
type HookReview struct {
	Ref    string        `json:"ref,omitempty"` // the remote's reference that is pushed to
	What   string        `json:"what"`          // what was compared, or why nothing was
	Review *ReviewOutput `json:"review"`        // null when there was nothing to review
}

// HookRun is what an installed hook calls.
var HookRun = Op[HookRunInput, *HookRunOutput]{
	Name: "hook run",
	Doc:  "Do what an installed git hook does: review the index before a commit, the pushed commits before a push.",
	Long: `pre-commit reviews the index that git commits. pre-push reads git's list of references from standard input: of a
branch that the remote has it reviews what the push changes there, of a new one everything since it left the trusted
base; a deleted branch is nothing to review. The exit code is the worst of all, as of gavel review.`,
	Example:    "  gavel hook run pre-commit",
	Doors:      CLI,
	ReadOnly:   true,
	Positional: "args",
	Run:        runHook,
	Render:     renderHookRun,
}

func runHook(ctx context.Context, env *Env, in HookRunInput) (*HookRunOutput, error) {
	if len(in.Args) == 0 {
		return nil, gavel.Errorf(gavel.InvalidArgs, "args: the name of a hook is needed: %s or %s", hookPreCommit, hookPrePush)
	}
	out := &HookRunOutput{SchemaVersion: gavel.WireVersion, Hook: in.Args[0], Reviews: []HookReview{}}
	switch out.Hook {
	case hookPreCommit:
		return out, out.preCommit(ctx, env)
	case hookPrePush:
		return out, out.prePush(ctx, env)
	}
	return nil, checkEnum("args", out.Hook, hookPreCommit, hookPrePush)
}

// preCommit reviews the index that git is about to commit. That is not always the repository's own: `git commit -a`
// and `git commit FILE` prepare another one and name it in GIT_INDEX_FILE.
func (o *HookRunOutput) preCommit(ctx context.Context, env *Env) error {
	r, err := newReviewer(ctx, env, hookReview(env))
	if err != nil {
		return err
	}
	defer r.close()
	if index := env.Getenv("GIT_INDEX_FILE"); index != "" {
		r.scope.Index = env.path(index)
	}
	review, err := r.review(ctx)
	if err != nil {
		return err
	}
	o.Reviews = append(o.Reviews, HookReview{What: "the index", Review: review})
	return nil
}

// hookReview is a review of the repository that git runs the hook in, whatever else the environment names.
func hookReview(env *Env) ReviewInput { return ReviewInput{Repo: env.Dir} }

// ExitCode implements [Exiter]: what was found bad comes before what could not be judged, and that before the rest.
func (o *HookRunOutput) ExitCode() int {
	worst := gavel.ExitPass
	for _, r := range o.Reviews {
		if r.Review != nil && exitRank(r.Review.ExitCode()) > exitRank(worst) {
			worst = r.Review.ExitCode()
		}
	}
	return worst
}

func exitRank(code int) int {
	switch code {
	case gavel.ExitPass:
		return 0
	case gavel.ExitConditional:
		return 1
	case gavel.ExitBlock:
		return 3
	}
	return 2
}

func renderHookRun(w io.Writer, o *HookRunOutput, opt RenderOptions) error {
	for _, r := range o.Reviews {
		if r.Ref != "" {
			if _, err := fmt.Fprintf(w, "%s: %s\n", untrusted.Visible(r.Ref), untrusted.Visible(r.What)); err != nil {
				return err
			}
		}
		if r.Review == nil {
			continue
		}
		if err := Review.Render(w, r.Review, opt); err != nil {
			return err
		}
	}
	return nil
}
