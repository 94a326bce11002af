//go:build !(linux || darwin || freebsd || netbsd || openbsd || dragonfly)

package store

import (
	"io/fs"
	"os"

	"github.com/gavel-review/gavel"
)

// This file lets the package compile where gavel is not supported yet. Ownership cannot be told there and nothing is
// locked, so appending is refused.

const noFollow = 0

func own(fs.FileInfo) bool { return true }

func writableByOthers(fs.FileInfo) bool { return false }

func tryLock(*os.File) (bool, error) {
	return false, gavel.Errorf(gavel.Refused, "this system is not supported yet: state files cannot be locked")
}

func tryShared(f *os.File) (bool, error) { return tryLock(f) }

func inode(fs.FileInfo) uint64 { return 0 }
