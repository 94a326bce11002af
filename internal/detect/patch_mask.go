package detect

import (
	"slices"

	"github.com/gavel-review/gavel"
	"github.com/gavel-review/gavel/internal/code"
)

// MaskHunks returns the file with every secret masked that is found in its names and on either side of its hunks, as
// findings show it, and the number of places that were masked. The file itself stays as it is. An error means that
// nothing can be said about its text: it must not be shown.
func MaskHunks(f *gavel.File) (masked *gavel.File, places int, err error) {
	out := *f // its path stays until the text was judged by it
	out.Hunks = slices.Clone(f.Hunks)
	for i := range out.Hunks {
		out.Hunks[i].Lines = slices.Clone(out.Hunks[i].Lines)
	}
	found := make(map[*gavel.Line][]mask)
	for _, old := range [...]bool{false, true} {
		if err := protect("secret", func() { maskSide(&out, old, found) }); err != nil {
			return nil, 0, err
		}
	}
	for _, path := range [...]*string{&out.Path, &out.OldPath} {
		var secrets []pathSecret
		*path, secrets = maskPath(*path)
		places += len(secrets)
	}
	for line, masks := range found {
		masks = disjoint(masks, len(line.Text))
		places += len(masks)
		line.Text = maskedLine(line.Text, masks)
	}
	return &out, places, nil
}

// maskSide finds the secrets of one side: its lines are judged as if the change had brought them all.
func maskSide(f *gavel.File, old bool, found map[*gavel.Line][]mask) {
	view := gavel.File{Path: f.Path, Status: gavel.Added, Hunks: make([]gavel.Hunk, 0, len(f.Hunks))}
	if old && f.OldPath != "" {
		view.Path = f.OldPath
	}
	at := make(map[int]*gavel.Line)
	for i := range f.Hunks {
		h := gavel.Hunk{NewStart: f.Hunks[i].NewStart}
		if old {
			h.NewStart = f.Hunks[i].OldStart
		}
		for j := range f.Hunks[i].Lines {
			l := &f.Hunks[i].Lines[j]
			number := l.New
			if old {
				number = l.Old
			}
			if number > 0 {
				at[number] = l
				h.Lines = append(h.Lines, gavel.Line{Op: gavel.Add, New: number, Text: l.Text, NoEOL: l.NoEOL})
			}
		}
		h.NewLines = len(h.Lines)
		view.Hunks = append(view.Hunks, h)
	}
	p := &Pass{File: &view, Test: code.IsTest(view.Path)}
	p.Lang = code.LanguageOf(view.Path, firstLine(&view))
	runSecret(p)
	for number, masks := range p.masks {
		if l := at[number]; l != nil {
			found[l] = append(found[l], masks...)
		}
	}
}

func maskedLine(text string, masks []mask) string {
	return masked(text, masks, func(m mask) string { return m.shown })
}
