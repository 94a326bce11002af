package app

import (
	"context"

	"github.com/gavel-review/gavel"
	"github.com/gavel-review/gavel/internal/git"
)

// reviewPatch judges a diff from elsewhere: no repository, so policy is built-in and the user's only.
func (r *reviewer) reviewPatch(ctx context.Context) (*ReviewOutput, error) {
	patch, err := r.openPatch(ctx)
	if err != nil {
		return nil, err
	}
	defer patch.Close()
	policy, err := userPolicy(r.env)
	if err != nil {
		return nil, err
	}
	if err := policy.finishUser(r.env); err != nil {
		return nil, err
	}
	reader := git.ReadPatch(patch)
	found, err := newJudge(origin{files: reader.Files(ctx, r.filter)}, r.judgeSettings()).run(ctx)
	if err != nil {
		return nil, err
	}
	out, err := r.conclude(conclusion{judged: found, policy: policy.Policy, subject: gavel.RepoMeta{DiffDigest: reader.Digest()}})
	if err != nil {
		return nil, err
	}
	if out.Meta.Coverage.Files == 0 {
		return r.empty(out)
	}
	keepDocument(r.env, out.Document, r.now, r.fixed)
	return out, nil
}
