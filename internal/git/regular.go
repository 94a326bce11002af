package git

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/gavel-review/gavel"
	"github.com/gavel-review/gavel/internal/proc"
)

// The largest files of a git directory that are read here, in bytes.
const (
	maxIndex = 1<<31 - 1
	maxRef   = 64 << 10
)

// readRegular reads a regular file of at most limit bytes into a string without holding it twice, and says when it was
// written. A symlink is followed; what waits or never ends, as a pipe or a device does, is an error of class Refused.
func readRegular(path string, limit int64) (string, time.Time, error) {
	if err := checkRegular(path); err != nil { // opening a device may already do something
		return "", time.Time{}, err
	}
	f, err := os.OpenFile(path, os.O_RDONLY|openNoWait, 0)
	if err != nil {
		return "", time.Time{}, err
	}
	defer f.Close()
	info, err := f.Stat()
	switch {
	case err != nil:
		return "", time.Time{}, err
	case !info.Mode().IsRegular():
		return "", time.Time{}, irregular(path, info.Mode())
	case info.Size() > limit:
		return "", time.Time{}, tooLong(path, limit)
	}
	var b strings.Builder
	b.Grow(int(info.Size()))
	n, err := io.Copy(&b, io.LimitReader(f, limit+1))
	if n > limit {
		return "", time.Time{}, tooLong(path, limit)
	}
	return b.String(), info.ModTime(), err
}

func tooLong(path string, limit int64) error {
	return gavel.Errorf(gavel.Refused, "%s has more than %d bytes", quoted(path), limit).WithHint("see what git fsck says")
}

func irregular(path string, mode fs.FileMode) error {
	kind := "a device"
	switch {
	case mode.IsDir():
		return &fs.PathError{Op: "read", Path: path, Err: syscall.EISDIR}
	case mode&fs.ModeNamedPipe != 0:
		kind = "a pipe"
	case mode&fs.ModeSocket != 0:
		kind = "a socket"
	}
	return gavel.Errorf(gavel.Refused, "%s is %s, not a regular file", quoted(path), kind).
		WithHint("move it away; git would wait for it without end")
}

// checkRegular refuses a file that is there and not regular.
func checkRegular(path string) error {
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	if !info.Mode().IsRegular() {
		return irregular(path, info.Mode())
	}
	return nil
}

// checkWaiting refuses a pipe, a socket or a device where git reads a file. What is not there, a folder, the null
// device and what cannot be looked at are left to git.
func checkWaiting(path string) error {
	info, err := os.Stat(path)
	if err != nil || info.Mode()&(fs.ModeNamedPipe|fs.ModeSocket|fs.ModeDevice|fs.ModeCharDevice|fs.ModeIrregular) == 0 {
		return nil
	}
	if null, err := os.Stat(os.DevNull); err == nil && os.SameFile(info, null) {
		return nil
	}
	return irregular(path, info.Mode())
}

// The files of a git directory that git reads whatever it is asked, and those of the folder that worktrees share.
var (
	ownFiles    = [...]string{"HEAD", "commondir", "config.worktree", "index"}
	sharedFiles = [...]string{"config", "packed-refs", "shallow", "info/exclude", "info/attributes", "info/grafts", "objects/info/alternates"}
)

// checkLayout refuses a repository in which git would wait without end. It is asked before git is, and follows the
// same way from a folder up to the one that holds ".git". What it does not understand is left to git.
func checkLayout(dir string) error {
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		dir = real
	}
	for {
		at := filepath.Join(dir, ".git")
		if err := checkWaiting(at); err != nil {
			return err
		}
		if info, err := os.Stat(at); err == nil {
			if !info.IsDir() {
				at = pointed(at, "gitdir: ")
			}
			return checkGitDir(at)
		}
		up := filepath.Dir(dir)
		if up == dir {
			return nil
		}
		dir = up
	}
}

func checkGitDir(dir string) error {
	if dir == "" {
		return nil
	}
	for _, name := range ownFiles {
		if err := checkWaiting(filepath.Join(dir, name)); err != nil {
			return err
		}
	}
	common := dir
	if shared := pointed(filepath.Join(dir, "commondir"), ""); shared != "" {
		common = shared
	}
	for _, name := range sharedFiles {
		if err := checkWaiting(filepath.Join(common, filepath.FromSlash(name))); err != nil {
			return err
		}
	}
	return nil
}

// pointed reads a file that holds the path of a folder, "" where it does not.
func pointed(file, prefix string) string {
	text, _, err := readRegular(file, maxRef)
	path, ok := strings.CutPrefix(strings.TrimRight(text, "\r\n"), prefix)
	if err != nil || !ok || path == "" {
		return ""
	}
	if !filepath.IsAbs(path) {
		path = filepath.Join(filepath.Dir(file), path)
	}
	return path
}

// checkRules refuses a work tree at whose top git would wait for a file with rules. Those further down are found only
// when git was stuck: looking for them would cost as much as listing.
func (r *Repo) checkRules() error {
	for _, name := range [...]string{".gitignore", ".gitattributes"} {
		if err := checkWaiting(filepath.Join(r.Root, name)); err != nil {
			return err
		}
	}
	return nil
}

// listingError gives the failure of a command that looks at the work tree its class.
func (r *Repo) listingError(err error) error {
	if errors.Is(err, proc.ErrIdle) {
		return stuck(r.Root)
	}
	return toolError(err)
}

// waitingFile looks for what made git wait: below the folder, a pipe or a device that is named as a file with rules.
// It is asked only after git was ended, and gives up after some time and after many files.
func waitingFile(root string) (found error) {
	deadline, left := time.Now().Add(waitingSearch), 200_000
	_ = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if left--; left < 0 || left%512 == 0 && time.Now().After(deadline) {
			return fs.SkipAll
		}
		if err != nil {
			return nil
		}
		if d.IsDir() {
			if d.Name() == ".git" && path != root {
				return fs.SkipDir
			}
			return nil
		}
		if name := d.Name(); name == ".gitignore" || name == ".gitattributes" || name == ".gitmodules" {
			if found = checkWaiting(path); found != nil {
				return fs.SkipAll
			}
		}
		return nil
	})
	return found
}

const waitingSearch = 5 * time.Second
