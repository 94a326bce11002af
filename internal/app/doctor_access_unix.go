//go:build unix

package app

import (
	"os"
	"syscall"
)

// writableFolder asks the system whether this user may make files in a folder, without making one.
func writableFolder(path string) bool {
	const write, search = 2, 1
	info, err := os.Stat(path)
	return err == nil && info.IsDir() && syscall.Access(path, write|search) == nil
}
