package store

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/gavel-review/gavel"
)

// What lies in a run's folder says how far the run has come. Only the three documents decide, in this order.
const (
	manifestName = "MANIFEST.json" // the pack is whole
	failedName   = "FAILED.json"   // it ended without a pack
	runningName  = "RUNNING.json"  // it was begun; the lease tells whether its owner lives

	leaseName   = ".lock"
	stagingName = ".staging"
)

// RunRow is a run as lists, verdicts and indexes know it.
type RunRow struct {
	gavel.RunRecord
	State        gavel.RunState `json:"state"`
	Verdict      gavel.Decision `json:"verdict,omitempty"`     // of a completed run
	GeneratedAt  time.Time      `json:"generated_at,omitzero"` // UTC, when it completed or failed
	ChecksPassed int            `json:"checks_passed"`
	ChecksFailed int            `json:"checks_failed"`
	FilesChanged int            `json:"files_changed"`
	Cause        string         `json:"cause,omitempty"` // why there is no pack: of a failed run

	Repo      string  `json:"repo"`                // key of the repository
	Dir       string  `json:"dir"`                 // folder of the run, absolute
	SizeBytes int64   `json:"size_bytes"`          // of its files; 0 while it runs
	ElapsedS  float64 `json:"elapsed_s,omitempty"` // since the start while it runs, else from start to end; 0 when not known
	// RetryAfter is when to look again; 0 unless it runs.
	RetryAfter time.Duration `json:"-"`
}

const (
	runVersion = 1
	runRetry   = 5 * time.Second
)

// running is RUNNING.json. It describes the owner for people; whether that one lives the lease alone says, since
// containers that share a folder have the same process numbers.
type running struct {
	Schema       int    `json:"schema"`
	PID          int    `json:"pid"`
	ProcessStart string `json:"process_start"` // in the system's own unit; "" where it is not told
	BootID       string `json:"boot_id"`
	gavel.RunRecord
}

// failed is FAILED.json.
type failed struct {
	Schema  int             `json:"schema"`
	Cause   string          `json:"cause"`
	EndedAt time.Time       `json:"ended_at"`
	Run     gavel.RunRecord `json:"run"`
}

// place is where a run lies.
type place struct {
	repo, branch string // keys
	id           string
	dir          string
}

// row derives a run's row from its folder. An error is storage_corrupt, refused, or run_not_found where the folder is gone.
func (s *Store) row(at place) (RunRow, error) {
	if exists, err := checkFolder(at.dir); err != nil || !exists {
		return RunRow{}, orMissing(err, at.id)
	}
	row, ended, err := endedRow(at)
	if ended || err != nil {
		return row, err
	}
	alive, err := s.lives.held(filepath.Join(at.dir, leaseName))
	if err != nil {
		return RunRow{}, ioError("look at", at.dir, err)
	}
	row, begun := runningRow(at)
	if alive {
		row.State, row.RetryAfter = gavel.StateRunning, runRetry
		row.ElapsedS = max(0, time.Since(row.StartedAt).Seconds())
		return row, nil
	}
	// It may have ended between the two looks.
	if row, ended, err := endedRow(at); ended || err != nil {
		return row, err
	}
	if exists, err := checkFolder(at.dir); err != nil || !exists {
		return RunRow{}, orMissing(err, at.id)
	}
	row.State, row.SizeBytes = gavel.StateStale, folderSize(at.dir)
	if !begun {
		row.State, row.Cause = gavel.StateFailed, "the folder of the run holds no account of it"
	}
	return row, nil
}

func orMissing(err error, id string) error {
	if err != nil {
		return err
	}
	return noRun(id)
}

// endedRow reads how the run ended, if it did.
func endedRow(at place) (row RunRow, ended bool, err error) {
	m, exists, err := readManifest(at.dir)
	if err != nil {
		return RunRow{}, true, err
	}
	if exists {
		return m.row(at), true, nil
	}
	var f failed
	exists, err = readState(filepath.Join(at.dir, failedName), &f)
	if !exists && err == nil {
		return RunRow{}, false, nil
	}
	row = at.bare()
	row.State, row.GeneratedAt, row.Cause = gavel.StateFailed, f.EndedAt, f.Cause
	if err != nil {
		row.Cause = gavel.AsError(err).Message
	} else if f.Run.ID == at.id {
		row.RunRecord = f.Run
		row.ElapsedS = max(0, f.EndedAt.Sub(f.Run.StartedAt).Seconds())
	}
	row.SizeBytes = folderSize(at.dir)
	return row, true, nil
}

// runningRow reads RUNNING.json. What cannot be read is told as far as the names tell it.
func runningRow(at place) (row RunRow, begun bool) {
	row = at.bare()
	var r running
	exists, err := readState(filepath.Join(at.dir, runningName), &r)
	if err == nil && exists && r.ID == at.id {
		row.RunRecord = r.RunRecord
	}
	return row, exists
}

// bare is what the names alone say of a run.
func (at place) bare() RunRow {
	row := RunRow{Repo: at.repo, Dir: at.dir}
	row.ID, row.BaseUsed = at.id, []string{}
	if t, err := time.Parse("20060102-150405", at.id[:min(len(at.id), 15)]); err == nil {
		row.StartedAt = t
	}
	return row
}

// readState reads a small document of ours.
func readState(path string, into any) (exists bool, err error) {
	data, exists, err := readOwn(path)
	if err != nil || !exists {
		return exists, err
	}
	return true, parseState(path, data, into)
}

// parseState reads a document of this version; a newer one is refused, everything else is storage_corrupt.
func parseState(path string, data []byte, into any) error {
	var head struct {
		Schema int `json:"schema"`
	}
	if err := json.Unmarshal(data, &head); err != nil {
		return corrupt(path, "cannot be read: %w", err)
	}
	switch {
	case head.Schema > runVersion:
		return gavel.Errorf(gavel.Refused, "%s: schema %d is newer than this gavel understands (%d)", path, head.Schema, runVersion).
			WithHint("upgrade gavel")
	case head.Schema < 1:
		return corrupt(path, "schema %d", head.Schema)
	}
	if err := json.Unmarshal(data, into); err != nil {
		return corrupt(path, "cannot be read: %w", err)
	}
	return nil
}

func writeState(path string, doc any) error {
	data, err := json.MarshalIndent(doc, "", "  ")
	if err != nil {
		return gavel.Errorf(gavel.Internal, "%s: %w", filepath.Base(path), err)
	}
	return replaceFile(path, append(data, '\n'), 0o600)
}

// folderSize adds up the regular files below a folder. No link is followed.
func folderSize(dir string) int64 {
	var size int64
	_ = filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			if info, err := d.Info(); err == nil {
				size += info.Size()
			}
		}
		return nil
	})
	return size
}

// places lists the runs of a repository, in no order.
func (s *Store) places(repo string) ([]place, error) {
	branches, err := s.branches(repo)
	if err != nil {
		return nil, err
	}
	var all []place
	for _, branch := range branches {
		some, err := s.placesOf(repo, branch)
		if err != nil {
			return nil, err
		}
		all = append(all, some...)
	}
	return all, nil
}

func (s *Store) placesOf(repo, branch string) ([]place, error) {
	names, dir, err := s.subfolders(runsFolder, repo, branch)
	if err != nil {
		return nil, err
	}
	all := make([]place, 0, len(names))
	for _, name := range names {
		if plainName(name) {
			all = append(all, place{repo, branch, name, filepath.Join(dir, name)})
		}
	}
	return all, nil
}

func (s *Store) branches(repo string) ([]string, error) {
	names, _, err := s.subfolders(runsFolder, repo)
	return names, err
}

// subfolders lists the folders below one of ours, hidden ones left out. None are there is no error.
func (s *Store) subfolders(names ...string) (found []string, dir string, err error) {
	dir, exists, err := s.folder(names...)
	if err != nil || !exists {
		return nil, dir, err
	}
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, dir, ioError("read", dir, err)
	}
	for _, e := range entries {
		if e.IsDir() && !strings.HasPrefix(e.Name(), temporaryPrefix) {
			found = append(found, e.Name())
		}
	}
	return found, dir, nil
}

// find returns where a run lies. One id in two places is storage_corrupt: neither can be believed.
func (s *Store) find(repo RunRepo, id string) (place, error) {
	key, err := repo.key()
	if err != nil {
		return place{}, err
	}
	return s.findIn([]string{key}, id)
}

// findIn looks into several repositories, by their keys.
func (s *Store) findIn(repos []string, id string) (place, error) {
	if !plainName(id) {
		return place{}, noRun(id)
	}
	var found []place
	for _, repo := range repos {
		branches, err := s.branches(repo)
		if err != nil {
			return place{}, err
		}
		for _, branch := range branches {
			dir, _, err := s.folder(runsFolder, repo, branch)
			if err != nil {
				return place{}, err
			}
			dir = filepath.Join(dir, id)
			if _, err := os.Lstat(dir); err == nil {
				found = append(found, place{repo, branch, id, dir})
			}
		}
	}
	switch len(found) {
	case 0:
		return place{}, noRun(id)
	case 1:
		return found[0], nil
	}
	return place{}, corrupt(found[1].dir, "the run is also at %s", found[0].dir)
}

// Run returns what is known of one run. An id that cannot be one or is not kept is run_not_found; one that lies in two
// places, and a pack whose manifest cannot be read, is storage_corrupt.
func (s *Store) Run(repo RunRepo, id string) (RunRow, error) {
	at, err := s.find(repo, id)
	if err != nil {
		return RunRow{}, err
	}
	return s.row(at)
}

// LatestFor returns the newest run of the branch that judged the commit, as [gavel.RunRecord.Latest] has it; with an
// empty commit, of the branch at any commit. A run that lives comes before one that ended. branch is empty where HEAD is
// detached; its runs are those of the commit. ok is false when there is none.
func (s *Store) LatestFor(repo RunRepo, branch, commit string) (row RunRow, ok bool, err error) {
	key, err := repo.key()
	if err != nil || branch == "" && commit == "" {
		return RunRow{}, false, err
	}
	places, err := s.placesOf(key, branchKey(branch, commit))
	if err != nil {
		return RunRow{}, false, err
	}
	sortPlaces(places)
	for _, at := range places {
		if ok { // of the older ones, one that lives alone matters
			if alive, err := s.lives.held(filepath.Join(at.dir, leaseName)); err != nil || !alive {
				continue
			}
		}
		r, err := s.row(at)
		switch {
		case gavel.AsError(err) != nil && gavel.AsError(err).Class == gavel.RunNotFound:
			continue // taken away meanwhile
		case err != nil && ok:
			continue
		case err != nil:
			return RunRow{}, false, err
		case !r.Latest() || r.Branch != branch || commit != "" && r.Commit != commit:
			continue
		case r.State == gavel.StateRunning:
			return r, true, nil
		case !ok:
			row, ok = r, true
		}
	}
	return row, ok, nil
}
