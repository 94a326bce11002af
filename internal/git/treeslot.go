package git

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/gavel-review/gavel"
)

// maxSlots is how many runs of one checkout can have a tree of one kind on disk at once.
const maxSlots = 16

// ofWorktree joins the name of a slot and of a linked worktree: each has folders of its own, so that work in several of
// them keeps each one's build caches warm.
const ofWorktree = "@"

// claim takes the first folder of the slot that no other run uses, and holds it until Release.
func (t *Tree) claim(folder, slot string) error {
	real, err := filepath.EvalSymlinks(folder)
	if err != nil {
		return treeError(folder, err)
	}
	if contains(t.repo.Root, real) || contains(t.repo.CommonDir, real) {
		return gavel.Errorf(gavel.Refused, "the folder for trees, %s, lies inside the repository", quoted(real)).WithHint("set GAVEL_HOME to another folder")
	}
	if slot == "" || slot != filepath.Base(slot) || !filepath.IsLocal(slot) || strings.Contains(slot, ofWorktree) {
		return gavel.Errorf(gavel.Internal, "%q is no name for a slot", slot)
	}
	t.dropAbandoned(real)
	if t.repo.GitDir != t.repo.CommonDir {
		slot += ofWorktree + filepath.Base(t.repo.GitDir)
	}
	for n := 1; n <= maxSlots; n++ {
		name := slot
		if n > 1 {
			name += "-" + strconv.Itoa(n)
		}
		root := filepath.Join(real, name)
		lock, err := lockFile(root + ".lock")
		if errors.Is(err, errLocked) {
			continue
		}
		if err != nil {
			return treeError(root, err)
		}
		t.Root, t.lock = root, lock
		if err := makeFolder(root); err != nil {
			t.Release()
			return treeError(root, err)
		}
		return nil
	}
	e := gavel.Errorf(gavel.StorageLocked, "all %d folders for trees of this repository are in use", maxSlots)
	return e.WithHint("wait for the other runs to end")
}

// makeFolder makes sure that a private folder has the name, and nothing else.
func makeFolder(path string) error {
	info, err := os.Lstat(path)
	switch {
	case err == nil && info.IsDir():
		return os.Chmod(path, 0o700)
	case err == nil:
		err = os.Remove(path)
	case errors.Is(err, fs.ErrNotExist):
		err = nil
	}
	if err != nil {
		return err
	}
	return os.Mkdir(path, 0o700)
}

// dropAbandoned removes the folders of linked worktrees that are gone. What cannot be removed is left for the next time.
func (t *Tree) dropAbandoned(folder string) {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return
	}
	for _, e := range entries {
		_, worktree, ok := strings.Cut(e.Name(), ofWorktree)
		if !ok || !e.IsDir() || t.repo.hasWorktree(worktree) {
			continue
		}
		path := filepath.Join(folder, e.Name())
		lock, err := lockFile(path + ".lock")
		if err != nil {
			continue
		}
		if root, err := os.OpenRoot(folder); err == nil {
			_ = (&tidying{}).remove(root, e.Name())
			_ = root.Remove(e.Name() + ".files")
			root.Close()
		}
		lock.Close()
	}
}

// hasWorktree reports whether a linked worktree has the name, or the name without the number of a further slot.
func (r *Repo) hasWorktree(name string) bool {
	number := strings.LastIndexByte(name, '-')
	for _, name := range [...]string{name, name[:max(number, 0)]} {
		if name == "" {
			continue
		}
		if _, err := os.Lstat(filepath.Join(r.CommonDir, "worktrees", name)); err == nil {
			return true
		}
	}
	return false
}
