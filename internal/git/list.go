package git

import (
	"context"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/gavel-review/gavel"
)

// WorktreeFiles yields the files at or below path, an absolute one inside the work tree, that git tracks or would
// track: slash-separated and relative to Root, sorted, each once. Files that are tracked but gone are left out, and so
// are submodules that are not checked out; a nested repository is yielded as its folder.
func (r *Repo) WorktreeFiles(ctx context.Context, path string) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		names, err := r.listWorktree(ctx, path)
		if err != nil {
			yield("", err)
			return
		}
		for _, name := range names {
			info, err := os.Lstat(filepath.Join(r.Root, filepath.FromSlash(name)))
			switch {
			case isAbsent(err):
				continue
			case err == nil && info.IsDir():
				if _, err := os.Lstat(filepath.Join(r.Root, filepath.FromSlash(name), ".git")); isAbsent(err) {
					continue
				}
			}
			if !yield(name, nil) {
				return
			}
		}
	}
}

func (r *Repo) listWorktree(ctx context.Context, path string) ([]string, error) {
	below, err := r.relative(path)
	if err != nil {
		return nil, err
	}
	x, err := r.fullIndex(ctx, "")
	if err != nil {
		return nil, err
	}
	index := filepath.Join(r.private, "list-index")
	if err := os.WriteFile(index, x.encode(r.hash), 0o600); err != nil {
		return nil, storeError(err)
	}
	if err := r.linkExcludes(); err != nil {
		return nil, err
	}
	if err := r.checkRules(); err != nil {
		return nil, err
	}
	c := r.workCommand(index, "ls-files", "-z", "-c", "-o", "--exclude-standard", "--deduplicate", "--", below)
	c.MaxOutput = 1 << 30
	out, _, err := c.Output(ctx)
	if err != nil {
		return nil, r.listingError(err)
	}
	var names []string
	for name := range strings.SplitSeq(string(out), "\x00") {
		if name = strings.TrimSuffix(name, "/"); name != "" {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return slices.Compact(names), nil
}

// relative turns a path of the file system into one of the repository, as a literal pathspec.
func (r *Repo) relative(path string) (string, error) {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real
	}
	rel, err := filepath.Rel(r.Root, path)
	if err != nil || !filepath.IsLocal(rel) {
		return "", gavel.Errorf(gavel.InvalidArgs, "%s lies outside of the repository %s", quoted(path), quoted(r.Root))
	}
	return filepath.ToSlash(rel), nil
}
