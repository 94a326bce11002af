package app

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/gavel-review/gavel"
	"github.com/gavel-review/gavel/internal/store"
)

// state looks at the folder in which reviews are kept. A folder that cannot be written costs the kept copies, not the
// reviews; one that somebody else could have planted is refused by every review.
func (d *doctor) state() {
	s := store.Open(d.env.Getenv)
	if _, err := s.Rulings("doctor"); err != nil {
		d.fail("state", err)
		return
	}
	root := s.Root()
	_, err := os.Stat(root)
	missing := errors.Is(err, fs.ErrNotExist)
	switch {
	case !writableFolder(nearestFolder(root)):
		d.add("state", DoctorWarn, "set GAVEL_HOME to a folder that you can write: until then no review is kept",
			"%s cannot be written", gavel.DisplayPath(root))
	case missing:
		d.ok("state", "%s (not made yet)", gavel.DisplayPath(root))
	default:
		d.ok("state", "%s", gavel.DisplayPath(root))
	}
}

// nearestFolder is the path itself or the nearest folder above it that exists.
func nearestFolder(path string) string {
	for {
		if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
			return path
		}
		parent := filepath.Dir(path)
		if parent == path {
			return path
		}
		path = parent
	}
}
