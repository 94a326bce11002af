//go:build linux || darwin

package store

import (
	"path/filepath"
	"syscall"
)

// statfs asks about the nearest folder that exists.
func statfs(path string, stat *syscall.Statfs_t) error {
	for {
		err := syscall.Statfs(path, stat)
		if parent := filepath.Dir(path); err == syscall.ENOENT && parent != path {
			path = parent
			continue
		}
		return err
	}
}
