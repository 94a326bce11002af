package git

import (
	"context"
	"fmt"
	"strings"

	"github.com/gavel-review/gavel"
)

// ScopeKind says what is compared.
type ScopeKind uint8

// The scopes.
const (
	Staged     ScopeKind = iota // HEAD against the index
	Unstaged                    // the index against the work tree, untracked files included
	Revisions                   // what Scope.Revisions say
	LastCommit                  // the first parent of HEAD against HEAD
)

// Scope is what is compared.
type Scope struct {
	Kind ScopeKind
	// Revisions: "A" "B" and "A..B" compare two trees, "A...B" the merge base with B, "A" alone A with the work tree.
	Revisions []string
	// Index is the index file to read in place of the repository's own, "" for that. A hook of `git commit -a` or
	// `git commit PATH` needs it: git names it in GIT_INDEX_FILE. It must be absolute or relative to the top.
	Index string
}

// Comparison is two pinned trees and the paths that differ. It is safe for concurrent use, and valid until the
// repository is closed.
type Comparison struct {
	Base, Head gavel.Subject
	Notes      []string // what a reader of the result should know: announced paths, sparse checkouts

	repo    *Repo
	entries []entry      // sorted
	unread  []gavel.File // sorted; paths that could not be read, with their Skip
	known   map[string]known
	digest  string
	texts   *diffServer // writes the text where many comparisons are read in turn; else nil

	// Of a work tree: how many tracked files a sparse checkout leaves out, and the submodules.
	absent     int
	submodules []string
}

// known is what was learnt of content that is in no object store, by raw id.
type known struct {
	size   int64
	binary bool
}

// Pin pins the two trees of a scope and compares them.
func (r *Repo) Pin(ctx context.Context, scope Scope) (*Comparison, error) {
	c := &Comparison{repo: r}
	var err error
	switch scope.Kind {
	case Staged:
		err = c.pinStaged(ctx, scope.Index)
	case Unstaged:
		err = c.pinUnstaged(ctx, scope.Index)
	case Revisions:
		err = c.pinRevisions(ctx, scope)
	case LastCommit:
		err = c.pinLastCommit(ctx)
	default:
		err = gavel.Errorf(gavel.InvalidArgs, "the scope %d is not known", scope.Kind)
	}
	if err != nil {
		return nil, err
	}
	if err := r.flush(); err != nil {
		return nil, err
	}
	if c.entries, err = r.diffTrees(ctx, c.Base.Tree, c.Head.Tree); err != nil {
		return nil, err
	}
	c.digest = digest(c.entries, c.unread)
	return c, nil
}

// Close lets go of the comparison. What it wrote goes when the repository is closed.
func (c *Comparison) Close() error { return nil }

// Digest is "sha256:" and hex over every path, mode and object id that differs. Equal digests are equal changes.
func (c *Comparison) Digest() string { return c.digest }

// Len is the number of paths that differ; a rename counts as two.
func (c *Comparison) Len() int { return len(c.entries) + len(c.unread) }

// Blob returns the bytes of a file of either tree, see [Repo.Blob].
func (c *Comparison) Blob(ctx context.Context, id string, max int64) ([]byte, error) {
	return c.repo.Blob(ctx, id, max)
}

func (c *Comparison) pinStaged(ctx context.Context, path string) error {
	r := c.repo
	var err error
	if c.Base, err = r.headSubject(ctx); err != nil {
		return err
	}
	x, err := r.index(ctx, path)
	if err != nil {
		return err
	}
	leaves, unmerged, intents := x.leaves()
	tree, err := r.writeTree(leaves, x.cache)
	if err != nil {
		return storeError(err)
	}
	c.Head = gavel.Subject{Kind: gavel.SubjectIndex, Tree: tree}
	for _, path := range unmerged {
		c.skip(path, gavel.Modified, gavel.SkipUnreadable, "unmerged")
	}
	if len(intents) > 0 {
		c.note("announced with git add -N, so not part of the staged change: %s", list(intents))
	}
	return nil
}

func storeError(err error) error {
	return gavel.Errorf(gavel.RunFailed, "the temporary folder cannot be written: %w", err)
}

func (c *Comparison) pinLastCommit(ctx context.Context) error {
	r := c.repo
	var err error
	if c.Head, err = r.headSubject(ctx); err != nil || r.Head == "" {
		c.Base = c.Head
		return err
	}
	parent, err := r.firstParent(ctx, r.Head)
	if err != nil {
		return err
	}
	if parent == "" {
		c.Base = r.emptySubject()
		return nil
	}
	c.Base, err = r.commitSubject(ctx, parent)
	return err
}

func (c *Comparison) skip(path string, status gavel.FileStatus, reason gavel.SkipReason, detail string) {
	c.unread = append(c.unread, gavel.File{
		Path: path, Status: status, Size: -1,
		Skip: &gavel.Skip{Path: path, Reason: reason, Detail: detail},
	})
}

func (c *Comparison) note(format string, args ...any) {
	c.Notes = append(c.Notes, fmt.Sprintf(format, args...))
}

// list shows some of the paths and how many more there are.
func list(paths []string) string {
	const shown = 5
	var b strings.Builder
	for i, p := range paths[:min(shown, len(paths))] {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(gavel.DisplayPath(p))
	}
	if more := len(paths) - shown; more > 0 {
		fmt.Fprintf(&b, " and %d more", more)
	}
	return b.String()
}

// headSubject is HEAD, or the empty tree before the first commit.
func (r *Repo) headSubject(ctx context.Context) (gavel.Subject, error) {
	if r.Head == "" {
		return r.emptySubject(), nil
	}
	return r.commitSubject(ctx, r.Head)
}

func (r *Repo) emptySubject() gavel.Subject {
	return gavel.Subject{Kind: gavel.SubjectEmpty, Tree: r.hash.emptyTree}
}

// commitSubject looks up a commit that must be there.
func (r *Repo) commitSubject(ctx context.Context, commit string) (gavel.Subject, error) {
	objects, err := r.lookUp(ctx, commit+"^{tree}")
	if err != nil {
		return gavel.Subject{}, err
	}
	if objects[0].missing() {
		return gavel.Subject{}, missingCommit(commit, r.Shallow)
	}
	return gavel.Subject{Kind: gavel.SubjectCommit, Commit: commit, Tree: objects[0].id}, nil
}

func missingCommit(commit string, shallow bool) error {
	e := gavel.Errorf(gavel.RunFailed, "commit %s or its tree is missing", commit)
	if shallow {
		return e.WithHint("this clone is shallow: git fetch --unshallow")
	}
	return e.WithHint("see what git fsck says")
}
