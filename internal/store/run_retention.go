package store

import (
	"os"
	"path/filepath"
	"slices"

	"github.com/gavel-review/gavel"
)

// runLimits bound what is kept. Failed and stale runs count; those that live and the latest of each branch stay.
type runLimits struct {
	branch, repo int   // runs
	bytes        int64 // of all repositories
}

var defaultRunLimits = runLimits{branch: 20, repo: 200, bytes: 5 << 30}

// pruneRuns removes what is over the bounds, oldest first and never the run that just ended. What cannot be removed
// stays: retention is no reason to fail a run, and another process may prune at the same time.
func (s *Store) pruneRuns(ended place) {
	rows, err := s.rowsOf(ended.repo)
	if err != nil {
		return
	}
	s.removeRuns(s.runs.over(rows, ended.id))
	if size, err := s.keptBytes(); err == nil && size <= s.runs.bytes {
		return
	}
	if rows, err = s.everyRow(); err == nil {
		s.removeRuns(s.runs.overBytes(rows, ended))
	}
}

// over returns the runs of one repository that are too many, oldest first.
func (l runLimits) over(rows []RunRow, ended string) []RunRow {
	sortRows(rows)
	kept := protected(rows)
	perBranch := map[string]int{}
	var over, within []RunRow
	for _, r := range rows {
		perBranch[branchOf(r)]++
		if free := !kept[r.Dir] && r.ID != ended; free && perBranch[branchOf(r)] > l.branch {
			over = append(over, r)
		} else {
			within = append(within, r)
		}
	}
	for _, r := range slices.Backward(within) {
		if len(rows)-len(over) <= l.repo {
			break
		}
		if !kept[r.Dir] && r.ID != ended {
			over = append(over, r)
		}
	}
	slices.Reverse(over)
	sortRows(over)
	slices.Reverse(over)
	return over
}

// overBytes returns the runs of all repositories that the budget no longer holds, oldest first.
func (l runLimits) overBytes(rows []RunRow, ended place) []RunRow {
	var size int64
	for _, r := range rows {
		size += r.SizeBytes
	}
	if size <= l.bytes {
		return nil
	}
	sortRows(rows)
	kept := protected(rows)
	var over []RunRow
	for _, r := range slices.Backward(rows) {
		if size <= l.bytes {
			break
		}
		if !kept[r.Dir] && r.Dir != ended.dir {
			over = append(over, r)
			size -= r.SizeBytes
		}
	}
	return over
}

// protected are the folders of runs that stay: those that live, and of each branch the newest run and the newest that
// completed and can be found without its id. A commit without a branch has no latest: there would be one for every
// commit that was ever checked out. rows are sorted newest first.
func protected(rows []RunRow) map[string]bool {
	type seen struct{ any, completed bool }
	branches := map[string]seen{}
	kept := map[string]bool{}
	for _, r := range rows {
		branch := filepath.Dir(r.Dir)
		if r.State == gavel.StateRunning {
			kept[r.Dir] = true
		}
		if detached(branchOf(r)) {
			continue
		}
		known := branches[branch]
		if completed := r.State == gavel.StateCompleted && r.Latest(); !known.any || completed && !known.completed {
			kept[r.Dir] = true
			known.completed = known.completed || completed
		}
		known.any = true
		branches[branch] = known
	}
	return kept
}

// branchOf is the key of the branch that the run lies under.
func branchOf(r RunRow) string { return filepath.Base(filepath.Dir(r.Dir)) }

// removeRuns deletes the runs, but for those that live after all.
func (s *Store) removeRuns(rows []RunRow) {
	for _, r := range rows {
		_ = s.removeRun(r.Dir)
	}
}

// removeRun renames the folder before it takes it apart, so that nobody sees half a pack.
func (s *Store) removeRun(dir string) error {
	alive, err := s.lives.held(filepath.Join(dir, leaseName))
	if err != nil || alive {
		return lockedBy(filepath.Base(dir))
	}
	from, err := filepath.Rel(s.root, dir)
	if err != nil {
		return err
	}
	root, err := os.OpenRoot(s.root)
	if err != nil {
		return err
	}
	defer root.Close()
	grave := filepath.Join(filepath.Dir(from), temporaryPrefix+filepath.Base(from)+".gone"+temporarySuffix)
	if err := root.Rename(from, grave); err != nil {
		return err
	}
	err = root.RemoveAll(grave)
	_ = root.Remove(filepath.Dir(from)) // the branch's folder, unless something is in it
	return err
}

// sortPlaces orders runs newest first.
func sortPlaces(places []place) {
	slices.SortFunc(places, func(a, b place) int { return compareIDs(b.id, a.id) })
}

// sortRows orders runs newest first.
func sortRows(rows []RunRow) {
	slices.SortFunc(rows, func(a, b RunRow) int { return compareIDs(b.ID, a.ID) })
}
