package git

import (
	"strings"

	"github.com/gavel-review/gavel"
)

// checkNames refuses what a tree may hold and a folder must not: a name that leads out of it or into a git directory,
// and two entries of one name, of which one could be a symlink that leads the other astray.
func (t *Tree) checkNames() error {
	folders := map[string]bool{}
	for i := range t.files {
		path := t.files[i].path
		if i > 0 && path <= t.files[i-1].path {
			return t.badName(path, "more than once")
		}
		for rest, deeper := path, true; deeper; {
			var part string
			part, rest, deeper = strings.Cut(rest, "/")
			if part == "" || part == "." || part == ".." || isGitName(part) || strings.IndexByte(part, 0) >= 0 {
				return t.badName(path, "which no checkout may hold")
			}
		}
		for j := strings.LastIndexByte(path, '/'); j > 0 && !folders[path[:j]]; j = strings.LastIndexByte(path[:j], '/') {
			folders[path[:j]] = true
		}
	}
	for i := range t.files {
		if folders[t.files[i].path] {
			return t.badName(t.files[i].path, "as a file and as a folder")
		}
	}
	return nil
}

func (t *Tree) badName(path, what string) error {
	return gavel.Errorf(gavel.RunFailed, "the tree %s holds %s, %s", t.subject.Tree, quoted(path), what).WithHint("see what git fsck says")
}

// isGitName reports whether some file system would take the name for ".git": see core.protectHFS and core.protectNTFS
// in git-config(1).
func isGitName(name string) bool {
	if name[0] != '.' && name[0] != 'g' && name[0] != 'G' && name[0] < 0x80 {
		return false
	}
	name, _, _ = strings.Cut(name, ":")
	name = strings.ToLower(strings.TrimRight(strings.Map(dropIgnorable, name), " ."))
	return name == ".git" || name == "git~1"
}

// dropIgnorable drops the code points that HFS+ ignores in names.
func dropIgnorable(c rune) rune {
	if c >= 0x200c && c <= 0x200f || c >= 0x202a && c <= 0x202e || c >= 0x206a && c <= 0x206f || c == 0xfeff {
		return -1
	}
	return c
}
