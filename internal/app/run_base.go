package app

import (
	"context"
	"sync"

	"github.com/gavel-review/gavel"
	"github.com/gavel-review/gavel/internal/check"
	"github.com/gavel-review/gavel/internal/git"
)

// baseTree is the merge base's tree on disk, once something needs it.
type baseTree struct {
	run  *runner
	once sync.Once
	tree *git.Tree
	err  error
}

func (b *baseTree) get(ctx context.Context) (*git.Tree, error) {
	b.once.Do(func() {
		b.run.log("materialising the merge base %s", gavel.ShortCommit(b.run.mergeBase.Commit))
		b.tree, b.err = b.run.materialise(ctx, git.Pinned{Subject: b.run.mergeBase}, git.Placement{Slot: "base"})
	})
	return b.tree, b.err
}

func (b *baseTree) release() {
	if b.tree != nil {
		b.tree.Release()
	}
}

// compare tells old from new. What fails, or finds something beside the changed lines, runs on the merge base too.
func (c *checks) compare(ctx context.Context, p check.Planned, o *check.Outcome) error {
	switch {
	case !needsBase(o):
		check.Compare(o, nil, "")
		return nil
	case c.run.subject.Tree == c.run.mergeBase.Tree:
		same := *o
		check.Compare(o, &same, "")
		return nil
	}
	base, why := c.onBase(ctx, p)
	if ctx.Err() != nil {
		return nil
	}
	if base != nil {
		base.Rename(c.run.change.lines.Renames())
	}
	check.Compare(o, base, why)
	return nil
}

// needsBase reports whether the age of anything is open: a failure without a place, or a finding beside the change.
func needsBase(o *check.Outcome) bool {
	if o.Status != gavel.CheckFail {
		return false
	}
	if len(o.Findings) == 0 || len(o.Tests) > 0 {
		return true
	}
	for i := range o.Findings {
		if o.Findings[i].Scope != gavel.ScopeChangedLine {
			return true
		}
	}
	return false
}

// onBase runs the check on the merge base. why says why there is no result to compare with.
func (c *checks) onBase(ctx context.Context, p check.Planned) (base *check.Outcome, why string) {
	world := c.world
	tree, err := c.base.get(ctx)
	if err != nil {
		return nil, "the merge base could not be put on disk: " + gavel.AsError(err).Message
	}
	world.Root = tree.Root
	planned, why := p.On(world)
	if why != "" {
		return nil, why
	}
	o := c.measure(ctx, planned, world, c.run.mergeBase.Tree)
	if o.Status != gavel.CheckPass && o.Status != gavel.CheckFail {
		return nil, "on the merge base: " + string(o.Status) + " " + string(o.Reason)
	}
	return &o, ""
}
