package git

import (
	"context"
	"path/filepath"
	"strings"
)

// TrustedBase is the tip of the branch that a change will merge into: what judges a change comes from there. It is
// never the merge base, and it does not move with the scope.
type TrustedBase struct {
	Ref      string // "origin/main", "develop", "HEAD"; "" before the first commit
	Commit   string // "" before the first commit
	Fallback bool   // the branch was guessed
	Caveat   string // what a person should know about the choice, or ""
}

// TrustedBase finds the base: origin/HEAD, else remote.origin.HEAD as a branch of origin, else the first of develop,
// main and master that exists (on origin before here: a stale branch must not mislead), else HEAD.
func (r *Repo) TrustedBase(ctx context.Context) (TrustedBase, error) {
	candidates := r.baseCandidates()
	names := make([]string, len(candidates))
	for i, c := range candidates {
		names[i] = c.full + "^{commit}"
	}
	found, err := r.lookUp(ctx, names...)
	if err != nil {
		return TrustedBase{}, err
	}
	for i, c := range candidates {
		if found[i].missing() {
			continue
		}
		b := TrustedBase{Ref: c.short, Commit: found[i].id, Fallback: c.guessed}
		if c.guessed {
			b.Caveat = "base_fallback: the default branch of origin is not known; " + c.short + " is taken as the base"
		}
		return b, nil
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
