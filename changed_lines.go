package gavel

import (
	"maps"
	"slices"
	"sort"
)

// ChangedLines knows which lines of which files a change brings. It is filled while the change streams by, one file at
// a time, and holds nothing but line numbers. The zero value is ready to use.
type ChangedLines struct {
	files   map[string][]lineRange // by the new path
	oldPath map[string]string      // of what was renamed or copied, by the new path
	renames map[string]string      // new paths by the old one, of renames alone
}

// lineRange is a run of lines, both ends included.
type lineRange struct{ from, to int }

// everyLine stands for a file that is new as a whole, or whose text is not shown: any line may be the change's.
var everyLine = []lineRange{{0, int(^uint(0) >> 1)}}

// Add takes a file of the change in.
func (c *ChangedLines) Add(f *File) {
	if c.files == nil {
		c.files, c.oldPath, c.renames = make(map[string][]lineRange), make(map[string]string), make(map[string]string)
	}
	if f.OldPath != "" && f.OldPath != f.Path {
		c.oldPath[f.Path] = f.OldPath
		if f.Status == Renamed {
			c.renames[f.OldPath] = f.Path
		}
	}
	switch {
	case f.Status == Added, len(f.Hunks) == 0 && f.OldID != f.NewID:
		c.files[f.Path] = everyLine
		return
	}
	ranges := c.files[f.Path]
	for i := range f.Hunks {
		for j := range f.Hunks[i].Lines {
			l := &f.Hunks[i].Lines[j]
			if l.Op != Add {
				continue
			}
			if n := len(ranges); n > 0 && ranges[n-1].to == l.New-1 {
				ranges[n-1].to = l.New
			} else {
				ranges = append(ranges, lineRange{l.New, l.New})
			}
		}
	}
	sort.Slice(ranges, func(i, j int) bool { return ranges[i].from < ranges[j].from })
	c.files[f.Path] = ranges
}

// Scope relates lines of a file to the change. Line 0 is the file as a whole; end below line counts as line.
func (c *ChangedLines) Scope(path string, line, end int) Scope {
	ranges, ok := c.files[path]
	if !ok {
		return ScopeElsewhere
	}
	end = max(line, end)
	for _, r := range ranges {
		if r.from <= end && line <= r.to {
			return ScopeChangedLine
		}
	}
	return ScopeChangedFile
}

// Files are the paths of the change on its new side, and those of what it removes, sorted.
func (c *ChangedLines) Files() []string { return slices.Sorted(maps.Keys(c.files)) }

// Renames leads from what a file was called before to what it is called now; a copy is no rename.
func (c *ChangedLines) Renames() map[string]string { return maps.Clone(c.renames) }

// OldPath is what a renamed or copied file was called before, else the path itself.
func (c *ChangedLines) OldPath(path string) string {
	if old, ok := c.oldPath[path]; ok {
		return old
	}
	return path
}
