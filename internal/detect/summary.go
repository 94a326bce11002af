package detect

import "github.com/gavel-review/gavel"

// FileSummary is what Finish knows of one path.
type FileSummary struct {
	Path, OldPath  string
	Status         gavel.FileStatus
	Added, Removed int // lines
	Test           bool
	Code           bool // source text that is no test: what a test could be about
	Size           int64
	Binary         bool
	Skip           *gavel.Skip
	Facts          map[string]int // what detectors counted with Pass.Count
}

// Summary is the change as a whole, in the order of its paths.
type Summary struct {
	Files    []FileSummary
	Whole    bool
	findings []gavel.Finding
}
