//go:build !unix

package app

import "os"

// writableFolder reports whether the path is a folder: what else there is to know shows only on writing.
func writableFolder(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}
