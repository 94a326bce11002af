package store

import (
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

func (s *Store) everyRow() ([]RunRow, error) {
	repos, _, err := s.subfolders(runsFolder)
	if err != nil {
		return nil, err
	}
	var all []RunRow
	for _, repo := range repos {
		rows, err := s.rowsOf(repo)
		if err != nil {
			return nil, err
		}
		all = append(all, rows...)
	}
	return all, nil
}

// rowsOf derives the rows of a repository from its folder.
func (s *Store) rowsOf(repo string) ([]RunRow, error) {
	places, err := s.places(repo)
	if err != nil {
		return nil, err
	}
	rows := make([]RunRow, 0, len(places))
	for _, at := range places {
		if row, there := s.listed(at); there {
			rows = append(rows, row)
		}
	}
	return rows, nil
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
