package store

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/gavel-review/gavel"
)

const (
	rulingsFolder  = "rulings"
	rulingsSuffix  = ".jsonl"
	rulingsVersion = 1
)

// rulingRow is one line of a rulings file.
type rulingRow struct {
	V int `json:"v"`
	gavel.Ruling
}

// AppendRuling writes a ruling behind those of the repository and returns once it is on disk. Appends of several
// processes follow one another; one that has to wait for more than a few seconds is storage_locked.
func (s *Store) AppendRuling(repoID string, ruling gavel.Ruling) error {
	row, err := json.Marshal(rulingRow{rulingsVersion, ruling})
	if err != nil {
		return gavel.Errorf(gavel.Internal, "ruling: %w", err)
	}
	dir, err := s.make(rulingsFolder)
	if err != nil {
		return err
	}
	path := filepath.Join(dir, repoName(repoID)+rulingsSuffix)
	f, err := openOwn(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return ioError("open", path, err)
	}
	defer f.Close()
	if err := lock(f, path, s.patience); err != nil {
		return err
	}
	if err := appendRow(f, append(row, '\n')); err != nil {
		return ioError("write", path, err)
	}
	syncFolder(dir)
	return nil
}

const (
	lockPatience = 5 * time.Second
	lockPause    = 5 * time.Millisecond
)

func lock(f *os.File, path string, patience time.Duration) error {
	for waited := time.Duration(0); ; waited += lockPause {
		ok, err := tryLock(f)
		switch {
		case err != nil:
			return ioError("lock", path, err)
		case ok:
			return nil
		case waited >= patience:
			e := gavel.Errorf(gavel.StorageLocked, "%s is locked by another process", path)
			e.RetryAfter = lockPatience
			return e
		}
		time.Sleep(lockPause)
	}
}

// appendRow writes the row at the end. A last line without its line feed was torn by a crash: it was never confirmed
// to anybody, so it is cut off, unless nothing but the line feed is missing.
func appendRow(f *os.File, row []byte) error {
	end, err := f.Seek(0, io.SeekEnd)
	if err != nil {
		return err
	}
	tail, err := lastLine(f, end)
	if err != nil {
		return err
	}
	if len(tail) > 0 {
		if json.Valid(tail) {
			row = append([]byte{'\n'}, row...)
		} else {
			end -= int64(len(tail))
			if err := f.Truncate(end); err != nil {
				return err
			}
		}
	}
	if _, err := f.WriteAt(row, end); err != nil {
		return err
	}
	return f.Sync()
}

// lastLine returns what follows the last line feed.
func lastLine(f io.ReaderAt, end int64) ([]byte, error) {
	const step = 4096
	for size := min(end, step); ; size = min(end, 2*size) {
		tail := make([]byte, size)
		if _, err := f.ReadAt(tail, end-size); err != nil && !errors.Is(err, io.EOF) {
			return nil, err
		}
		if i := bytes.LastIndexByte(tail, '\n'); i >= 0 || size == end {
			return tail[i+1:], nil
		}
	}
}

// Rulings returns the repository's rulings, oldest first; none are kept is no error. A torn last line is what a crash
// leaves and is passed over. Any other line that cannot be read is storage_corrupt, one of a newer version refused:
// the rulings that could be read come with the error.
func (s *Store) Rulings(repoID string) ([]gavel.Ruling, error) {
	dir, exists, err := s.folder(rulingsFolder)
	if err != nil || !exists {
		return nil, err
	}
	path := filepath.Join(dir, repoName(repoID)+rulingsSuffix)
	data, exists, err := readOwn(path)
	if err != nil || !exists {
		return nil, err
	}
	return parseRulings(path, data)
}

func parseRulings(path string, data []byte) (rulings []gavel.Ruling, fault error) {
	for n := 1; len(data) > 0; n++ {
		line, rest, whole := bytes.Cut(data, []byte{'\n'})
		data = rest
		ruling, err := parseRuling(path, n, line)
		switch {
		case err == nil:
			rulings = append(rulings, ruling)
		case !whole:
		case fault == nil:
			fault = err
		}
	}
	return rulings, fault
}

func parseRuling(path string, n int, line []byte) (gavel.Ruling, error) {
	var row rulingRow
	err := json.Unmarshal(line, &row)
	switch {
	case err == nil && row.V > rulingsVersion:
		return gavel.Ruling{}, gavel.Errorf(gavel.Refused, "%s:%d: version %d is newer than this gavel understands (%d)", path, n, row.V, rulingsVersion).
			WithHint("upgrade gavel")
	case err != nil:
		return gavel.Ruling{}, corrupt(path, "line %d cannot be read: %w", n, err)
	case row.V < 1 || row.Fingerprint == "" || row.Subject == "":
		return gavel.Ruling{}, corrupt(path, "line %d is no ruling", n)
	}
	return row.Ruling, nil
}
