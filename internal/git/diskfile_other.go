//go:build !linux && !darwin

package git

import "io/fs"

func systemFile(fs.FileInfo) (changed int64, inode uint64) { return 0, 0 }
