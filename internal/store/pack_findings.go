package store

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/gavel-review/gavel"
)

const (
	findingsLimit    = 100
	maxFindingsLimit = 1000
)

// FindingQuery narrows the findings of a run. Empty fields narrow nothing.
type FindingQuery struct {
	Severity    string // SARIF level: error, warning, note or none, in any case
	MinSeverity string // critical, high, medium, low or info
	Path        string // plain prefix of the file; end it with "/" to name a folder
	NewOnly     bool   // those whose baseline is new
	Cursor      string
	Limit       int // 0 is 100; clamped to 1..1000
}

// FindingItem is a finding as SARIF readers and agents know it.
type FindingItem struct {
	File        string              `json:"file"` // "" where it has no place
	Line        int                 `json:"line"`
	Severity    string              `json:"severity"` // SARIF level
	Rule        string              `json:"rule"`
	Message     string              `json:"message"`
	ArtifactRef string              `json:"artifact_ref"` // pack-relative
	Level       string              `json:"level"`        // critical, high, medium, low or info
	Fingerprint string              `json:"fingerprint"`
	Baseline    gavel.BaselineState `json:"baseline"`
	Scope       gavel.Scope         `json:"scope"`
	Source      gavel.Source        `json:"source"`
	Suggestion  string              `json:"suggestion,omitempty"`
	// Settled says why the finding does not count.
	Settled []string `json:"settled,omitempty"`
}

// FindingPage is a page of findings in the order of file, line and rule.
type FindingPage struct {
	Items      []FindingItem `json:"items"`
	Total      int           `json:"total"` // of all pages
	NextCursor string        `json:"next_cursor,omitempty"`
}

// Findings returns a page of the findings of a completed run. A run without SARIF has none; a SARIF that cannot be read
// or is not the one that the manifest names is storage_corrupt. A run that has not completed is stale_run or run_failed.
func (s *Store) Findings(repo RunRepo, id string, q FindingQuery) (FindingPage, error) {
	want, err := q.filter()
	if err != nil {
		return FindingPage{}, err
	}
	pack, err := s.openPack(repo, id)
	if err != nil {
		return FindingPage{}, err
	}
	defer pack.root.Close()
	asked := q.asked(id)
	position, err := readCursor(q.Cursor, asked...)
	if err != nil {
		return FindingPage{}, err
	}
	page := FindingPage{Items: []FindingItem{}}
	if _, listed := pack.manifest.Files[PackSARIF]; !listed {
		return page, nil
	}
	next, err := s.findings(pack, want, int(min(position, maxFindings)), clampLimit(q.Limit, findingsLimit, maxFindingsLimit), &page)
	if err != nil {
		return FindingPage{}, err
	}
	if next > 0 {
		page.NextCursor = makeCursor(uint64(next), asked...)
	}
	return page, nil
}

// findings fills the page from the index. One that turns out to be damaged is made again, once: the pack is what counts.
func (s *Store) findings(pack *openedPack, want findingFilter, position, limit int, page *FindingPage) (next int, err error) {
	for range 2 {
		index, openErr := s.findingIndex(pack)
		if openErr != nil {
			return 0, openErr
		}
		page.Items, page.Total, next, err = index.page(want, position, limit)
		index.close()
		if err == nil {
			return next, nil
		}
		index.forget()
	}
	return 0, ioError("read", filepath.Join(pack.place.dir, PackSARIF), err)
}

// asked is what a cursor is bound to. The limit may change from page to page.
func (q FindingQuery) asked(id string) []string {
	return []string{"findings", id, strings.ToLower(q.Severity), q.MinSeverity, q.Path, strconv.FormatBool(q.NewOnly)}
}

func (q FindingQuery) filter() (f findingFilter, err error) {
	f.level, f.path, f.newOnly = anyLevel, q.Path, q.NewOnly
	if q.Severity != "" {
		level, known := levelNumber(strings.ToLower(q.Severity))
		if !known {
			return f, gavel.Errorf(gavel.InvalidArgs, "severity: %q is none of error, warning, note and none", q.Severity).
				WithHint("min_severity takes critical, high, medium, low and info")
		}
		f.level = level
	}
	if q.MinSeverity != "" {
		if f.min, err = gavel.ParseSeverity(q.MinSeverity); err != nil {
			return f, gavel.Errorf(gavel.InvalidArgs, "min_severity: %w", err)
		}
	}
	return f, nil
}

const findingsFolder = "findings"

// indexFindings makes the index of a run that has just completed, so that the first page costs as little as any.
func (s *Store) indexFindings(at place) {
	m, exists, err := readManifest(at.dir)
	if err != nil || !exists || m.Files[PackSARIF].Size == 0 {
		return
	}
	root, err := os.OpenRoot(at.dir)
	if err != nil {
		return
	}
	defer root.Close()
	if index, err := s.findingIndex(&openedPack{at, m, root}); err == nil {
		index.close()
	}
}

// findingIndex opens the index of the pack's SARIF and makes it where there is none. It is found by the hash that the
// manifest names; whether the file still has that hash is looked at again when its size, time or inode moved.
func (s *Store) findingIndex(pack *openedPack) (*findingIndex, error) {
	want := pack.manifest.Files[PackSARIF]
	name := filepath.FromSlash(PackSARIF)
	path := filepath.Join(pack.place.dir, name)
	f, err := openRegular(pack.root, name)
	if err != nil {
		return nil, corrupt(path, "the pack lacks a file of its manifest")
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, ioError("look at", path, err)
	}
	if info.Size() != want.Size {
		return nil, changedFile(pack.place, PackSARIF)
	}
	stamp := stampOf(info)
	dir, err := s.make(findingsFolder)
	if err == nil {
		index, err := openFindingIndex(filepath.Join(dir, want.SHA256+indexSuffix), want.SHA256)
		if err == nil && index.foot.stamp == stamp {
			return index, nil
		}
		if err == nil {
			index.close()
		}
	}
	index, err := s.buildFindingIndex(dir, f, stamp, want.SHA256)
	switch {
	case errors.Is(err, errOtherHash):
		return nil, changedFile(pack.place, PackSARIF)
	case errors.Is(err, errNoSARIF):
		return nil, corrupt(path, "%w", err)
	case err != nil:
		return nil, ioError("read", path, err)
	}
	return index, nil
}

const indexSuffix = ".idx"

// findingRetention bounds the indexes, which are made again when they are asked for.
var findingRetention = retention{count: 64, bytes: 256 << 20}

// buildFindingIndex writes the index into a file, or holds it in memory where none can be written.
func (s *Store) buildFindingIndex(dir string, sarif *os.File, stamp fileStamp, hash string) (*findingIndex, error) {
	var out *os.File
	err := fs.ErrNotExist
	if dir != "" {
		out, err = os.CreateTemp(dir, temporaryPrefix+"*"+temporarySuffix)
	}
	if err != nil {
		return buildInMemory(sarif, stamp, hash)
	}
	index, err := buildIndex(out, sarif, stamp, hash)
	if err == nil {
		index.file, index.name = out, filepath.Join(dir, hash+indexSuffix)
		if os.Rename(out.Name(), index.name) != nil {
			os.Remove(out.Name()) // it can be read as long as it is open
		}
		findingRetention.pruneByTime(dir, indexSuffix)
		return index, nil
	}
	out.Close()
	os.Remove(out.Name())
	if errors.Is(err, errOtherHash) || errors.Is(err, errNoSARIF) {
		return nil, err
	}
	if _, err := sarif.Seek(0, 0); err != nil {
		return nil, err
	}
	return buildInMemory(sarif, stamp, hash) // no room on disk
}
