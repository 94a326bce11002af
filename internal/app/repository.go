package app

import (
	"context"
	"errors"
	"path/filepath"

	"github.com/gavel-review/gavel"
	"github.com/gavel-review/gavel/internal/git"
	"github.com/gavel-review/gavel/internal/store"
)

// path resolves a path that a person typed against the working directory.
func (e *Env) path(p string) string {
	if filepath.IsAbs(p) {
		return p
	}
	return filepath.Join(e.Dir, p)
}

// openRepo opens the repository of an operation: the argument, else the default of the door, else GAVEL_REPO, else the
// working directory. The error names what was tried.
func openRepo(ctx context.Context, env *Env, arg string) (*git.Repo, error) {
	path, from := arg, "repo"
	switch {
	case arg != "":
	case env.DefaultRepo != "":
		path, from = env.DefaultRepo, "--repo"
	case env.Getenv("GAVEL_REPO") != "":
		path, from = env.Getenv("GAVEL_REPO"), "GAVEL_REPO"
	default:
		path, from = env.Dir, "the working directory"
	}
	if !filepath.IsAbs(path) {
		return nil, gavel.Errorf(gavel.RepoNotFound, "%s: %q is not an absolute path", from, path)
	}
	repo, err := git.Open(ctx, path)
	if err == nil {
		return repo, nil
	}
	e := gavel.AsError(err)
	if e.Class == gavel.NotAGitRepo && e.Hint == "" {
		e = e.WithHint("tried %s (%s); %s", path, from,
			env.hint("give the repository with --repo PATH, or judge files with `gavel scan`", "repo takes the absolute path of a folder inside a git work tree"))
	}
	return nil, e
}

// BaselinePath is where a repository keeps the findings that it already knows.
const BaselinePath = ".gavel/baseline.json"

// trustedBaseline reads the baseline of the trusted base. A baseline that a change brings settles nothing.
func trustedBaseline(ctx context.Context, repo *git.Repo, trusted git.TrustedBase) (map[string]int, error) {
	if trusted.Commit == "" {
		return nil, nil
	}
	data, exists, err := repo.File(ctx, trusted.Commit, BaselinePath)
	if err != nil || !exists {
		return nil, err
	}
	baseline, err := store.ParseBaseline(data)
	if err != nil {
		e := gavel.AsError(err)
		e.Message = trusted.Ref + ":" + BaselinePath + ": " + e.Message
		return nil, e
	}
	return baseline, nil
}

func isCancelled(err error) bool {
	return errors.Is(err, context.Canceled)
}
