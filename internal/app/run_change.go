package app

import (
	"bytes"
	"context"
	"fmt"
	"iter"

	"github.com/gavel-review/gavel"
	"github.com/gavel-review/gavel/internal/detect"
	"github.com/gavel-review/gavel/internal/git"
)

// changeRecord is what a run learns of its change while the detectors read it: which lines are new, and the patch.
type changeRecord struct {
	lines  gavel.ChangedLines
	patch  bytes.Buffer
	masked int // places in the patch
	cut    int // files whose text the patch leaves out for its size
	// parts are where the files lie in the patch, by their path as findings show it.
	parts map[string]patchPart
}

// patchPart is a piece of the patch; nothing where two files go by the same name, because secrets in theirs are masked.
type patchPart struct{ from, to int }

// maxPatch bounds the patch that a pack keeps, in bytes. Beyond it files are named without their text.
const maxPatch = 32 << 20

// watch passes the files of a change on and notes what it sees.
func (c *changeRecord) watch(files iter.Seq2[*gavel.File, error]) iter.Seq2[*gavel.File, error] {
	return func(yield func(*gavel.File, error) bool) {
		for f, err := range files {
			if err == nil {
				c.lines.Add(f)
				err = c.write(f)
			}
			if !yield(f, err) {
				return
			}
		}
	}
}

func (c *changeRecord) write(f *gavel.File) error {
	shown, places, err := detect.MaskHunks(f)
	switch {
	case err != nil:
		shown = withoutText(f)
	case c.patch.Len() > maxPatch && len(f.Hunks) > 0:
		shown = withoutText(f)
		c.cut++
	}
	c.masked += places
	from := c.patch.Len()
	err = git.WritePatch(&c.patch, shown)
	c.note(gavel.DisplayPath(shown.Path), patchPart{from, c.patch.Len()})
	return err
}

func (c *changeRecord) note(path string, p patchPart) {
	if c.parts == nil {
		c.parts = make(map[string]patchPart)
	}
	if _, known := c.parts[path]; known {
		p = patchPart{}
	}
	c.parts[path] = p
}

// excerpts reads the hunks of some files back out of the patch: what is shown of them is what it holds, with secrets
// masked.
func (c *changeRecord) excerpts(ctx context.Context, files []string) (map[string][]gavel.Hunk, error) {
	hunks := make(map[string][]gavel.Hunk, len(files))
	for _, path := range files {
		p := c.parts[path]
		if p.from == p.to {
			continue
		}
		for f, err := range git.ReadPatch(bytes.NewReader(c.patch.Bytes()[p.from:p.to])).Files(ctx, git.Filter{}) {
			if err != nil {
				return nil, err
			}
			hunks[path] = append(hunks[path], f.Hunks...)
		}
	}
	return hunks, nil
}

// withoutText is the file with its head alone.
func withoutText(f *gavel.File) *gavel.File {
	out := *f
	out.Hunks = nil
	if out.Skip == nil {
		out.Skip = &gavel.Skip{Path: f.Path, Reason: gavel.SkipTooLarge}
	}
	return &out
}

// oldPaths leads from the path of a renamed file to the one that it had on the base.
func (c *changeRecord) oldPaths() map[string]string {
	paths := make(map[string]string)
	for old, path := range c.lines.Renames() {
		paths[path] = old
	}
	return paths
}

// full is the patch with a head for people. Lines before the first file are no part of a patch.
func (c *changeRecord) full(r *runner) []byte {
	head := fmt.Sprintf("# run %s: %s against %s\n# %d places with secrets are masked\n", r.live.Record().ID, r.describeSubject(), r.base.Ref, c.masked)
	if c.cut > 0 {
		head += fmt.Sprintf("# %d files are named without their text: the patch is larger than %d bytes\n", c.cut, maxPatch)
	}
	return append([]byte(head), c.patch.Bytes()...)
}

// judgeChange runs the detectors on the change.
func (r *runner) judgeChange(ctx context.Context) (conclusion, error) {
	c, err := r.basis, error(nil)
	remarks := c.judged.Notes
	files := r.change.watch(r.compare.Files(ctx, git.Filter{}))
	if c.judged, err = newJudge(r.review.origin(files), r.review.judgeSettings()).run(ctx); err != nil {
		return c, err
	}
	c.judged.Notes = append(append(c.judged.Notes, r.compare.Notes...), remarks...)
	if c.rulings, err = r.store.Rulings(r.repo.ID); err != nil {
		return c, err
	}
	c.subject.BaseTree, c.subject.HeadTree, c.subject.DiffDigest = r.compare.Base.Tree, r.compare.Head.Tree, r.compare.Digest()
	return c, nil
}
