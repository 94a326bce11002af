package git

import (
	"context"
	"errors"
	"os"
	"strings"
	"time"

	"github.com/gavel-review/gavel"
	"github.com/gavel-review/gavel/internal/proc"
)

// fetchDeadline bounds a fetch that says nothing.
const fetchDeadline = 2 * time.Minute

// fetchConfig keeps a fetch to one branch: no hook, no monitor, nobody who is asked, nothing pruned, no bundle from
// elsewhere, no clean-up afterwards.
var fetchConfig = [...]string{
	"core.hooksPath=/dev/null", "core.fsmonitor=false", "core.askPass=", "credential.interactive=false",
	"protocol.ext.allow=never", "fetch.recurseSubmodules=false", "fetch.writeCommitGraph=false",
	"transfer.bundleURI=false", "gc.auto=0", "maintenance.auto=false",
}

// Fetch brings the base's branch up to date from origin. It is the only thing here that uses a network or writes into
// the repository: objects come in and the branch's remote-tracking branch moves, nothing else does. It asks nobody for
// credentials; helpers and agents that the user has set up answer by themselves. The base must be selected again
// afterwards.
func (r *Repo) Fetch(ctx context.Context, b Base) error {
	branch, err := r.remoteBranch(ctx, b.Ref)
	if err != nil {
		return err
	}
	argv := []string{"git"}
	for _, setting := range fetchConfig {
		argv = append(argv, "-c", setting)
	}
	argv = append(argv, "fetch", "--quiet", "--upload-pack=git-upload-pack", "--no-tags", "--no-prune", "--no-recurse-submodules", "--no-write-fetch-head",
		"--no-auto-maintenance", "--refmap=", "origin", "+refs/heads/"+branch+":refs/remotes/origin/"+branch)
	_, stderr, err := proc.Command{Argv: argv, Dir: r.Root, Env: r.fetchEnvironment(ctx), Timeout: fetchDeadline}.Output(ctx)
	if err != nil {
		return r.fetchError(ctx, branch, stderr, err)
	}
	if r.config.last("extensions.refstorage") == "reftable" {
		return r.copyReferences(ctx)
	}
	return nil
}

// remoteBranch is the name that a base has at origin.
func (r *Repo) remoteBranch(ctx context.Context, ref string) (string, error) {
	if r.config.last("remote.origin.url") == "" {
		return "", gavel.Errorf(gavel.BaseNotFound, "there is no remote origin to fetch %q from", ref).WithHint("leave --fetch out, or add the remote")
	}
	branch := ref
	for _, prefix := range [...]string{"refs/heads/", "refs/remotes/", "origin/"} {
		branch = strings.TrimPrefix(branch, prefix)
	}
	if ref == "origin/HEAD" || ref == "refs/remotes/origin/HEAD" {
		out, _, err := r.setUp("symbolic-ref", "--quiet", "refs/remotes/origin/HEAD").Output(ctx)
		if err != nil && ctx.Err() != nil {
			return "", toolError(err)
		}
		branch = strings.TrimPrefix(strings.TrimSpace(string(out)), "refs/remotes/origin/")
	}
	if !isBranchName(branch) || strings.HasPrefix(branch, "-") || branch == "HEAD" {
		return "", gavel.Errorf(gavel.InvalidArgs, "the base %q is no branch of origin, so it cannot be fetched", ref).WithHint("name a branch, or leave --fetch out")
	}
	return branch, nil
}

// setUp is a git command that sees the repository as the user has set it up. It must neither write nor run anything.
func (r *Repo) setUp(args ...string) proc.Command {
	return proc.Command{Argv: append([]string{"git"}, args...), Dir: r.Root, Env: environment(), Idle: listingDeadline}
}

// fetchEnvironment lets git reach the usual kinds of remote, and ask nobody.
func (r *Repo) fetchEnvironment(ctx context.Context) []string {
	ssh := "ssh"
	if out, _, err := r.setUp("config", "--get", "core.sshCommand").Output(ctx); err == nil && len(out) > 0 {
		ssh = strings.TrimSpace(string(out))
	}
	env := environment("GIT_ALLOW_PROTOCOL=file:git:http:https:ssh", "GIT_ASKPASS=", "SSH_ASKPASS=", "SSH_ASKPASS_REQUIRE=never",
		"GIT_SSH_COMMAND="+ssh+" -oBatchMode=yes")
	for _, key := range [...]string{
		"SSH_AUTH_SOCK", "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "no_proxy", "all_proxy",
		"SSL_CERT_FILE", "SSL_CERT_DIR", "USER", "LOGNAME",
	} {
		if v, ok := os.LookupEnv(key); ok {
			env = append(env, key+"="+v)
		}
	}
	return env
}

func (r *Repo) fetchError(ctx context.Context, branch, stderr string, err error) error {
	remote := maskURLs(r.config.last("remote.origin.url"))
	var exit *proc.ExitError
	switch {
	case ctx.Err() != nil, errors.Is(err, proc.ErrNotFound):
		return toolError(err)
	case isLate(err):
		return gavel.Errorf(gavel.RunTimeout, "%q could not be fetched from %s within %s", branch, remote, fetchDeadline).
			WithHint("run git fetch by hand, then leave --fetch out")
	case errors.As(err, &exit):
		return gavel.Errorf(gavel.BaseNotFound, "%q could not be fetched from %s: %s", branch, remote, maskURLs(fetchSaid(stderr))).
			WithHint("run git fetch by hand, then leave --fetch out")
	}
	return toolError(err)
}

// fetchSaid is the first line that git ended over: those after it give advice.
func fetchSaid(stderr string) string {
	for line := range strings.Lines(stderr) {
		if strings.HasPrefix(line, "fatal: ") || strings.HasPrefix(line, "error: ") {
			return said(line)
		}
	}
	return said(stderr)
}

// maskURLs hides what URLs in a text may give away: their user part and what follows a question mark.
func maskURLs(text string) string {
	var b strings.Builder
	for {
		start := strings.Index(text, "://")
		if start < 0 {
			return b.String() + text
		}
		b.WriteString(text[:start+3])
		text = text[start+3:]
		url := text[:len(text)-len(strings.TrimLeftFunc(text, inURL))]
		text = text[len(url):]
		b.WriteString(maskURL(url))
	}
}

// maskURL masks a URL without its scheme. A password that holds a slash, as none may, ends at the last "@".
func maskURL(url string) string {
	url, query, asks := strings.Cut(url, "?")
	if asks && query != "" {
		url += "?***"
	}
	host, path, _ := strings.Cut(url, "/")
	_, port, _ := strings.Cut(host, ":")
	if strings.Trim(port, "0123456789") != "" && !strings.Contains(host, "@") && strings.Contains(path, "@") {
		host = url
	}
	if at := strings.LastIndexByte(host, '@'); at >= 0 {
		return "***" + url[at:]
	}
	return url
}

func inURL(c rune) bool { return c > ' ' && !strings.ContainsRune("'\"<>", c) }
