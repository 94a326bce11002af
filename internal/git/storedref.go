package git

import (
	"errors"
	"io/fs"
	"path/filepath"
	"strings"
)

// refFiles are references that are kept in files, those of the common git directory.
type refFiles struct {
	dir    string
	packed string // the text of packed-refs
	state  int8   // of packed: 0 not read, 1 read, -1 cannot be
}

// maxPackedRefs bounds the list that is searched here, in bytes.
const maxPackedRefs = 8 << 20

// find returns what a full name stands for: an object id, or "" where there is no such reference.
func (f *refFiles) find(name string) (id string, err error) {
	if f == nil {
		return "", errNotHere
	}
	for range 5 {
		if !plainRef(name) {
			return "", errNotHere
		}
		text, err := readRef(filepath.Join(f.dir, filepath.FromSlash(name)))
		if err != nil {
			if !errors.Is(err, fs.ErrNotExist) {
				return "", errNotHere
			}
			return f.findPacked(name)
		}
		target, symbolic := strings.CutPrefix(text, "ref: ")
		if !symbolic {
			return text, nil
		}
		name = strings.TrimSpace(target)
	}
	return "", errNotHere
}

// plainRef reports whether the name is one of a branch, a remote's branch or a tag that means itself and nothing else.
func plainRef(name string) bool {
	if !strings.HasPrefix(name, "refs/heads/") && !strings.HasPrefix(name, "refs/remotes/") && !strings.HasPrefix(name, "refs/tags/") {
		return false
	}
	return isBranchName(name) && filepath.IsLocal(filepath.FromSlash(name)) && filepath.Clean(name) == name && !strings.HasSuffix(name, ".lock")
}

func (f *refFiles) findPacked(name string) (string, error) {
	if f.state == 0 {
		text, _, err := readRegular(filepath.Join(f.dir, "packed-refs"), maxPackedRefs)
		switch f.state = 1; {
		case err == nil:
			f.packed = "\n" + text
		case !errors.Is(err, fs.ErrNotExist):
			f.state = -1
		}
	}
	if f.state < 0 {
		return "", errNotHere
	}
	i := strings.Index(f.packed, " "+name+"\n")
	if i < 0 {
		return "", nil
	}
	line := f.packed[:i]
	return line[strings.LastIndexByte(line, '\n')+1:], nil
}
