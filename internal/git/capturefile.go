package git

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"os"
	"strings"
	"syscall"

	"github.com/gavel-review/gavel"
	"github.com/gavel-review/gavel/internal/proc"
)

// lookAtFile decides how a regular file is read: by git, by its LFS pointer, or only hashed where it is too large.
func (w *capture) lookAtFile(ctx context.Context, name string, info fs.FileInfo, pointer *lfsPointer) error {
	old, tracked := w.tracked(name)
	f, err := openFile(w.path(name))
	if err != nil {
		w.unreadable(name, tracked, err)
		return nil
	}
	defer f.Close()
	switch {
	case pointer != nil:
		return w.lookAtLFS(ctx, name, f, old, pointer)
	case info.Size() > MaxText:
		return w.lookAtLarge(ctx, name, f, info, old)
	}
	w.hash = append(w.hash, name)
	if isBlob(old.mode) && hasCRLF(f) {
		return w.lend(ctx, old)
	}
	return nil
}

// lend copies a blob of the index into the private store. For a file with CRLF, git looks there whether the index has
// CRLF too, and then does not convert; see core.autocrlf in git-config(1).
func (w *capture) lend(ctx context.Context, old leaf) error {
	data, err := w.r.Blob(ctx, hexID(old.id), MaxText)
	if err != nil {
		if ctx.Err() != nil {
			return err
		}
		return nil // as git, which takes a missing one for one without CRLF
	}
	if _, err := w.r.store("blob", data); err != nil {
		return storeError(err)
	}
	return nil
}

// hasCRLF reports whether the text has a line that ends in CRLF. A file that cannot be read has none: git will say so.
func hasCRLF(r io.Reader) bool {
	buf := make([]byte, 32<<10)
	last := byte(0)
	for {
		n, err := r.Read(buf)
		if n > 0 && (last == '\r' && buf[0] == '\n' || bytes.Contains(buf[:n], []byte("\r\n"))) {
			return true
		}
		if err != nil {
			return false
		}
		if n > 0 {
			last = buf[n-1]
		}
	}
}

// openFile opens a regular file without waiting, should it have become something that waits.
func openFile(path string) (*os.File, error) {
	return os.OpenFile(path, os.O_RDONLY|openFlags, 0)
}

// lookAtLFS compares the file with the pointer that the index holds. Different content gets the pointer that git-lfs
// would write, so that the change reads as one of pointers.
func (w *capture) lookAtLFS(ctx context.Context, name string, f *os.File, old leaf, pointer *lfsPointer) error {
	sum := sha256.New()
	var head bytes.Buffer
	size, err := io.Copy(io.MultiWriter(sum, limited(&head)), &cancelReader{ctx, f})
	if err != nil {
		return w.failed(ctx, name, true, err)
	}
	if _, isPointer := parseLFSPointer(head.String()); isPointer && size < maxPointer {
		w.hash = append(w.hash, name)
		return nil
	}
	now := lfsPointer{oid: hex.EncodeToString(sum.Sum(nil)), size: size}
	if now == *pointer {
		return nil // the content is what the pointer says; the file's mode is git's to keep for such files
	}
	return w.put(name, old.mode, []byte(now.String()))
}

// lookAtLarge names the content of a file without storing it.
func (w *capture) lookAtLarge(ctx context.Context, name string, f *os.File, info fs.FileInfo, old leaf) error {
	sum := w.r.hash.begin("blob", info.Size())
	finder := &nulFinder{}
	n, err := io.Copy(io.MultiWriter(sum, finder), &cancelReader{ctx, f})
	if err == nil && n != info.Size() {
		err = errors.New("changed while it was read")
	}
	if err != nil {
		return w.failed(ctx, name, old.mode != 0, err)
	}
	id := string(sum.Sum(nil))
	if w.c.known == nil {
		w.c.known = map[string]known{}
	}
	w.c.known[id] = known{size: n, binary: finder.found}
	w.change(leaf{path: name, mode: w.r.modeOf(info, old.mode), id: id})
	return nil
}

func (w *capture) failed(ctx context.Context, name string, tracked bool, err error) error {
	if ctx.Err() != nil {
		return cancelled(ctx.Err())
	}
	w.unreadable(name, tracked, err)
	return nil
}

// modeOf is a regular file's mode, as git would record it.
func (r *Repo) modeOf(info fs.FileInfo, old gavel.Mode) gavel.Mode {
	regular := old == gavel.ModeRegular || old == gavel.ModeExec
	switch {
	case r.config.last("core.filemode") == "false" && regular:
		return old
	case r.config.last("core.filemode") != "false" && info.Mode()&0o100 != 0:
		return gavel.ModeExec
	}
	return gavel.ModeRegular
}

// hashFiles lets git read the files: it converts line ends and encodings as the attributes say. One that it cannot
// read is accounted for, and the others are read all the same.
func (w *capture) hashFiles(ctx context.Context) error {
	if len(w.hash) == 0 {
		return nil
	}
	if err := w.r.flush(); err != nil { // what was lent
		return err
	}
	if err := w.updateIndex(ctx, w.hash); err != nil {
		return err
	}
	x, err := readIndex(w.index, w.r.hash.size)
	if err != nil {
		return storeError(err)
	}
	leaves, _, _ := x.leaves()
	for _, name := range w.hash {
		if w.isUnread(name) {
			continue
		}
		if l, ok := findLeaf(leaves, name); ok {
			w.change(l)
		} else {
			w.change(leaf{path: name}) // it is gone by now
		}
	}
	return nil
}

func (w *capture) isUnread(name string) bool {
	for i := range w.c.unread {
		if w.c.unread[i].Path == name {
			return true
		}
	}
	return false
}

// updateIndex has git read the paths into the private index. git gives up at the first path that fails and writes
// nothing, so that path is taken out and the others are tried again.
func (w *capture) updateIndex(ctx context.Context, names []string) error {
	for len(names) > 0 {
		c := w.r.writeCommand(w.index, "update-index", "--add", "--remove", "--replace", "-z", "--stdin")
		c.Stdin = strings.NewReader(strings.Join(names, "\x00") + "\x00")
		_, stderr, err := c.Output(ctx)
		var exit *proc.ExitError
		if err == nil {
			return nil
		}
		if !errors.As(err, &exit) {
			return w.r.listingError(err)
		}
		bad := failedPath(stderr, names)
		if bad < 0 && len(names) > 1 {
			half := len(names) / 2
			if err := w.updateIndex(ctx, names[:half]); err != nil {
				return err
			}
			names = names[half:]
			continue
		}
		bad = max(bad, 0)
		w.notHashed(names[bad], stderr)
		names = append(append([]string{}, names[:bad]...), names[bad+1:]...)
	}
	return nil
}

// failedPath finds the path that git's last words are about, or -1.
func failedPath(stderr string, names []string) int {
	const words = "fatal: Unable to process path "
	_, last, ok := strings.Cut(stderr, words)
	for i, name := range names {
		if ok && last == name {
			return i
		}
	}
	return -1
}

func (w *capture) notHashed(name, stderr string) {
	_, tracked := w.tracked(name)
	info, err := os.Lstat(w.path(name))
	if err == nil && info.IsDir() {
		w.skip(name, tracked, gavel.SkipSubmodule, "a repository of its own, without a commit")
		return
	}
	first, _, _ := strings.Cut(stderr, "\n")
	first = said(first)
	if strings.Contains(stderr, "encode") || strings.Contains(stderr, "BOM") {
		w.skip(name, tracked, gavel.SkipUndecodable, first)
		return
	}
	w.skip(name, tracked, gavel.SkipUnreadable, first)
}

// reason is an error without the path, which is said beside it.
func reason(err error) string {
	var path *fs.PathError
	if errors.As(err, &path) {
		return path.Err.Error()
	}
	return err.Error()
}

func isErrno(err error, errno syscall.Errno) bool { return errors.Is(err, errno) }

// cancelReader fails when the context ends: a large file takes its time.
type cancelReader struct {
	ctx context.Context
	r   io.Reader
}

func (c *cancelReader) Read(p []byte) (int, error) {
	if err := c.ctx.Err(); err != nil {
		return 0, err
	}
	return c.r.Read(p)
}

// nulFinder looks for a NUL byte in the first MaxText bytes that are written to it.
type nulFinder struct {
	found bool
	seen  int
}

func (f *nulFinder) Write(p []byte) (int, error) {
	head := p[:min(len(p), MaxText-f.seen)]
	f.seen += len(head)
	f.found = f.found || bytes.IndexByte(head, 0) >= 0
	return len(p), nil
}
