//go:build linux || darwin || freebsd || netbsd || openbsd || dragonfly

package store

import (
	"errors"
	"io/fs"
	"os"
	"syscall"
)

// noFollow keeps open from following a link, and from waiting for the other end of a planted pipe.
const noFollow = syscall.O_NOFOLLOW | syscall.O_NONBLOCK

func own(info fs.FileInfo) bool {
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(stat.Uid) == os.Geteuid()
}

func writableByOthers(info fs.FileInfo) bool { return info.Mode().Perm()&0o022 != 0 }

// tryLock takes the file's exclusive lock without waiting. It ends with the file's last descriptor, so that a process
// that dies holds nothing.
func tryLock(f *os.File) (bool, error) { return tryFlock(f, syscall.LOCK_EX) }

// tryShared takes a lock that others may share, likewise: it cannot be had while somebody holds the exclusive one.
func tryShared(f *os.File) (bool, error) { return tryFlock(f, syscall.LOCK_SH) }

func tryFlock(f *os.File, how int) (bool, error) {
	for {
		err := syscall.Flock(int(f.Fd()), how|syscall.LOCK_NB)
		switch {
		case err == nil:
			return true, nil
		case errors.Is(err, syscall.EINTR):
		case errors.Is(err, syscall.EWOULDBLOCK):
			return false, nil
		default:
			return false, err
		}
	}
}

// inode tells one file from another that took its name.
func inode(info fs.FileInfo) uint64 {
	if stat, ok := info.Sys().(*syscall.Stat_t); ok {
		return uint64(stat.Ino)
	}
	return 0
}
