package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/gavel-review/gavel"
)

// target is where a result goes.
type target interface {
	// write writes the whole result or reports an error.
	write(result []byte) error
}

// target looks at -o before any work is done, so that a wrong path costs nothing.
func (p *program) target(cmd *cobra.Command) (target, error) {
	path := p.global.output
	if path == "" || path == "-" {
		return standardOutput{p.stdout}, nil
	}
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real // the file behind a link is replaced, the link stays
	}
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return nil, usagef(cmd, "%s--output: %v", at(cmd), err)
	case info.IsDir():
		return nil, usagef(cmd, "%s--output: %s is a folder", at(cmd), p.global.output)
	case !info.Mode().IsRegular():
		return device(path), nil
	}
	if dir, err := os.Stat(filepath.Dir(path)); err != nil || !dir.IsDir() {
		return nil, usagef(cmd, "%s--output: there is no folder %s", at(cmd), filepath.Dir(path))
	}
	return file(path), nil
}

// standardOutput is the default. A reader that has seen enough is no error: the exit code stays the result's.
type standardOutput struct{ stream }

func (o standardOutput) write(result []byte) error {
	if _, err := o.Write(result); err != nil && !errors.Is(err, syscall.EPIPE) {
		return writeError("standard output", err)
	}
	return nil
}

// device is an existing path that is no regular file: a pipe, a terminal, /dev/null. It cannot be replaced.
type device string

func (d device) write(result []byte) error {
	f, err := os.OpenFile(string(d), os.O_WRONLY, 0)
	if err != nil {
		return writeError(string(d), err)
	}
	_, err = f.Write(result)
	if err = errors.Join(err, f.Close()); err != nil && !errors.Is(err, syscall.EPIPE) {
		return writeError(string(d), err)
	}
	return nil
}

// file is replaced by a rename: whoever reads it sees the old result or the new one.
type file string

func (path file) write(result []byte) error {
	temp, err := path.stage(result)
	if err == nil {
		err = os.Rename(temp, string(path))
	}
	if err != nil {
		if temp != "" {
			os.Remove(temp)
		}
		return writeError(string(path), err)
	}
	return nil
}

// stage writes the result beside the file and returns the name of what it created.
func (path file) stage(result []byte) (temp string, err error) {
	f, err := path.create()
	if err != nil {
		return "", err
	}
	_, err = f.Write(result)
	if info, statErr := os.Stat(string(path)); statErr == nil {
		err = errors.Join(err, f.Chmod(info.Mode().Perm()))
	}
	return f.Name(), errors.Join(err, f.Close())
}

// create makes a file with the mode that the umask leaves, which os.CreateTemp would not.
func (path file) create() (*os.File, error) {
	dir, base := filepath.Split(string(path))
	for n := 0; ; n++ {
		name := filepath.Join(dir, fmt.Sprintf(".%s.%d-%d.tmp", base, os.Getpid(), n))
		f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
		if err == nil || !errors.Is(err, fs.ErrExist) || n == 100 {
			return f, err
		}
	}
}

func writeError(where string, err error) error {
	return gavel.Errorf(gavel.RunFailed, "the result cannot be written to %s: %w", where, err)
}
