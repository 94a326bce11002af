package git

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/gavel-review/gavel"
)

// write writes the files that are missing. Their folders are there, and their names are free.
func (t *Tree) write(ctx context.Context, root *os.Root, missing []*treeFile) error {
	if len(missing) == 0 {
		return nil
	}
	d := &descent{root: root}
	defer d.close()
	var ids []string
	stored := missing[:0:0]
	for _, f := range missing {
		if _, ok := t.subject.known[f.id]; !ok {
			ids, stored = append(ids, hexID(f.id)), append(stored, f)
		} else if err := t.copyLarge(ctx, d, f); err != nil {
			return treeError(t.Root, err)
		}
	}
	source := &objects{command: t.repo.objects.command} // one of its own: others go on asking meanwhile
	defer source.close()
	err := source.ask(ctx, askContents, ids, func(i int, obj object, body io.Reader) error {
		f := stored[i]
		if obj.kind != "blob" {
			return gavel.Errorf(gavel.RunFailed, "%s of the tree %s cannot be written: object %s is missing", quoted(f.path), t.subject.Tree, ids[i]).
				WithHint("a partial clone does not fetch during a run: git fetch the revisions first, or see what git fsck says")
		}
		return t.put(d, f, obj.size, body)
	})
	time.Sleep(clockTick) // from now on, a change shows
	var died *diedError
	if errors.As(err, &died) {
		return gavel.Errorf(gavel.RunFailed, "the tree %s cannot be read: %s", t.subject.Tree, said(died.stderr)).WithHint("see what git fsck says")
	}
	return treeError(t.Root, err)
}

func (t *Tree) put(d *descent, f *treeFile, size int64, body io.Reader) error {
	at, name, err := d.to(f.path)
	if err != nil {
		return err
	}
	sum := t.repo.hash.begin("blob", size)
	var head bytes.Buffer
	body = io.TeeReader(body, io.MultiWriter(sum, limited(&head)))
	if f.mode == gavel.ModeSymlink {
		err = putLink(at, name, size, body)
	} else {
		err = putFile(at, name, f.mode, body)
	}
	if err != nil {
		return placeTaken(f.path, inside(f.path, err))
	}
	if string(sum.Sum(nil)) != f.id {
		return gavel.Errorf(gavel.RunFailed, "%s is not what object %s was: it is damaged, or changes while it is read", quoted(f.path), hexID(f.id)).
			WithHint("see what git fsck says")
	}
	info, err := at.Lstat(name)
	if err != nil {
		return err
	}
	f.disk = diskFileOf(info)
	_, f.lfs = parseLFSPointer(head.String())
	return nil
}

// copyLarge copies a file of the work tree that is in no object store.
func (t *Tree) copyLarge(ctx context.Context, d *descent, f *treeFile) error {
	in, err := openFile(filepath.Join(t.repo.Root, filepath.FromSlash(f.path)))
	if err != nil {
		return gavel.Errorf(gavel.RunFailed, "%s cannot be read any more: %s", quoted(f.path), reason(err))
	}
	defer in.Close()
	size := t.subject.known[f.id].size
	return t.put(d, f, size, io.LimitReader(&cancelReader{ctx, in}, size+1))
}

// inside names the whole path in an error about the last part of it.
func inside(path string, err error) error {
	var of *fs.PathError
	if errors.As(err, &of) {
		return &fs.PathError{Op: of.Op, Path: gavel.DisplayPath(path), Err: of.Err}
	}
	return err
}

func putFile(at *os.Root, name string, mode gavel.Mode, body io.Reader) error {
	perm := fs.FileMode(0o666)
	if mode == gavel.ModeExec {
		perm = 0o777
	}
	out, err := at.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, perm)
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

func putLink(at *os.Root, name string, size int64, body io.Reader) error {
	if size > maxLink {
		return &fs.PathError{Op: "symlink", Path: name, Err: errors.New("its target is too long")}
	}
	target, err := io.ReadAll(body)
	if err == nil {
		err = at.Symlink(string(target), name)
	}
	var link *os.LinkError
	if errors.As(err, &link) {
		return &fs.PathError{Op: "symlink", Path: name, Err: link.Err}
	}
	return err
}

// descent keeps the folders above the last path open: paths come in order, so that the next one mostly lies there too.
type descent struct {
	root  *os.Root
	names []string
	open  []*os.Root
}

// to opens the folder of a path, part by part and through no link, and returns it with the path's last part.
func (d *descent) to(path string) (at *os.Root, name string, err error) {
	at = d.root
	for depth := 0; ; depth++ {
		part, rest, deeper := strings.Cut(path, "/")
		if !deeper {
			return at, part, nil
		}
		if depth == len(d.names) || d.names[depth] != part {
			d.up(depth)
			sub, err := enter(at, part)
			if err != nil {
				return nil, "", err
			}
			d.names, d.open = append(d.names, part), append(d.open, sub)
		}
		at, path = d.open[depth], rest
	}
}

// up closes the folders below a depth.
func (d *descent) up(depth int) {
	for _, open := range d.open[depth:] {
		open.Close()
	}
	d.names, d.open = d.names[:depth], d.open[:depth]
}

func (d *descent) close() { d.up(0) }
