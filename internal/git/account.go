package git

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/gavel-review/gavel"
)

// isBlob reports whether a mode's object is content of this repository.
func isBlob(m gavel.Mode) bool { return m != gavel.ModeAbsent && m != gavel.ModeGitlink }

// measure asks for the size of every blob of the change.
func (f *reading) measure() error {
	var ids []string
	f.sizes = make(map[string]int64)
	add := func(mode gavel.Mode, id string) {
		if _, ok := f.sizes[id]; isBlob(mode) && !ok {
			f.sizes[id] = -1
			ids = append(ids, hexID(id))
		}
	}
	for i := range f.c.entries {
		e := &f.c.entries[i]
		add(e.oldMode, e.oldID)
		add(e.newMode, e.newID)
	}
	err := f.c.repo.objects.ask(f.ctx, askInfo, ids, func(_ int, obj object, _ io.Reader) error {
		if !obj.missing() {
			f.sizes[rawID(obj.id)] = obj.size
		}
		return nil
	})
	for id, k := range f.c.known {
		f.sizes[id] = k.size
	}
	return damaged(err)
}

// sortOut sets aside the entries that git cannot write: it dies of a missing object and reads all of a large one into
// memory. What remains is returned.
func (f *reading) sortOut(entries []entry) ([]entry, error) {
	reasons := map[string]*gavel.Skip{}
	for i := range entries {
		e := &entries[i]
		skip, err := f.unwritable(e)
		if err != nil {
			return nil, err
		}
		if skip != nil {
			reasons[e.path] = skip
		}
	}
	if len(reasons) == 0 {
		return entries, nil
	}
	return f.setAside(entries, reasons), nil
}

// unwritable returns why git cannot write the entry, or nil.
func (f *reading) unwritable(e *entry) (*gavel.Skip, error) {
	large := ""
	for _, side := range [...]struct {
		mode gavel.Mode
		id   string
	}{{e.newMode, e.newID}, {e.oldMode, e.oldID}} {
		if !isBlob(side.mode) {
			continue
		}
		switch size := f.sizes[side.id]; {
		case size < 0:
			return &gavel.Skip{Reason: gavel.SkipObjectMissing, Detail: "object " + hexID(side.id) + " is missing"}, nil
		case size > MaxText && large == "":
			large = side.id
		}
	}
	if large == "" {
		return nil, nil
	}
	binary, err := f.c.isBinary(f.ctx, large)
	if err != nil {
		return nil, err
	}
	if binary {
		return &gavel.Skip{Reason: gavel.SkipBinary}, nil
	}
	return &gavel.Skip{Reason: gavel.SkipTooLarge, Detail: fmt.Sprintf("%d bytes, more than %d", f.sizes[large], MaxText)}, nil
}

// setAside moves the entries with a reason to pending, and returns the others. What only moved or only changed its
// mode needs no text, however large it is.
func (f *reading) setAside(entries []entry, reasons map[string]*gavel.Skip) []entry {
	removed := map[string]*entry{} // by id
	for i := range entries {
		if e := &entries[i]; reasons[e.path] != nil && e.newMode == 0 {
			removed[e.oldID] = e
		}
	}
	moved := map[string]bool{} // old paths
	var rest []entry
	var aside []pair
	for i := range entries {
		e := &entries[i]
		if reasons[e.path] == nil {
			rest = append(rest, *e)
			continue
		}
		p := pair{entry: *e, status: e.status()}
		if from := removed[e.newID]; e.oldMode == 0 && from != nil {
			p.oldPath, p.oldMode, p.oldID, p.status = from.path, from.oldMode, from.oldID, gavel.Renamed
			moved[from.path] = true
			delete(removed, e.newID)
		}
		aside = append(aside, p)
	}
	for i := range aside {
		p := &aside[i]
		if p.newMode == 0 && moved[p.path] {
			continue
		}
		file := f.newFile(p)
		skip := reasons[p.path]
		file.Binary = skip.Reason == gavel.SkipBinary
		if p.oldID == p.newID {
			f.fill(file, nil)
		} else if file.Skip == nil {
			skip.Path = p.path
			file.Skip = skip
		}
		f.pending = append(f.pending, file)
	}
	f.sortPending()
	return rest
}

// probe reads the blobs of entries one by one, and returns which entries have one that cannot be read.
func (f *reading) probe(entries []entry) (map[string]*gavel.Skip, error) {
	reasons := map[string]*gavel.Skip{}
	for i := range entries {
		e := &entries[i]
		for _, side := range [...]leaf{{mode: e.oldMode, id: e.oldID}, {mode: e.newMode, id: e.newID}} {
			if !isBlob(side.mode) {
				continue
			}
			_, err := f.c.repo.Blob(f.ctx, hexID(side.id), 0)
			var known *gavel.Error
			if err != nil && (!errors.As(err, &known) || known.Class != gavel.NotFound) {
				return nil, err
			}
			if err != nil {
				reasons[e.path] = &gavel.Skip{Reason: gavel.SkipObjectMissing, Detail: known.Message}
			}
		}
	}
	return reasons, nil
}

// isBinary reports whether a large blob has a NUL byte among its first MaxText bytes. A process of its own reads it,
// which is ended as soon as that is known.
func (c *Comparison) isBinary(ctx context.Context, id string) (bool, error) {
	if k, ok := c.known[id]; ok {
		return k.binary, nil
	}
	process, err := c.repo.command("cat-file", "blob", hexID(id)).Start(ctx)
	if err != nil {
		return false, toolError(err)
	}
	defer func() {
		process.Kill()
		process.Stdout.Close()
		_ = process.Wait()
	}()
	finder := &nulFinder{}
	for buf := make([]byte, 64<<10); finder.seen < MaxText && !finder.found; {
		n, err := process.Stdout.Read(buf)
		_, _ = finder.Write(buf[:n])
		if err != nil {
			break // too large, whatever it is
		}
	}
	if ctx.Err() != nil {
		return false, cancelled(ctx.Err())
	}
	return finder.found, nil
}

func (f *reading) newFile(p *pair) *gavel.File {
	file := &gavel.File{
		Path: p.path, OldPath: p.oldPath, Status: p.status, OldMode: p.oldMode, NewMode: p.newMode,
		OldID: hexID(p.oldID), NewID: hexID(p.newID), Size: -1,
	}
	switch {
	case p.newMode == 0:
		file.Size = 0
	case isBlob(p.newMode):
		file.Size = f.sizes[p.newID]
	}
	for i := range f.c.unread {
		if u := &f.c.unread[i]; u.Path == p.path {
			skip := *u.Skip
			file.Skip = &skip
		}
	}
	return file
}

// fill gives the file the hunks that git wrote, or the reason why it has none.
func (f *reading) fill(file *gavel.File, sections []section) {
	var hunks []gavel.Hunk
	for i, s := range sections {
		if s.nul {
			f.fillHunks(file, nil, true)
			return
		}
		if i == 0 && file.Status == gavel.TypeChanged && file.OldMode == gavel.ModeGitlink {
			continue // the pointer that was there
		}
		if !hasText(file) {
			break
		}
		parsed, err := parseHunks(hunkText(s.text))
		if err != nil {
			skipFile(file, gavel.SkipUndecodable, err.Error())
			return
		}
		hunks = append(hunks, parsed...)
	}
	f.fillHunks(file, hunks, false)
}

// hasText reports whether there is a difference of texts to show.
func hasText(file *gavel.File) bool {
	return file.NewMode != gavel.ModeGitlink && (file.NewMode != 0 || file.OldMode != gavel.ModeGitlink) && file.OldID != file.NewID
}

func skipFile(file *gavel.File, reason gavel.SkipReason, detail string) {
	file.Hunks = nil
	if file.Skip == nil {
		file.Skip = &gavel.Skip{Path: file.Path, Reason: reason, Detail: detail}
	}
}

// fillHunks gives the file its hunks, or the reason why it has none; nul says that its text holds a NUL byte.
func (f *reading) fillHunks(file *gavel.File, hunks []gavel.Hunk, nul bool) {
	switch {
	case file.NewMode == gavel.ModeGitlink, file.NewMode == 0 && file.OldMode == gavel.ModeGitlink:
		skipFile(file, gavel.SkipSubmodule, "")
		return
	case file.OldID == file.NewID && file.OldMode != file.NewMode:
		skipFile(file, gavel.SkipModeOnly, fmt.Sprintf("%o to %o", file.OldMode, file.NewMode))
		return
	case file.OldID == file.NewID: // only renamed
		return
	case nul:
		file.Binary = true
		skipFile(file, gavel.SkipBinary, "")
		return
	}
	file.Hunks = hunks
	if p, ok := lfsOf(file); ok {
		skipFile(file, gavel.SkipLFS, fmt.Sprintf("oid sha256:%s, %d bytes", p.oid, p.size))
	}
	if len(file.Hunks) == 0 && file.Skip == nil && !f.empty(file) {
		skipFile(file, gavel.SkipUndecodable, "git gave no text")
	}
}

// empty reports whether the side that the change shows has no content, so that there is no hunk.
func (f *reading) empty(file *gavel.File) bool {
	return f.sizes[rawID(file.OldID)] <= 0 && f.sizes[rawID(file.NewID)] <= 0
}

// hunkText is the part of a section after its header lines, in which names are quoted and so never begin a line.
func hunkText(text string) string {
	i := strings.Index(text, "\n"+hunkStart)
	if i < 0 {
		return ""
	}
	return text[i+1:]
}
