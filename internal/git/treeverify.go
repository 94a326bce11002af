package git

import (
	"context"
	"os"
	"slices"

	"github.com/gavel-review/gavel"
)

// Verify compares the files with the subject again and returns the paths that have changed or gone since, sorted: a
// tool that rewrites what it should judge, or a user who goes on working. A commit that is looked at in place has moved
// too, as "HEAD", where that is another one by now. Files that came to be there beside the subject's are no change of
// it; in place they are noted in Added.
func (t *Tree) Verify(ctx context.Context) (moved []string, err error) {
	if t.InPlace {
		return t.verifyCheckout(ctx)
	}
	root, err := os.OpenRoot(t.Root)
	if err != nil {
		return nil, treeError(t.Root, err)
	}
	defer root.Close()
	d := &descent{root: root}
	defer d.close()
	for i := range t.files {
		f := &t.files[i]
		if i%512 == 0 && ctx.Err() != nil {
			return nil, cancelled(ctx.Err())
		}
		if f.mode != gavel.ModeGitlink && !t.stands(d, f) {
			moved = append(moved, f.path)
		}
	}
	return moved, nil
}

// stands reports whether a file is what it was.
func (t *Tree) stands(d *descent, f *treeFile) bool {
	at, name, err := d.to(f.path)
	if err != nil {
		return false
	}
	info, err := at.Lstat(name)
	if err != nil {
		return false
	}
	now := diskFileOf(info)
	return now == f.disk && now.proves() || t.repo.holds(at, name, info, f)
}

// verifyCheckout looks at the user's checkout as if for the first time.
func (t *Tree) verifyCheckout(ctx context.Context) (moved []string, err error) {
	now, err := discover(ctx, t.Root)
	if err != nil {
		return nil, err
	}
	if t.subject.Kind == gavel.SubjectCommit && now.head != t.subject.Commit {
		moved = append(moved, "HEAD")
	}
	work, err := t.repo.SubjectTree(ctx, gavel.SubjectWorktree)
	if err != nil {
		return nil, err
	}
	differ, err := t.repo.diffTrees(ctx, t.subject.Tree, work.Tree)
	if err != nil {
		return nil, err
	}
	t.Added = nil
	for _, e := range differ {
		if e.oldMode == 0 {
			t.Added = append(t.Added, e.path)
		} else {
			moved = append(moved, e.path)
		}
	}
	for i := range work.unread {
		if path := work.unread[i].Path; !t.subject.isUnread(path) {
			moved = append(moved, path)
		}
	}
	slices.Sort(moved)
	return slices.Compact(moved), nil
}
