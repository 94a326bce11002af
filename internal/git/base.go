package git

import (
	"context"
	"errors"
	"net/url"
	"os"
	"strings"
	"time"

	"github.com/gavel-review/gavel"
	"github.com/gavel-review/gavel/internal/proc"
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
	if e.Class != gavel.InvalidArgs {
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

// fetchDeadline bounds a fetch that says nothing.
const fetchDeadline = 2 * time.Minute

// Fetch brings the base's branch up to date from origin. It is the only thing here that uses a network or writes into
// the repository: its remote-tracking branch moves, nothing else does. It never asks for credentials.
func (r *Repo) Fetch(ctx context.Context, b Base) error {
	branch, ok := strings.CutPrefix(b.Ref, "origin/")
	if !ok {
		branch = b.Ref
	}
	if !isBranchName(branch) || strings.HasPrefix(branch, "-") {
		return gavel.Errorf(gavel.InvalidArgs, "the base %q is no branch of origin, so it cannot be fetched", b.Ref)
	}
	if r.config.last("remote.origin.url") == "" {
		return gavel.Errorf(gavel.BaseNotFound, "there is no remote origin to fetch %q from", branch).WithHint("leave --fetch out, or add the remote")
	}
	_, stderr, err := proc.Command{
		Argv: []string{"git", "-c", "core.hooksPath=/dev/null", "-c", "core.fsmonitor=false", "-c", "protocol.ext.allow=never", "-c", "credential.interactive=false",
			"fetch", "--upload-pack=git-upload-pack", "--no-tags", "--no-recurse-submodules", "--no-write-fetch-head", "--no-auto-maintenance", "origin",
			"+refs/heads/" + branch + ":refs/remotes/origin/" + branch},
		Dir: r.Root, Env: fetchEnvironment(), Timeout: fetchDeadline,
	}.Output(ctx)
	var exit *proc.ExitError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &exit):
		return gavel.Errorf(gavel.BaseNotFound, "%q could not be fetched from %s: %s", branch, publicURL(r.config.last("remote.origin.url")), publicURL(said(stderr))).
			WithHint("run git fetch by hand, then leave --fetch out")
	}
	return toolError(err)
}

// fetchEnvironment lets git reach the usual kinds of remote, and ask nobody.
func fetchEnvironment() []string {
	env := environment("GIT_ALLOW_PROTOCOL=file:git:http:https:ssh", "GIT_ASKPASS=true", "SSH_ASKPASS=true", "GIT_SSH_COMMAND=ssh -oBatchMode=yes")
	for _, key := range [...]string{"SSH_AUTH_SOCK", "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "http_proxy", "https_proxy", "no_proxy"} {
		if v, ok := os.LookupEnv(key); ok {
			env = append(env, key+"="+v)
		}
	}
	return env
}

// publicURL hides what a URL's user part may give away.
func publicURL(text string) string {
	words := strings.Fields(text)
	for i, word := range words {
		trimmed := strings.Trim(word, "'\":,")
		u, err := url.Parse(trimmed)
		if err == nil && u.User != nil && u.Host != "" {
			u.User = url.User("***")
			words[i] = strings.Replace(word, trimmed, strings.Replace(u.String(), "%2A%2A%2A", "***", 1), 1)
		}
	}
	return strings.Join(words, " ")
}
