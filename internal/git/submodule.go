package git

import (
	"context"
	"os"
	"path/filepath"
)

// maxSubmodules is how many submodules of a checkout are looked at: each costs two processes.
const maxSubmodules = 32

// noteSubmodules says how the submodules of a checkout stand that is used in place. They are no part of the subject,
// which only points to them, yet tools see them.
func (t *Tree) noteSubmodules(ctx context.Context, paths []string) error {
	var absent, dirty, unknown []string
	for i, path := range paths {
		folder := filepath.Join(t.repo.Root, filepath.FromSlash(path))
		if _, err := os.Lstat(filepath.Join(folder, ".git")); isAbsent(err) {
			absent = append(absent, path)
			continue
		}
		if i >= maxSubmodules {
			unknown = append(unknown, path)
			continue
		}
		state, err := stateOf(ctx, folder)
		switch {
		case ctx.Err() != nil:
			return cancelled(ctx.Err())
		case err != nil:
			unknown = append(unknown, path)
		case state.Dirty:
			dirty = append(dirty, path)
		}
	}
	if len(absent) > 0 {
		t.note("submodules that are not checked out: %s", list(absent))
	}
	if len(dirty) > 0 {
		t.note("submodules with changes of their own, which tools see and the subject does not hold: %s", list(dirty))
	}
	if len(unknown) > 0 {
		t.note("submodules that were not looked into: %s", list(unknown))
	}
	return nil
}

func stateOf(ctx context.Context, folder string) (State, error) {
	r, err := Open(ctx, folder)
	if err != nil {
		return State{}, err
	}
	defer r.Close()
	return r.State(ctx)
}
