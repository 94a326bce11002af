package store

import (
	"os"
	"strings"
	"syscall"
)

// onNetwork reports whether the path lies on a file system that other machines or programs serve (statfs(2)).
func onNetwork(path string) bool {
	var stat syscall.Statfs_t
	if err := statfs(path, &stat); err != nil {
		return false
	}
	switch uint32(stat.Type) {
	case 0x6969, // NFS
		0x517B, 0xFF534D42, 0xFE534D42, // SMB, CIFS, SMB2
		0x65735546: // FUSE
		return true
	}
	return false
}

// bootID names the time since the system was started; it differs from one start to the next.
func bootID() string {
	id, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(id))
}

// processStart is when this process began, in clock ticks since boot (proc_pid_stat(5), field 22).
func processStart() string {
	stat, err := os.ReadFile("/proc/self/stat")
	if err != nil {
		return ""
	}
	_, rest, _ := strings.Cut(string(stat), ") ") // the name before it may hold blanks
	if fields := strings.Fields(rest); len(fields) > 19 {
		return fields[19]
	}
	return ""
}
