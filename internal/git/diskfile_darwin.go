package git

import (
	"io/fs"
	"syscall"
)

// systemFile returns the change time in nanoseconds and the inode.
func systemFile(info fs.FileInfo) (changed int64, inode uint64) {
	if stat, ok := info.Sys().(*syscall.Stat_t); ok {
		return stat.Ctimespec.Nano(), stat.Ino
	}
	return 0, 0
}
