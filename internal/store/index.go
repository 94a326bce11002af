package store

import (
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"

	"modernc.org/sqlite"

	"github.com/gavel-review/gavel"
)

// The run index spares reading every manifest for a list. The folders are the truth: a row counts only as long as the
// document that it was made from is the same file, and on any doubt the index is set aside and made again. It holds
// runs that ended; the rest is looked at each time.

const (
	indexName    = "index.db"
	asideName    = "index.db.aside"
	indexLock    = ".index.lock"
	indexVersion = 1
	indexSchema  = `
CREATE TABLE runs (
	repo   TEXT NOT NULL,
	branch TEXT NOT NULL, -- key
	id     TEXT NOT NULL,
	mark   TEXT NOT NULL, -- of the document that says how the run ended
	size   INTEGER NOT NULL,
	run    BLOB NOT NULL, -- the row, JSON
	PRIMARY KEY (repo, branch, id)
) WITHOUT ROWID`
)

// indexedRun is a row of the index, under the names of its folder.
type indexedRun struct {
	mark string
	run  RunRow
}

type placeKey struct{ repo, branch, id string }

func (at place) key() placeKey { return placeKey{at.repo, at.branch, at.id} }

// errIndexDoubt is an index that is not what this gavel would have written.
var errIndexDoubt = errors.New("the index is in doubt")

// withIndex calls do with the index, open and alone: nobody else uses it meanwhile. What do returns is about the index.
func (s *Store) withIndex(do func(*sql.Tx) error) error {
	dir, err := s.make(runsFolder)
	if err != nil {
		return err
	}
	unlock, err := s.lockIndex(dir)
	if err != nil {
		return err
	}
	defer unlock()
	err = s.useIndex(dir, do)
	if doubtful(err) {
		if err := setAside(dir); err != nil {
			return err
		}
		err = s.useIndex(dir, do)
	}
	return err
}

func (s *Store) lockIndex(dir string) (unlock func(), err error) {
	path := filepath.Join(dir, indexLock)
	f, err := openOwn(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, ioError("open", path, err)
	}
	if err := lock(f, path, s.patience); err != nil {
		f.Close()
		return nil, err
	}
	return func() { f.Close() }, nil
}

// useIndex opens the index, fills one that is new, and runs do in one transaction.
func (s *Store) useIndex(dir string, do func(*sql.Tx) error) error {
	db, err := s.openIndex(dir)
	if err != nil {
		return err
	}
	defer db.Close()
	tx, err := db.Begin()
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback() }() // after Commit it does nothing
	if err := s.prepareIndex(tx); err != nil {
		return err
	}
	if err := do(tx); err != nil {
		return err
	}
	return tx.Commit()
}

func (s *Store) openIndex(dir string) (*sql.DB, error) {
	path := filepath.Join(dir, indexName)
	f, err := openOwn(path, os.O_RDWR|os.O_CREATE, 0o600) // SQLite would let others read it
	if err != nil {
		return nil, ioError("open", path, err)
	}
	f.Close()
	journal := "WAL"
	if s.lives.network(dir) {
		journal = "DELETE" // there is no shared memory between machines
	}
	db, err := sql.Open("sqlite", "file:"+(&url.URL{Path: filepath.ToSlash(path)}).EscapedPath()+
		"?_txlock=immediate&_pragma=busy_timeout(5000)&_pragma=synchronous(NORMAL)&_pragma=journal_mode("+journal+")")
	if err == nil {
		db.SetMaxOpenConns(1)
	}
	return db, err
}

// prepareIndex makes the table of a new index and enters what lies in the folders.
func (s *Store) prepareIndex(tx *sql.Tx) error {
	var version int
	if err := tx.QueryRow("PRAGMA user_version").Scan(&version); err != nil {
		return err
	}
	switch version {
	case indexVersion:
		return nil
	case 0:
	default:
		return fmt.Errorf("%w: version %d", errIndexDoubt, version)
	}
	if _, err := tx.Exec(indexSchema); err != nil {
		return err
	}
	if _, err := tx.Exec(fmt.Sprintf("PRAGMA user_version = %d", indexVersion)); err != nil {
		return err
	}
	repos, _, err := s.subfolders(runsFolder)
	if err != nil {
		return nil // whoever lists the runs says so
	}
	for _, repo := range repos {
		places, err := s.places(repo)
		if err != nil {
			continue
		}
		if _, changes := s.derive(places, nil); len(changes) > 0 {
			if err := enter(tx, changes); err != nil {
				return err
			}
		}
	}
	return nil
}

// doubtful reports whether an error speaks of the index's content, and not of a disk or of somebody who holds it.
func doubtful(err error) bool {
	var known *gavel.Error
	var of *sqlite.Error
	switch {
	case err == nil, errors.As(err, &known):
		return false
	case errors.As(err, &of):
		const failure, damaged, noDatabase = 1, 11, 26 // SQLITE_ERROR, SQLITE_CORRUPT, SQLITE_NOTADB
		code := of.Code() & 0xff
		return code == failure || code == damaged || code == noDatabase
	}
	return true
}

// setAside keeps the index in doubt for whoever wants to know what happened to it: the last one.
func setAside(dir string) error {
	path := filepath.Join(dir, indexName)
	for _, suffix := range []string{"-wal", "-shm", "-journal"} {
		if err := os.Remove(path + suffix); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return ioError("remove", path+suffix, err)
		}
	}
	if err := os.Rename(path, filepath.Join(dir, asideName)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return ioError("set aside", path, err)
	}
	return nil
}

// indexChange enters a run, or takes one out that is gone.
type indexChange struct {
	at   placeKey
	gone bool
	mark string
	run  RunRow
}

func enter(tx *sql.Tx, changes []indexChange) error {
	put, err := tx.Prepare("INSERT OR REPLACE INTO runs (repo, branch, id, mark, size, run) VALUES (?, ?, ?, ?, ?, ?)")
	if err != nil {
		return err
	}
	defer put.Close()
	for _, c := range changes {
		if c.gone {
			_, err = tx.Exec("DELETE FROM runs WHERE repo = ? AND branch = ? AND id = ?", c.at.repo, c.at.branch, c.at.id)
		} else {
			var data []byte
			if data, err = json.Marshal(c.run); err == nil {
				_, err = put.Exec(c.at.repo, c.at.branch, c.at.id, c.mark, c.run.SizeBytes, data)
			}
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// indexed reads the rows of a repository, of all where repo is empty.
func indexed(tx *sql.Tx, repo string) (map[placeKey]indexedRun, error) {
	rows, err := tx.Query("SELECT repo, branch, id, mark, run FROM runs WHERE ? IN ('', repo)", repo)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	known := map[placeKey]indexedRun{}
	for rows.Next() {
		var at placeKey
		var data []byte
		var r indexedRun
		if err := rows.Scan(&at.repo, &at.branch, &at.id, &r.mark, &data); err != nil {
			return nil, err
		}
		if err := json.Unmarshal(data, &r.run); err != nil {
			return nil, fmt.Errorf("%w: %w", errIndexDoubt, err)
		}
		known[at] = r
	}
	return known, rows.Err()
}

// derive returns the rows of the places, from what is known where that still holds, and what the index lacks.
func (s *Store) derive(places []place, known map[placeKey]indexedRun) (rows []RunRow, changes []indexChange) {
	rows = make([]RunRow, 0, len(places))
	for _, at := range places {
		mark := markOf(at)
		if r, ok := known[at.key()]; ok && mark != "" && r.mark == mark && r.run.ID == at.id {
			r.run.Repo, r.run.Dir = at.repo, at.dir
			rows = append(rows, r.run)
			delete(known, at.key())
			continue
		}
		row, there := s.listed(at)
		if !there {
			continue
		}
		rows = append(rows, row)
		if mark != "" && row.Kind != "" { // what cannot be read is looked at again each time
			changes = append(changes, indexChange{at: at.key(), mark: mark, run: row})
			delete(known, at.key())
		}
	}
	for at := range known {
		changes = append(changes, indexChange{at: at, gone: true})
	}
	return rows, changes
}

// markOf tells the document that says how a run ended from any other; "" is a run that has not ended, and one whose
// document could have been planted.
func markOf(at place) string {
	for _, name := range []string{manifestName, failedName} {
		path := filepath.Join(at.dir, name)
		if info, err := os.Lstat(path); err == nil {
			if !info.Mode().IsRegular() || checkInfo(path, info) != nil {
				return ""
			}
			stamp := stampOf(info)
			return fmt.Sprintf("%s %d %d %d", name, stamp.size, stamp.modified, stamp.inode)
		}
	}
	return ""
}

// RebuiltRuns is what a rebuild found.
type RebuiltRuns struct {
	Repositories int      `json:"repositories"`
	Runs         int      `json:"runs"`
	Unreadable   []string `json:"unreadable"` // folders of runs whose documents cannot be read
}

// RebuildRuns makes the run index again from the folders.
func (s *Store) RebuildRuns() (RebuiltRuns, error) {
	found := RebuiltRuns{Unreadable: []string{}}
	repos, dir, err := s.subfolders(runsFolder)
	if err != nil || len(repos) == 0 {
		return found, err
	}
	if err := s.dropIndex(dir); err != nil {
		return found, err
	}
	for _, repo := range repos {
		places, err := s.places(repo)
		if err != nil {
			return found, err
		}
		found.Runs += len(places)
		if len(places) > 0 {
			found.Repositories++
		}
	}
	rows, err := s.everyRow()
	for _, r := range rows {
		if r.State == gavel.StateFailed && r.Kind == "" {
			found.Unreadable = append(found.Unreadable, r.Dir)
		}
	}
	return found, err
}

func (s *Store) dropIndex(dir string) error {
	unlock, err := s.lockIndex(dir)
	if err != nil {
		return err
	}
	defer unlock()
	return setAside(dir)
}
