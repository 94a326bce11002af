package git

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/gavel-review/gavel"
	"github.com/gavel-review/gavel/internal/proc"
)

// Pinned is a subject whose tree is fixed, whatever happens to the checkout afterwards.
type Pinned struct {
	gavel.Subject
	Notes  []string
	unread []gavel.File // of the index or the work tree: what could not be read, so is not in the tree as it stands

	// Of the work tree alone: how many tracked files a sparse checkout leaves out, the submodules, and what was learnt of
	// content that is too large to be stored.
	absent     int
	submodules []string
	known      map[string]known
}

func (p *Pinned) isUnread(path string) bool {
	return slices.ContainsFunc(p.unread, func(f gavel.File) bool { return f.Path == path })
}

// SubjectTree fixes what is judged: HEAD, the index, or the work tree with its untracked files that are not ignored.
// HEAD before the first commit is the empty tree.
func (r *Repo) SubjectTree(ctx context.Context, kind gavel.SubjectKind) (Pinned, error) {
	c := &Comparison{repo: r}
	var err error
	switch kind {
	case gavel.SubjectCommit:
		c.Head, err = r.headSubject(ctx)
	case gavel.SubjectIndex:
		err = c.pinStaged(ctx, "")
	case gavel.SubjectWorktree:
		err = c.pinWorktree(ctx, "")
	default:
		err = gavel.Errorf(gavel.InvalidArgs, "a %s cannot be the subject", kind)
	}
	if err == nil {
		err = r.flush()
	}
	return Pinned{
		Subject: c.Head, Notes: c.Notes, unread: c.unread,
		absent: c.absent, submodules: c.submodules, known: c.known,
	}, err
}

// CommitSubject is a commit that must be there, by its id.
func (r *Repo) CommitSubject(ctx context.Context, commit string) (gavel.Subject, error) {
	return r.commitSubject(ctx, commit)
}

// Compare compares a tree with a pinned subject.
func (r *Repo) Compare(ctx context.Context, base gavel.Subject, subject Pinned) (*Comparison, error) {
	c := &Comparison{repo: r, Base: base, Head: subject.Subject, Notes: subject.Notes, unread: subject.unread, known: subject.known}
	var err error
	if c.entries, err = r.diffTrees(ctx, base.Tree, subject.Tree); err != nil {
		return nil, err
	}
	c.digest = digest(c.entries, c.unread)
	return c, nil
}

// MergeBase is where two commits parted, "" where they have nothing in common. Of several the first is taken, as git
// does for a diff with three dots.
func (r *Repo) MergeBase(ctx context.Context, a, b string) (string, error) {
	out, stderr, err := r.command("merge-base", a, b).Output(ctx)
	var exit *proc.ExitError
	switch {
	case errors.As(err, &exit) && exit.Code == 1 && stderr == "" && r.Shallow:
		return "", gavel.Errorf(gavel.BaseNotFound, "the merge base of %s and %s is not in this clone", gavel.ShortCommit(a), gavel.ShortCommit(b)).
			WithHint("this clone is shallow: git fetch --unshallow")
	case errors.As(err, &exit) && exit.Code == 1 && stderr == "":
		return "", nil
	case errors.As(err, &exit):
		return "", gavel.Errorf(gavel.BaseNotFound, "the merge base of %s and %s cannot be found: %s", gavel.ShortCommit(a), gavel.ShortCommit(b), said(stderr))
	case err != nil:
		return "", toolError(err)
	}
	return strings.TrimSpace(string(out)), nil
}

// State is how a checkout stands.
type State struct {
	Branch string // short name, "" where HEAD is detached
	Commit string // "" before the first commit
	Dirty  bool   // index or work tree differ from HEAD, or a file could not be read
}

// State looks at the checkout. It does not need a commit or a base.
func (r *Repo) State(ctx context.Context) (State, error) {
	s := State{Branch: strings.TrimPrefix(r.HeadRef, "refs/heads/"), Commit: r.Head}
	head, err := r.headSubject(ctx)
	if err != nil {
		return s, err
	}
	for _, kind := range [...]gavel.SubjectKind{gavel.SubjectIndex, gavel.SubjectWorktree} {
		p, err := r.SubjectTree(ctx, kind)
		if err != nil {
			return s, err
		}
		s.Dirty = s.Dirty || p.Tree != head.Tree || len(p.unread) > 0
	}
	return s, nil
}
