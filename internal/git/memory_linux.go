package git

import (
	"os"
	"syscall"
)

// memoryFolder is where small temporary files cost least: a file system in memory with room to spare. It is "" where
// there is none, and where the user has said with TMPDIR where temporary files belong.
func memoryFolder() string {
	const (
		folder = "/dev/shm"
		tmpfs  = 0x01021994 // TMPFS_MAGIC of statfs(2)
		room   = 1 << 30
	)
	var s syscall.Statfs_t
	if os.Getenv("TMPDIR") != "" || syscall.Statfs(folder, &s) != nil || s.Type != tmpfs || s.Bavail*uint64(s.Bsize) < room {
		return ""
	}
	return folder
}
