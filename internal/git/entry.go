package git

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/gavel-review/gavel"
)

// entry is one path that differs between two trees. Ids are raw; a side that does not exist has mode 0 and no id.
type entry struct {
	path             string
	oldMode, newMode gavel.Mode
	oldID, newID     string
}

// sortEntries puts entries into the order of their paths, which is git's.
func sortEntries(entries []entry) {
	byPath := func(a, b entry) int {
		if c := strings.Compare(a.path, b.path); c != 0 {
			return c
		}
		return cmp.Compare(a.newMode, b.newMode)
	}
	if !slices.IsSortedFunc(entries, byPath) {
		slices.SortFunc(entries, byPath)
	}
}

// digest names a change: every path, both modes and both ids, and what could not be read. It does not depend on how
// renames are paired. Entries must be sorted.
func digest(entries []entry, unread []gavel.File) string {
	sum := sha256.New()
	for _, e := range entries {
		fmt.Fprintf(sum, "%o %o %x %x ", e.oldMode, e.newMode, e.oldID, e.newID)
		writeField(sum, e.path)
	}
	for _, f := range unread {
		io.WriteString(sum, "unread ")
		writeField(sum, f.Path)
		writeField(sum, string(f.Skip.Reason)+" "+f.Skip.Detail)
	}
	return "sha256:" + hex.EncodeToString(sum.Sum(nil))
}

func writeField(w io.Writer, s string) { io.WriteString(w, s+"\x00") }

func hexID(raw string) string { return hex.EncodeToString([]byte(raw)) }
