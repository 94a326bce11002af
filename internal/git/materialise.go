package git

import (
	"context"
	"errors"
	"os"
	"path/filepath"

	"github.com/gavel-review/gavel"
)

// Tree is a subject's files on disk, for tools to look at.
type Tree struct {
	Root    string // absolute, symlinks resolved
	InPlace bool   // it is the user's own checkout
	Notes   []string
	// Added are the paths that Verify found in a checkout beside the subject's: outputs of tools, or a user who goes on
	// working. They are sorted, and none of them is ignored by git. A folder below a slot does not have them counted.
	Added []string

	repo    *Repo
	subject Pinned
	files   []treeFile // sorted; none where InPlace
	lock    *os.File
}

// treeFile is a file that a tree has.
type treeFile struct {
	path string
	mode gavel.Mode
	id   string   // raw
	disk diskFile // as it was written; zero where it is not on disk, and for a submodule
	lfs  bool     // the content is an LFS pointer
}

// Placement says where a subject's files go on disk.
type Placement struct {
	Folder string // an existing private one
	Slot   string // name of the folder below it, the same from run to run, so that build caches keyed by path stay warm
	// Keep names what tools left and what stays for the next run: a name alone wherever it stands, one with a slash at
	// that path.
	Keep []string
	// Apart keeps the user's checkout out of it: what runs there would leave files in it.
	Apart bool
}

// Materialise puts a subject on disk. Where the checkout is HEAD, HEAD is what is judged, and nothing lies in the
// checkout beside it that git would track, it is used as it is. Otherwise the files are written below the placement's
// folder: only what differs from the last time is written, and what tools left there is removed.
//
// Contents are those of the objects: no filter, no line end conversion; a submodule is an empty folder, an LFS file its
// pointer. The tree has no git directory.
//
// Release it afterwards. A slot that another run holds is passed over for the next one.
func (r *Repo) Materialise(ctx context.Context, subject Pinned, to Placement) (*Tree, error) {
	t := &Tree{repo: r, subject: subject}
	var work *Pinned
	var err error
	if !to.Apart {
		if work, err = r.checkedOut(ctx, subject); err != nil {
			return nil, err
		}
	}
	if work != nil {
		t.Root, t.InPlace = r.Root, true
		if err := t.noteSubmodules(ctx, work.submodules); err != nil {
			return nil, err
		}
		return t, nil
	}
	if err := t.claim(to.Folder, to.Slot); err != nil {
		return nil, err
	}
	if err := t.fill(ctx, to.Keep); err != nil {
		t.Release()
		return nil, err
	}
	return t, nil
}

func (t *Tree) note(format string, args ...any) {
	c := Comparison{Notes: t.Notes}
	c.note(format, args...)
	t.Notes = c.Notes
}

// checkedOut returns the work tree as it is where it is the subject, whole and with nothing beside it; else nil.
func (r *Repo) checkedOut(ctx context.Context, subject Pinned) (*Pinned, error) {
	head, err := r.headSubject(ctx)
	if err != nil || r.Head == "" || subject.Tree != head.Tree || subject.Kind == gavel.SubjectCommit && subject.Commit != r.Head {
		return nil, err
	}
	work, err := r.SubjectTree(ctx, gavel.SubjectWorktree)
	if err != nil {
		return nil, err
	}
	if work.Tree != subject.Tree || len(work.unread) > 0 || len(subject.unread) > 0 || work.absent > 0 {
		return nil, nil
	}
	return &work, nil
}

// fill makes the folder hold the files and nothing else.
func (t *Tree) fill(ctx context.Context, keep []string) error {
	root, err := os.OpenRoot(t.Root)
	if err != nil {
		return treeError(t.Root, err)
	}
	defer root.Close()
	old := t.readRecord()
	if t.repo.isTree(old, t.subject.Tree) {
		t.files = old
	} else if err := t.list(ctx, old); err != nil {
		return err
	}
	if err := t.checkNames(); err != nil {
		return err
	}
	tidy, err := t.tidy(ctx, root, keep)
	if err != nil {
		return err
	}
	if err := t.write(ctx, root, tidy.missing); err != nil {
		return err
	}
	t.describe()
	if tidy.touched.Load() || len(tidy.missing) > 0 {
		return t.keepRecord()
	}
	return nil
}

// list takes the files from the tree's objects, and what is known of them from the last time.
func (t *Tree) list(ctx context.Context, old []treeFile) error {
	entries, err := t.repo.listTree(ctx, t.subject.Tree)
	if err != nil {
		return err
	}
	t.files = make([]treeFile, len(entries))
	for i, e := range entries {
		f := treeFile{path: e.path, mode: e.newMode, id: e.newID}
		for len(old) > 0 && old[0].path < f.path {
			old = old[1:]
		}
		if len(old) > 0 && old[0].path == f.path && old[0].id == f.id && old[0].mode == f.mode {
			f.disk, f.lfs = old[0].disk, old[0].lfs
		}
		t.files[i] = f
	}
	return nil
}

// describe notes what stands for something else.
func (t *Tree) describe() {
	var submodules, pointers []string
	for i := range t.files {
		switch f := &t.files[i]; {
		case f.mode == gavel.ModeGitlink:
			submodules = append(submodules, f.path)
		case f.lfs:
			pointers = append(pointers, f.path)
		}
	}
	if len(submodules) > 0 {
		t.note("submodules are empty folders in the tree that is judged: %s", list(submodules))
	}
	if len(pointers) > 0 {
		t.note("LFS files are pointers in the tree that is judged, not their content: %s", list(pointers))
	}
}

// Release lets another run have the folder. What is in it stays, for the next one to build on.
func (t *Tree) Release() {
	if t.lock != nil {
		t.lock.Close()
		t.lock = nil
	}
}

func treeError(root string, err error) error {
	var known *gavel.Error
	switch {
	case err == nil:
		return nil
	case errors.As(err, &known):
		return err
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return cancelled(err)
	}
	return gavel.Errorf(gavel.RunFailed, "the tree cannot be put into %s: %w", quoted(root), err)
}

// contains reports whether a path is the folder or lies below it. Both are absolute, with symlinks resolved.
func contains(folder, path string) bool {
	rel, err := filepath.Rel(folder, path)
	return err == nil && filepath.IsLocal(rel)
}
