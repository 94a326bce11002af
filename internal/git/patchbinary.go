package git

import (
	"strings"

	"github.com/gavel-review/gavel"
)

// readBinary passes over "GIT binary patch" and its blocks, and reports whether there was one. A block is a line with
// its kind and size and lines of base 85, and ends with an empty line.
func (p *Patch) readBinary() bool {
	line, err := p.in.peek()
	if err != nil || strings.TrimSuffix(line, "\r") != "GIT binary patch" {
		return false
	}
	p.in.skip()
	for {
		line, err := p.in.peek()
		if err != nil || !strings.HasPrefix(line, "literal ") && !strings.HasPrefix(line, "delta ") {
			return true
		}
		for err == nil && strings.TrimSuffix(line, "\r") != "" {
			p.in.skip()
			line, err = p.in.peek()
		}
		p.in.skip()
	}
}

// binaryFile reads "Binary files OLD and NEW differ", which diff -r writes without a header. A name that cannot be
// told apart from the words around it is taken whole.
func (p *Patch) binaryFile(line string) *gavel.File {
	names, ok := strings.CutPrefix(strings.TrimSuffix(line, "\r"), "Binary files ")
	names, ok2 := strings.CutSuffix(names, " differ")
	if !ok || !ok2 {
		return nil // prose
	}
	old, new := names, names
	if a, b, ok := strings.Cut(names, " and "); ok && !strings.Contains(b, " and ") {
		old, new = stripPrefixes(a, b)
	}
	f := &gavel.File{Path: new, Status: gavel.Modified, OldMode: gavel.ModeRegular, NewMode: gavel.ModeRegular, Size: -1, Binary: true}
	switch {
	case old == devNull:
		f.Status, f.OldMode = gavel.Added, 0
	case new == devNull:
		f.Status, f.NewMode, f.Path = gavel.Deleted, 0, old
	}
	f.Skip = &gavel.Skip{Path: f.Path, Reason: gavel.SkipBinary}
	return f
}
