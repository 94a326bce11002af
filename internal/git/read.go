package git

import (
	"context"
	"encoding/hex"
	"errors"
	"io"
	"strings"

	"github.com/gavel-review/gavel"
)

// maxFile is the largest file that File reads, in bytes.
const maxFile = 64 << 20

// Blob returns a blob's bytes. It fails with class NotFound when the object is missing or damaged, and with
// BudgetExceeded when it is larger than max bytes; max 0 is no limit.
func (r *Repo) Blob(ctx context.Context, id string, max int64) (data []byte, err error) {
	asked := r.objects.ask(ctx, askContents, []string{id}, func(_ int, obj object, body io.Reader) error {
		data, err = readBlob(id, obj, body, max)
		return nil // the stream is in order, whatever became of this blob
	})
	if asked != nil {
		return nil, objectError(id, asked)
	}
	return data, err
}

func readBlob(id string, obj object, body io.Reader, max int64) ([]byte, error) {
	switch {
	case obj.missing():
		return nil, gavel.Errorf(gavel.NotFound, "object %s is missing", id)
	case max > 0 && obj.size > max:
		return nil, gavel.Errorf(gavel.BudgetExceeded, "object %s has %d bytes, more than %d", id, obj.size, max)
	}
	data := make([]byte, obj.size)
	_, err := io.ReadFull(body, data)
	return data, err
}

// objectError gives a failed reading its class.
func objectError(id string, err error) error {
	var died *diedError
	if errors.As(err, &died) {
		return gavel.Errorf(gavel.NotFound, "object %s cannot be read: %s", id, said(died.stderr))
	}
	return err
}

// File returns a file of a commit or a tree. exists is false only when the tree has no such file; whatever else goes
// wrong is an error. A symlink is its target. The path is exact: no symlink is followed.
func (r *Repo) File(ctx context.Context, treeish, path string) (data []byte, exists bool, err error) {
	name := treeish
	if treeish != r.hash.emptyTree {
		name += "^{tree}"
	}
	for {
		dir, rest, deeper := strings.Cut(path, "/")
		tree, err := r.readTree(ctx, name)
		if err != nil {
			return nil, false, err
		}
		entry, ok := findEntry(tree, dir)
		switch {
		case !ok || deeper && entry.mode != modeTree:
			return nil, false, nil
		case deeper:
			name, path = hex.EncodeToString([]byte(entry.id)), rest
			continue
		case entry.mode == modeTree || entry.mode == gavel.ModeGitlink:
			return nil, false, gavel.Errorf(gavel.InvalidArgs, "%s is not a file", quoted(path))
		}
		data, err = r.Blob(ctx, hex.EncodeToString([]byte(entry.id)), maxFile)
		return data, err == nil, err
	}
}

func findEntry(tree []treeEntry, name string) (treeEntry, bool) {
	for _, e := range tree {
		if e.name == name {
			return e, true
		}
	}
	return treeEntry{}, false
}

// readTree reads one tree by id, or by an expression that gives one.
func (r *Repo) readTree(ctx context.Context, name string) (entries []treeEntry, err error) {
	trees, err := r.readTrees(ctx, []string{name})
	if err != nil {
		return nil, err
	}
	return trees[0], nil
}

// readTrees reads trees by name: those that were written here at once, the others by asking for all of them together.
func (r *Repo) readTrees(ctx context.Context, names []string) ([][]treeEntry, error) {
	trees := make([][]treeEntry, len(names))
	var ask []string
	var at []int
	for i, name := range names {
		if data, ok := r.writtenTree(rawID(strings.TrimSuffix(name, "^{tree}"))); ok {
			var err error
			if trees[i], err = parseTree(data, r.hash.size); err != nil {
				return nil, err
			}
		} else if name != r.hash.emptyTree {
			ask, at = append(ask, name), append(at, i)
		}
	}
	var last string
	err := r.objects.ask(ctx, askContents, ask, func(i int, obj object, body io.Reader) (err error) {
		last = ask[i]
		trees[at[i]], err = r.receiveTree(last, obj, body)
		return err
	})
	var died *diedError
	if errors.As(err, &died) {
		return nil, gavel.Errorf(gavel.RunFailed, "tree %s cannot be read: %s", last, said(died.stderr)).WithHint("see what git fsck says")
	}
	return trees, err
}

func (r *Repo) receiveTree(name string, obj object, body io.Reader) ([]treeEntry, error) {
	switch {
	case obj.missing():
		return nil, missingTree(name, r.Shallow)
	case obj.kind != "tree":
		return nil, gavel.Errorf(gavel.RunFailed, "object %s is a %s, not a tree", name, obj.kind)
	}
	var data strings.Builder
	data.Grow(int(obj.size))
	if _, err := io.Copy(&data, body); err != nil {
		return nil, io.ErrUnexpectedEOF
	}
	return parseTree(data.String(), r.hash.size)
}

func missingTree(name string, shallow bool) error {
	e := gavel.Errorf(gavel.RunFailed, "tree %s is missing", strings.TrimSuffix(name, "^{tree}"))
	if shallow {
		return e.WithHint("this clone is shallow: git fetch --unshallow")
	}
	return e.WithHint("a partial clone does not fetch during a review: git fetch the revisions first, or see what git fsck says")
}
