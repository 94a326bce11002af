package store

import (
	"crypto/sha256"
	"encoding/hex"
	"io"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"

	"github.com/gavel-review/gavel"
)

// Files of a pack that somebody looks for by name.
const (
	PackMergeGate = "00_summary/MERGE_GATE.json"
	PackSummary   = "00_summary/SUMMARY.md"
	PackReport    = "report.json"
	PackHTML      = "report.html"
	PackPatch     = "10_diff/full.patch"
	PackQuality   = "20_quality" // folder: <check>.json and <check>.log
	PackSARIF     = "30_context/INLINE_FINDINGS.sarif"
	PackIndex     = "AI_INDEX.md"
	PackManifest  = manifestName // sha256 of all the others
	RunLog        = "run.log"
	RunErrors     = "run.stderr.log"
)

// requiredFiles are what a pack of a run of a change cannot do without.
var requiredFiles = [...]string{PackMergeGate, PackSummary, PackReport, PackHTML, PackIndex, RunLog, RunErrors}

// manifest is MANIFEST.json, the last file of a pack that is written: where it lies, the pack is whole.
type manifest struct {
	Schema  int                 `json:"schema"`
	Run     gavel.RunRecord     `json:"run"`
	Summary packSummary         `json:"summary"`
	Files   map[string]packFile `json:"files"` // pack-relative, all but the manifest itself

	size int64 // of the manifest itself
}

// packSummary is what lists show of a completed run. The decision itself is in the pack's merge gate.
type packSummary struct {
	Verdict      gavel.Decision `json:"verdict"`
	GeneratedAt  time.Time      `json:"generated_at"`
	ChecksPassed int            `json:"checks_passed"`
	ChecksFailed int            `json:"checks_failed"`
	FilesChanged int            `json:"files_changed"`
}

type packFile struct {
	SHA256 string `json:"sha256"` // hex
	Size   int64  `json:"size"`   // bytes
}

// readManifest returns the manifest of a run's folder. exists is false when there is none. What cannot be a manifest of
// this very run is storage_corrupt.
func readManifest(dir string) (m *manifest, exists bool, err error) {
	name := filepath.Join(dir, manifestName)
	data, exists, err := readOwn(name)
	if err != nil || !exists {
		return nil, exists, err
	}
	m = new(manifest)
	if err := parseState(name, data, m); err != nil {
		return nil, true, err
	}
	if id := filepath.Base(dir); m.Run.ID != id {
		return nil, true, corrupt(name, "belongs to the run %q", m.Run.ID)
	}
	for file, f := range m.Files {
		if !packName(file) || len(f.SHA256) != 2*sha256.Size || f.Size < 0 {
			return nil, true, corrupt(name, "%q is no entry", file)
		}
	}
	m.size = int64(len(data))
	return m, true, nil
}

func (m *manifest) row(at place) RunRow {
	row := RunRow{
		RunRecord: m.Run, State: gavel.StateCompleted, Verdict: m.Summary.Verdict, GeneratedAt: m.Summary.GeneratedAt,
		ChecksPassed: m.Summary.ChecksPassed, ChecksFailed: m.Summary.ChecksFailed, FilesChanged: m.Summary.FilesChanged,
		Repo: at.repo, Dir: at.dir, SizeBytes: m.size,
		ElapsedS: max(0, m.Summary.GeneratedAt.Sub(m.Run.StartedAt).Seconds()),
	}
	for _, f := range m.Files {
		row.SizeBytes += f.Size
	}
	return row
}

// packName reports whether a name can be that of a file in a pack: relative, slash-separated, clean, nothing hidden and
// none of the documents that tell a run's state.
func packName(name string) bool {
	switch name {
	case "", manifestName, failedName, runningName:
		return false
	}
	if len(name) > 4*maxNameLength || path.Clean(name) != name || !filepath.IsLocal(filepath.FromSlash(name)) {
		return false
	}
	for part := range strings.SplitSeq(name, "/") {
		if part[0] == '.' || strings.ContainsAny(part, "\\\x00\n") {
			return false
		}
	}
	return true
}

// PackFile returns a whole file of a completed run. It has to be the file that the manifest names, byte for byte, else
// it is storage_corrupt; one that the manifest does not name is artifact_missing. A run that has not completed is
// stale_run or run_failed.
func (s *Store) PackFile(repo RunRepo, id, name string) ([]byte, error) {
	at, err := s.find(repo, id)
	if err != nil {
		return nil, err
	}
	return s.packFile(at, name)
}

func (s *Store) packFile(at place, name string) ([]byte, error) {
	p, err := s.openPackAt(at)
	if err != nil {
		return nil, err
	}
	defer p.root.Close()
	want, listed := p.manifest.Files[name]
	if !listed {
		return nil, noArtifact(at.id, name)
	}
	f, err := openRegular(p.root, filepath.FromSlash(name))
	if err != nil {
		return nil, corrupt(filepath.Join(p.place.dir, name), "the pack lacks a file of its manifest")
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, want.Size+1))
	if err != nil {
		return nil, ioError("read", f.Name(), err)
	}
	if sum := sha256.Sum256(data); hex.EncodeToString(sum[:]) != want.SHA256 {
		return nil, changedFile(p.place, name)
	}
	return data, nil
}

// openedPack is a completed run whose files are being read.
type openedPack struct {
	place    place
	manifest *manifest
	root     *os.Root // nothing outside the run's folder can be opened through it, no link leads out
}

func (s *Store) openPack(repo RunRepo, id string) (*openedPack, error) {
	at, err := s.find(repo, id)
	if err != nil {
		return nil, err
	}
	return s.openPackAt(at)
}

func (s *Store) openPackAt(at place) (*openedPack, error) {
	m, exists, err := readManifest(at.dir)
	if err != nil {
		return nil, err
	}
	if !exists {
		row, err := s.row(at)
		if err == nil {
			err = notCompleted(row)
		}
		if err == nil { // it completed a moment ago
			return s.openPackAt(at)
		}
		return nil, err
	}
	root, err := os.OpenRoot(at.dir)
	if err != nil {
		return nil, ioError("open", at.dir, err)
	}
	return &openedPack{at, m, root}, nil
}

// notCompleted is the error of whoever needs the pack of a run that has none.
func notCompleted(row RunRow) error {
	switch row.State {
	case gavel.StateCompleted:
		return nil
	case gavel.StateFailed:
		return gavel.Errorf(gavel.RunFailed, "run %s failed: %s", row.ID, row.Cause).WithHint("start another run")
	case gavel.StateRunning:
		e := gavel.Errorf(gavel.StaleRun, "run %s is not finished: ask verdict(run_id: %q) until it is", row.ID, row.ID)
		e.RetryAfter = row.RetryAfter
		return e
	}
	return gavel.Errorf(gavel.StaleRun, "run %s never finished, its process is gone: see verdict(run_id: %q)", row.ID, row.ID).
		WithHint("start another run")
}

func changedFile(at place, name string) *gavel.Error {
	return corrupt(filepath.Join(at.dir, filepath.FromSlash(name)), "is not the file that was written: its hash differs from the manifest's")
}

func noArtifact(id, name string) *gavel.Error {
	return gavel.Errorf(gavel.ArtifactMissing, "run %s has no artifact %q", id, name)
}
