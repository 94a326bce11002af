package git

import (
	"strings"

	"github.com/gavel-review/gavel"
)

// modeTree is the mode of a folder inside a tree; a change lists no folders.
const modeTree gavel.Mode = 0o040000

type treeEntry struct {
	name string
	mode gavel.Mode
	id   string // raw
}

// parseTree reads a tree object: mode in octal, space, name, NUL, raw id; and again.
func parseTree(data string, idSize int) ([]treeEntry, error) {
	entries := make([]treeEntry, 0, len(data)/(idSize+20)+1)
	for data != "" {
		mode, rest, ok := strings.Cut(data, " ")
		name, rest, ok2 := strings.Cut(rest, "\x00")
		m, ok3 := parseMode(mode)
		if !ok || !ok2 || !ok3 || name == "" || len(rest) < idSize {
			return nil, gavel.Errorf(gavel.RunFailed, "a tree object is malformed").WithHint("see what git fsck says")
		}
		entries = append(entries, treeEntry{name, m, rest[:idSize]})
		data = rest[idSize:]
	}
	return entries, nil
}

// parseMode reads an octal mode and makes it one of the few that git knows, the way git itself does.
func parseMode(s string) (gavel.Mode, bool) {
	if s == "" || len(s) > 7 {
		return 0, false
	}
	var m gavel.Mode
	for i := range len(s) {
		if s[i] < '0' || s[i] > '7' {
			return 0, false
		}
		m = m<<3 | gavel.Mode(s[i]-'0')
	}
	return canonicalMode(m), true
}

func canonicalMode(m gavel.Mode) gavel.Mode {
	const typeBits = 0o170000
	switch {
	case m == gavel.ModeAbsent:
		return m
	case m&typeBits == gavel.ModeRegular&typeBits && m&0o100 != 0:
		return gavel.ModeExec
	case m&typeBits == gavel.ModeRegular&typeBits:
		return gavel.ModeRegular
	case m&typeBits == gavel.ModeSymlink, m&typeBits == modeTree:
		return m & typeBits
	}
	return gavel.ModeGitlink
}
