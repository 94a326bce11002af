package git

import (
	"context"
	"slices"
	"strings"

	"github.com/gavel-review/gavel"
)

// treeBatch is how many trees are asked for at once: it bounds memory, not depth.
const treeBatch = 256

// treePair is a folder that differs. An empty id is a side where it does not exist.
type treePair struct {
	prefix   string // "" or ending in a slash
	old, new string // raw ids
}

// diffTrees compares two trees, given in hex, and lists every path that differs, sorted. It reads only folders that
// differ.
func (r *Repo) diffTrees(ctx context.Context, base, head string) ([]entry, error) {
	if base == head {
		return nil, nil
	}
	root := treePair{old: rawID(base), new: rawID(head)}
	var entries []entry
	for queue := []treePair{root}; len(queue) > 0; {
		n := min(len(queue), treeBatch)
		batch := queue[:n]
		queue = queue[n:]
		trees, err := r.readPairs(ctx, batch)
		if err != nil {
			return nil, err
		}
		for i, pair := range batch {
			entries, queue = compareTrees(pair.prefix, trees[2*i], trees[2*i+1], entries, queue)
		}
	}
	sortEntries(entries)
	return entries, nil
}

// readPairs returns the old and the new side of each pair in turn.
func (r *Repo) readPairs(ctx context.Context, pairs []treePair) ([][]treeEntry, error) {
	names := make([]string, 0, 2*len(pairs))
	at := make([]int, 0, 2*len(pairs))
	for i, p := range pairs {
		for side, id := range [...]string{p.old, p.new} {
			if id != "" {
				names, at = append(names, hexID(id)), append(at, 2*i+side)
			}
		}
	}
	read, err := r.readTrees(ctx, names)
	if err != nil {
		return nil, err
	}
	trees := make([][]treeEntry, 2*len(pairs))
	for i, tree := range read {
		trees[at[i]] = tree
	}
	return trees, nil
}

func compareTrees(prefix string, old, new []treeEntry, entries []entry, queue []treePair) ([]entry, []treePair) {
	sortTree(old)
	sortTree(new)
	add := func(o, n treeEntry) {
		name := o.name
		if name == "" {
			name = n.name
		}
		if o.mode == modeTree || n.mode == modeTree {
			pair := treePair{prefix: prefix + name + "/"}
			if o.mode == modeTree {
				pair.old, o = o.id, treeEntry{}
			}
			if n.mode == modeTree {
				pair.new, n = n.id, treeEntry{}
			}
			queue = append(queue, pair)
		}
		if o.mode != 0 || n.mode != 0 {
			entries = append(entries, entry{prefix + name, o.mode, n.mode, o.id, n.id})
		}
	}
	for len(old) > 0 || len(new) > 0 {
		switch c := compareNames(old, new); {
		case c < 0:
			add(old[0], treeEntry{})
			old = old[1:]
		case c > 0:
			add(treeEntry{}, new[0])
			new = new[1:]
		default:
			if old[0] != new[0] {
				add(old[0], new[0])
			}
			old, new = old[1:], new[1:]
		}
	}
	return entries, queue
}

// compareNames compares the first names; a list that is used up comes last.
func compareNames(old, new []treeEntry) int {
	switch {
	case len(old) == 0:
		return 1
	case len(new) == 0:
		return -1
	}
	return strings.Compare(old[0].name, new[0].name)
}

// sortTree sorts by name alone: git sorts a folder as if its name ended in a slash.
func sortTree(tree []treeEntry) {
	byName := func(a, b treeEntry) int { return strings.Compare(a.name, b.name) }
	if !slices.IsSortedFunc(tree, byName) {
		slices.SortStableFunc(tree, byName)
	}
}

// listTree lists every file of a tree, sorted.
func (r *Repo) listTree(ctx context.Context, tree string) ([]entry, error) {
	return r.diffTrees(ctx, r.hash.emptyTree, tree)
}

// status says what happened to the path.
func (e *entry) status() gavel.FileStatus {
	const typeBits = 0o170000
	switch {
	case e.oldMode == 0:
		return gavel.Added
	case e.newMode == 0:
		return gavel.Deleted
	case e.oldMode&typeBits != e.newMode&typeBits:
		return gavel.TypeChanged
	}
	return gavel.Modified
}
