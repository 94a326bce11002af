package store

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/gavel-review/gavel"
)

// StartRun begins a run and returns it with its id. rec describes it, without the id and the start, which now gives.
//
// A repository has one active run per branch, and one per commit where HEAD is detached, whichever process began it: a
// second one is storage_locked at once, with active_run_id among the error's extra fields. The run lives until Finish or
// Fail, or as long as this process.
func (s *Store) StartRun(repo RunRepo, rec gavel.RunRecord, now time.Time) (*LiveRun, error) {
	key, err := repo.key()
	if err != nil {
		return nil, err
	}
	at := place{repo: key, branch: branchKey(rec.Branch, rec.Commit)}
	branch, err := s.activate(at)
	if err != nil {
		return nil, err
	}
	s.tidy(at)
	rec.StartedAt = now.UTC()
	if rec.BaseUsed == nil {
		rec.BaseUsed = []string{}
	}
	run, err := s.begin(at, rec)
	if err != nil {
		branch.release()
		return nil, err
	}
	run.branch = branch
	return run, nil
}

const leaseSuffix = ".lock"

// activate takes the lease of a branch. It waits only as long as the one who has it has not told its run's id yet, or is
// about to give it back.
func (s *Store) activate(at place) (*lease, error) {
	for waited := time.Duration(0); ; waited += lockPause {
		dir, err := s.make(runsFolder, at.repo)
		if err != nil {
			return nil, err
		}
		path := filepath.Join(dir, temporaryPrefix+at.branch+leaseSuffix)
		held, ok, err := s.lives.take(path)
		switch {
		case err != nil:
			return nil, ioError("lock", path, err)
		case ok:
			return held, nil
		}
		id, err := s.active(at.repo, at.branch)
		if err != nil {
			return nil, err
		}
		if id != "" || waited >= s.patience {
			return nil, lockedBy(id)
		}
		time.Sleep(lockPause)
	}
}

func lockedBy(id string) *gavel.Error {
	e := gavel.Errorf(gavel.StorageLocked, "the run %s of this branch is not finished", id).
		WithHint("wait for it: verdict(run_id: %q)", id)
	e.Extra = map[string]any{"active_run_id": id}
	if id == "" {
		e = gavel.Errorf(gavel.StorageLocked, "another run of this branch is being started")
	}
	e.RetryAfter = runRetry
	return e
}

// active returns the id of the branch's run that lives, or "".
func (s *Store) active(repo, branch string) (string, error) {
	places, err := s.placesOf(repo, branch)
	if err != nil {
		return "", err
	}
	sortPlaces(places)
	for _, at := range places {
		alive, err := s.lives.held(filepath.Join(at.dir, leaseName))
		if err != nil {
			return "", ioError("look at", at.dir, err)
		}
		if alive {
			return at.id, nil
		}
	}
	return "", nil
}

// begin makes the run's folder and lets it appear in one step, with its lease held.
func (s *Store) begin(at place, rec gavel.RunRecord) (*LiveRun, error) {
	branchDir, err := s.make(runsFolder, at.repo, at.branch)
	if err != nil {
		return nil, err
	}
	id, done, err := s.claimRun(at.repo, runStem(rec.Commit, rec.StartedAt))
	if err != nil {
		return nil, err
	}
	defer done()
	rec.ID, at.id, at.dir = id, id, filepath.Join(branchDir, id)
	run := &LiveRun{store: s, place: at, record: rec, files: map[string]packFile{}, staged: map[string]bool{}}
	hidden := filepath.Join(branchDir, temporaryPrefix+id+temporarySuffix)
	err = run.prepare(hidden)
	if err == nil {
		err = os.Rename(hidden, at.dir)
	}
	if err != nil {
		run.drop()
		_ = s.remove(hidden)
		return nil, ioError("create", at.dir, err)
	}
	run.life.moved(filepath.Join(at.dir, leaseName))
	syncFolder(branchDir)
	return run, nil
}

// claimRun takes the first free id in the whole repository. The claim is a file that is created exclusively, as in
// [claim]; done gives it back once the run's folder has the name.
func (s *Store) claimRun(repo, stem string) (id string, done func(), err error) {
	dir, err := s.make(runsFolder, repo)
	if err != nil {
		return "", nil, err
	}
	for n := 1; n <= maxReviewSuffix; n++ {
		id := runIDFrom(stem, n)
		path := filepath.Join(dir, temporaryPrefix+id+temporarySuffix)
		f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
		if errors.Is(err, fs.ErrExist) {
			continue
		}
		if err != nil {
			return "", nil, ioError("create", path, err)
		}
		f.Close()
		taken, err := s.taken(repo, id)
		if err == nil && !taken {
			return id, func() { os.Remove(path) }, nil
		}
		os.Remove(path)
		if err != nil {
			return "", nil, err
		}
	}
	return "", nil, gavel.Errorf(gavel.Conflict, "every run id from %s to %s-%d is taken", stem, stem, maxReviewSuffix)
}

// taken reports whether a run of any branch has the id.
func (s *Store) taken(repo, id string) (bool, error) {
	branches, err := s.branches(repo)
	if err != nil {
		return false, err
	}
	for _, branch := range branches {
		_, err := os.Lstat(filepath.Join(s.root, runsFolder, repo, branch, id))
		if !errors.Is(err, fs.ErrNotExist) {
			return true, nil
		}
	}
	return false, nil
}

// tidy takes away what dead processes have left: the branch's half-made folders and the staged files of its stale runs,
// and every raw output. The branch's lease is held.
func (s *Store) tidy(at place) {
	for _, path := range s.temporary(runsFolder, at.repo) {
		removeAbandoned(path) // claims of ids, maybe of another process this very moment
	}
	for _, path := range s.temporary(runsFolder, at.repo, at.branch) {
		_ = s.remove(path)
	}
	places, _ := s.placesOf(at.repo, at.branch)
	for _, p := range places {
		_ = s.remove(filepath.Join(p.dir, stagingName))
		_ = s.remove(filepath.Join(p.dir, leaseName))
	}
	s.tidyScratch()
}

// tidyScratch removes the raw outputs of runs that live no more, of any repository.
func (s *Store) tidyScratch() {
	repos, _, _ := s.subfolders(scratchFolder)
	for _, repo := range repos {
		ids, dir, _ := s.subfolders(scratchFolder, repo)
		for _, id := range ids {
			if !s.alive(repo, id) {
				_ = s.remove(filepath.Join(dir, id))
			}
		}
	}
}

// alive reports whether the run lives. Whatever keeps that from being known counts as life.
func (s *Store) alive(repo, id string) bool {
	branches, err := s.branches(repo)
	if err != nil {
		return true
	}
	for _, branch := range branches {
		alive, err := s.lives.held(filepath.Join(s.root, runsFolder, repo, branch, id, leaseName))
		if alive || err != nil {
			return true
		}
	}
	return false
}

// temporary lists the paths of temporary files and folders in one of our folders.
func (s *Store) temporary(folder ...string) []string {
	dir, exists, err := s.folder(folder...)
	if err != nil || !exists {
		return nil
	}
	names, _ := readNames(dir)
	var paths []string
	for _, name := range names {
		if strings.HasPrefix(name, temporaryPrefix) && strings.HasSuffix(name, temporarySuffix) {
			paths = append(paths, filepath.Join(dir, name))
		}
	}
	return paths
}

func readNames(dir string) ([]string, error) {
	d, err := os.Open(dir)
	if err != nil {
		return nil, err
	}
	defer d.Close()
	return d.Readdirnames(-1)
}

// remove deletes a file or a folder of the state and what is below it. No link is followed, and nothing outside the
// state folder can be reached.
func (s *Store) remove(path string) error {
	name, err := filepath.Rel(s.root, path)
	if err != nil {
		return err
	}
	root, err := os.OpenRoot(s.root)
	if err != nil {
		return err
	}
	defer root.Close()
	return root.RemoveAll(name)
}
