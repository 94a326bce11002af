package git

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"strings"

	"github.com/gavel-review/gavel"
	"github.com/gavel-review/gavel/internal/proc"
)

// Repo is an opened repository. It is safe for concurrent use. Close it: it owns a temporary folder and a process.
type Repo struct {
	Root      string // top of the work tree, absolute, symlinks resolved
	GitDir    string // absolute; a linked worktree has its own
	CommonDir string // absolute; shared by all worktrees
	// ID names the repository: a hash of the normalised URL of origin, else of the canonical common git directory.
	ID           string
	ObjectFormat string // "sha1" or "sha256"
	Head         string // commit id, "" before the first commit
	HeadRef      string // "refs/heads/main", "" when HEAD is detached
	Shallow      bool

	hash     objectHash
	config   settings
	private  string // the private git directory
	inMemory bool   // it lies in memory: what is large goes to spill
	spill    string // a folder on disk, "" until it is needed
	objects  *objects
	packer   packer
}

// Open finds the repository that path lies in: any folder of a work tree, or a symlink to one. The path must be
// absolute. Errors are of class RepoNotFound, NotAGitRepo, Refused (another user's repository) or ToolMissing.
func Open(ctx context.Context, path string) (*Repo, error) {
	if !filepath.IsAbs(path) {
		return nil, gavel.Errorf(gavel.RepoNotFound, "%s is not an absolute path", quoted(path))
	}
	dir, err := folderOf(path)
	if err != nil {
		return nil, err
	}
	if err := checkLayout(dir); err != nil {
		return nil, err
	}
	p, err := discover(ctx, dir)
	if err != nil {
		return nil, err
	}
	r := &Repo{
		Root: p.root, GitDir: p.gitDir, CommonDir: p.commonDir, ObjectFormat: p.format,
		Head: p.head, Shallow: p.shallow, config: p.config,
	}
	if r.hash, err = hashOf(p.format); err != nil {
		return nil, err
	}
	r.ID = identity(p.config.last("remote.origin.url"), p.commonDir)
	if err := r.readHead(); err != nil {
		return nil, err
	}
	if err := r.makePrivate(ctx); err != nil {
		r.Close()
		return nil, err
	}
	r.objects = &objects{command: r.command("cat-file", "--batch-command", "--buffer", "-z"), stored: r.openStored()}
	return r, nil
}

// openStored reads objects without git.
func (r *Repo) openStored() *stored {
	s := &stored{dir: filepath.Join(r.CommonDir, "objects"), hash: r.hash}
	if r.config.last("extensions.refstorage") != "reftable" {
		s.refs = &refFiles{dir: r.CommonDir}
	}
	return s
}

// folderOf is the folder to ask git in.
func folderOf(path string) (string, error) {
	info, err := os.Stat(path)
	switch {
	case os.IsNotExist(err):
		return "", gavel.Errorf(gavel.RepoNotFound, "%s does not exist", quoted(path))
	case err != nil:
		return "", gavel.Errorf(gavel.RepoNotFound, "%s cannot be read: %w", quoted(path), err)
	case !info.IsDir():
		return "", gavel.Errorf(gavel.RepoNotFound, "%s is not a folder", quoted(path))
	}
	return path, nil
}

// Close ends the process and removes the temporary folder.
func (r *Repo) Close() error {
	if r.objects != nil {
		r.objects.close()
	}
	if r.private == "" {
		return nil
	}
	if r.spill != "" {
		defer os.RemoveAll(r.spill)
	}
	return os.RemoveAll(r.private)
}

// readHead finds the branch, and tells a repository without a commit from one whose HEAD is broken.
func (r *Repo) readHead() error {
	text, err := readRef(filepath.Join(r.GitDir, "HEAD"))
	if err != nil {
		return gavel.Errorf(gavel.NotAGitRepo, "HEAD of %s cannot be read: %w", quoted(r.Root), err)
	}
	ref, symbolic := strings.CutPrefix(text, "ref: ")
	if symbolic && ref != reftableHead {
		r.HeadRef = strings.TrimSpace(ref)
	}
	if r.Head != "" {
		return nil
	}
	_, err = os.Lstat(filepath.Join(r.CommonDir, filepath.FromSlash(r.HeadRef)))
	if !symbolic || r.HeadRef != "" && !os.IsNotExist(err) {
		return gavel.Errorf(gavel.NotAGitRepo, "HEAD of %s does not resolve to a commit", quoted(r.Root)).WithHint("see what git fsck says")
	}
	return nil
}

// reftableHead is what the HEAD file holds where references are not kept in files.
const reftableHead = "refs/heads/.invalid"

// readRef reads a reference file; an old-style one is a symlink.
func readRef(path string) (string, error) {
	if target, err := os.Readlink(path); err == nil && strings.HasPrefix(target, "refs/") {
		return "ref: " + target, nil
	}
	text, _, err := readRegular(path, maxRef)
	return strings.TrimSpace(text), err
}

// command is a git command in the private git directory, without a work tree.
func (r *Repo) command(args ...string) proc.Command {
	return proc.Command{Argv: append([]string{"git"}, args...), Dir: r.private, Env: r.privateEnv(r.borrow()), Idle: objectDeadline}
}

// workCommand is a git command in the private git directory that sees the real work tree.
func (r *Repo) workCommand(index string, args ...string) proc.Command {
	c := r.writeCommand(index, args...)
	c.Env = append(c.Env, r.borrow())
	return c
}

// writeCommand is a workCommand that writes objects, and sees only those of the private store.
func (r *Repo) writeCommand(index string, args ...string) proc.Command {
	return proc.Command{
		Argv: append([]string{"git"}, args...), Dir: r.Root, Idle: listingDeadline,
		Env: r.privateEnv("GIT_WORK_TREE="+r.Root, "GIT_INDEX_FILE="+index),
	}
}

// HooksDir returns where git looks for hooks: core.hooksPath and linked worktrees are respected.
func (r *Repo) HooksDir(ctx context.Context) (string, error) {
	out, stderr, err := proc.Command{
		Argv: []string{"git", "rev-parse", "--path-format=absolute", "--git-path", "hooks"}, Dir: r.Root, Env: environment(),
		Idle: listingDeadline,
	}.Output(ctx)
	if isLate(err) {
		return "", toolError(err)
	}
	if err != nil {
		return "", gavel.Errorf(gavel.RunFailed, "the hooks folder cannot be found: %s", said(stderr))
	}
	return strings.TrimSuffix(string(out), "\n"), nil
}

// identity hashes the URL that a repository was cloned from, so that every clone has the same name; one that was not
// cloned is named by where it is.
func identity(url, commonDir string) string {
	name := "url\x00" + normaliseURL(url)
	if url == "" {
		if real, err := filepath.EvalSymlinks(commonDir); err == nil {
			commonDir = real
		}
		name = "path\x00" + commonDir
	}
	sum := sha256.Sum256([]byte(name))
	return hex.EncodeToString(sum[:])
}

// normaliseURL strips scheme, credentials, a default port and ".git", and lowers the host: "git@Host:a/b.git" and
// "https://user:secret@host/a/b" are one repository.
func normaliseURL(url string) string {
	scheme, rest, hasScheme := strings.Cut(url, "://")
	if !hasScheme {
		host, path, scp := strings.Cut(url, ":")
		if !scp || strings.Contains(host, "/") {
			return trimRepository(url)
		}
		scheme, rest = "ssh", host+"/"+strings.TrimPrefix(path, "/")
	}
	host, path, _ := strings.Cut(rest, "/")
	if i := strings.LastIndexByte(host, '@'); i >= 0 {
		host = host[i+1:]
	}
	host = strings.ToLower(host)
	host = strings.TrimSuffix(host, defaultPorts[strings.ToLower(scheme)])
	return trimRepository(host + "/" + path)
}

var defaultPorts = map[string]string{"http": ":80", "https": ":443", "ssh": ":22", "git": ":9418"}

func trimRepository(path string) string {
	return strings.TrimRight(strings.TrimSuffix(strings.TrimRight(path, "/"), ".git"), "/")
}
