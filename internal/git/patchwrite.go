package git

import (
	"bufio"
	"fmt"
	"io"

	"github.com/gavel-review/gavel"
)

// WritePatch writes one file of a change the way `git diff --full-index` does. What has no text to show, and was not
// skipped for being equal, is one line that says why: a reader must not take a file for unchanged.
func WritePatch(to io.Writer, f *gavel.File) error {
	w := bufio.NewWriterSize(to, 32<<10)
	old, path := f.Path, f.Path
	if f.OldPath != "" {
		old = f.OldPath
	}
	fmt.Fprintf(w, "diff --git %s %s\n", cQuote("a/"+old), cQuote("b/"+path))
	writePatchModes(w, f)
	if f.OldPath != "" {
		kind := "rename"
		if f.Status == gavel.Copied {
			kind = "copy"
		}
		fmt.Fprintf(w, "%s from %s\n%s to %s\n", kind, cQuote(old), kind, cQuote(path))
	}
	if f.OldID != f.NewID && f.OldID+f.NewID != "" {
		fmt.Fprintf(w, "index %s..%s\n", idOrZeros(f.OldID, f.NewID), idOrZeros(f.NewID, f.OldID))
	}
	oldName, newName := cQuote("a/"+old), cQuote("b/"+path)
	if f.Status == gavel.Added {
		oldName = "/dev/null"
	}
	if f.Status == gavel.Deleted {
		newName = "/dev/null"
	}
	switch {
	case len(f.Hunks) > 0:
		fmt.Fprintf(w, "--- %s\n+++ %s\n", patchName(oldName), patchName(newName))
		for i := range f.Hunks {
			writeHunk(w, &f.Hunks[i])
		}
	case f.Binary:
		fmt.Fprintf(w, "Binary files %s and %s differ\n", oldName, newName)
	case f.Skip != nil:
		fmt.Fprintf(w, "# not shown: %s\n", f.Skip.Reason)
	}
	return w.Flush()
}

// patchName ends a name that holds a blank by a tab, so that what follows cannot be taken for a time.
func patchName(name string) string {
	for i := range len(name) {
		if name[i] == ' ' {
			return name + "\t"
		}
	}
	return name
}

func writePatchModes(w *bufio.Writer, f *gavel.File) {
	switch {
	case f.Status == gavel.Added:
		fmt.Fprintf(w, "new file mode %06o\n", f.NewMode)
	case f.Status == gavel.Deleted:
		fmt.Fprintf(w, "deleted file mode %06o\n", f.OldMode)
	case f.OldMode != f.NewMode && f.OldMode != gavel.ModeAbsent && f.NewMode != gavel.ModeAbsent:
		fmt.Fprintf(w, "old mode %06o\nnew mode %06o\n", f.OldMode, f.NewMode)
	}
}

func idOrZeros(id, other string) string {
	if id != "" {
		return id
	}
	zeros := make([]byte, len(other))
	for i := range zeros {
		zeros[i] = '0'
	}
	return string(zeros)
}

func writeHunk(w *bufio.Writer, h *gavel.Hunk) {
	fmt.Fprintf(w, "@@ -%s +%s @@\n", hunkRange(h.OldStart, h.OldLines), hunkRange(h.NewStart, h.NewLines))
	for i := range h.Lines {
		l := &h.Lines[i]
		w.WriteByte(byte(l.Op))
		w.WriteString(l.Text)
		w.WriteByte('\n')
		if l.NoEOL {
			w.WriteString("\\ No newline at end of file\n")
		}
	}
}

func hunkRange(start, lines int) string {
	if lines == 1 {
		return fmt.Sprint(start)
	}
	return fmt.Sprintf("%d,%d", start, lines)
}
