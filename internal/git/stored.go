package git

import (
	"bytes"
	"compress/zlib"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
)

// stored reads the repository's own objects without git: starting a process costs more than most reviews need of it.
// It knows loose objects, packs and references in files. Whatever it does not know or cannot read, it does not have: git
// is then asked, and its word counts.
type stored struct {
	dir  string // the object store
	hash objectHash
	refs *refFiles // nil where references are not kept in files

	mu    sync.Mutex
	packs []*packFile // nil until one was asked for
	inner io.ReadCloser
}

// maxStored is the largest object that is read here, in bytes: git streams larger ones.
const maxStored = 4 << 20

// errNotHere says that git has to be asked.
var errNotHere = errors.New("not read here")

// answer answers one question as git would. data is nil for askInfo.
func (s *stored) answer(question, name string) (obj object, data []byte, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	rest, peel := name, ""
	if cut, ok := strings.CutSuffix(name, "^{commit}"); ok {
		rest, peel = cut, "commit"
	} else if cut, ok := strings.CutSuffix(name, "^{tree}"); ok {
		rest, peel = cut, "tree"
	}
	id := rest
	if !s.isID(id) {
		if id, err = s.refs.find(rest); err != nil {
			return object{}, nil, err
		}
		if id == "" {
			return object{}, nil, nil // there is no such reference
		}
		if !s.isID(id) {
			return object{}, nil, errNotHere
		}
	}
	if peel == "tree" {
		if id, err = s.treeOf(id); err != nil {
			return object{}, nil, err
		}
	}
	if question == askInfo {
		obj, err = s.head(id)
	} else {
		obj, data, err = s.read(id)
	}
	if err == nil && peel != "" && obj.kind != peel {
		return object{}, nil, errNotHere // a tag, or something that is missing after all
	}
	return obj, data, err
}

func (s *stored) isID(name string) bool { return len(name) == 2*s.hash.size && isID(name) }

// treeOf is the tree of a commit; a tree is its own.
func (s *stored) treeOf(id string) (string, error) {
	obj, err := s.head(id)
	if err != nil || obj.kind == "tree" {
		return id, err
	}
	if obj.kind != "commit" {
		return "", errNotHere
	}
	_, data, err := s.read(id)
	if err != nil {
		return "", err
	}
	line, _, _ := bytes.Cut(data, []byte("\n"))
	tree, ok := strings.CutPrefix(string(line), "tree ")
	if !ok || !s.isID(tree) {
		return "", errNotHere
	}
	return tree, nil
}

// head is kind and size of an object.
func (s *stored) head(id string) (object, error) {
	f, obj, err := s.openLoose(id)
	if err == nil {
		f.Close()
		return obj, nil
	}
	if pack, at := s.packOf(id); pack != nil {
		kind, size, err := pack.head(at)
		return object{id, kind, size}, err
	}
	return object{}, errNotHere
}

// read is an object with its bytes.
func (s *stored) read(id string) (object, []byte, error) {
	f, obj, err := s.openLoose(id)
	if err == nil {
		defer f.Close()
		if obj.size > maxStored {
			return object{}, nil, errNotHere
		}
		data, err := readExactly(s.inner, obj.size)
		return obj, data, err
	}
	if pack, at := s.packOf(id); pack != nil {
		kind, data, err := pack.read(at, 0)
		return object{id, kind, int64(len(data))}, data, err
	}
	return object{}, nil, errNotHere
}

// openLoose opens a loose object and reads its head; the rest of it comes from s.inner. gitformat-loose(5).
func (s *stored) openLoose(id string) (*os.File, object, error) {
	f, err := openRegular(filepath.Join(s.dir, id[:2], id[2:]))
	if err != nil {
		return nil, object{}, errNotHere
	}
	obj, err := s.looseHead(f, id)
	if err != nil {
		f.Close()
		return nil, object{}, errNotHere
	}
	return f, obj, nil
}

func (s *stored) looseHead(f *os.File, id string) (object, error) {
	if err := s.inflate(f); err != nil {
		return object{}, err
	}
	var head [32]byte // "commit" and a size, and a NUL
	n := 0
	for ; n < len(head); n++ {
		if _, err := io.ReadFull(s.inner, head[n:n+1]); err != nil {
			return object{}, err
		}
		if head[n] == 0 {
			break
		}
	}
	kind, size, _ := strings.Cut(string(head[:n]), " ")
	bytes, err := strconv.ParseUint(size, 10, 62)
	if err != nil || n == len(head) || !isKind(kind) {
		return object{}, errNotHere
	}
	return object{id, kind, int64(bytes)}, nil
}

// inflate makes s.inner read from the stream.
func (s *stored) inflate(from io.Reader) (err error) {
	if s.inner == nil {
		s.inner, err = zlib.NewReader(from)
		return err
	}
	return s.inner.(zlib.Resetter).Reset(from, nil)
}

// readExactly reads what a stream holds, which must be as much as it says: the check sum is read with its end.
func readExactly(from io.Reader, size int64) ([]byte, error) {
	data := make([]byte, size)
	if _, err := io.ReadFull(from, data); err != nil {
		return nil, errNotHere
	}
	if n, err := from.Read(make([]byte, 1)); n != 0 || err != io.EOF {
		return nil, errNotHere
	}
	return data, nil
}

func isKind(word string) bool {
	return word == "commit" || word == "tree" || word == "blob" || word == "tag"
}

// openRegular opens a file that can be read without waiting.
func openRegular(path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|openNoWait, 0)
	if err != nil {
		return nil, err
	}
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		f.Close()
		return nil, errNotHere
	}
	return f, nil
}

// close lets go of the packs.
func (s *stored) close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, p := range s.packs {
		p.close()
	}
	s.packs = nil
}
