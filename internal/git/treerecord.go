package git

import (
	"encoding/hex"
	"os"
	"strconv"
	"strings"

	"github.com/gavel-review/gavel"
)

// recordHeader begins the record beside a materialised tree: what was written, so that the next time can tell what still
// is. Another header is not understood and counts as none. An entry is mode, id, size, times, inode, permissions and
// whether it is an LFS pointer, separated by blanks, then the path and a NUL.
const recordHeader = "gavel tree 2\n"

// maxRecord is the largest record that is read, in bytes.
const maxRecord = 1 << 30

func (t *Tree) recordPath() string { return t.Root + ".files" }

// readRecord reads what the folder held when it was last left. A record that cannot be read knows nothing.
func (t *Tree) readRecord() []treeFile {
	text, _, err := readRegular(t.recordPath(), maxRecord)
	if err != nil {
		return nil
	}
	return parseRecord(text, t.repo.hash.size)
}

// parseRecord returns nil for a text that is not a whole record.
func parseRecord(text string, idSize int) []treeFile {
	text, ok := strings.CutPrefix(text, recordHeader)
	if !ok || text != "" && text[len(text)-1] != 0 {
		return nil
	}
	files := make([]treeFile, 0, strings.Count(text, "\x00"))
	for text != "" {
		var line string
		line, text, _ = strings.Cut(text, "\x00")
		f, ok := parseRecorded(line)
		if !ok || len(f.id) != idSize || len(files) > 0 && f.path <= files[len(files)-1].path {
			return nil
		}
		files = append(files, f)
	}
	return files
}

func parseRecorded(line string) (f treeFile, ok bool) {
	var fields [8]string
	for i := range fields {
		if fields[i], line, ok = strings.Cut(line, " "); !ok {
			return f, false
		}
	}
	f.path = line
	f.id = rawID(fields[1])
	var bad [6]error
	var mode, perm uint64
	mode, bad[0] = strconv.ParseUint(fields[0], 8, 32)
	f.disk.size, bad[1] = strconv.ParseInt(fields[2], 10, 64)
	f.disk.modified, bad[2] = strconv.ParseInt(fields[3], 10, 64)
	f.disk.changed, bad[3] = strconv.ParseInt(fields[4], 10, 64)
	f.disk.inode, bad[4] = strconv.ParseUint(fields[5], 10, 64)
	perm, bad[5] = strconv.ParseUint(fields[6], 8, 32)
	f.mode, f.disk.perm, f.lfs = gavel.Mode(mode), os.FileMode(perm), fields[7] == "1"
	for _, err := range bad {
		if err != nil {
			return f, false
		}
	}
	return f, f.path != "" && canonicalMode(f.mode) == f.mode
}

func encodeRecord(files []treeFile) []byte {
	out := make([]byte, 0, len(recordHeader)+160*len(files))
	out = append(out, recordHeader...)
	for i := range files {
		f := &files[i]
		out = strconv.AppendUint(out, uint64(f.mode), 8)
		out = append(out, ' ')
		out = hex.AppendEncode(out, []byte(f.id))
		for _, n := range [...]int64{f.disk.size, f.disk.modified, f.disk.changed} {
			out = strconv.AppendInt(append(out, ' '), n, 10)
		}
		out = strconv.AppendUint(append(out, ' '), f.disk.inode, 10)
		out = strconv.AppendUint(append(out, ' '), uint64(f.disk.perm), 8)
		if f.lfs {
			out = append(out, " 1 "...)
		} else {
			out = append(out, " 0 "...)
		}
		out = append(append(out, f.path...), 0)
	}
	return out
}

// keepRecord replaces the record. One that is older than the files does no harm: what it says of a file holds only as
// long as the file is the same.
func (t *Tree) keepRecord() error {
	temporary := t.recordPath() + ".tmp"
	err := os.WriteFile(temporary, encodeRecord(t.files), 0o600)
	if err == nil {
		err = os.Rename(temporary, t.recordPath())
	}
	return treeError(t.Root, err)
}

// isTree reports whether exactly these files, sorted by path, make up the tree.
func (r *Repo) isTree(files []treeFile, tree string) bool {
	if len(files) == 0 {
		return false
	}
	id, used := r.hashFolder("", files)
	return used == len(files) && hexID(id) == tree
}

// hashFolder names the folder that prefix names, as writeFolder does, without writing anything.
func (r *Repo) hashFolder(prefix string, files []treeFile) (id string, used int) {
	var tree []byte
	for used < len(files) && strings.HasPrefix(files[used].path, prefix) {
		at := &files[used]
		name, _, deeper := strings.Cut(at.path[len(prefix):], "/")
		mode, id := at.mode, at.id
		if !deeper {
			used++
		} else {
			n := 0
			mode = modeTree
			id, n = r.hashFolder(at.path[:len(prefix)+len(name)+1], files[used:])
			used += n
		}
		tree = strconv.AppendUint(tree, uint64(mode), 8)
		tree = append(append(append(append(tree, ' '), name...), 0), id...)
	}
	return string(r.hash.sum("tree", tree)), used
}
