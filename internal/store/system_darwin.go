package store

import (
	"strings"
	"syscall"
)

const mountedLocally = 0x1000 // MNT_LOCAL of sys/mount.h

// onNetwork reports whether the path lies on a file system that other machines or programs serve (statfs(2)).
func onNetwork(path string) bool {
	var stat syscall.Statfs_t
	if err := statfs(path, &stat); err != nil {
		return false
	}
	var name strings.Builder
	for _, c := range stat.Fstypename {
		if c == 0 {
			break
		}
		name.WriteByte(byte(c))
	}
	return stat.Flags&mountedLocally == 0 || strings.Contains(strings.ToLower(name.String()), "fuse")
}

// bootID names the time since the system was started; it differs from one start to the next.
func bootID() string {
	id, err := syscall.Sysctl("kern.bootsessionuuid")
	if err != nil {
		return ""
	}
	return id
}

func processStart() string { return "" }
