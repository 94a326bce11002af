// Package store keeps everything that outlives a command, under one folder of the user: runs with their packs, kept
// review documents and rulings. It is the only writer of state. It also reads and writes the baseline, which lives in the repository.
//
// What is kept decides what may pass, so a folder or file that somebody else could have planted is refused, never
// used. Nothing is created before the first write. Every file carries its version: a newer one is refused, an older
// one is understood in memory and left as it is.
package store

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"time"

	"github.com/gavel-review/gavel"
)

// Store is the state folder. It holds nothing open and may be used from several goroutines and processes at once.
type Store struct {
	root string
	err  error // why there is no folder to speak of; every method returns it
	keep retention
	// patience is how long an append waits for another process.
	patience time.Duration
	runs     runLimits
	cache    string // the cache folder
	cacheErr error  // why there is none
	lives    lives
}

// Open names the state folder, see [Places]. It reads the environment through lookup and nothing else; what is wrong
// with the environment is the error of every later call.
func Open(lookup func(string) string) *Store {
	root, err := stateFolder(lookup)
	cache, cacheErr := userFolder(lookup, "XDG_CACHE_HOME", ".cache")
	return &Store{
		root: root, err: err, keep: defaultRetention, patience: lockPatience,
		runs: defaultRunLimits, lives: defaultLives, cache: cache, cacheErr: cacheErr,
	}
}

// Root is the state folder, or "" where the environment names none.
func (s *Store) Root() string { return s.root }

// folder returns the path of a folder below the root after checking every step of it. It is refused when planted;
// exists is false when it, or something above it, does not exist.
func (s *Store) folder(names ...string) (path string, exists bool, err error) {
	if s.err != nil {
		return "", false, s.err
	}
	path = s.root
	exists, err = checkRoot(path)
	for _, name := range names {
		path = filepath.Join(path, name)
		if !exists || err != nil {
			continue
		}
		exists, err = checkFolder(path)
	}
	return path, exists, err
}

// make is folder for a write: what does not exist is created with mode 0700.
func (s *Store) make(names ...string) (string, error) {
	path, exists, err := s.folder(names...)
	if err != nil || exists {
		return path, err
	}
	if err := os.MkdirAll(path, 0o700); err != nil {
		return "", ioError("create", path, err)
	}
	path, _, err = s.folder(names...)
	return path, err
}

const maxNameLength = 128

// plainName reports whether a name from outside can be a file name as it stands: [A-Za-z0-9._-]+, not hidden and so
// not "." or "..", of bounded length.
func plainName(name string) bool {
	if name == "" || len(name) > maxNameLength || name[0] == '.' {
		return false
	}
	for i := 0; i < len(name); i++ {
		if !plainByte(name[i]) {
			return false
		}
	}
	return true
}

func plainByte(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c == '.' || c == '_' || c == '-'
}

// repoName is the file name that stands for a repository id. An id that is no plain name is hashed.
func repoName(id string) string {
	switch {
	case id == "":
		return "no-repository"
	case plainName(id):
		return id
	}
	sum := sha256.Sum256([]byte(id))
	return "id-" + hex.EncodeToString(sum[:16])
}

func corrupt(path, format string, args ...any) *gavel.Error {
	e := gavel.Errorf(gavel.StorageCorrupt, format, args...)
	e.Message = path + ": " + e.Message
	return e
}
