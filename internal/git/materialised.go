package git

import (
	"bytes"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/gavel-review/gavel"
)

// recorded is a file as it was written, so that the next time can tell whether it still is.
type recorded struct {
	mode gavel.Mode
	id   string // raw
	disk diskFile
}

// recordHeader begins the record beside a materialised tree; another one is not understood and counts as none.
const recordHeader = "gavel tree 1\n"

func (t *Tree) recordPath() string { return t.Root + ".files" }

// readRecord reads what the folder held when it was last left. A record that cannot be read knows nothing.
func (t *Tree) readRecord() map[string]recorded {
	data, err := os.ReadFile(t.recordPath())
	text, ok := strings.CutPrefix(string(data), recordHeader)
	if err != nil || !ok {
		return nil
	}
	known := make(map[string]recorded)
	for line := range strings.SplitSeq(text, "\x00") {
		fields := strings.SplitN(line, " ", 4)
		if len(fields) != 4 {
			continue
		}
		mode, err := strconv.ParseUint(fields[0], 8, 32)
		id, err2 := hex.DecodeString(fields[1])
		disk, ok := parseDiskFile(fields[2])
		if err == nil && err2 == nil && ok {
			known[fields[3]] = recorded{gavel.Mode(mode), string(id), disk}
		}
	}
	return known
}

func (t *Tree) keepRecord() error {
	var b bytes.Buffer
	b.WriteString(recordHeader)
	for i := range t.files {
		f := &t.files[i]
		if disk, ok := t.written[f.path]; ok {
			fmt.Fprintf(&b, "%o %s %s %s\x00", f.mode, hexID(f.id), disk, f.path)
		}
	}
	temporary := t.recordPath() + ".tmp"
	err := os.WriteFile(temporary, b.Bytes(), 0o600)
	if err == nil {
		err = os.Rename(temporary, t.recordPath())
	}
	return treeErrorOrNil(t.Root, err)
}

func treeErrorOrNil(root string, err error) error {
	if err == nil {
		return nil
	}
	return treeError(root, err)
}

// maxSlots is how many runs of one repository can have a tree of one kind on disk at once.
const maxSlots = 64

// claim takes the first folder of the slot that no other process uses, and holds it until Release.
func (t *Tree) claim(folder, slot string) error {
	folder, err := filepath.EvalSymlinks(folder)
	if err != nil {
		return treeError(folder, err)
	}
	for n := 1; n <= maxSlots; n++ {
		name := slot
		if n > 1 {
			name += "-" + strconv.Itoa(n)
		}
		root := filepath.Join(folder, name)
		lock, err := lockFile(root + ".lock")
		if errors.Is(err, errLocked) {
			continue
		}
		if err != nil {
			return treeError(root, err)
		}
		t.Root, t.lock = root, lock
		info, err := os.Lstat(root)
		if err == nil && !info.IsDir() {
			err = os.Remove(root)
		}
		if err == nil || errors.Is(err, fs.ErrNotExist) {
			err = os.MkdirAll(root, 0o700)
		}
		if err != nil {
			t.Release()
			return treeError(root, err)
		}
		return nil
	}
	e := gavel.Errorf(gavel.StorageLocked, "all %d folders for trees of this repository are in use", maxSlots)
	return e.WithHint("wait for the other runs to end")
}

// Release lets another run have the folder. What is in it stays, for the next one to build on.
func (t *Tree) Release() {
	if t.lock != nil {
		t.lock.Close()
		t.lock = nil
	}
}

// Verify compares the files with the subject again and returns the paths that have changed since, sorted: a tool that
// rewrites what it should judge, or a user who goes on working. Files that came to be there beside them are no change
// of the subject, unless git would track them in the user's own checkout.
func (t *Tree) Verify(ctx context.Context) ([]string, error) {
	if t.InPlace {
		return t.verifyCheckout(ctx)
	}
	root, err := os.OpenRoot(t.Root)
	if err != nil {
		return nil, treeError(t.Root, err)
	}
	defer root.Close()
	var moved []string
	for i := range t.files {
		f := &t.files[i]
		if err := ctx.Err(); err != nil {
			return nil, cancelled(err)
		}
		was, ok := t.written[f.path]
		if !ok {
			continue // a submodule
		}
		info, err := root.Lstat(f.path)
		if err == nil && diskFileOf(info) == was {
			continue
		}
		if err != nil || !t.same(root, f, info) {
			moved = append(moved, f.path)
		}
	}
	return moved, nil
}

// same reports whether a file that was touched still has its content and mode.
func (t *Tree) same(root *os.Root, f *treeFile, info fs.FileInfo) bool {
	switch {
	case f.mode == gavel.ModeSymlink:
		target, err := root.Readlink(f.path)
		return err == nil && string(t.repo.hash.sum("blob", []byte(target))) == f.id
	case !info.Mode().IsRegular() || (info.Mode()&0o100 != 0) != (f.mode == gavel.ModeExec):
		return false
	}
	in, err := root.Open(f.path)
	if err != nil {
		return false
	}
	defer in.Close()
	sum := t.repo.hash.begin("blob", info.Size())
	_, err = io.Copy(sum, in)
	return err == nil && string(sum.Sum(nil)) == f.id
}

// verifyCheckout looks at the user's checkout as if for the first time.
func (t *Tree) verifyCheckout(ctx context.Context) ([]string, error) {
	again, err := Open(ctx, t.Root)
	if err != nil {
		return nil, err
	}
	defer again.Close()
	if again.Head != t.repo.Head {
		return []string{"HEAD"}, nil
	}
	work, err := again.SubjectTree(ctx, gavel.SubjectWorktree)
	if err != nil {
		return nil, err
	}
	if work.Tree == t.subject.Tree && len(work.unread) == 0 {
		return nil, nil
	}
	changed, err := again.diffTrees(ctx, t.subject.Tree, work.Tree)
	if err != nil {
		return nil, err
	}
	var moved []string
	for _, e := range changed {
		moved = append(moved, e.path)
	}
	for i := range work.unread {
		moved = append(moved, work.unread[i].Path)
	}
	slices.Sort(moved)
	return slices.Compact(moved), nil
}
