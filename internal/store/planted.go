package store

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"syscall"

	"github.com/gavel-review/gavel"
)

// checkRoot checks the state folder itself. It may be a symbolic link, to another disk say, but the link and what it
// leads to have to be the user's own.
func checkRoot(path string) (exists bool, err error) {
	link, err := os.Lstat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return false, nil
	case err != nil:
		return false, ioError("look at", path, err)
	case link.Mode()&fs.ModeSymlink == 0:
		return true, checkFolderInfo(path, link)
	case !own(link):
		return true, planted(path, "is a link of another user")
	}
	target, err := os.Stat(path)
	if err != nil {
		return false, ioError("follow", path, err)
	}
	return true, checkFolderInfo(path, target)
}

func checkFolder(path string) (exists bool, err error) {
	info, err := os.Lstat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return false, nil
	case err != nil:
		return false, ioError("look at", path, err)
	}
	return true, checkFolderInfo(path, info)
}

func checkFolderInfo(path string, info fs.FileInfo) error {
	if !info.IsDir() {
		return planted(path, "is not a folder")
	}
	return checkInfo(path, info)
}

// checkInfo refuses what anybody else could have written.
func checkInfo(path string, info fs.FileInfo) error {
	switch {
	case !own(info):
		return planted(path, "belongs to another user")
	case writableByOthers(info):
		return planted(path, fmt.Sprintf("can be written by others (mode %04o)", info.Mode().Perm())).
			WithHint("if you trust what is in it: chmod go-w %s", path)
	}
	return nil
}

func planted(path, why string) *gavel.Error {
	return gavel.Errorf(gavel.Refused, "the state at %s %s: it could have been planted", path, why).
		WithHint("move it away, or set GAVEL_HOME to a folder of your own")
}

// maxStateFile bounds what is read at once. Nothing that is kept comes near it.
const maxStateFile = 256 << 20

// openOwn opens a regular file that is the user's own and that nobody else can write.
func openOwn(path string, flag int, perm fs.FileMode) (*os.File, error) {
	if info, err := os.Lstat(path); err == nil && !info.Mode().IsRegular() {
		return nil, planted(path, "is not a regular file")
	}
	f, err := os.OpenFile(path, flag|noFollow, perm)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = planted(path, "is not a regular file")
	}
	if err == nil {
		err = checkInfo(path, info)
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// readOwn reads a whole file; exists is false only when it does not exist.
func readOwn(path string) (data []byte, exists bool, err error) {
	f, err := openOwn(path, os.O_RDONLY, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, false, nil
	}
	if err != nil {
		return nil, true, ioError("read", path, err)
	}
	defer f.Close()
	data, err = io.ReadAll(io.LimitReader(f, maxStateFile+1))
	switch {
	case err != nil:
		return nil, true, ioError("read", path, err)
	case len(data) > maxStateFile:
		return nil, true, corrupt(path, "larger than %d bytes", maxStateFile)
	}
	return data, true, nil
}

// ioError classifies what the system said about a path. An error that has a class keeps it.
func ioError(doing, path string, err error) error {
	var known *gavel.Error
	if errors.As(err, &known) {
		return known
	}
	var cause error = err
	var pathErr *fs.PathError
	if errors.As(err, &pathErr) {
		cause = pathErr.Err
	}
	class, hint := gavel.StorageCorrupt, ""
	switch {
	case errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.EROFS):
		class, hint = gavel.Refused, "set GAVEL_HOME to a folder that you can write"
	case errors.Is(err, syscall.ENOSPC):
		class, hint = gavel.Internal, "free some space, or set GAVEL_HOME to another disk"
	}
	return gavel.Errorf(class, "cannot %s %s: %w", doing, path, cause).WithHint("%s", hint)
}
