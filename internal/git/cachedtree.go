package git

import (
	"strconv"
	"strings"
)

// cachedTree is what the index remembers of the tree objects it was read from or written to.
type cachedTree struct {
	name     string
	count    int    // entries of the index below it, -1 when something below it has changed
	id       string // raw; "" when count is -1
	children []*cachedTree
	byName   map[string]*cachedTree // made when it is worth it
}

// parseCachedTree reads the TREE extension. One that makes no sense is as good as none: it only saves work.
func parseCachedTree(data string, idSize int) *cachedTree {
	root, rest := parseCachedNode(data, idSize, 0)
	if rest != "" {
		return nil
	}
	return root
}

func parseCachedNode(data string, idSize, depth int) (node *cachedTree, rest string) {
	const deepest = 4096
	name, rest, ok := strings.Cut(data, "\x00")
	counts, rest, ok2 := strings.Cut(rest, "\n")
	a, b, _ := strings.Cut(counts, " ")
	count, errA := strconv.Atoi(a)
	children, errB := strconv.Atoi(b)
	if !ok || !ok2 || errA != nil || errB != nil || children < 0 || children > len(rest) || depth > deepest {
		return nil, "malformed"
	}
	node = &cachedTree{name: name, count: count}
	if count >= 0 {
		if len(rest) < idSize {
			return nil, "malformed"
		}
		node.id, rest = rest[:idSize], rest[idSize:]
	}
	for range children {
		var child *cachedTree
		if child, rest = parseCachedNode(rest, idSize, depth+1); child == nil {
			return nil, "malformed"
		}
		node.children = append(node.children, child)
	}
	return node, rest
}

// child returns the node of a folder, or nil.
func (t *cachedTree) child(name string) *cachedTree {
	if t == nil {
		return nil
	}
	if len(t.children) <= 16 {
		for _, c := range t.children {
			if c.name == name {
				return c
			}
		}
		return nil
	}
	if t.byName == nil {
		t.byName = make(map[string]*cachedTree, len(t.children))
		for _, c := range t.children {
			t.byName[c.name] = c
		}
	}
	return t.byName[name]
}

// forget says that a path has changed: no tree above it is what it was.
func (t *cachedTree) forget(path string) {
	for t != nil {
		t.count, t.id = -1, ""
		dir, rest, deeper := strings.Cut(path, "/")
		if !deeper {
			return
		}
		t, path = t.child(dir), rest
	}
}
