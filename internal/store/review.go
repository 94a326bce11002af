package store

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/gavel-review/gavel"
)

const (
	reviewsFolder   = "reviews"
	documentSuffix  = ".json"
	maxReviewSuffix = 9999
)

// PutReview keeps a review document of the repository and returns the id that it got. stem is the wished run id,
// YYYYMMDD-HHMMSS- and 12 hex digits; where it is taken, -2, -3 and so on follow it, whichever process took it. render
// is called once, with the final id, and returns the document's bytes.
//
// With fixed, the clock stands still and the same review must get the same id: it is the stem without suffix, an equal
// document is kept once, and one that differs in what the diff digest does not cover takes the older one's place.
func (s *Store) PutReview(repoID, stem string, fixed bool, render func(id string) ([]byte, error)) (string, error) {
	if !plainName(stem) {
		return "", gavel.Errorf(gavel.Internal, "%q cannot be a run id", stem)
	}
	dir, err := s.make(reviewsFolder, repoName(repoID))
	if err != nil {
		return "", err
	}
	put := putNew
	if fixed {
		put = putFixed
	}
	id, size, err := put(dir, stem, render)
	if err != nil {
		return "", ioError("write", dir, err)
	}
	s.keep.prune(dir, id+documentSuffix, size)
	return id, nil
}

func putFixed(dir, id string, render func(id string) ([]byte, error)) (string, int, error) {
	doc, err := render(id)
	if err != nil {
		return "", 0, err
	}
	path := filepath.Join(dir, id+documentSuffix)
	if kept, _, err := readOwn(path); err == nil && bytes.Equal(kept, doc) {
		return id, len(doc), nil
	}
	return id, len(doc), replaceFile(path, doc, 0o600)
}

func putNew(dir, stem string, render func(id string) ([]byte, error)) (string, int, error) {
	f, id, err := claim(dir, stem)
	if err != nil {
		return "", 0, err
	}
	doc, err := render(id)
	if err == nil {
		err = finish(f, doc, filepath.Join(dir, id+documentSuffix))
	} else {
		f.Close()
	}
	if err != nil {
		os.Remove(f.Name())
		return "", 0, err
	}
	return id, len(doc), nil
}

// claim takes the first free id. The temporary file is the claim: its name follows from the id and it is created
// exclusively, so whoever holds it is the only one who can give the id its document.
func claim(dir, stem string) (*os.File, string, error) {
	for n := 1; n <= maxReviewSuffix; n++ {
		id := stem
		if n > 1 {
			id = fmt.Sprintf("%s-%d", stem, n)
		}
		f, err := os.OpenFile(filepath.Join(dir, temporaryPrefix+id+temporarySuffix), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
		if errors.Is(err, fs.ErrExist) {
			continue
		}
		if err != nil {
			return nil, "", err
		}
		_, err = os.Lstat(filepath.Join(dir, id+documentSuffix))
		if errors.Is(err, fs.ErrNotExist) {
			return f, id, nil
		}
		f.Close()
		os.Remove(f.Name())
		if err != nil {
			return nil, "", err
		}
	}
	return nil, "", gavel.Errorf(gavel.Conflict, "every run id from %s to %s-%d is taken", stem, stem, maxReviewSuffix)
}

// Review returns a kept document. With an empty repoID every repository is searched, since a run id alone may be all
// that somebody has. An id that cannot be one, and one that is not kept (any more), is run_not_found.
func (s *Store) Review(repoID, runID string) ([]byte, error) {
	missing := gavel.Errorf(gavel.RunNotFound, "no review %q is kept", runID).
		WithHint("the newest %d reviews of a repository are kept; run `gavel review` again", s.keep.count)
	if !plainName(runID) {
		return nil, missing
	}
	folders := []string{repoName(repoID)}
	if repoID == "" {
		var err error
		if folders, err = s.repositories(); err != nil {
			return nil, err
		}
	}
	for _, name := range folders {
		dir, exists, err := s.folder(reviewsFolder, name)
		if err != nil {
			return nil, err
		}
		if !exists {
			continue
		}
		path := filepath.Join(dir, runID+documentSuffix)
		doc, exists, err := readOwn(path)
		switch {
		case err != nil:
			return nil, err
		case exists:
			if err := checkDocument(path, doc); err != nil {
				return nil, err
			}
			return doc, nil
		}
	}
	return nil, missing
}

func (s *Store) repositories() ([]string, error) {
	dir, exists, err := s.folder(reviewsFolder)
	if err != nil || !exists {
		return nil, err
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, ioError("read", dir, err)
	}
	names := make([]string, 0, len(entries))
	for _, e := range entries {
		if plainName(e.Name()) && e.IsDir() {
			names = append(names, e.Name())
		}
	}
	slices.Sort(names)
	return names, nil
}

// checkDocument reads the version alone; what else is in the document is for whoever uses it.
func checkDocument(path string, doc []byte) error {
	var head struct {
		Schema int `json:"schema"`
	}
	switch err := json.Unmarshal(doc, &head); {
	case err != nil:
		return corrupt(path, "not a review document: %w", err)
	case head.Schema > gavel.SchemaVersion:
		return gavel.Errorf(gavel.Refused, "%s: schema %d is newer than this gavel understands (%d)", path, head.Schema, gavel.SchemaVersion).
			WithHint("upgrade gavel")
	case head.Schema < 1:
		return corrupt(path, "not a review document: schema %d", head.Schema)
	}
	return nil
}
