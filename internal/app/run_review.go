package app

import (
	"context"
	"encoding/json"
	"io"

	"github.com/gavel-review/gavel"
)

// RunReviewInput is what an agent can ask a run for.
type RunReviewInput struct {
	Repo    string `json:"repo,omitempty" doc:"absolute path of the repository"`
	Base    string `json:"base,omitempty" doc:"compare with this revision"`
	Profile string `json:"profile,omitempty" doc:"how much: quick (default) or deep"`
}

// RunReviewOutput is a completed quick run, or a deep one that has begun.
type RunReviewOutput struct {
	Completed *RunOutput
	Started   *RunStarted
}

// MarshalJSON writes the one that there is.
func (o *RunReviewOutput) MarshalJSON() ([]byte, error) {
	if o.Started != nil {
		return json.Marshal(o.Started)
	}
	return json.Marshal(o.Completed)
}

// RunStarted is a deep run that goes on by itself.
type RunStarted struct {
	SchemaVersion string   `json:"schema_version"`
	RunID         string   `json:"run_id"`
	Status        string   `json:"status"` // running
	Commit        string   `json:"commit"`
	BaseUsed      []string `json:"base_used"`
	BaseFallback  bool     `json:"base_fallback"`
	Caveats       []string `json:"caveats"`
	RetryAfterMS  int64    `json:"retry_after_ms"`
}

// RunReview runs for an agent: quick waits, deep returns at once and goes on after the server has gone.
var RunReview = Op[RunReviewInput, *RunReviewOutput]{
	Name:  "run_review",
	Doc:   "Run the repository's own checks and the detectors on HEAD against a base. quick waits for the verdict; deep also runs tests and returns at once: poll verdict. Runs the repository's code.",
	Doors: MCP | HTTP,
	Run: func(ctx context.Context, env *Env, in RunReviewInput) (*RunReviewOutput, error) {
		run := RunInput{Repo: in.Repo, Base: in.Base, Profile: in.Profile}
		switch in.Profile {
		case "", string(gavel.ProfileQuick):
			out, err := runRun(ctx, env, run)
			return &RunReviewOutput{Completed: out}, err
		case string(gavel.ProfileDeep):
			started, err := startDetached(ctx, env, run)
			return &RunReviewOutput{Started: started}, err
		}
		return nil, gavel.Errorf(gavel.RunFailed, "profile: %q is neither quick nor deep; nothing was started", in.Profile)
	},
	Render: func(w io.Writer, o *RunReviewOutput, opt RenderOptions) error {
		return gavel.Errorf(gavel.Internal, "run_review has no text")
	},
}
