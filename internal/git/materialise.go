package git

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"

	"github.com/gavel-review/gavel"
)

// Tree is a subject's files on disk, for tools to look at.
type Tree struct {
	Root    string // absolute, symlinks resolved
	InPlace bool   // it is the user's own checkout
	Notes   []string

	repo    *Repo
	subject gavel.Subject
	files   []treeFile // sorted; none where InPlace
	written map[string]diskFile
	lock    *os.File
}

// treeFile is a file that a tree has.
type treeFile struct {
	path string
	mode gavel.Mode
	id   string // raw
}

// Materialise puts a subject on disk. Where the checkout is exactly the commit that is judged, with nothing beside it
// that git would track, it is used as it is. Otherwise the files are written below folder, an existing private one, in
// one that keeps its name from run to run (slot), so that build caches keyed by path stay warm: only what differs from
// the last time is written, and what tools left there is removed. Contents are those of the objects: no filter, no line
// end conversion; a submodule is an empty folder, an LFS file its pointer.
//
// Release it afterwards. A slot that another process holds is passed over for the next one.
func (r *Repo) Materialise(ctx context.Context, subject Pinned, folder, slot string) (*Tree, error) {
	if subject.Kind == gavel.SubjectCommit && subject.Commit == r.Head && r.Head != "" {
		clean, err := r.isCheckedOut(ctx, subject.Subject)
		if err != nil {
			return nil, err
		}
		if clean {
			return &Tree{Root: r.Root, InPlace: true, repo: r, subject: subject.Subject}, nil
		}
	}
	entries, err := r.listTree(ctx, subject.Tree)
	if err != nil {
		return nil, err
	}
	t := &Tree{repo: r, subject: subject.Subject, files: make([]treeFile, len(entries))}
	for i, e := range entries {
		t.files[i] = treeFile{e.path, e.newMode, e.newID}
	}
	if err := t.checkNames(); err != nil {
		return nil, err
	}
	if err := t.claim(folder, slot); err != nil {
		return nil, err
	}
	if err := t.fill(ctx); err != nil {
		t.Release()
		return nil, err
	}
	return t, nil
}

// isCheckedOut reports whether the work tree is the subject, whole and with nothing beside it.
func (r *Repo) isCheckedOut(ctx context.Context, subject gavel.Subject) (bool, error) {
	work, err := r.SubjectTree(ctx, gavel.SubjectWorktree)
	if err != nil {
		return false, err
	}
	return work.Tree == subject.Tree && len(work.unread) == 0 && len(work.Notes) == 0, nil
}

// checkNames refuses what a tree may hold and a folder must not: a name that leads out of it, or into a git directory.
func (t *Tree) checkNames() error {
	for i := range t.files {
		for _, part := range strings.Split(t.files[i].path, "/") {
			if part == "" || part == "." || part == ".." || isGitName(part) || strings.ContainsRune(part, 0) {
				return gavel.Errorf(gavel.RunFailed, "the tree holds %s, which no checkout may hold", quoted(t.files[i].path)).WithHint("see what git fsck says")
			}
		}
	}
	return nil
}

// isGitName reports whether some file system would take the name for ".git", see `git help config`, core.protectNTFS.
func isGitName(name string) bool {
	name = strings.ToLower(strings.TrimRight(name, " ."))
	name, _, _ = strings.Cut(name, ":")
	return name == ".git" || name == "git~1" || strings.Map(dropIgnorable, name) == ".git"
}

// dropIgnorable drops the code points that HFS+ ignores in names.
func dropIgnorable(c rune) rune {
	if c >= 0x200c && c <= 0x200f || c >= 0x202a && c <= 0x202e || c >= 0x206a && c <= 0x206f || c == 0xfeff {
		return -1
	}
	return c
}

// fill makes the folder hold the files and nothing else.
func (t *Tree) fill(ctx context.Context) error {
	root, err := os.OpenRoot(t.Root)
	if err != nil {
		return treeError(t.Root, err)
	}
	defer root.Close()
	known := t.readRecord()
	t.written = make(map[string]diskFile, len(t.files))
	if err := t.sweep(root, known); err != nil {
		return treeError(t.Root, err)
	}
	if err := t.write(ctx, root); err != nil {
		return err
	}
	return t.keepRecord()
}

func treeError(root string, err error) error {
	var known *gavel.Error
	if errors.As(err, &known) {
		return err
	}
	return gavel.Errorf(gavel.RunFailed, "the tree cannot be put into %s: %w", quoted(root), err)
}

// sweep removes what does not belong there or has been touched, and notes what can stay.
func (t *Tree) sweep(root *os.Root, known map[string]recorded) error {
	folders := map[string]bool{".": true}
	for i := range t.files {
		for dir := path.Dir(t.files[i].path); !folders[dir]; dir = path.Dir(dir) {
			folders[dir] = true
		}
		if t.files[i].mode == gavel.ModeGitlink {
			folders[t.files[i].path] = true
		}
	}
	return fs.WalkDir(root.FS(), ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && folders[name]:
			return nil
		case d.IsDir():
			if err := removeAll(root, name); err != nil {
				return err
			}
			return fs.SkipDir
		}
		f, ok := t.find(name)
		if was, here := known[name]; ok && here && was.mode == f.mode && was.id == f.id {
			info, err := d.Info()
			if err == nil && was.disk == diskFileOf(info) {
				t.written[name] = was.disk
				return nil
			}
		}
		return root.Remove(name)
	})
}

// removeAll removes a folder that a tool may have made unreadable.
func removeAll(root *os.Root, name string) error {
	err := root.RemoveAll(name)
	if err == nil {
		return nil
	}
	_ = fs.WalkDir(root.FS(), name, func(name string, d fs.DirEntry, err error) error {
		if d != nil && d.IsDir() {
			_ = root.Chmod(name, 0o700)
		}
		return nil
	})
	return root.RemoveAll(name)
}

func (t *Tree) find(name string) (treeFile, bool) {
	i, ok := slices.BinarySearchFunc(t.files, name, func(f treeFile, p string) int { return strings.Compare(f.path, p) })
	if !ok {
		return treeFile{}, false
	}
	return t.files[i], true
}

// write writes what is not there yet.
func (t *Tree) write(ctx context.Context, root *os.Root) error {
	var ids []string
	var at []int
	submodules := 0
	for i := range t.files {
		f := &t.files[i]
		if _, ok := t.written[f.path]; ok {
			continue
		}
		if f.mode == gavel.ModeGitlink {
			submodules++
			if err := root.MkdirAll(f.path, 0o755); err != nil {
				return treeError(t.Root, err)
			}
			continue
		}
		ids, at = append(ids, hexID(f.id)), append(at, i)
	}
	if submodules > 0 {
		t.Notes = append(t.Notes, "submodules are empty folders in the tree that is judged")
	}
	err := t.repo.objects.ask(ctx, askContents, ids, func(i int, obj object, body io.Reader) error {
		f := &t.files[at[i]]
		if obj.kind != "blob" {
			return gavel.Errorf(gavel.RunFailed, "%s, object %s, is missing", quoted(f.path), ids[i]).
				WithHint("a partial clone does not fetch during a run: git fetch the revisions first, or see what git fsck says")
		}
		return t.put(root, f, obj.size, body)
	})
	var died *diedError
	if errors.As(err, &died) {
		return gavel.Errorf(gavel.RunFailed, "the tree %s cannot be read: %s", t.subject.Tree, said(died.stderr)).WithHint("see what git fsck says")
	}
	return err
}

// put writes one file. The name is new: sweep has removed whatever was there.
func (t *Tree) put(root *os.Root, f *treeFile, size int64, body io.Reader) error {
	err := root.MkdirAll(path.Dir(f.path), 0o755)
	if err == nil && f.mode == gavel.ModeSymlink {
		err = putLink(root, f.path, size, body)
	} else if err == nil {
		err = putFile(root, f, body)
	}
	if errors.Is(err, fs.ErrExist) {
		return gavel.Errorf(gavel.RunFailed, "%s cannot be written: this file system takes its name for another one's in the tree", quoted(f.path))
	}
	if err != nil {
		return treeError(t.Root, err)
	}
	info, err := root.Lstat(f.path)
	if err != nil {
		return treeError(t.Root, err)
	}
	t.written[f.path] = diskFileOf(info)
	return nil
}

func putFile(root *os.Root, f *treeFile, body io.Reader) error {
	perm := fs.FileMode(0o644)
	if f.mode == gavel.ModeExec {
		perm = 0o755
	}
	out, err := root.OpenFile(f.path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, perm)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, body)
	if closeErr := out.Close(); err == nil {
		err = closeErr
	}
	return err
}

// maxLink is the longest target of a symlink, in bytes.
const maxLink = 4096

func putLink(root *os.Root, name string, size int64, body io.Reader) error {
	if size > maxLink {
		return errors.New("the target of the symlink " + quoted(name) + " is too long")
	}
	target, err := io.ReadAll(body)
	if err != nil {
		return err
	}
	return root.Symlink(string(target), name)
}
