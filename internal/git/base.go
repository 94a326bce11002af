package git

import (
	"context"

	"github.com/gavel-review/gavel"
)

// Base is the tip of what a run compares its subject with.
type Base struct {
	Ref      string // as people know it: "origin/main", "develop", or what was asked for
	Commit   string
	Fallback bool   // the branch was guessed
	Caveat   string // what a person should know about the choice, or ""
}

// SelectBase finds the base: the revision that is asked for, else origin/HEAD, else remote.origin.HEAD as a branch of
// origin, else the first of develop, main and master that exists (on origin before here). Nothing is fetched. What
// cannot be found is an error of class BaseNotFound.
func (r *Repo) SelectBase(ctx context.Context, explicit string) (Base, error) {
	if explicit != "" {
		return r.explicitBase(ctx, explicit)
	}
	b, found, err := r.defaultBase(ctx)
	if err == nil && !found {
		return Base{}, gavel.Errorf(gavel.BaseNotFound, "no base: origin has no default branch here, and none of develop, main and master exists").
			WithHint("name one: --base BRANCH")
	}
	return b, err
}

func (r *Repo) explicitBase(ctx context.Context, revision string) (Base, error) {
	if err := checkRevision(revision); err != nil {
		return Base{}, baseError(err)
	}
	if err := r.linkLogs(); err != nil {
		return Base{}, err
	}
	s, err := r.resolve(ctx, revision)
	if err != nil {
		return Base{}, baseError(err)
	}
	if s.Commit == "" {
		return Base{}, gavel.Errorf(gavel.BaseNotFound, "the base %q is a tree, not a commit", revision).WithHint("name a branch, a tag or a commit")
	}
	return Base{Ref: revision, Commit: s.Commit}, nil
}

// baseError keeps what is wrong with a revision and says that it was the base's.
func baseError(err error) error {
	e := gavel.AsError(err)
	if e.Class != gavel.InvalidArgs && e.Class != gavel.RunFailed && e.Class != gavel.NotFound {
		return err
	}
	return gavel.Errorf(gavel.BaseNotFound, "base: %s", e.Message).WithHint("%s", e.Hint)
}

// defaultBase is the first candidate that is there.
func (r *Repo) defaultBase(ctx context.Context) (b Base, found bool, err error) {
	candidates := r.baseCandidates()
	names := make([]string, len(candidates))
	for i, c := range candidates {
		names[i] = c.full + "^{commit}"
	}
	objects, err := r.lookUp(ctx, names...)
	if err != nil {
		return Base{}, false, err
	}
	for i, c := range candidates {
		if objects[i].missing() {
			continue
		}
		b := Base{Ref: c.short, Commit: objects[i].id, Fallback: c.guessed}
		if c.guessed {
			b.Caveat = "base_fallback: the default branch of origin is not known; " + c.short + " is taken as the base"
		}
		return b, true, nil
	}
	return Base{}, false, nil
}
