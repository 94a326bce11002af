package git

import (
	"context"
	"path/filepath"
	"strings"
)

// TrustedBase is the tip of the branch that a change will merge into: what judges a change comes from there. It is
// never the merge base, and it does not move with the scope.
type TrustedBase = Base

// TrustedBase finds the base as SelectBase does without a revision; where there is none it is HEAD, and before the
// first commit nothing.
func (r *Repo) TrustedBase(ctx context.Context) (TrustedBase, error) {
	b, found, err := r.defaultBase(ctx)
	if err != nil || found {
		return b, err
	}
	if r.Head == "" {
		return TrustedBase{Fallback: true, Caveat: "base_fallback: there is no commit yet; only built-in and user policy apply"}, nil
	}
	return TrustedBase{
		Ref: "HEAD", Commit: r.Head, Fallback: true,
		Caveat: "base_fallback: no base branch was found; HEAD is taken as the base",
	}, nil
}

type baseCandidate struct {
	full, short string
	guessed     bool
}

func (r *Repo) baseCandidates() []baseCandidate {
	const remote, local = "refs/remotes/origin/", "refs/heads/"
	list := []baseCandidate{{full: remote + "HEAD", short: r.originHead()}}
	if name := r.config.last("remote.origin.head"); name != "" {
		for _, prefix := range [...]string{remote, local, "origin/"} {
			name = strings.TrimPrefix(name, prefix)
		}
		if isBranchName(name) {
			list = append(list, baseCandidate{full: remote + name, short: "origin/" + name})
		}
	}
	for _, name := range [...]string{"develop", "main", "master"} {
		list = append(list, baseCandidate{remote + name, "origin/" + name, true}, baseCandidate{local + name, name, true})
	}
	return list
}

// originHead is what origin/HEAD stands for, where it is kept in a file.
func (r *Repo) originHead() string {
	text, err := readRef(filepath.Join(r.CommonDir, "refs", "remotes", "origin", "HEAD"))
	if name, ok := strings.CutPrefix(text, "ref: refs/remotes/"); ok && err == nil {
		return name
	}
	return "origin/HEAD"
}

// isBranchName keeps expressions out of what is looked up: a configured name is a name and nothing else.
func isBranchName(name string) bool {
	return name != "" && !strings.ContainsAny(name, "\x00\n ~^:?*[\\{") && !strings.Contains(name, "..")
}
