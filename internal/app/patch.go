package app

import (
	"context"

	"github.com/gavel-review/gavel/internal/git"
)

// reviewPatch judges a diff from elsewhere: no repository, so policy is built-in and the user's only.
func (r *reviewer) reviewPatch(ctx context.Context) (*ReviewOutput, error) {
	patch, err := r.openPatch(ctx)
	if err != nil {
		return nil, err
	}
	defer patch.Close()
	c, err := r.basis(ctx, "")
	if err != nil {
		return nil, err
	}
	reader := git.ReadPatch(patch)
	if c.judged, err = newJudge(origin{files: reader.Files(ctx, r.filter)}, r.judgeSettings()).run(ctx); err != nil {
		return nil, err
	}
	c.subject.DiffDigest = reader.Digest()
	out, err := r.conclude(c)
	if err != nil {
		return nil, err
	}
	if out.Meta.Coverage.Files == 0 {
		return r.empty(out)
	}
	keepDocument(r.env, out.Document, r.now, r.fixed)
	return out, nil
}
