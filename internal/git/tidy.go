package git

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/gavel-review/gavel"
)

// tidying makes a folder ready for a tree: what does not belong there goes, every folder of the tree is made, and what
// is as it should be stays untouched. Every name that it asks the system for is a single one in an open folder, so that
// no symlink that a tool may have left is followed.
type tidying struct {
	ctx     context.Context
	tree    *Tree
	keep    []string
	helpers chan struct{} // holds one for each subfolder that is tidied beside the others
	touched atomic.Bool   // something was removed, or a file is not as the record says

	mu      sync.Mutex
	missing []*treeFile // what must be written
}

// helpThreshold is how many files a folder has that is worth a helper.
const helpThreshold = 32

func (t *Tree) tidy(ctx context.Context, root *os.Root, keep []string) (*tidying, error) {
	d := &tidying{ctx: ctx, tree: t, keep: keep, helpers: make(chan struct{}, runtime.GOMAXPROCS(0)-1)}
	err := d.folder(root, "", t.files, false)
	slices.SortFunc(d.missing, func(a, b *treeFile) int { return strings.Compare(a.path, b.path) })
	return d, treeError(t.Root, err)
}

// folder tidies one folder. files are those at or below it, prefix is "" or ends in a slash. keepAll spares everything
// that is not in the way.
func (d *tidying) folder(at *os.Root, prefix string, files []treeFile, keepAll bool) error {
	if err := d.ctx.Err(); err != nil {
		return err
	}
	found, err := readNames(at)
	if err != nil {
		return err
	}
	var helped error
	var helpers sync.WaitGroup
	for len(files) > 0 && err == nil {
		f := &files[0]
		name, _, deeper := strings.Cut(f.path[len(prefix):], "/")
		there := found[name]
		delete(found, name)
		n, below := 1, f.path+"/"
		if deeper {
			below = f.path[:len(prefix)+len(name)+1]
			n = countBelow(files, below)
		}
		in := files[:n]
		files = files[n:]
		switch {
		case deeper && n >= helpThreshold && d.helper():
			helpers.Go(func() {
				defer func() { <-d.helpers }()
				if err := d.subfolder(at, name, there, in, below, keepAll); err != nil {
					d.mu.Lock()
					helped = err
					d.mu.Unlock()
				}
			})
		case deeper:
			err = d.subfolder(at, name, there, in, below, keepAll)
		case f.mode == gavel.ModeGitlink:
			err = d.subfolder(at, name, there, nil, below, keepAll)
		default:
			err = d.file(at, name, there, f)
		}
	}
	helpers.Wait()
	for name := range found {
		if err == nil && !keepAll && !d.keeps(name, prefix+name) {
			err = d.remove(at, name)
		}
	}
	if err == nil {
		err = helped
	}
	return err
}

// helper reports whether another folder may be tidied beside this one.
func (d *tidying) helper() bool {
	select {
	case d.helpers <- struct{}{}:
		return true
	default:
		return false
	}
}

// countBelow counts the first files that lie in a folder.
func countBelow(files []treeFile, prefix string) int {
	n := 1
	for n < len(files) && strings.HasPrefix(files[n].path, prefix) {
		n++
	}
	return n
}

// readNames lists a folder: every name with true.
func readNames(at *os.Root) (map[string]bool, error) {
	f, err := at.Open(".")
	if err != nil {
		return nil, err
	}
	defer f.Close()
	names, err := f.Readdirnames(-1)
	found := make(map[string]bool, len(names))
	for _, name := range names {
		found[name] = true
	}
	return found, err
}

func (d *tidying) keeps(name, path string) bool {
	return slices.Contains(d.keep, name) || slices.Contains(d.keep, path)
}

func (d *tidying) subfolder(at *os.Root, name string, there bool, files []treeFile, prefix string, keepAll bool) error {
	var info fs.FileInfo
	var err error
	if there {
		if info, err = at.Lstat(name); err != nil {
			return err
		}
		if there = info.IsDir(); !there {
			err = d.remove(at, name)
		} else if info.Mode()&0o700 != 0o700 {
			err = at.Chmod(name, 0o755)
		}
		if err != nil {
			return err
		}
	}
	if !there {
		d.touched.Store(true)
		if err := at.Mkdir(name, 0o777); err != nil {
			return placeTaken(prefix, err)
		}
		if info, err = at.Lstat(name); err != nil {
			return err
		}
	}
	sub, err := enterKnown(at, name, info)
	if err != nil {
		return err
	}
	defer sub.Close()
	return d.folder(sub, prefix, files, keepAll || d.keeps(name, strings.TrimSuffix(prefix, "/")))
}

// errMoved says that something else came to stand under a name while it was looked at.
var errMoved = errors.New("it changed while it was looked at")

// enter opens a folder that stands in another one, and is no link.
func enter(at *os.Root, name string) (*os.Root, error) {
	info, err := at.Lstat(name)
	if err != nil {
		return nil, err
	}
	return enterKnown(at, name, info)
}

func enterKnown(at *os.Root, name string, before fs.FileInfo) (*os.Root, error) {
	if !before.IsDir() {
		return nil, &fs.PathError{Op: "open", Path: name, Err: errMoved}
	}
	sub, err := at.OpenRoot(name)
	if err != nil {
		return nil, err
	}
	if after, err := sub.Stat("."); err != nil || !os.SameFile(before, after) {
		sub.Close()
		return nil, &fs.PathError{Op: "open", Path: name, Err: errMoved}
	}
	return sub, nil
}

// file leaves a file as it is where it is right, and else notes it to be written.
func (d *tidying) file(at *os.Root, name string, there bool, f *treeFile) error {
	if there {
		info, err := at.Lstat(name)
		if err != nil {
			return err
		}
		now := diskFileOf(info)
		if now == f.disk && now.proves() {
			return nil
		}
		d.touched.Store(true)
		if d.tree.repo.holds(at, name, info, f) {
			f.disk = now
			return nil
		}
		if err := d.remove(at, name); err != nil {
			return err
		}
	}
	f.disk = diskFile{}
	d.mu.Lock()
	d.missing = append(d.missing, f)
	d.mu.Unlock()
	return nil
}

// holds reports whether a file on disk has the content and the mode of one of the tree, and notes an LFS pointer.
func (r *Repo) holds(at *os.Root, name string, info fs.FileInfo, f *treeFile) bool {
	switch {
	case f.mode == gavel.ModeSymlink:
		if info.Mode()&fs.ModeSymlink == 0 {
			return false
		}
		target, err := at.Readlink(name)
		return err == nil && string(r.hash.sum("blob", []byte(target))) == f.id
	case !info.Mode().IsRegular() || (info.Mode()&0o100 != 0) != (f.mode == gavel.ModeExec):
		return false
	}
	in, err := at.OpenFile(name, os.O_RDONLY|openFlags, 0)
	if err != nil {
		return false
	}
	defer in.Close()
	sum := r.hash.begin("blob", info.Size())
	var head bytes.Buffer
	n, err := io.Copy(io.MultiWriter(sum, limited(&head)), io.LimitReader(in, info.Size()+1))
	if err != nil || n != info.Size() || string(sum.Sum(nil)) != f.id {
		return false
	}
	_, f.lfs = parseLFSPointer(head.String())
	return true
}

// remove removes whatever has the name, also what a tool has made unreadable.
func (d *tidying) remove(at *os.Root, name string) error {
	d.touched.Store(true)
	err := at.RemoveAll(name)
	if err == nil || !errors.Is(err, fs.ErrPermission) {
		return err
	}
	unlock(at, name)
	return at.RemoveAll(name)
}

// unlock makes a folder and those in it writable, as far as that is possible.
func unlock(at *os.Root, name string) {
	info, err := at.Lstat(name)
	if err != nil || !info.IsDir() || at.Chmod(name, 0o700) != nil {
		return
	}
	sub, err := enter(at, name)
	if err != nil {
		return
	}
	defer sub.Close()
	names, _ := readNames(sub)
	for name := range names {
		unlock(sub, name)
	}
}

func placeTaken(path string, err error) error {
	if errors.Is(err, fs.ErrExist) {
		return gavel.Errorf(gavel.RunFailed, "%s cannot be written: this file system takes its name for another one's in the tree", quoted(path)).
			WithHint("rename one of the two; they differ in case alone, or in how their letters are composed")
	}
	return err
}
