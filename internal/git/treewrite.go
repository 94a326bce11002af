package git

import (
	"strconv"
	"strings"

	"github.com/gavel-review/gavel"
)

// writeTree writes the tree of the leaves, which are sorted by path, into the private store, and returns its id in
// hex. Folders that cache knows are not written again. The empty tree needs no object.
func (r *Repo) writeTree(leaves []leaf, cache *cachedTree) (string, error) {
	if len(leaves) == 0 {
		return r.hash.emptyTree, nil
	}
	if cache != nil && cache.count == len(leaves) && cache.count > 0 {
		return hexID(cache.id), nil
	}
	id, _, err := r.writeFolder("", leaves, cache)
	return hexID(id), err
}

// writeFolder writes the folder that prefix names, and returns how many leaves lie in it.
func (r *Repo) writeFolder(prefix string, leaves []leaf, cache *cachedTree) (id string, used int, err error) {
	var tree []byte
	for used < len(leaves) && strings.HasPrefix(leaves[used].path, prefix) {
		at := &leaves[used]
		name, rest, deeper := strings.Cut(at.path[len(prefix):], "/")
		mode, id := at.mode, at.id
		if !deeper || at.mode == modeTree && rest == "" { // a folder of a sparse index is a tree already
			used++
		} else {
			n := 0
			below := at.path[:len(prefix)+len(name)+1]
			if mode, id, n, err = r.writeBelow(below, name, leaves[used:], cache); err != nil {
				return "", 0, err
			}
			used += n
		}
		tree = strconv.AppendUint(tree, uint64(mode), 8)
		tree = append(append(append(append(tree, ' '), name...), 0), id...)
	}
	id, err = r.store("tree", tree)
	return id, used, err
}

func (r *Repo) writeBelow(prefix, name string, leaves []leaf, cache *cachedTree) (gavel.Mode, string, int, error) {
	known := cache.child(name)
	if known != nil && known.count > 0 && known.covers(prefix, leaves) {
		return modeTree, known.id, known.count, nil
	}
	id, used, err := r.writeFolder(prefix, leaves, known)
	return modeTree, id, used, err
}

// covers reports whether exactly the first count leaves lie in the folder: else the cache is about something else.
func (t *cachedTree) covers(prefix string, leaves []leaf) bool {
	return t.count <= len(leaves) && strings.HasPrefix(leaves[t.count-1].path, prefix) &&
		(t.count == len(leaves) || !strings.HasPrefix(leaves[t.count].path, prefix))
}
