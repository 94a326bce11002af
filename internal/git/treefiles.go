package git

import (
	"context"
	"strings"

	"github.com/gavel-review/gavel"
)

// TreeFile is a file of a tree.
type TreeFile struct {
	Path string // slash-separated, raw bytes
	Mode gavel.Mode
	ID   string // hex
}

// TreeFiles lists every file of a tree, sorted by path.
func (r *Repo) TreeFiles(ctx context.Context, tree string) ([]TreeFile, error) {
	entries, err := r.listTree(ctx, tree)
	if err != nil {
		return nil, err
	}
	files := make([]TreeFile, len(entries))
	for i, e := range entries {
		files[i] = TreeFile{e.path, e.newMode, hexID(e.newID)}
	}
	return files, nil
}

// Subtree is the id of a folder of a tree, "" where the tree has no such folder. The folder "" is the tree itself.
func (r *Repo) Subtree(ctx context.Context, tree, folder string) (string, error) {
	if folder == "" {
		return tree, nil
	}
	for name := range strings.SplitSeq(folder, "/") {
		if tree == r.hash.emptyTree {
			return "", nil
		}
		entries, err := r.readTree(ctx, tree)
		if err != nil {
			return "", err
		}
		e, ok := findEntry(entries, name)
		if !ok || e.mode != modeTree {
			return "", nil
		}
		tree = hexID(e.id)
	}
	return tree, nil
}
