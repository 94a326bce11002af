package app

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/gavel-review/gavel"
	"github.com/gavel-review/gavel/internal/store"
)

// AcknowledgeInput names a finding whose suppression the change brings.
type AcknowledgeInput struct {
	Finding  string   `json:"finding" doc:"fingerprint of the finding"`
	Why      string   `json:"why" doc:"why it may pass"`
	Staged   *bool    `json:"staged,omitempty" doc:"the staged change (default)"`
	Unstaged *bool    `json:"unstaged,omitempty" doc:"index against work tree, with untracked"`
	Diff     []string `json:"diff,omitempty" doc:"revisions: A B, A..B, A...B or A"`
}

// AcknowledgeOutput is the ruling that was written.
type AcknowledgeOutput struct {
	gavel.Ruling
	Findings int `json:"findings"` // how many findings of the change it speaks of
}

// Acknowledge accepts a suppression that the change brings. It is a person's act: never offered over MCP.
var Acknowledge = Op[AcknowledgeInput, *AcknowledgeOutput]{
	Name: "acknowledge",
	Doc:  "Accept a suppression that the change itself brings, for exactly this finding in exactly this tree.",
	Long: `The ruling is kept in the state folder and dies when the tree changes. It cannot accept a secret of severity high and up.
Name the change as in the review that showed the finding: the staged one by default.`,
	Example: `  gavel acknowledge g1:0123456789abcdef0123456789abcdef --why "the fixture needs it"
  gavel acknowledge g1:0123456789abcdef0123456789abcdef main...feature --why "the fixture needs it"`,
	Doors:      CLI,
	Positional: "finding diff",
	Run:        runAcknowledge,
	Render: func(w io.Writer, o *AcknowledgeOutput, _ RenderOptions) error {
		_, err := fmt.Fprintf(w, "acknowledged %s for tree %s; findings it speaks of: %d\n", o.Fingerprint, o.Subject, o.Findings)
		return err
	},
}

func runAcknowledge(ctx context.Context, env *Env, in AcknowledgeInput) (*AcknowledgeOutput, error) {
	if strings.TrimSpace(in.Why) == "" {
		return nil, gavel.Errorf(gavel.InvalidArgs, "why: a reason is needed")
	}
	if in.Finding == "" {
		return nil, gavel.Errorf(gavel.InvalidArgs, "finding: the fingerprint is needed").WithHint("`gavel review --json` shows it")
	}
	r, err := newReviewer(ctx, env, ReviewInput{Staged: in.Staged, Unstaged: in.Unstaged, Diff: in.Diff})
	if err != nil {
		return nil, err
	}
	defer r.close()
	out, err := r.judgeRepo(ctx)
	if err != nil {
		return nil, err
	}
	n, found := 0, false
	for _, f := range out.Findings {
		if f.Fingerprint == in.Finding {
			found = true
			if f.Pending != "" {
				n++
			}
		}
	}
	switch {
	case !found:
		return nil, gavel.Errorf(gavel.NotFound, "no unsettled finding %s in this change", in.Finding).WithHint("`gavel review --json` lists the fingerprints; name the same scope here")
	case n == 0:
		return nil, gavel.Errorf(gavel.Refused, "%s is not waiting for an acknowledgement", in.Finding).WithHint("only a finding with a valid suppression comment in the change can be acknowledged: %s RULE until YYYY-MM-DD -- why", gavel.SuppressionMarker)
	}
	ruling := gavel.Ruling{Fingerprint: in.Finding, Subject: out.Meta.Repo.HeadTree, Why: in.Why, By: person(env), At: r.now}
	if err := store.Open(env.Getenv).AppendRuling(out.Meta.Repo.ID, ruling); err != nil {
		return nil, err
	}
	return &AcknowledgeOutput{ruling, n}, nil
}

// person is who ran the command, as far as the environment tells.
func person(env *Env) string {
	for _, name := range []string{"USER", "LOGNAME", "USERNAME"} {
		if v := env.Getenv(name); v != "" {
			return v
		}
	}
	return "unknown"
}
