package git

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/gavel-review/gavel"
	"github.com/gavel-review/gavel/internal/proc"
)

// pinnedConfig is the private git directory's own configuration, before the few keys that are taken over. The commit
// graph is off because it is a file beside the objects that may claim anything about them.
const pinnedConfig = `[core]
	repositoryformatversion = 1
	bare = true
	logallrefupdates = false
	hooksPath = /dev/null
	fsmonitor = false
	untrackedCache = false
	splitIndex = false
	safecrlf = false
	commitGraph = false
	quotePath = true
	compression = 0
	looseCompression = 0
	fsync = none
	bigFileThreshold = 32m
[index]
	threads = 1
	sparse = false
	skipHash = true
[gc]
	auto = 0
[extensions]
	objectFormat = `

// makePrivate makes a git directory in a temporary folder: our configuration, the repository's references, and an
// object store that borrows the repository's.
func (r *Repo) makePrivate(ctx context.Context) error {
	err := r.makeFolder()
	if err == nil {
		err = r.linkReferences(ctx)
	}
	var known *gavel.Error
	if err == nil || errors.As(err, &known) {
		return err
	}
	return gavel.Errorf(gavel.RunFailed, "the temporary folder cannot be prepared: %w", err)
}

func (r *Repo) makeFolder() (err error) {
	memory := memoryFolder()
	if r.private, err = os.MkdirTemp(memory, "gavel-git-"); err != nil && memory != "" {
		memory = ""
		r.private, err = os.MkdirTemp("", "gavel-git-")
	}
	if err != nil {
		return err
	}
	r.inMemory = memory != ""
	if real, err := filepath.EvalSymlinks(r.private); err == nil {
		r.private = real
	}
	if rel, err := filepath.Rel(r.Root, r.private); err == nil && filepath.IsLocal(rel) {
		return gavel.Errorf(gavel.Refused, "the folder for temporary files lies inside the repository").WithHint("set TMPDIR to another folder")
	}
	if err := os.Mkdir(filepath.Join(r.private, "objects"), 0o700); err != nil {
		return err
	}
	return r.write("config", pinnedConfig+r.ObjectFormat+"\n"+r.config.render())
}

func (r *Repo) write(name, text string) error {
	return os.WriteFile(filepath.Join(r.private, filepath.FromSlash(name)), []byte(text), 0o600)
}

// linkReferences makes the repository's references readable. HEAD is a copy: it is pinned, and it must not be a link.
func (r *Repo) linkReferences(ctx context.Context) error {
	head := r.Head
	if r.HeadRef != "" {
		head = "ref: " + r.HeadRef
	} else if head == "" {
		head = "ref: refs/heads/gavel-unborn"
	}
	if err := r.write("HEAD", head+"\n"); err != nil {
		return err
	}
	if r.Shallow {
		if err := r.link(r.CommonDir, "shallow"); err != nil {
			return err
		}
	}
	if r.config.last("extensions.refstorage") == "reftable" {
		return r.copyReferences(ctx)
	}
	if err := r.link(r.CommonDir, "refs"); err != nil {
		return err
	}
	return r.link(r.CommonDir, "packed-refs")
}

// link makes a file of one of the repository's folders visible under the same name, where it exists.
func (r *Repo) link(dir, name string) error {
	target := filepath.Join(dir, filepath.FromSlash(name))
	if _, err := os.Lstat(target); err != nil {
		return nil
	}
	err := os.Symlink(target, filepath.Join(r.private, filepath.FromSlash(name)))
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	return err
}

// linkLogs makes what only expressions need visible: HEAD@{1}, ORIG_HEAD and their like.
func (r *Repo) linkLogs() error {
	if err := r.folder("logs"); err != nil {
		return err
	}
	for _, file := range [...]struct{ dir, name string }{
		{r.CommonDir, "logs/refs"}, {r.GitDir, "logs/HEAD"}, {r.GitDir, "ORIG_HEAD"}, {r.GitDir, "FETCH_HEAD"},
		{r.GitDir, "MERGE_HEAD"}, {r.GitDir, "CHERRY_PICK_HEAD"},
	} {
		if err := r.link(file.dir, file.name); err != nil {
			return storeError(err)
		}
	}
	return nil
}

// linkExcludes makes the user's own ignore list of this repository visible.
func (r *Repo) linkExcludes() error {
	if err := r.folder("info"); err != nil {
		return err
	}
	if err := r.link(r.CommonDir, "info/exclude"); err != nil {
		return storeError(err)
	}
	return nil
}

func (r *Repo) folder(name string) error {
	if err := os.Mkdir(filepath.Join(r.private, name), 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return storeError(err)
	}
	return nil
}

// copyReferences is for repositories that do not keep references in files.
func (r *Repo) copyReferences(ctx context.Context) error {
	out, _, err := proc.Command{
		Argv: []string{"git", "for-each-ref", "--format=%(objectname) %(refname)"}, Dir: r.Root, Env: environment(),
		Idle: listingDeadline,
	}.Output(ctx)
	if err != nil {
		return toolError(err)
	}
	if err := r.folder("refs"); err != nil {
		return err
	}
	return r.write("packed-refs", "# pack-refs with: sorted\n"+string(out))
}

// borrow is the variable that makes the repository's objects visible. It is left out where git writes objects: finding
// one there already, it would set that file's time.
func (r *Repo) borrow() string {
	return "GIT_ALTERNATE_OBJECT_DIRECTORIES=" + cQuoteAlways(filepath.Join(r.CommonDir, "objects"))
}

func (r *Repo) privateEnv(more ...string) []string {
	return environment(append([]string{
		"GIT_DIR=" + r.private,
		"GIT_CONFIG_NOSYSTEM=1",
		"GIT_CONFIG_GLOBAL=" + os.DevNull,
		"GIT_ATTR_NOSYSTEM=1",
		"GIT_LITERAL_PATHSPECS=1",
	}, more...)...)
}

// render writes the settings as a configuration file. What names the repository's remotes is left out.
func (s settings) render() string {
	var b strings.Builder
	for _, entry := range s {
		first, last := strings.IndexByte(entry.key, '.'), strings.LastIndexByte(entry.key, '.')
		section, variable := entry.key[:max(first, 0)], entry.key[last+1:]
		if first < 0 || section == "extensions" || variable == "url" || variable == "head" {
			continue
		}
		b.WriteString("[" + section)
		if first < last {
			b.WriteString(" " + configQuote(entry.key[first+1:last]))
		}
		b.WriteString("]\n\t" + variable + " = " + configQuote(entry.value) + "\n")
	}
	return b.String()
}

var configEscapes = strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`, "\t", `\t`)

func configQuote(s string) string { return `"` + configEscapes.Replace(s) + `"` }
