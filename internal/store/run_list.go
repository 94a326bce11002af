package store

import (
	"database/sql"
	"slices"

	"github.com/gavel-review/gavel"
)

// RunQuery narrows a list of runs.
type RunQuery struct {
	Branch string         // short name; "" is every branch
	State  gavel.RunState // "" is every state
	Limit  int            // 0 is all
}

// Runs lists runs, newest first: those of the repository, or of all repositories where repo is zero. A run that cannot
// be read is listed as failed, with the cause.
func (s *Store) Runs(repo RunRepo, q RunQuery) ([]RunRow, error) {
	rows, err := s.someRows(repo)
	if err != nil {
		return nil, err
	}
	rows = slices.DeleteFunc(rows, func(r RunRow) bool {
		return q.Branch != "" && r.Branch != q.Branch || q.State != "" && r.State != q.State
	})
	sortRows(rows)
	if q.Limit > 0 && len(rows) > q.Limit {
		rows = rows[:q.Limit]
	}
	return rows, nil
}

func (s *Store) someRows(repo RunRepo) ([]RunRow, error) {
	if repo == (RunRepo{}) {
		return s.everyRow()
	}
	key, err := repo.key()
	if err != nil {
		return nil, err
	}
	return s.rowsOf(key)
}

func (s *Store) rowsOf(repo string) ([]RunRow, error) {
	places, err := s.places(repo)
	if err != nil {
		return nil, err
	}
	return s.rows(places, repo), nil
}

func (s *Store) everyRow() ([]RunRow, error) {
	repos, _, err := s.subfolders(runsFolder)
	if err != nil {
		return nil, err
	}
	var all []place
	for _, repo := range repos {
		places, err := s.places(repo)
		if err != nil {
			return nil, err
		}
		all = append(all, places...)
	}
	return s.rows(all, ""), nil
}

// rows derives the rows of the places, all there are in the repository or, where repo is empty, in all. The index helps
// and is brought up to date; without it every folder is read.
func (s *Store) rows(places []place, repo string) (rows []RunRow) {
	if len(places) == 0 {
		return nil
	}
	err := s.withIndex(func(tx *sql.Tx) error {
		known, err := indexed(tx, repo)
		if err != nil {
			return err
		}
		var changes []indexChange
		rows, changes = s.derive(places, known)
		if len(changes) == 0 {
			return nil
		}
		return enter(tx, changes)
	})
	if err != nil {
		rows, _ = s.derive(places, nil)
	}
	return rows
}

// listed is row for lists.
func (s *Store) listed(at place) (row RunRow, there bool) {
	row, err := s.row(at)
	switch e := gavel.AsError(err); {
	case e == nil:
		return row, true
	case e.Class == gavel.RunNotFound:
		return RunRow{}, false
	default:
		row = at.bare()
		row.State, row.Cause, row.SizeBytes = gavel.StateFailed, e.Message, folderSize(at.dir)
		return row, true
	}
}

// keptBytes is how much the runs of all repositories take up, as far as the index knows.
func (s *Store) keptBytes() (size int64, err error) {
	err = s.withIndex(func(tx *sql.Tx) error {
		return tx.QueryRow("SELECT coalesce(sum(size), 0) FROM runs").Scan(&size)
	})
	return size, err
}
