package app

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/gavel-review/gavel"
	"github.com/gavel-review/gavel/internal/git"
	"github.com/gavel-review/gavel/internal/store"
	"github.com/gavel-review/gavel/internal/untrusted"
)

// StateInput names a repository.
type StateInput struct {
	Repo string `json:"repo,omitempty" doc:"absolute path of the repository" door:"mcp"`
}

// StateOutput is how a checkout stands, and what has been run on it. What there is not is null.
type StateOutput struct {
	SchemaVersion    string      `json:"schema_version"`
	Branch           *string     `json:"branch"` // null where HEAD is detached
	Commit           *string     `json:"commit"` // null before the first commit
	DefaultBranch    *string     `json:"default_branch"`
	BaseFallback     bool        `json:"base_fallback"`
	BaseCaveats      []string    `json:"base_caveats"`
	Dirty            bool        `json:"dirty"`
	FilesChanged     *int        `json:"files_changed"` // between the merge base and HEAD
	LatestRunForHead *RunSummary `json:"latest_run_for_head"`
	LatestRunAny     *RunSummary `json:"latest_run_any"` // of this branch, any commit
}

// RunSummary is a run in a few words.
type RunSummary struct {
	RunID        string         `json:"run_id"`
	Commit       string         `json:"commit"`
	Status       string         `json:"status"` // completed, in_progress, stale, failed
	RunStatus    string         `json:"run_status,omitempty"`
	Profile      gavel.Profile  `json:"profile"`
	BaseUsed     []string       `json:"base_used"`
	MergeStatus  gavel.Decision `json:"merge_status,omitempty"`
	GeneratedAt  *time.Time     `json:"generated_at,omitempty"`
	StartedAt    *time.Time     `json:"started_at,omitempty"`
	ElapsedS     *int64         `json:"elapsed_s,omitempty"`
	RetryAfterMS int64          `json:"retry_after_ms,omitempty"`
	Cause        string         `json:"cause,omitempty"`
}

// State looks at a checkout. It does not need a base or a commit.
var State = Op[StateInput, *StateOutput]{
	Name:     "state",
	Doc:      "Tell how a checkout stands: branch, commit, base, whether it is dirty, and the latest runs. Changes nothing.",
	Example:  "  gavel state\n  gavel state --json",
	Doors:    AllDoors,
	ReadOnly: true,
	Run: func(ctx context.Context, env *Env, in StateInput) (*StateOutput, error) {
		repo, err := openRepo(ctx, env, in.Repo)
		if err != nil {
			return nil, err
		}
		defer repo.Close()
		return stateOf(ctx, env, repo)
	},
	Render: renderState,
}

func stateOf(ctx context.Context, env *Env, repo *git.Repo) (*StateOutput, error) {
	now, err := repo.State(ctx)
	if err != nil {
		return nil, err
	}
	out := &StateOutput{SchemaVersion: gavel.WireVersion, Dirty: now.Dirty, BaseCaveats: []string{}}
	out.Branch, out.Commit = orNull(now.Branch), orNull(gavel.ShortCommit(now.Commit))
	if err := out.compare(ctx, repo); err != nil {
		return nil, err
	}
	s := store.Open(env.Getenv)
	if now.Commit != "" {
		if out.LatestRunForHead, err = latest(s, repo, now.Commit); err != nil {
			return nil, err
		}
	}
	out.LatestRunAny, err = latest(s, repo, "")
	return out, err
}

// compare finds the base. That there is none is a caveat, not an error.
func (o *StateOutput) compare(ctx context.Context, repo *git.Repo) error {
	base, err := repo.SelectBase(ctx, "")
	if err != nil {
		if gavel.AsError(err).Class != gavel.BaseNotFound {
			return err
		}
		o.BaseFallback = true
		o.BaseCaveats = append(o.BaseCaveats, "base_not_found: "+gavel.AsError(err).Message)
		return nil
	}
	o.DefaultBranch, o.BaseFallback = &base.Ref, base.Fallback
	if base.Caveat != "" {
		o.BaseCaveats = append(o.BaseCaveats, base.Caveat)
	}
	if repo.Head == "" {
		return nil
	}
	n, err := countChanged(ctx, repo, base)
	if err != nil {
		if isCancelled(err) {
			return err
		}
		o.BaseCaveats = append(o.BaseCaveats, "not_compared: "+gavel.AsError(err).Message)
		return nil
	}
	o.FilesChanged = &n
	return nil
}

func countChanged(ctx context.Context, repo *git.Repo, base git.Base) (int, error) {
	commit, err := repo.MergeBase(ctx, base.Commit, repo.Head)
	if err != nil {
		return 0, err
	}
	if commit == "" {
		commit = base.Commit
	}
	from, err := repo.CommitSubject(ctx, commit)
	if err != nil {
		return 0, err
	}
	head, err := repo.SubjectTree(ctx, gavel.SubjectCommit)
	if err != nil {
		return 0, err
	}
	c, err := repo.Compare(ctx, from, head)
	if err != nil {
		return 0, err
	}
	return c.Len(), nil
}

func orNull(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

func latest(s *store.Store, repo *git.Repo, commit string) (*RunSummary, error) {
	row, found, err := s.LatestFor(runRepo(repo), branchOf(repo), commit)
	if err != nil || !found {
		return nil, err
	}
	return summaryOf(row), nil
}

func summaryOf(row store.RunRow) *RunSummary {
	sum := &RunSummary{
		RunID: row.ID, Commit: gavel.ShortCommit(row.Commit), Status: statusWord(row.State), Profile: row.Profile, BaseUsed: append([]string{}, row.BaseUsed...), Cause: row.Cause,
	}
	switch row.State {
	case gavel.StateCompleted:
		sum.MergeStatus, sum.GeneratedAt = row.Verdict, &row.GeneratedAt
		return sum
	case gavel.StateRunning:
		sum.RunStatus, sum.ElapsedS, sum.RetryAfterMS = string(row.State), new(int64(row.ElapsedS)), row.RetryAfter.Milliseconds()
	}
	sum.StartedAt = &row.StartedAt
	return sum
}

// statusWord is a state as it is called on the wire.
func statusWord(s gavel.RunState) string {
	if s == gavel.StateRunning {
		return "in_progress"
	}
	return string(s)
}

func renderState(w io.Writer, o *StateOutput, _ RenderOptions) error {
	word := func(s *string, otherwise string) string {
		if s == nil {
			return otherwise
		}
		return untrusted.Visible(*s)
	}
	dirty := "clean"
	if o.Dirty {
		dirty = "dirty"
	}
	fmt.Fprintf(w, "%s at %s, %s\nbase: %s", word(o.Branch, "(detached)"), word(o.Commit, "(no commit)"), dirty, word(o.DefaultBranch, "(none)"))
	if o.FilesChanged != nil {
		fmt.Fprintf(w, ", %d paths differ", *o.FilesChanged)
	}
	fmt.Fprintln(w)
	for _, c := range o.BaseCaveats {
		fmt.Fprintf(w, "  %s\n", untrusted.Visible(c))
	}
	for _, run := range []struct {
		of  string
		sum *RunSummary
	}{{"for HEAD", o.LatestRunForHead}, {"on this branch", o.LatestRunAny}} {
		if run.sum != nil {
			fmt.Fprintf(w, "latest run %s: %s %s %s\n", run.of, run.sum.RunID, run.sum.Status, run.sum.MergeStatus)
		}
	}
	return nil
}
