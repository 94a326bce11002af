package check

import (
	"path"
	"strconv"
	"strings"
)

// place is a path of a tool as findings name it: relative to the tree's top, with slashes, clean. ok is false for what
// lies outside. Nothing is looked up: links are not followed. A backslash is always taken for a separator.
func (o Output) place(name string) (file string, ok bool) {
	if name = slashed(cleanString(name)); name == "" {
		return "", false
	}
	root := path.Clean(slashed(o.Root))
	if !absolute(name) {
		dir := slashed(o.Dir)
		if dir == "" {
			dir = root
		}
		name = dir + "/" + name
	}
	name = path.Clean(name)
	if name == root {
		return "", true
	}
	rel, ok := below(root, name)
	if !ok || strings.ContainsAny(rel, "\n\t") || strings.HasPrefix(rel, "../") || rel == ".." || absolute(rel) {
		return "", false
	}
	return rel, true
}

// inTree reports whether a path lies in the tree.
func (o Output) inTree(name string) bool {
	_, ok := o.place(name)
	return ok
}

// below is name relative to root; both are clean. Drive letters and folders on Windows have no case.
func below(root, name string) (string, bool) {
	prefix := strings.TrimSuffix(root, "/") + "/"
	switch {
	case len(name) < len(prefix):
		return "", false
	case name[:len(prefix)] == prefix, driven(root) && strings.EqualFold(name[:len(prefix)], prefix):
		return name[len(prefix):], true
	}
	return "", false
}

// slashed is a path with slashes alone, without the prefix of long paths on Windows (\\?\).
func slashed(name string) string {
	name = strings.ReplaceAll(name, `\`, "/")
	if rest, ok := strings.CutPrefix(name, "//?/"); ok && driven(rest) {
		return rest
	}
	return name
}

func absolute(name string) bool { return strings.HasPrefix(name, "/") || driven(name) }

// driven reports whether a path begins with a drive: C:/.
func driven(name string) bool {
	return len(name) >= 3 && name[1] == ':' && name[2] == '/' && name[0]|0x20 >= 'a' && name[0]|0x20 <= 'z'
}

// outside tells a place outside the tree: its last folders, which are the same on every machine, and the line.
func outside(name string, line int) string {
	if name = slashed(cleanString(name)); name == "" {
		return ""
	}
	parts := strings.Split(strings.Trim(path.Clean(strings.ReplaceAll(name, "\n", " ")), "/"), "/")
	const shown = 3
	if len(parts) > shown {
		parts = append([]string{"…"}, parts[len(parts)-shown:]...)
	}
	at := "outside the tree: " + strings.TrimLeft(strings.Join(parts, "/"), "./")
	if line > 0 {
		at += ":" + strconv.Itoa(line)
	}
	return at
}

// cutPosition takes line and column off the end of "path:3:5". Either may be missing, then it is 0.
func cutPosition(s string) (name string, line, column int) {
	name, last, ok := cutNumber(s)
	if !ok {
		return s, 0, 0
	}
	if before, first, ok := cutNumber(name); ok {
		return before, first, last
	}
	return name, last, 0
}

func cutNumber(s string) (before string, n int, ok bool) {
	i := strings.LastIndexByte(s, ':')
	if i <= 0 {
		return s, 0, false
	}
	n, err := strconv.Atoi(s[i+1:])
	if err != nil || n < 0 || s[i+1] == '+' {
		return s, 0, false
	}
	return s[:i], n, true
}

// shown is a path for people: relative to the tree's top where it lies in it, its last folders otherwise.
func (o Output) shown(name string) string {
	if file, ok := o.place(name); ok {
		return file
	}
	return strings.TrimPrefix(outside(name, 0), "outside the tree: ")
}
