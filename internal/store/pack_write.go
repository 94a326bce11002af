package store

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
)

// packWriter writes one file of a pack into the staging folder and takes its hash on the way.
type packWriter struct {
	run  *LiveRun
	root *os.Root // the run's folder
	name string
	live bool
	f    *os.File
	buf  *bufio.Writer
	hash hash.Hash
	size int64
	err  error
	done bool
}

// newPackWriter creates the staged file. On success the writer owns root.
func newPackWriter(root *os.Root, name string) (*packWriter, error) {
	staged := filepath.Join(stagingName, filepath.FromSlash(name))
	if err := root.MkdirAll(filepath.Dir(staged), 0o700); err != nil {
		return nil, err
	}
	f, err := root.OpenFile(staged, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return nil, err
	}
	h := sha256.New()
	return &packWriter{root: root, name: name, f: f, buf: bufio.NewWriterSize(io.MultiWriter(f, h), 64<<10), hash: h}, nil
}

func (w *packWriter) Write(p []byte) (int, error) {
	n, err := w.buf.Write(p)
	w.size += int64(n)
	if err != nil {
		w.err = err
	}
	return n, err
}

// Close flushes the file to disk and hands it to the run. A file whose writing failed does not count.
func (w *packWriter) Close() error {
	if w.done {
		return nil
	}
	w.done = true
	defer w.root.Close()
	err := w.err
	if flushErr := w.buf.Flush(); err == nil {
		err = flushErr
	}
	if err == nil {
		err = w.f.Sync()
	}
	if closeErr := w.f.Close(); err == nil {
		err = closeErr
	}
	return w.run.written(w, err)
}

func (w *packWriter) sum() packFile {
	return packFile{SHA256: hex.EncodeToString(w.hash.Sum(nil)), Size: w.size}
}

// moveIntoPlace renames a staged file to its name in the run's folder.
func moveIntoPlace(root *os.Root, name string) error {
	name = filepath.FromSlash(name)
	if dir := filepath.Dir(name); dir != "." {
		if err := root.MkdirAll(dir, 0o700); err != nil {
			return err
		}
	}
	return root.Rename(filepath.Join(stagingName, name), name)
}

// verify looks whether every file is there, regular, and as long as what was hashed.
func verify(root *os.Root, files map[string]packFile) error {
	for name, want := range files {
		info, err := root.Lstat(filepath.FromSlash(name))
		switch {
		case err != nil:
			return err
		case !info.Mode().IsRegular() || info.Size() != want.Size:
			return &fs.PathError{Op: "verify", Path: name, Err: fmt.Errorf("the file is not what was written")}
		}
	}
	return nil
}

// sumFile is the entry of a file that others may have written to.
func sumFile(root *os.Root, name string) (packFile, error) {
	f, err := root.Open(filepath.FromSlash(name))
	if err != nil {
		return packFile{}, err
	}
	defer f.Close()
	h := sha256.New()
	size, err := io.Copy(h, f)
	return packFile{SHA256: hex.EncodeToString(h.Sum(nil)), Size: size}, err
}

// syncFolders makes the names of the files last, those of the folder itself apart.
func syncFolders(dir string, files map[string]packFile) {
	seen := map[string]bool{".": true}
	for name := range files {
		for parent := path.Dir(name); !seen[parent]; parent = path.Dir(parent) {
			seen[parent] = true
			syncFolder(filepath.Join(dir, filepath.FromSlash(parent)))
		}
	}
}
