package detect

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/gavel-review/gavel"
	"github.com/gavel-review/gavel/internal/code"
)

// Result is what the detectors say about one file.
type Result struct {
	Findings []gavel.Finding // sorted
	Summary  FileSummary
	// Decoded is true when the file counts as binary and the detectors that see such files saw it as text.
	Decoded bool
	// Err is set when the file was not judged in full: its text could not be loaded, or a detector broke (then it is a
	// [*BrokenError]). Findings and Summary hold what there is.
	Err error
}

// BrokenError says that a detector panicked.
type BrokenError struct {
	Detector string
	Value    any
}

// Error implements error.
func (e *BrokenError) Error() string {
	return fmt.Sprintf("detector %s broke: %v", e.Detector, e.Value)
}

// Run runs the detectors over one file. load returns the whole text of the new side; it is called at most once and
// only when a detector asks, and may be nil where no text is to be had. With whole every line counts as changed, and
// a file without hunks is taken as if each line of its text were added. Run may be called from several goroutines.
func Run(dets []Detector, f *gavel.File, load func() (string, error), whole bool) Result {
	return RunUntil(nil, dets, f, load, whole)
}

// RunUntil is Run that asks stop, which may be nil, every few milliseconds. When stop says true the rest of the file is
// left: Err is then [ErrStopped], and there are no findings.
func RunUntil(stop func() bool, dets []Detector, f *gavel.File, load func() (string, error), whole bool) Result {
	p := &Pass{File: f, Whole: whole, load: load, stop: stop, Test: code.IsTest(f.Path)}
	p.Lang = code.LanguageOf(f.Path, firstLine(f))
	if whole && len(f.Hunks) == 0 && load != nil && !f.Binary {
		p.scan()
	}
	decoded := f.Binary && len(f.Hunks) == 0 && load != nil && f.Skip != nil && p.decode()
	var broken error
	for i := range dets {
		d := &dets[i]
		if d.Run == nil || f.Skip != nil && !d.everywhere() {
			continue
		}
		err := protect(d.Name, func() { d.Run(p) })
		if errors.Is(err, ErrStopped) || stop != nil && stop() {
			return Result{Err: ErrStopped}
		}
		if err != nil && broken == nil {
			broken = err
		}
	}
	res := Result{Summary: p.summary(), Decoded: decoded, Err: broken}
	if broken == nil && p.loadErr != nil {
		res.Err = p.loadErr
	}
	for i, r := range p.reports {
		if i%reportsAtOnce == 0 && stop != nil && stop() {
			return Result{Err: ErrStopped}
		}
		into := &res.Findings
		if r.held {
			into = &res.Summary.Held
		}
		*into = append(*into, r.complete(p.File, p.masks[r.at.Line]))
	}
	slices.SortStableFunc(res.Findings, gavel.CompareFindings)
	return res
}

// reportsAtOnce is how many findings are completed between two questions whether to go on.
const reportsAtOnce = 1000

// protect keeps a broken detector from taking the review down; what it had reported stands.
func protect(name string, run func()) (err error) {
	defer func() {
		switch v := recover().(type) {
		case nil:
		case stopped:
			err = ErrStopped
		default:
			err = &BrokenError{name, v}
		}
	}()
	run()
	return nil
}

// scan turns the file's text into one hunk of added lines.
func (p *Pass) scan() {
	src := p.Source()
	if src.Partial {
		return
	}
	f := *p.File
	f.Hunks = []gavel.Hunk{hunkOf(src.Text)}
	if len(f.Hunks[0].Lines) == 0 {
		f.Hunks = nil
	}
	p.File = &f
	p.Lang = code.LanguageOf(f.Path, firstLine(&f))
	src.Lang = p.Lang
}

func hunkOf(text string) gavel.Hunk {
	h := gavel.Hunk{NewStart: 1, Lines: make([]gavel.Line, 0, strings.Count(text, "\n")+1)}
	for text != "" {
		line, rest, ended := strings.Cut(text, "\n")
		h.Lines = append(h.Lines, gavel.Line{Op: gavel.Add, New: len(h.Lines) + 1, Text: line, NoEOL: !ended})
		text = rest
	}
	h.NewLines = len(h.Lines)
	return h
}

// firstLine is the first line of the new side where a hunk shows it.
func firstLine(f *gavel.File) string {
	if len(f.Hunks) == 0 {
		return ""
	}
	for i := range f.Hunks[0].Lines {
		if l := &f.Hunks[0].Lines[i]; l.New == 1 {
			return l.Text
		} else if l.New > 1 {
			break
		}
	}
	return ""
}
