package detect

import (
	"slices"

	"github.com/gavel-review/gavel"
	"github.com/gavel-review/gavel/internal/code"
)

// FileSummary is what Finish knows of one path.
type FileSummary struct {
	Path, OldPath  string
	Commit         string // see [gavel.File.Commit]
	Status         gavel.FileStatus
	Added, Removed int // lines
	Test           bool
	Code           bool // source text that is no test: what a test could be about
	Size           int64
	Binary         bool
	Skip           *gavel.Skip
	Facts          map[string]int // what detectors counted with Pass.Count
	// Held are findings of this file that wait for Finish, see [Pass.Hold].
	Held []gavel.Finding
}

// Summary is the change as a whole, in the order of its paths.
type Summary struct {
	Files []FileSummary
	Whole bool
	Err   error // a detector broke in Finish: a [*BrokenError]

	reports  []summaryReport
	released []gavel.Finding
}

type summaryReport struct {
	*report
	file *FileSummary
}

// Report adds a finding of rule on one of the summary's files.
func (s *Summary) Report(rule *gavel.Rule, file *FileSummary, at Span, message string) *gavel.Finding {
	lang := code.LanguageOf(file.Path, "")
	r := &report{rule: rule, at: at, finding: newFinding(rule, file.Path, lang, at, message)}
	s.reports = append(s.reports, summaryReport{r, file})
	return &r.finding
}

// Release lets a held finding stand, with what the detector has changed in it.
func (s *Summary) Release(f gavel.Finding) { s.released = append(s.released, f) }

// ChangesCode reports whether any file of the change is source text that is neither a test nor part of a gate.
func (s *Summary) ChangesCode() bool {
	return slices.ContainsFunc(s.Files, func(f FileSummary) bool { return f.Code && f.Added+f.Removed > 0 && code.GateOf(f.Path) == code.NoGate })
}

// Finish returns what the detectors have to say about the change as a whole, sorted. A detector that breaks is named in
// s.Err; the findings stand.
func Finish(dets []Detector, s *Summary) []gavel.Finding {
	for i := range dets {
		d := &dets[i]
		if d.Finish == nil {
			continue
		}
		if err := protect(d.Name, func() { d.Finish(s) }); err != nil && s.Err == nil {
			s.Err = err
		}
	}
	var out []gavel.Finding
	for _, r := range s.reports {
		f := gavel.File{Path: r.file.Path, OldPath: r.file.OldPath, Status: r.file.Status, Commit: r.file.Commit}
		out = append(out, r.complete(&f, nil))
	}
	out = append(out, s.released...)
	s.reports, s.released = nil, nil
	slices.SortStableFunc(out, gavel.CompareFindings)
	return out
}

func (p *Pass) summary() FileSummary {
	f := p.File
	s := FileSummary{
		Path: f.Path, OldPath: f.OldPath, Commit: f.Commit, Status: f.Status, Test: p.Test, Size: f.Size, Binary: f.Binary,
		Skip: f.Skip, Facts: p.facts,
	}
	for i := range f.Hunks {
		for j := range f.Hunks[i].Lines {
			switch f.Hunks[i].Lines[j].Op {
			case gavel.Add:
				s.Added++
			case gavel.Remove:
				s.Removed++
			}
		}
	}
	s.Code = p.Lang.Program && !p.Test && f.Skip == nil && s.Added+s.Removed > 0
	return s
}
