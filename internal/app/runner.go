package app

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"time"

	"github.com/gavel-review/gavel"
	"github.com/gavel-review/gavel/internal/detect"
	"github.com/gavel-review/gavel/internal/git"
	"github.com/gavel-review/gavel/internal/proc"
	"github.com/gavel-review/gavel/internal/store"
)

// runner is one run under way.
type runner struct {
	env     *Env
	in      RunInput
	profile gavel.Profile
	budget  gavel.Budget
	now     time.Time // of its beginning
	review  *reviewer // what the detectors and the policy are asked through
	basis   conclusion
	repo    *git.Repo

	base      git.Base
	mergeBase gavel.Subject // what the difference starts from
	subject   git.Pinned
	compare   *git.Comparison
	change    changeRecord
	caveats   []string

	store *store.Store
	live  *store.LiveRun
	tools *proc.Supervisor
	tree  *git.Tree

	mu sync.Mutex // guards what several checks write: the log
}

func newRunner(ctx context.Context, env *Env, in RunInput) (*runner, error) {
	r := &runner{env: env, in: in, store: store.Open(env.Getenv)}
	var err error
	if r.profile, r.budget, err = in.validate(); err != nil {
		return nil, err
	}
	if r.review, err = newReviewer(ctx, env, ReviewInput{Repo: in.Repo, Strict: in.Strict, Workers: in.Workers}); err != nil {
		return nil, err
	}
	r.repo, r.now = r.review.repo, r.review.now
	return r, nil
}

func (r *runner) close() {
	if r.tools != nil {
		r.tools.Close()
	}
	if r.tree != nil {
		r.tree.Release()
	}
	r.review.close()
}

// locate finds out what is judged, and against what. Nothing has been started or written so far.
func (r *runner) locate(ctx context.Context) error {
	var err error
	if r.base, err = r.repo.SelectBase(ctx, r.in.Base); err != nil {
		return err
	}
	if r.in.Fetch {
		if r.base, err = r.fetch(ctx); err != nil {
			return err
		}
	}
	if r.base.Caveat != "" {
		r.caveats = append(r.caveats, r.base.Caveat)
	}
	kind := gavel.SubjectCommit
	switch {
	case r.in.Staged:
		kind = gavel.SubjectIndex
	case r.in.Worktree:
		kind = gavel.SubjectWorktree
	}
	if r.subject, err = r.repo.SubjectTree(ctx, kind); err != nil {
		return err
	}
	if err := r.locateMergeBase(ctx); err != nil {
		return err
	}
	if r.compare, err = r.repo.Compare(ctx, r.mergeBase, r.subject); err != nil {
		return err
	}
	r.review.compare = r.compare
	if r.basis, err = r.review.basis(ctx, r.subject.Tree); err != nil {
		return err
	}
	if r.budget == 0 {
		r.budget = r.basis.policy.Budget(r.profile)
	}
	if r.env.Door != CLI && r.profile == gavel.ProfileQuick {
		r.budget = min(r.budget, gavel.ProfileQuick.DefaultBudget()) // whoever called waits, and has a patience of its own
	}
	return nil
}

// locateMergeBase falls back to the base itself where the two histories have nothing in common.
func (r *runner) locateMergeBase(ctx context.Context) error {
	commit, err := r.repo.MergeBase(ctx, r.base.Commit, r.repo.Head)
	if err != nil {
		return err
	}
	if commit == "" {
		commit = r.base.Commit
		r.caveats = append(r.caveats, "unrelated_histories: "+r.base.Ref+" and HEAD share no commit; compared with the tip of "+r.base.Ref)
	}
	r.mergeBase, err = r.repo.CommitSubject(ctx, commit)
	return err
}

func (r *runner) fetch(ctx context.Context) (git.Base, error) {
	r.env.Progress("fetching " + r.base.Ref)
	if err := r.repo.Fetch(ctx, r.base); err != nil {
		return git.Base{}, err
	}
	return r.repo.SelectBase(ctx, r.in.Base)
}

// start takes the branch's lock and gives the run its id.
func (r *runner) start() error {
	record := gavel.RunRecord{
		Kind: gavel.RunOfChange, Profile: r.profile, Subject: r.subject.Kind, Commit: r.repo.Head, Tree: r.subject.Tree,
		Branch: branchOf(r.repo), BaseUsed: []string{r.base.Ref}, BaseCommit: r.base.Commit,
		MergeBase: r.mergeBase.Commit, BaseFallback: r.base.Fallback, StartedAt: r.now.Truncate(time.Second),
	}
	var err error
	r.live, err = r.store.StartRun(runRepo(r.repo), record, r.now)
	if err != nil {
		return err
	}
	r.log("run %s: %s of %s against %s", r.live.Record().ID, r.profile, r.describeSubject(), r.base.Ref)
	return nil
}

func (r *runner) describeSubject() string {
	switch r.subject.Kind {
	case gavel.SubjectIndex:
		return "the index"
	case gavel.SubjectWorktree:
		return "the work tree"
	}
	return gavel.ShortCommit(r.repo.Head)
}

// log writes a line into the run's log, with every secret in it masked.
func (r *runner) log(format string, args ...any) {
	line := detect.Redact(strings.ToValidUTF8(fmt.Sprintf(format, args...), "\ufffd"))
	r.mu.Lock()
	defer r.mu.Unlock()
	r.live.Log(r.env.Now().UTC().Format(time.RFC3339) + " " + line)
}

// execute runs everything within the budget and keeps the result.
func (r *runner) execute(ctx context.Context) (*RunOutput, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, time.Duration(r.budget), errBudget)
	defer cancel()
	r.env.Progress("looking at the change")
	c, err := r.judgeChange(ctx)
	if err != nil {
		return nil, r.orTimedOut(ctx, err, "the detectors")
	}
	plan, err := r.plan(ctx, c)
	if err != nil {
		return nil, r.orTimedOut(ctx, err, "planning")
	}
	outcomes, err := r.runChecks(ctx, plan)
	if err != nil {
		return nil, err
	}
	if err := r.verifyTree(ctx); err != nil {
		return nil, r.orTimedOut(ctx, err, "looking whether the tree stayed as it was")
	}
	return r.conclude(ctx, c, plan, outcomes)
}

// orTimedOut names the budget where that is why something ended.
func (r *runner) orTimedOut(ctx context.Context, err error, what ...string) error {
	if context.Cause(ctx) == errBudget {
		return r.timedOut(what)
	}
	return err
}

// verifyTree makes sure that what was judged is what the run says it judged.
func (r *runner) verifyTree(ctx context.Context) error {
	moved, err := r.tree.Verify(ctx)
	if err != nil {
		return err
	}
	if len(moved) > 0 {
		slog.Debug("the tree changed", "paths", moved)
		return gavel.Errorf(gavel.RunFailed, "the tree changed while it was judged: %s", listed(displayed(moved))).
			WithHint("leave the files alone while a run goes on, or find the check that rewrites them")
	}
	return nil
}

func displayed(paths []string) []string {
	out := make([]string, len(paths))
	for i, p := range paths {
		out[i] = gavel.DisplayPath(p)
	}
	return out
}

// listed shows some of the words and how many more there are.
func listed(words []string) string {
	const most = 5
	if len(words) <= most {
		return strings.Join(words, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(words[:most], ", "), len(words)-most)
}
