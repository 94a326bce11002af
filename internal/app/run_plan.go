package app

import (
	"context"
	"slices"

	"github.com/gavel-review/gavel"
	"github.com/gavel-review/gavel/internal/check"
	"github.com/gavel-review/gavel/internal/git"
)

// maxManifest bounds the manifests and configuration files that a plan is made from, in bytes.
const maxManifest = 4 << 20

// plan chooses the checks, and puts the subject on disk for them.
func (r *runner) plan(ctx context.Context, c conclusion) (*check.PlanResult, error) {
	plan, err := r.choose(ctx, c)
	if err != nil {
		return nil, err
	}
	r.env.Progress("putting the tree on disk")
	to := git.Placement{Slot: "subject", Apart: slices.ContainsFunc(plan.Checks, func(p check.Planned) bool { return p.Check.WritesTree })}
	if r.tree, err = r.materialise(ctx, r.subject, to); err != nil {
		return nil, err
	}
	r.caveats = append(r.caveats, r.tree.Notes...)
	r.log("the tree %s lies in %s", r.subject.Tree, r.tree.Root)
	return plan, nil
}

func (r *runner) choose(ctx context.Context, c conclusion) (*check.PlanResult, error) {
	files, err := r.repo.TreeFiles(ctx, r.subject.Tree)
	if err != nil {
		return nil, err
	}
	ids := make(map[string]string, len(files))
	paths := make([]string, 0, len(files))
	for _, f := range files {
		if f.Mode == gavel.ModeGitlink {
			continue
		}
		paths = append(paths, f.Path)
		if f.Mode != gavel.ModeSymlink {
			ids[f.Path] = f.ID
		}
	}
	var failed error
	plan, err := check.Plan(check.PlanInput{
		Files: paths, Changed: r.change.lines.Files(), Renames: r.change.oldPaths(), Profile: r.profile, Required: otherThanDetectors(c.policy.Required),
		Read: func(path string) ([]byte, bool) {
			id, ok := ids[path]
			if !ok {
				return nil, false
			}
			data, err := r.repo.Blob(ctx, id, maxManifest)
			if err != nil && failed == nil {
				failed = err
			}
			return data, err == nil
		},
	})
	if failed != nil {
		return nil, failed
	}
	return plan, err
}

// materialise puts a subject on disk, below the state folder.
func (r *runner) materialise(ctx context.Context, subject git.Pinned, to git.Placement) (*git.Tree, error) {
	var err error
	if to.Folder, err = r.store.TreeFolder(runRepo(r.repo)); err != nil {
		return nil, err
	}
	return r.repo.Materialise(ctx, subject, to)
}
