package git

import (
	"strconv"
	"strings"

	"github.com/gavel-review/gavel"
)

const devNull = "/dev/null"

// patchHeader is what stands above a file's hunks.
type patchHeader struct {
	git              string // what follows "diff --git "
	plain            bool   // it began with "---"
	seen             bool   // a line followed "diff --git"
	old, new         string // the names in "---" and "+++", with prefixes
	from, to         string // the names of a rename or copy, without prefixes
	status           gavel.FileStatus
	oldMode, newMode gavel.Mode
	oldID, newID     string // as they stand there, often abbreviated
	binary           bool
}

// line reads one line of the header, and reports whether it was one.
func (h *patchHeader) line(line string) (used bool, err error) {
	line = strings.TrimSuffix(line, "\r")
	for _, field := range headerFields {
		rest, ok := strings.CutPrefix(line, field.prefix)
		if !ok {
			continue
		}
		h.seen = true
		return true, field.read(h, rest)
	}
	return false, nil
}

// headerFields are the lines that may stand in a header; any other line ends it.
var headerFields = [...]struct {
	prefix string
	read   func(h *patchHeader, rest string) error
}{
	{"--- ", func(h *patchHeader, rest string) error { return readName(&h.old, rest) }},
	{"+++ ", func(h *patchHeader, rest string) error { return readName(&h.new, rest) }},
	{"index ", (*patchHeader).readIDs},
	{"old mode ", func(h *patchHeader, rest string) error { return readMode(&h.oldMode, rest) }},
	{"new mode ", func(h *patchHeader, rest string) error { return readMode(&h.newMode, rest) }},
	{"new file mode ", func(h *patchHeader, rest string) error {
		h.status = gavel.Added
		return readMode(&h.newMode, rest)
	}},
	{"deleted file mode ", func(h *patchHeader, rest string) error {
		h.status = gavel.Deleted
		return readMode(&h.oldMode, rest)
	}},
	{"similarity index ", func(*patchHeader, string) error { return nil }},
	{"dissimilarity index ", func(*patchHeader, string) error { return nil }},
	{"rename from ", (*patchHeader).renameFrom},
	{"rename to ", func(h *patchHeader, rest string) error { return readName(&h.to, rest) }},
	{"copy from ", func(h *patchHeader, rest string) error {
		h.status = gavel.Copied
		return readName(&h.from, rest)
	}},
	{"copy to ", func(h *patchHeader, rest string) error { return readName(&h.to, rest) }},
	{"Binary files ", func(h *patchHeader, _ string) error {
		h.binary = true
		return nil
	}},
}

func (h *patchHeader) renameFrom(rest string) error {
	h.status = gavel.Renamed
	return readName(&h.from, rest)
}

// readIDs reads "old..new mode".
func (h *patchHeader) readIDs(rest string) error {
	ids, mode, hasMode := strings.Cut(rest, " ")
	old, new, ok := strings.Cut(ids, "..")
	if !ok {
		return errHeader
	}
	h.oldID, h.newID = old, new
	if !hasMode {
		return nil
	}
	if err := readMode(&h.oldMode, mode); err != nil {
		return err
	}
	h.newMode = h.oldMode
	return nil
}

// fullID drops an abbreviated id: it names nothing for sure.
func fullID(s string) string {
	if !isID(s) || strings.Trim(s, "0") == "" {
		return ""
	}
	return s
}

func readMode(into *gavel.Mode, s string) error {
	m, ok := parseMode(strings.TrimSpace(s))
	if !ok {
		return errHeader
	}
	*into = m
	return nil
}

// readName reads a name, quoted or up to a tab, after which a time may stand. A name cannot be said twice.
func readName(into *string, s string) error {
	name, _, _ := strings.Cut(s, "\t")
	if strings.HasPrefix(s, `"`) {
		var err error
		if name, _, err = cUnquote(s); err != nil {
			return err
		}
	}
	if name == "" {
		return errNoName
	}
	if *into != "" && *into != name {
		return errNames
	}
	*into = name
	return nil
}

// unshown reports whether the header says that content changed, so that a file without a hunk hides something. The
// empty blob shows nothing.
func (h *patchHeader) unshown(f *gavel.File) bool {
	if h.oldID == h.newID { // also where there is no index line
		return f.Status == gavel.Modified
	}
	return !(f.Status == gavel.Added && isEmptyBlob(h.newID) || f.Status == gavel.Deleted && isEmptyBlob(h.oldID))
}

func isEmptyBlob(id string) bool {
	const sha1, sha256 = "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391", "473a0f4c3be8a93681a267e3b1e9a7dcda1185436fe141f7749120a303721813"
	return len(id) >= 4 && (strings.HasPrefix(sha1, id) || strings.HasPrefix(sha256, id))
}

// modeOnly reports whether the header says that a mode changed.
func (h *patchHeader) modeOnly() bool {
	return h.oldMode != 0 && h.newMode != 0 && h.oldMode != h.newMode
}

// file makes the file that the header speaks of.
func (h *patchHeader) file() (*gavel.File, error) {
	old, new, err := h.names()
	if err != nil {
		return nil, err
	}
	f := &gavel.File{
		Path: new, OldPath: old, Status: gavel.Modified, OldMode: h.oldMode, NewMode: h.newMode,
		OldID: fullID(h.oldID), NewID: fullID(h.newID), Size: -1,
	}
	switch {
	case old == "":
		f.Status, f.OldMode, f.OldID = gavel.Added, 0, ""
	case new == "":
		f.Status, f.Path, f.NewMode, f.NewID = gavel.Deleted, old, 0, ""
	case h.status == gavel.Renamed || h.status == gavel.Copied:
		f.Status = h.status
	}
	if f.OldPath == f.Path {
		f.OldPath = ""
	}
	f.OldMode, f.NewMode = defaultModes(f)
	return f, nil
}

// defaultModes takes a regular file where a side exists and the patch does not say what it is.
func defaultModes(f *gavel.File) (old, new gavel.Mode) {
	old, new = f.OldMode, f.NewMode
	if old == 0 && f.Status != gavel.Added {
		old = gavel.ModeRegular
	}
	if new == 0 && f.Status != gavel.Deleted {
		new = gavel.ModeRegular
	}
	return old, new
}

// names are the paths on both sides without prefixes; "" is a side that does not exist. Every line that names a side
// must name the same.
func (h *patchHeader) names() (old, new string, err error) {
	first, second := h.gitNames()
	old, new = or(h.old, first), or(h.new, second)
	if h.old != "" && first != "" && h.old != devNull && h.old != first || h.new != "" && second != "" && h.new != devNull && h.new != second {
		return "", "", errNames
	}
	rawOld, rawNew := old, new
	if first == "" || second == "" || prefixOf(first) != prefixOf(second) {
		old, new = stripPrefixes(old, new)
	}
	switch {
	case h.status == gavel.Added || h.old == devNull:
		old = ""
	case h.status == gavel.Deleted || h.new == devNull:
		new = ""
	}
	if h.from != "" || h.to != "" {
		if h.from == "" || h.to == "" || old != "" && old != h.from && rawOld != h.from || new != "" && new != h.to && rawNew != h.to {
			return "", "", errNames
		}
		old, new = h.from, h.to
	}
	if old == "" && new == "" || old == devNull || new == devNull {
		return "", "", errNoName
	}
	if h.plain && old != "" && new != "" { // "x.orig" against "x": the new name is the file's
		old = new
	}
	return old, new, nil
}

// gitNames splits the names of "diff --git" where that can be done for sure: both quoted, or equal but for a prefix.
func (h *patchHeader) gitNames() (old, new string) {
	line := strings.TrimSuffix(h.git, "\r")
	if strings.HasPrefix(line, `"`) {
		first, rest, err := cUnquote(line)
		rest, ok := strings.CutPrefix(rest, " ")
		if err != nil || !ok {
			return "", ""
		}
		if second, after, err := cUnquote(rest); err == nil && after == "" {
			return first, second
		}
		return first, rest
	}
	if i := strings.Index(line, ` "`); i >= 0 && strings.HasSuffix(line, `"`) {
		if second, after, err := cUnquote(line[i+1:]); err == nil && after == "" {
			return line[:i], second
		}
	}
	// Names may hold spaces: only halves that are one name, perhaps under two prefixes, are sure.
	if mid := len(line) / 2; len(line)%2 == 1 && line[mid] == ' ' && sameName(line[:mid], line[mid+1:]) {
		return line[:mid], line[mid+1:]
	}
	return "", ""
}

func sameName(a, b string) bool {
	if a == b {
		return true
	}
	_, nameA, okA := strings.Cut(a, "/")
	_, nameB, okB := strings.Cut(b, "/")
	return okA && okB && nameA == nameB && len(a)-len(nameA) == 2
}

// prefixes are the pairs that git writes: by default, with diff.mnemonicPrefix, and each of them reversed.
const prefixLetters = "abciwo12"

// stripPrefixes cuts "a/" and "b/" and their like, which always differ: equal ones are folders.
func stripPrefixes(old, new string) (string, string) {
	a, b := prefixOf(old), prefixOf(new)
	switch {
	case old == devNull || old == "":
		if b == 'a' || b == 'b' || b == 'w' || b == 'i' {
			new = new[2:]
		}
	case new == devNull || new == "":
		if a == 'a' || a == 'b' || a == 'i' || a == 'c' {
			old = old[2:]
		}
	case a != 0 && b != 0 && a != b:
		old, new = old[2:], new[2:]
	}
	return old, new
}

func prefixOf(name string) byte {
	if len(name) > 2 && name[1] == '/' && strings.IndexByte(prefixLetters, name[0]) >= 0 {
		return name[0]
	}
	return 0
}

// hunkCounts reads how many lines of each side a hunk has.
func hunkCounts(line string) (old, new int64, err error) {
	ranges, _, ok := strings.Cut(strings.TrimPrefix(line, hunkStart), " @@")
	a, b, ok2 := strings.Cut(ranges, " +")
	if !ok || !ok2 {
		return 0, 0, errHunk
	}
	if old, err = rangeCount(a); err == nil {
		new, err = rangeCount(b)
	}
	if err == nil && old+new == 0 {
		err = errHunk
	}
	return old, new, err
}

func rangeCount(s string) (int64, error) {
	start, count, hasCount := strings.Cut(s, ",")
	if !hasCount {
		count = "1"
	}
	a, errA := strconv.ParseUint(start, 10, 30)
	n, errN := strconv.ParseUint(count, 10, 30)
	if errA != nil || errN != nil || a > maxLineNumber/2 {
		return 0, errHunk
	}
	return int64(n), nil
}
