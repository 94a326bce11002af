package git

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/gavel-review/gavel"
)

func (c *Comparison) pinUnstaged(ctx context.Context, path string) error {
	c.Base = gavel.Subject{Kind: gavel.SubjectIndex}
	return c.pinWorktree(ctx, path)
}

// pinWorktree writes the work tree as a tree: the index, with every tracked file that differs from it and every
// untracked file that is not ignored. Where the base is the index it is written too, from the same reading.
func (c *Comparison) pinWorktree(ctx context.Context, path string) error {
	r := c.repo
	x, err := r.fullIndex(ctx, path)
	if err != nil {
		return err
	}
	leaves, _, _ := x.leaves()
	for i := range leaves {
		if leaves[i].mode == gavel.ModeGitlink {
			c.submodules = append(c.submodules, leaves[i].path)
		}
	}
	if c.Base.Kind == gavel.SubjectIndex {
		if c.Base.Tree, err = r.writeTree(leaves, x.cache); err != nil {
			return storeError(err)
		}
	}
	changes, err := c.captureWorktree(ctx, x, leaves)
	if err != nil {
		return err
	}
	for path := range changes {
		x.cache.forget(path)
	}
	c.Head = gavel.Subject{Kind: gavel.SubjectWorktree}
	if c.Head.Tree, err = r.writeTree(applyChanges(leaves, changes), x.cache); err != nil {
		return storeError(err)
	}
	return nil
}

// captureWorktree returns what differs from the index, by path.
func (c *Comparison) captureWorktree(ctx context.Context, x *index, leaves []leaf) (map[string]leaf, error) {
	w := &capture{r: c.repo, c: c, symlinked: map[string]bool{}, changes: map[string]leaf{}}
	w.tracked = func(path string) (leaf, bool) { return findLeaf(leaves, path) }
	var err error
	if w.index, err = w.openIndex(x); err != nil {
		return nil, storeError(err)
	}
	candidates, err := w.candidates(ctx)
	if err == nil {
		err = w.look(ctx, candidates)
	}
	slices.SortFunc(c.unread, func(a, b gavel.File) int { return strings.Compare(a.Path, b.Path) })
	return w.changes, err
}

// index reads the index, after git has rewritten a copy of it where its form needs git.
func (r *Repo) index(ctx context.Context, path string) (*index, error) {
	if path == "" {
		path = filepath.Join(r.GitDir, "index")
	} else if !filepath.IsAbs(path) {
		path = filepath.Join(r.Root, path)
	}
	x, err := readIndex(path, r.hash.size)
	if err == nil && x.shared != "" {
		x, err = r.rewriteIndex(ctx, x)
	}
	var known *gavel.Error
	switch {
	case errors.As(err, &known):
		return nil, err
	case isLate(err), ctx.Err() != nil:
		return nil, toolError(err)
	case err != nil:
		return nil, gavel.Errorf(gavel.RunFailed, "the index cannot be read: %w", err).WithHint("see what git status says")
	}
	return x, nil
}

// fullIndex reads the index and lists every file of it.
func (r *Repo) fullIndex(ctx context.Context, path string) (*index, error) {
	x, err := r.index(ctx, path)
	if err != nil {
		return nil, err
	}
	return x, x.flatten(func(tree string) ([]entry, error) { return r.listTree(ctx, tree) })
}

// rewriteIndex makes a copy of a split index that stands alone.
func (r *Repo) rewriteIndex(ctx context.Context, x *index) (*index, error) {
	// Copies, not links: git sets the time of a shared file that it reads.
	written := x.written
	shared, _, err := readRegular(filepath.Join(r.GitDir, "sharedindex."+x.shared), maxIndex)
	if err == nil {
		err = r.write("sharedindex."+x.shared, shared)
	}
	if err == nil {
		err = r.write("flat-index", x.data)
	}
	if err != nil {
		return nil, err
	}
	flat := filepath.Join(r.private, "flat-index")
	if _, _, err := r.writeCommand(flat, "update-index", "--no-split-index", "--force-write-index").Output(ctx); err != nil {
		return nil, err
	}
	if x, err = readIndex(flat, r.hash.size); err == nil && x.shared != "" {
		err = errIndex
	}
	if err == nil {
		x.written = written
	}
	return x, err
}

// capture is one look at the work tree.
type capture struct {
	r       *Repo
	c       *Comparison
	index   string // path of a private index in which nothing is hidden
	tracked func(path string) (leaf, bool)
	changes map[string]leaf // by path; mode 0 is a removal
	hash    []string        // regular files and nested repositories that git must read
	// symlinked remembers which folders are reached through a symlink.
	symlinked map[string]bool
}

// openIndex writes a copy of the index in which no flag hides a file: assume-unchanged is dropped, and skip-worktree
// where the file is there after all.
func (w *capture) openIndex(x *index) (string, error) {
	absent := 0
	for i := range x.entries {
		e := &x.entries[i]
		if !e.skipped {
			continue
		}
		if _, err := os.Lstat(w.path(e.path)); err != nil {
			absent++
		} else {
			e.skipped = false
		}
	}
	w.c.absent = absent
	if absent > 0 {
		w.c.note("sparse checkout: %d tracked files are not in the work tree and count as unchanged", absent)
	}
	path := filepath.Join(w.r.private, "worktree-index")
	err := os.WriteFile(path, x.encode(w.r.hash), 0o600)
	if err == nil && !x.written.IsZero() { // git looks twice at files that changed when the index did
		err = os.Chtimes(path, x.written, x.written)
	}
	return path, err
}

func (w *capture) path(name string) string {
	return filepath.Join(w.r.Root, filepath.FromSlash(name))
}

// candidates lists the paths that may differ from the index, in order: those whose stat data differ, and untracked
// ones. A nested repository that is not tracked ends in a slash.
func (w *capture) candidates(ctx context.Context) ([]string, error) {
	if err := w.r.linkExcludes(); err != nil {
		return nil, err
	}
	if err := w.r.checkRules(); err != nil {
		return nil, err
	}
	c := w.r.workCommand(w.index, "ls-files", "-z", "-m", "-o", "--exclude-standard", "--deduplicate")
	c.MaxOutput = 1 << 30
	out, stderr, err := c.Output(ctx)
	if err != nil {
		return nil, w.r.listingError(err)
	}
	w.unlisted(stderr)
	paths := strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00")
	if len(out) == 0 {
		paths = nil
	}
	slices.Sort(paths)
	return slices.Compact(paths), nil
}

// unlisted accounts for folders that git could not open.
func (w *capture) unlisted(stderr string) {
	for line := range strings.Lines(stderr) {
		rest, ok := strings.CutPrefix(line, "warning: could not open directory '")
		if end := strings.LastIndex(rest, "': "); ok && end >= 0 {
			w.c.skip(rest[:end], gavel.Added, gavel.SkipUnreadable, strings.TrimSpace(rest[end+3:]))
		}
	}
}

// look finds out what each candidate is now.
func (w *capture) look(ctx context.Context, candidates []string) error {
	pointers, err := w.pointers(ctx, candidates)
	if err != nil {
		return err
	}
	for _, name := range candidates {
		if err := ctx.Err(); err != nil {
			return cancelled(err)
		}
		if err := w.lookAt(ctx, name, pointers[name]); err != nil {
			return err
		}
	}
	return w.hashFiles(ctx)
}

func (w *capture) lookAt(ctx context.Context, name string, pointer *lfsPointer) error {
	name, nested := strings.CutSuffix(name, "/")
	old, tracked := w.tracked(name)
	info, err := os.Lstat(w.path(name))
	switch {
	case isAbsent(err) || err == nil && w.behindSymlink(name):
		w.change(leaf{path: name})
	case err != nil:
		w.unreadable(name, tracked, err)
	case info.Mode().IsRegular():
		return w.lookAtFile(ctx, name, info, pointer)
	case info.Mode()&os.ModeSymlink != 0:
		target, err := os.Readlink(w.path(name))
		if err != nil {
			w.unreadable(name, tracked, err)
			return nil
		}
		return w.put(name, gavel.ModeSymlink, []byte(target))
	case info.IsDir() && (nested || tracked && old.mode == gavel.ModeGitlink):
		w.hash = append(w.hash, name)
	case info.IsDir():
		w.change(leaf{path: name}) // its files are candidates themselves
	default:
		w.skip(name, tracked, gavel.SkipUnreadable, "not a regular file")
	}
	return nil
}

func isAbsent(err error) bool {
	return os.IsNotExist(err) || isErrno(err, syscall.ENOTDIR)
}

// behindSymlink reports whether a folder above the path is a symlink: git does not look through it.
func (w *capture) behindSymlink(name string) bool {
	i := strings.LastIndexByte(name, '/')
	if i < 0 {
		return false
	}
	dir := name[:i]
	if known, ok := w.symlinked[dir]; ok {
		return known
	}
	info, err := os.Lstat(w.path(dir))
	is := err == nil && info.Mode()&os.ModeSymlink != 0 || w.behindSymlink(dir)
	w.symlinked[dir] = is
	return is
}

func (w *capture) change(l leaf) { w.changes[l.path] = l }

// put stores content that needs no conversion.
func (w *capture) put(name string, mode gavel.Mode, data []byte) error {
	id, err := w.r.store("blob", data)
	if err != nil {
		return storeError(err)
	}
	w.change(leaf{path: name, mode: mode, id: id})
	return nil
}

func (w *capture) unreadable(name string, tracked bool, err error) {
	w.skip(name, tracked, gavel.SkipUnreadable, reason(err))
}

func (w *capture) skip(name string, tracked bool, why gavel.SkipReason, detail string) {
	status := gavel.Added
	if tracked {
		status = gavel.Modified
	}
	w.c.skip(name, status, why, detail)
}

func findLeaf(leaves []leaf, path string) (leaf, bool) {
	i, ok := slices.BinarySearchFunc(leaves, path, func(l leaf, p string) int { return strings.Compare(l.path, p) })
	if !ok {
		return leaf{}, false
	}
	return leaves[i], true
}

// applyChanges returns the leaves with the changes made. Where a file and a folder of one name meet, the change wins.
func applyChanges(leaves []leaf, changes map[string]leaf) []leaf {
	folders := make(map[string]bool)
	for path, l := range changes {
		for i := strings.LastIndexByte(path, '/'); i >= 0 && l.mode != 0; i = strings.LastIndexByte(path[:i], '/') {
			folders[path[:i]] = true
		}
	}
	result := make([]leaf, 0, len(leaves)+len(changes))
	for _, l := range leaves {
		if _, changed := changes[l.path]; !changed && !folders[l.path] && !underChange(l.path, changes) {
			result = append(result, l)
		}
	}
	for _, l := range changes {
		if l.mode != 0 {
			result = append(result, l)
		}
	}
	slices.SortFunc(result, func(a, b leaf) int { return strings.Compare(a.path, b.path) })
	return result
}

// underChange reports whether a folder above the path has become a file.
func underChange(path string, changes map[string]leaf) bool {
	for i := strings.LastIndexByte(path, '/'); i >= 0; i = strings.LastIndexByte(path[:i], '/') {
		if l, ok := changes[path[:i]]; ok && l.mode != 0 {
			return true
		}
	}
	return false
}
