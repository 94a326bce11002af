package store

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"
)

// A lease is a lock that somebody holds for life, on a file of its own. On a local disk it is the kernel's lock: whoever
// dies holds nothing, at once. On a file system that other machines share, locks outlive their holders or mean nothing
// there; a file that exists and was touched not long ago is the lock then.
type lease struct {
	f    *os.File
	beat *time.Ticker // nil on a local disk
	done chan struct{}

	mu   sync.Mutex
	path string
}

// lives says how life is told from death.
type lives struct {
	network func(path string) bool // does the folder lie on a shared file system?
	beat    time.Duration          // how often a shared lease is touched
	dead    time.Duration          // the silence after which its holder counts as dead
}

var defaultLives = lives{network: onNetwork, beat: 5 * time.Second, dead: 60 * time.Second}

// take claims the lease without waiting. ok is false when somebody holds it.
func (l lives) take(path string) (held *lease, ok bool, err error) {
	if l.network(path) {
		return l.takeShared(path)
	}
	for range 100 {
		f, err := openOwn(path, os.O_RDWR|os.O_CREATE, 0o600)
		if err != nil {
			return nil, false, err
		}
		switch ok, err := tryLock(f); {
		case err != nil:
			f.Close()
			return nil, false, err
		case !ok:
			f.Close()
			return nil, false, nil
		case sameFile(f, path):
			return &lease{path: path, f: f}, true, nil
		}
		f.Close() // its holder ended and took the file away between the two steps
	}
	return nil, false, nil
}

func sameFile(f *os.File, path string) bool {
	opened, err := f.Stat()
	if err != nil {
		return false
	}
	named, err := os.Lstat(path)
	return err == nil && os.SameFile(opened, named)
}

// takeShared creates the file, or takes over one whose holder has been silent for too long: it is renamed first, so that
// one of several successors gets it.
func (l lives) takeShared(path string) (*lease, bool, error) {
	for range 3 {
		f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL|noFollow, 0o600)
		if err == nil {
			held := &lease{path: path, f: f, beat: time.NewTicker(l.beat), done: make(chan struct{})}
			go held.live()
			return held, true, nil
		}
		if !errors.Is(err, fs.ErrExist) {
			return nil, false, err
		}
		if alive, err := l.beats(path); err != nil || alive {
			return nil, false, err
		}
		if err := bury(path, l); err != nil {
			return nil, false, err
		}
	}
	return nil, false, nil
}

// bury takes a dead lease's file away. A living one that came in its place meanwhile is put back.
func bury(path string, l lives) error {
	grave, err := os.CreateTemp(filepath.Dir(path), temporaryPrefix+"*"+temporarySuffix)
	if err != nil {
		return err
	}
	grave.Close()
	defer os.Remove(grave.Name())
	switch err := os.Rename(path, grave.Name()); {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	}
	if alive, err := l.beats(grave.Name()); err != nil || alive {
		return errors.Join(err, os.Link(grave.Name(), path))
	}
	return nil
}

func (h *lease) live() {
	for {
		select {
		case <-h.done:
			return
		case now := <-h.beat.C:
			if path, ours := h.name(); ours {
				_ = os.Chtimes(path, now, now)
			}
		}
	}
}

// release ends the lease and takes its file away. Whoever opened the file before that finds that it has no name, and a
// holder that slept for so long that another took over leaves that one's alone.
func (h *lease) release() {
	if h.beat != nil {
		h.beat.Stop()
		close(h.done)
	}
	if path, ours := h.name(); ours {
		os.Remove(path)
	}
	h.f.Close()
}

// name is the file's path; ours is false when another file lies there by now.
func (h *lease) name() (path string, ours bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.path, sameFile(h.f, h.path)
}

// moved tells the lease where its file lies after a folder above it was renamed.
func (h *lease) moved(path string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.path = path
}

// held reports whether somebody holds the lease. It waits for nobody; what it does for a moment can keep nobody from
// taking a lease that is told about only after it was taken.
func (l lives) held(path string) (bool, error) {
	if l.network(path) {
		return l.beats(path)
	}
	f, err := openOwn(path, os.O_RDONLY, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	defer f.Close()
	free, err := tryShared(f)
	return !free, err
}

func (l lives) beats(path string) (bool, error) {
	info, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	return time.Since(info.ModTime()) < l.dead, nil
}
