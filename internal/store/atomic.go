package store

import (
	"io/fs"
	"os"
	"path/filepath"
)

// replaceFile writes the whole file or nothing: a temporary file in the same folder, flushed to disk, renamed into
// place. Readers see the old bytes or the new ones.
func replaceFile(path string, data []byte, perm fs.FileMode) error {
	f, err := os.CreateTemp(filepath.Dir(path), temporaryPrefix+"*"+temporarySuffix)
	if err != nil {
		return err
	}
	err = f.Chmod(perm)
	if err == nil {
		err = finish(f, data, path)
	} else {
		f.Close()
	}
	if err != nil {
		os.Remove(f.Name())
	}
	return err
}

// Temporary files are hidden and so never mistaken for state.
const (
	temporaryPrefix = "."
	temporarySuffix = ".tmp"
)

// finish writes data into the open temporary file f, flushes and closes it, and renames it to path.
func finish(f *os.File, data []byte, path string) error {
	_, err := f.Write(data)
	if err == nil {
		err = f.Sync()
	}
	if closeErr := f.Close(); err == nil {
		err = closeErr
	}
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	return err
}

// syncFolder makes a rename or a new name in the folder outlast a power cut. Some file systems cannot; that is no error.
func syncFolder(path string) {
	if d, err := os.Open(path); err == nil {
		_ = d.Sync()
		d.Close()
	}
}
