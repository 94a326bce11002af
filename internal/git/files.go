package git

import (
	"context"
	"errors"
	"iter"
	"slices"
	"strings"

	"github.com/gavel-review/gavel"
)

// Files yields every path of the change that the filter lets through, in the order of their paths, each with its hunks
// or with the reason why it has none. At most one file's hunks are held here. An error ends the sequence.
func (c *Comparison) Files(ctx context.Context, filter Filter) iter.Seq2[*gavel.File, error] {
	return func(yield func(*gavel.File, error) bool) {
		f := &reading{c: c, ctx: ctx, filter: filter, yield: yield}
		if err := f.run(); err != nil && !errors.Is(err, errStopped) {
			yield(nil, err)
		}
	}
}

// errStopped says that the consumer wants no more.
var errStopped = errors.New("stopped")

// reading is one pass over the files.
type reading struct {
	c      *Comparison
	ctx    context.Context
	filter Filter
	yield  func(*gavel.File, error) bool

	sizes   map[string]int64 // by raw id, of blobs that exist
	pending []*gavel.File    // sorted; what git need not or cannot write
}

func (f *reading) run() error {
	if len(f.c.entries)+len(f.c.unread) == 0 {
		return nil
	}
	if err := f.measure(); err != nil {
		return err
	}
	readable, err := f.sortOut(f.c.entries)
	if err != nil {
		return err
	}
	for i := range f.c.unread {
		if unread := f.c.unread[i]; !f.c.differs(unread.Path) {
			f.pending = append(f.pending, &unread)
		}
	}
	f.sortPending()
	if readable, err = f.readStored(readable); err != nil {
		return err
	}
	for len(readable) > 0 {
		rest, err := f.readText(readable)
		if err == nil {
			break
		}
		if !errors.Is(err, errDied) {
			return err
		}
		damaged, probeErr := f.probe(rest)
		if probeErr != nil {
			return probeErr
		}
		if len(damaged) == 0 {
			return gavel.Errorf(gavel.RunFailed, "the text of the change cannot be read: %w", err).WithHint("see what git fsck says")
		}
		readable = f.setAside(rest, damaged)
	}
	return f.flush("")
}

func (c *Comparison) differs(path string) bool {
	_, ok := slices.BinarySearchFunc(c.entries, path, func(e entry, p string) int { return strings.Compare(e.path, p) })
	return ok
}

// readStored yields the entries whose text needs no git, up to the first that does, and returns the rest.
func (f *reading) readStored(entries []entry) (rest []entry, err error) {
	if f.c.texts != nil || mayRename(entries) {
		return entries, nil
	}
	for i := range entries {
		p := pair{entry: entries[i], status: entries[i].status()}
		hunks, nul, ok := f.storedHunks(&p)
		if !ok {
			return entries[i:], nil
		}
		if err := f.flush(p.path); err != nil {
			return nil, err
		}
		if !f.filter.Match(p.path, "") {
			continue
		}
		file := f.newFile(&p)
		f.fillHunks(file, hunks, nul)
		if !f.yield(file, nil) {
			return nil, errStopped
		}
	}
	return nil, nil
}

// mayRename reports whether git could pair two of the paths as a rename.
func mayRename(entries []entry) bool {
	added, removed := false, false
	for i := range entries {
		added = added || entries[i].oldMode == 0
		removed = removed || entries[i].newMode == 0
	}
	return added && removed
}

// maxStoredFile is the largest file whose hunks are made without git, in bytes.
const maxStoredFile = 4 << 20

// storedHunks makes the hunks of a regular file. nul says that its text holds a NUL byte; it has then no hunks.
func (f *reading) storedHunks(p *pair) (hunks []gavel.Hunk, nul, ok bool) {
	var text [2]string
	for side, blob := range [...]leaf{{mode: p.oldMode, id: p.oldID}, {mode: p.newMode, id: p.newID}} {
		if blob.mode == 0 || p.oldID == p.newID {
			continue
		}
		if blob.mode != gavel.ModeRegular && blob.mode != gavel.ModeExec || f.sizes[blob.id] > maxStoredFile {
			return nil, false, false
		}
		data, err := f.c.repo.Blob(f.ctx, hexID(blob.id), maxStoredFile)
		if err != nil {
			return nil, false, false
		}
		text[side] = string(data)
	}
	nul = strings.IndexByte(text[0], 0) >= 0 || strings.IndexByte(text[1], 0) >= 0
	switch {
	case p.oldID == p.newID:
		return nil, false, true
	case nul:
		return nil, true, p.oldMode == 0 || p.newMode == 0
	case p.oldMode == 0:
		return wholeHunk(gavel.Add, text[1]), false, true
	case p.newMode == 0:
		return wholeHunk(gavel.Remove, text[0]), false, true
	}
	hunks, ok = diffLines(text[0], text[1])
	return hunks, false, ok
}

// readText has git write the text of the entries, and yields them. It returns the entries that were not reached.
func (f *reading) readText(entries []entry) (rest []entry, err error) {
	base, head, err := f.trees(entries)
	if err != nil {
		return entries, err
	}
	d, err := f.c.startDiff(f.ctx, base, head)
	if err != nil {
		return entries, err
	}
	defer d.close()
	if err := d.account(entries); err != nil {
		return entries, err
	}
	for i := range d.pairs {
		p := &d.pairs[i]
		file, err := f.readPair(d, p)
		if err != nil {
			return notReached(entries, d.pairs[:i]), err
		}
		if err := f.flush(p.path); err != nil {
			return nil, err
		}
		if file != nil && !f.yield(file, nil) {
			return nil, errStopped
		}
	}
	if d.header != "" {
		return nil, gavel.Errorf(gavel.Internal, "git writes %q where the end was expected", d.header)
	}
	return nil, nil
}

// trees are the two pinned trees where all of their differences are wanted, else trees of the entries alone.
func (f *reading) trees(entries []entry) (base, head string, err error) {
	c := f.c
	if len(entries) == len(c.entries) {
		return c.Base.Tree, c.Head.Tree, nil
	}
	var old, new []leaf
	for _, e := range entries {
		if e.oldMode != 0 {
			old = append(old, leaf{path: e.path, mode: e.oldMode, id: e.oldID})
		}
		if e.newMode != 0 {
			new = append(new, leaf{path: e.path, mode: e.newMode, id: e.newID})
		}
	}
	if base, err = c.repo.writeTree(old, nil); err == nil {
		head, err = c.repo.writeTree(new, nil)
	}
	if err == nil {
		err = c.repo.flush()
	}
	if err != nil {
		return "", "", storeError(err)
	}
	return base, head, nil
}

func notReached(entries []entry, reached []pair) []entry {
	done := make(map[string]bool, 2*len(reached))
	for _, p := range reached {
		done[p.path], done[p.oldPath] = true, true
	}
	return slices.DeleteFunc(slices.Clone(entries), func(e entry) bool { return done[e.path] })
}

// readPair reads a pair's sections and makes the file of them; nil when the filter leaves it out.
func (f *reading) readPair(d *diffText, p *pair) (*gavel.File, error) {
	wanted := f.filter.Match(p.path, p.oldPath)
	var sections [2]section
	for i := range p.sections() {
		keep := wanted && (p.oldID != p.newID)
		hint := int64(0)
		if keep && (p.oldMode == 0 || p.newMode == 0) { // all of it is shown
			hint = f.sizes[p.newID] + f.sizes[p.oldID]
			hint += hint / 16
		}
		var err error
		if sections[i], err = d.next(f.ctx, p.header(), hint, keep); err != nil {
			return nil, err
		}
	}
	if !wanted {
		return nil, nil
	}
	file := f.newFile(p)
	f.fill(file, sections[:p.sections()])
	return file, nil
}

// flush yields what is pending before the path; "" yields all of it.
func (f *reading) flush(before string) error {
	for len(f.pending) > 0 && (before == "" || f.pending[0].Path < before) {
		file := f.pending[0]
		f.pending = f.pending[1:]
		if f.filter.Match(file.Path, file.OldPath) && !f.yield(file, nil) {
			return errStopped
		}
	}
	return nil
}

func (f *reading) sortPending() {
	slices.SortStableFunc(f.pending, func(a, b *gavel.File) int { return strings.Compare(a.Path, b.Path) })
}
