package git

import (
	"context"
	"errors"
	"io"
	"strings"

	"github.com/gavel-review/gavel"
)

func (c *Comparison) pinRevisions(ctx context.Context, scope Scope) error {
	r := c.repo
	from, to, dots, err := splitRevisions(scope.Revisions)
	if err == nil {
		err = r.linkLogs()
	}
	if err != nil {
		return err
	}
	if c.Base, err = r.resolve(ctx, from); err != nil {
		return err
	}
	if dots == "" { // one revision: against the work tree
		return c.pinWorktree(ctx, scope.Index)
	}
	if c.Head, err = r.resolve(ctx, to); err != nil {
		return err
	}
	if dots == "..." {
		return c.useMergeBase(ctx, from, to)
	}
	return nil
}

// splitRevisions reads what names one or two trees. dots is "", ".." or "...". A side that is left out is HEAD.
func splitRevisions(revisions []string) (from, to, dots string, err error) {
	switch len(revisions) {
	case 1:
		from = revisions[0]
		for _, separator := range [...]string{"...", ".."} {
			if a, b, ok := cutOutsideBraces(from, separator); ok {
				from, to, dots = or(a, "HEAD"), or(b, "HEAD"), separator
				break
			}
		}
	case 2:
		from, to, dots = revisions[0], revisions[1], ".."
	default:
		return "", "", "", gavel.Errorf(gavel.InvalidArgs, "one or two revisions are needed, not %d", len(revisions)).WithHint("A B, A..B, A...B or A")
	}
	if err = checkRevision(from); err == nil && dots != "" {
		err = checkRevision(to)
	}
	return from, to, dots, err
}

func or(s, otherwise string) string {
	if s == "" {
		return otherwise
	}
	return s
}

// cutOutsideBraces cuts at the separator, but not inside of {}: "HEAD^{/a..b}" is one revision.
func cutOutsideBraces(s, separator string) (before, after string, found bool) {
	depth := 0
	for i := range len(s) {
		switch {
		case s[i] == '{':
			depth++
		case s[i] == '}':
			depth--
		case depth <= 0 && strings.HasPrefix(s[i:], separator):
			return s[:i], s[i+len(separator):], true
		}
	}
	return s, "", false
}

func checkRevision(revision string) error {
	switch {
	case strings.TrimSpace(revision) == "":
		return gavel.Errorf(gavel.InvalidArgs, "a revision is empty").WithHint("A B, A..B, A...B or A")
	case strings.HasPrefix(revision, "-"):
		return gavel.Errorf(gavel.InvalidArgs, "%q is an option, not a revision", revision).WithHint("options of git are not passed on")
	case strings.HasPrefix(revision, "^"), strings.ContainsAny(revision, "\x00\n"):
		return gavel.Errorf(gavel.InvalidArgs, "%q is not a revision that can be compared", revision).WithHint("A B, A..B, A...B or A")
	}
	return nil
}

// resolve finds what a revision names: a commit, or a tree.
func (r *Repo) resolve(ctx context.Context, revision string) (gavel.Subject, error) {
	found, err := r.lookUp(ctx, revision+"^{commit}", revision+"^{tree}", revision)
	if err != nil {
		return gavel.Subject{}, err
	}
	commit, tree, plain := found[0], found[1], found[2]
	switch {
	case !commit.missing() && !tree.missing():
		return gavel.Subject{Kind: gavel.SubjectCommit, Commit: commit.id, Tree: tree.id}, nil
	case !tree.missing():
		return gavel.Subject{Kind: gavel.SubjectCommit, Tree: tree.id}, nil
	case plain.kind == "tree": // "HEAD:folder"
		return gavel.Subject{Kind: gavel.SubjectCommit, Tree: plain.id}, nil
	case !commit.missing():
		return gavel.Subject{}, missingCommit(commit.id, r.Shallow)
	case plain.kind == "commit": // ":/text" takes what is put behind it for text
		return r.commitSubject(ctx, plain.id)
	case !plain.missing():
		return gavel.Subject{}, gavel.Errorf(gavel.InvalidArgs, "the revision %q is a %s, not a commit or a tree", revision, plain.kind).
			WithHint("name a branch, a tag or a commit")
	case r.Head == "":
		return gavel.Subject{}, gavel.Errorf(gavel.InvalidArgs, "the revision %q does not exist", revision).WithHint("this repository has no commit yet")
	case r.Shallow:
		return gavel.Subject{}, gavel.Errorf(gavel.InvalidArgs, "the revision %q does not exist", revision).WithHint("this clone is shallow: git fetch --unshallow may bring it")
	}
	return gavel.Subject{}, gavel.Errorf(gavel.InvalidArgs, "the revision %q does not exist", revision).WithHint("see git branch -a and git tag; nothing is fetched")
}

// lookUp asks for the heads of objects.
func (r *Repo) lookUp(ctx context.Context, names ...string) ([]object, error) {
	found := make([]object, len(names))
	err := r.objects.ask(ctx, askInfo, names, func(i int, obj object, _ io.Reader) error {
		found[i] = obj
		return nil
	})
	var died *diedError
	if errors.As(err, &died) {
		return nil, gavel.Errorf(gavel.RunFailed, "%s cannot be read: %s", strings.Join(names, ", "), said(died.stderr)).WithHint("see what git fsck says")
	}
	return found, err
}

// useMergeBase moves the base to where the two sides parted.
func (c *Comparison) useMergeBase(ctx context.Context, from, to string) error {
	r := c.repo
	if c.Base.Commit == "" || c.Head.Commit == "" {
		return gavel.Errorf(gavel.InvalidArgs, "%s...%s needs two commits", from, to)
	}
	base, err := r.MergeBase(ctx, c.Base.Commit, c.Head.Commit)
	if err != nil {
		return err
	}
	if base == "" {
		return gavel.Errorf(gavel.BaseNotFound, "%q and %q have no common commit", from, to).WithHint("compare the two trees with %s..%s", from, to)
	}
	c.Base, err = r.commitSubject(ctx, base)
	return err
}

// firstParent returns the first parent of a commit, or "" for a root commit. The commit itself is asked: what a
// shallow clone cuts off is not a root.
func (r *Repo) firstParent(ctx context.Context, commit string) (string, error) {
	data, err := r.Blob(ctx, commit, 0)
	if err != nil {
		return "", err
	}
	header, _, _ := strings.Cut(string(data), "\n\n")
	for line := range strings.SplitSeq(header, "\n") {
		if parent, ok := strings.CutPrefix(line, "parent "); ok {
			return parent, nil
		}
	}
	return "", nil
}
