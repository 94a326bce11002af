package store

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/gavel-review/gavel"
)

const (
	checksFolder = "checks"
	resultSuffix = ".result"
	resultMagic  = "gavel check result 1"
)

// resultRetention bounds the cache of check results; those used last stay.
var resultRetention = retention{count: 2000, bytes: 256 << 20, slack: 16}

// A result in the cache is one file: a line that names the format, the hash of the key and the hash of what follows.

func resultHead(key string, data []byte) []byte {
	return fmt.Appendf(nil, "%s %s %x\n", resultMagic, resultName(key), sha256.Sum256(data))
}

func resultName(key string) string {
	sum := sha256.Sum256([]byte(key))
	return hex.EncodeToString(sum[:])
}

// CheckResult returns what KeepCheckResult kept under the key. A result says what may pass, so an entry that somebody
// else could have written, and one that is not whole, is none: ok is then false, as it is for one that was never kept.
// The error says why nothing can be kept at all.
func (s *Store) CheckResult(key string) (data []byte, ok bool, err error) {
	dir, exists, err := s.cacheFolder()
	if err != nil || !exists {
		return nil, false, unlessPlanted(err)
	}
	path := filepath.Join(dir, resultName(key)+resultSuffix)
	content, exists, err := readOwn(path)
	if err != nil || !exists {
		return nil, false, nil
	}
	head, data, _ := bytes.Cut(content, []byte{'\n'})
	if !bytes.Equal(append(head, '\n'), resultHead(key, data)) {
		return nil, false, nil
	}
	now := time.Now()
	_ = os.Chtimes(path, now, now) // it was used
	return data, true, nil
}

// KeepCheckResult keeps a result under the key, in place of what was kept there. The oldest go when there are too many.
func (s *Store) KeepCheckResult(key string, data []byte) error {
	dir, exists, err := s.cacheFolder()
	if err != nil {
		return err
	}
	if !exists {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return ioError("create", dir, err)
		}
		if _, _, err := s.cacheFolder(); err != nil {
			return err
		}
	}
	path := filepath.Join(dir, resultName(key)+resultSuffix)
	if err := removeForeign(path); err != nil {
		return ioError("replace", path, err)
	}
	if err := replaceFile(path, append(resultHead(key, data), data...), 0o600); err != nil {
		return ioError("write", path, err)
	}
	pruneResults(dir, resultRetention, int64(len(data)))
	return nil
}

// removeForeign makes room where something lies that is no file: renaming over it would fail.
func removeForeign(path string) error {
	info, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) || err == nil && !info.IsDir() {
		return nil
	}
	if err != nil {
		return err
	}
	return os.Remove(path)
}

// pruneResults looks at the bounds each time a few more may have come, and after a large one.
func pruneResults(dir string, r retention, size int64) {
	names, err := readNames(dir)
	if err != nil {
		return
	}
	if len(names) > r.count || len(names)%r.slack == 0 || size > r.bytes/int64(r.count) {
		r.pruneByTime(dir, resultSuffix)
	}
}

func (s *Store) cacheFolder() (path string, exists bool, err error) {
	if s.cacheErr != nil {
		return "", false, s.cacheErr
	}
	path = filepath.Join(s.cache, checksFolder)
	if exists, err = checkRoot(s.cache); !exists || err != nil {
		return path, false, err
	}
	exists, err = checkFolder(path)
	return path, exists, err
}

func unlessPlanted(err error) error {
	if e := gavel.AsError(err); e != nil && e.Class == gavel.Refused {
		return nil
	}
	return err
}
