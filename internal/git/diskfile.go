package git

import (
	"fmt"
	"io/fs"
)

// diskFile is what a file system says of a file. As long as nothing of it changes, its content has not either: the
// change time cannot be set by a program.
type diskFile struct {
	size     int64
	modified int64 // nanoseconds since 1970
	changed  int64 // likewise; 0 where the system does not tell
	inode    uint64
	perm     fs.FileMode
}

func diskFileOf(info fs.FileInfo) diskFile {
	d := diskFile{size: info.Size(), modified: info.ModTime().UnixNano(), perm: info.Mode()}
	d.changed, d.inode = systemFile(info)
	return d
}

// String is read back by parseDiskFile; it holds no blank.
func (d diskFile) String() string {
	return fmt.Sprintf("%d,%d,%d,%d,%d", d.size, d.modified, d.changed, d.inode, uint32(d.perm))
}

func parseDiskFile(text string) (d diskFile, ok bool) {
	var perm uint32
	n, err := fmt.Sscanf(text, "%d,%d,%d,%d,%d", &d.size, &d.modified, &d.changed, &d.inode, &perm)
	d.perm = fs.FileMode(perm)
	return d, err == nil && n == 5
}
