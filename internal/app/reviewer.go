package app

import (
	"context"
	"io"
	"iter"
	"time"

	"github.com/gavel-review/gavel"
	"github.com/gavel-review/gavel/internal/git"
	"github.com/gavel-review/gavel/internal/report"
	"github.com/gavel-review/gavel/internal/store"
)

// maxText bounds what is read of one file to understand a finding's surroundings, in bytes.
const maxText = 32 << 20

// maxLines bounds the lines of one file: a line costs far more memory than its bytes.
const maxLines = 1_000_000

// reviewer is one review under way.
type reviewer struct {
	env     *Env
	in      ReviewInput
	started time.Time
	now     time.Time
	fixed   bool // the clock is SOURCE_DATE_EPOCH
	filter  git.Filter
	scope   git.Scope

	repo     *git.Repo // nil for a patch
	trusted  git.TrustedBase
	compare  *git.Comparison
	policy   gavel.Policy
	baseline map[string]int // of the trusted base, where policy lets it settle anything
}

func newReviewer(ctx context.Context, env *Env, in ReviewInput) (*reviewer, error) {
	r, err := prepare(ctx, env, in)
	if err != nil {
		return nil, err
	}
	if r.scope, err = in.scope(); err != nil {
		return nil, err
	}
	if in.Patch == "" {
		if r.repo, err = openRepo(ctx, env, in.Repo); err != nil {
			return nil, err
		}
	}
	return r, nil
}

// prepare looks at every word of the input before a repository is opened.
func prepare(ctx context.Context, env *Env, in ReviewInput) (*reviewer, error) {
	if err := in.validate(); err != nil {
		return nil, err
	}
	if err := in.readRules(ctx, env); err != nil {
		return nil, err
	}
	r := &reviewer{env: env, in: in, started: env.Now()}
	var err error
	if r.now, r.fixed, err = env.Clock(); err != nil {
		return nil, err
	}
	r.filter, err = git.NewFilter(in.File, in.Dir, in.ExcludeFile, in.ExcludeDir)
	return r, err
}

func (r *reviewer) close() {
	if r.compare != nil {
		r.compare.Close()
	}
	if r.repo != nil {
		r.repo.Close()
	}
}

// review runs the pipeline and keeps the document.
func (r *reviewer) review(ctx context.Context) (*ReviewOutput, error) {
	if r.in.Patch != "" {
		return r.reviewPatch(ctx)
	}
	out, err := r.judgeRepo(ctx)
	if err != nil {
		return nil, err
	}
	keepDocument(r.env, out.Document, r.now, r.fixed)
	return out, nil
}

// judgeRepo is the pipeline without its side effect: what guard recomputes.
func (r *reviewer) judgeRepo(ctx context.Context) (*ReviewOutput, error) {
	if s := r.in.selection(); s.Selecting() {
		return r.judgeSelection(ctx)
	}
	var err error
	if r.compare, err = r.repo.Pin(ctx, r.scope); err != nil {
		return nil, err
	}
	c, err := r.basis(ctx, r.compare.Head.Tree)
	if err != nil {
		return nil, err
	}
	remarks := c.judged.Notes
	if c.judged, err = newJudge(r.origin(r.compare.Files(ctx, r.filter)), r.judgeSettings()).run(ctx); err != nil {
		return nil, err
	}
	c.judged.Notes = append(append(c.judged.Notes, r.compare.Notes...), remarks...)
	if r.trusted.Caveat != "" {
		c.judged.Notes = append(c.judged.Notes, r.trusted.Caveat)
	}
	if c.rulings, err = store.Open(r.env.Getenv).Rulings(r.repo.ID); err != nil {
		return nil, err
	}
	c.subject.BaseTree, c.subject.HeadTree, c.subject.DiffDigest = r.compare.Base.Tree, r.compare.Head.Tree, r.compare.Digest()
	out, err := r.conclude(c)
	if err != nil {
		return nil, err
	}
	if out.Meta.Coverage.Files == 0 {
		return r.empty(out)
	}
	return out, nil
}

// basis is what a repository is judged by: the policy and the baseline of the trusted base, tightened by HEAD and by the
// subject's tree where there is one; without a repository the user's policy alone.
func (r *reviewer) basis(ctx context.Context, subject string) (conclusion, error) {
	if r.repo == nil {
		policy, err := userPolicy(r.env)
		if err == nil {
			err = policy.finishUser(r.env)
		}
		if err != nil {
			return conclusion{}, err
		}
		r.policy = policy.Policy
		return conclusion{policy: policy.Policy, judged: &judged{Notes: policy.Notes}}, nil
	}
	var err error
	if r.trusted, err = r.repo.TrustedBase(ctx); err != nil {
		return conclusion{}, err
	}
	policy, err := repoPolicy(ctx, r.env, r.repo, policyTrees{Base: r.trusted.Commit, BaseName: r.trusted.Ref, Head: r.repo.Head, Subject: subject})
	if err != nil {
		return conclusion{}, err
	}
	r.policy = policy.Policy
	baseline, err := trustedBaseline(ctx, r.repo, r.trusted)
	if err != nil {
		return conclusion{}, err
	}
	if policy.Policy.Baseline {
		r.baseline = baseline
	}
	return conclusion{policy: policy.Policy, baseline: baseline, judged: &judged{Notes: policy.Notes}, subject: gavel.RepoMeta{ID: r.repo.ID}}, nil
}

// origin reads files whose text is in the repository.
func (r *reviewer) origin(files iter.Seq2[*gavel.File, error]) origin {
	o := origin{files: files, trusted: r.trustedFiles()}
	o.text = func(ctx context.Context, f *gavel.File) (string, error) {
		data, err := r.repo.Blob(ctx, f.NewID, maxText)
		return string(data), err
	}
	return o
}

// trustedFiles reads files of the trusted base; nil where there is none.
func (r *reviewer) trustedFiles() func(ctx context.Context, path string) (string, bool, error) {
	if r.trusted.Commit == "" {
		return nil
	}
	return func(ctx context.Context, path string) (string, bool, error) {
		data, exists, err := r.repo.File(ctx, r.trusted.Commit, path)
		return string(data), exists, err
	}
}

func (r *reviewer) openPatch(ctx context.Context) (io.ReadCloser, error) {
	f, err := r.env.input(ctx, r.in.Patch)
	if ctx.Err() != nil {
		return nil, interrupted(ctx)
	}
	if err != nil {
		return nil, gavel.Errorf(gavel.InvalidArgs, "patch: %w", err)
	}
	return f, nil
}

// empty is a change without paths: over MCP an error, on the command line a whole document, exit 0 for the index and
// the work tree and 3 for a range that somebody named.
func (r *reviewer) empty(out *ReviewOutput) (*ReviewOutput, error) {
	e := noChanges(r.scope, r.in.filters())
	if r.in.Patch != "" && len(r.in.filters()) == 0 {
		e = gavel.Errorf(gavel.NoChanges, "the patch holds no file")
	}
	if r.env.Door != CLI {
		return nil, e
	}
	out.notice, out.hint = e.Message, e.Hint
	out.exit = gavel.ExitPass
	if r.scope.Kind == git.Revisions || r.in.Patch != "" {
		out.unjudged(e.Message)
	}
	return out, nil
}

// unjudged takes the verdict back: somebody asked about a change that is not there, so nothing can be said of it.
func (o *ReviewOutput) unjudged(why string) {
	o.exit = gavel.ExitNoVerdict
	o.VerdictHint = nil
	o.Verdict.Decision, o.Verdict.NotJudged, o.Verdict.Incomplete = gavel.NoDecision, why, true
	o.Summary.Gate.Passed, o.Summary.Gate.Reason = false, why
	o.Summary.Text = report.SummaryLine(o.Document, o.Verdict)
}
