package git

import (
	"io/fs"
	"time"
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

// proves reports whether a file that looks the same now is the same. Where the file system counts whole seconds, a
// second change within one would not be seen.
func (d diskFile) proves() bool { return d.changed%int64(time.Second) != 0 }

// clockTick is longer than the steps in which a file system's clock goes: what is written within one step of another
// may have the same time.
const clockTick = 20 * time.Millisecond
