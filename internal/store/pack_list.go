package store

import (
	"slices"
	"strings"
)

// PackEntry is a file of a pack as the manifest names it.
type PackEntry struct {
	Name string // pack-relative
	Size int64  // bytes
}

// PackEntries lists the files of a completed run by name, the manifest itself left out. row comes from this store.
func (s *Store) PackEntries(row RunRow) ([]PackEntry, error) {
	m, exists, err := readManifest(row.Dir)
	if err != nil {
		return nil, err
	}
	if !exists {
		return nil, notCompleted(row)
	}
	entries := make([]PackEntry, 0, len(m.Files))
	for name, file := range m.Files {
		entries = append(entries, PackEntry{name, file.Size})
	}
	slices.SortFunc(entries, func(a, b PackEntry) int { return strings.Compare(a.Name, b.Name) })
	return entries, nil
}

// PackFileAnywhere is PackFile for somebody who knows the id alone. A run of that id in two repositories is
// storage_corrupt, as is one in two places of a repository: neither can be told to be the one that is meant.
func (s *Store) PackFileAnywhere(id, name string) ([]byte, error) {
	repos, _, err := s.subfolders(runsFolder)
	if err != nil {
		return nil, err
	}
	at, err := s.findIn(repos, id)
	if err != nil {
		return nil, err
	}
	return s.packFile(at, name)
}
