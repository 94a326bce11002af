package git

import (
	"context"
	"errors"
	"iter"

	"github.com/gavel-review/gavel"
)

// Files yields every file of every selected commit's change against its first parent, commit after commit: a path that
// three commits change comes three times, each with its commit. A commit whose change cannot be known is yielded as one
// file without a path of its own, with the reason.
func (s *Selected) Files(ctx context.Context, filter Filter) iter.Seq2[*gavel.File, error] {
	return func(yield func(*gavel.File, error) bool) {
		texts := &diffServer{repo: s.repo}
		defer texts.close()
		for i := range s.Commits {
			if !texts.yieldChange(ctx, &s.Commits[i], firstParentChange, filter, yield) {
				return
			}
		}
	}
}

// changeFunc makes the comparison that is looked at for a commit, and the paths of it that count; nil is all of them.
type changeFunc func(ctx context.Context, r *Repo, c *Commit) (*Comparison, map[string]bool, error)

// yieldChange yields the files of one commit. It reports whether more are wanted.
func (s *diffServer) yieldChange(ctx context.Context, c *Commit, change changeFunc, filter Filter, yield func(*gavel.File, error) bool) bool {
	compare, only, err := change(ctx, s.repo, c)
	if err != nil {
		file := unknownChange(c, err)
		if ctx.Err() != nil || file == nil {
			yield(nil, err)
			return false
		}
		return yield(file, nil)
	}
	if only != nil && len(only) == 0 {
		return true
	}
	compare.texts = s
	for file, err := range compare.Files(ctx, filter) {
		if err != nil {
			yield(nil, err)
			return false
		}
		if only != nil && !only[file.Path] {
			continue
		}
		file.Commit = c.ID
		if !yield(file, nil) {
			return false
		}
	}
	return true
}

// unknownChange stands for a commit whose change cannot be known, so that it is accounted for. Other errors end the
// sequence: nil.
func unknownChange(c *Commit, err error) *gavel.File {
	var known *gavel.Error
	if !errors.As(err, &known) || known.Class != gavel.RunFailed {
		return nil
	}
	path := "commit " + c.ID
	detail := known.Message
	if known.Hint != "" {
		detail += "; " + known.Hint
	}
	return &gavel.File{
		Path: path, Status: gavel.Modified, Size: -1, Commit: c.ID,
		Skip: &gavel.Skip{Path: path, Reason: gavel.SkipObjectMissing, Detail: detail},
	}
}

// firstParentChange compares a commit with its first parent. What a shallow clone cuts off is not a root: such a
// commit's change is not known.
func firstParentChange(ctx context.Context, r *Repo, c *Commit) (*Comparison, map[string]bool, error) {
	parent := ""
	if len(c.Parents) > 0 {
		parent = c.Parents[0]
	} else if r.Shallow {
		var err error
		if parent, err = r.firstParent(ctx, c.ID); err != nil {
			return nil, nil, err
		}
	}
	compare, err := r.compareCommits(ctx, parent, c.ID)
	return compare, nil, err
}

// compareCommits compares the trees of two commits; base "" is the empty tree.
func (r *Repo) compareCommits(ctx context.Context, base, head string) (*Comparison, error) {
	c := &Comparison{repo: r, Base: r.emptySubject()}
	ids, sides := []string{head}, []*gavel.Subject{&c.Head}
	if base != "" {
		ids, sides = append(ids, base), append(sides, &c.Base)
	}
	names := make([]string, len(ids))
	for i, id := range ids {
		names[i] = id + "^{tree}"
	}
	trees, err := r.lookUp(ctx, names...)
	if err != nil {
		return nil, err
	}
	for i, tree := range trees {
		if tree.missing() {
			return nil, missingCommit(ids[i], r.Shallow)
		}
		*sides[i] = gavel.Subject{Kind: gavel.SubjectCommit, Commit: ids[i], Tree: tree.id}
	}
	if c.entries, err = r.diffTrees(ctx, c.Base.Tree, c.Head.Tree); err != nil {
		return nil, err
	}
	return c, nil
}

// ownChange is what a commit itself brought: the difference from its first parent, and for a merge only the paths that
// are as none of its parents has them. A commit at the edge of a shallow clone brought all that it holds.
func ownChange(ctx context.Context, r *Repo, c *Commit) (compare *Comparison, own map[string]bool, err error) {
	if len(c.Parents) == 0 {
		compare, err = r.compareCommits(ctx, "", c.ID)
		return compare, nil, err
	}
	if compare, err = r.compareCommits(ctx, c.Parents[0], c.ID); err != nil || !c.merge() {
		return compare, nil, err
	}
	own = make(map[string]bool)
	for _, e := range compare.entries {
		if e.newMode != 0 {
			own[e.path] = true
		}
	}
	for _, parent := range c.Parents[1:] {
		if len(own) == 0 {
			break
		}
		other, err := r.compareCommits(ctx, parent, c.ID)
		if err != nil {
			return nil, nil, err
		}
		for path := range own {
			if !other.differs(path) {
				delete(own, path)
			}
		}
	}
	return compare, own, nil
}
