// Package detect holds the detectors that run in this process: one file each, with the documentation of its rules. A
// detector sees bytes and positions; it reads no file, starts no process and knows no clock.
//
// To add one: write <name>.go with a Detector value, testdata/<name>.txtar with bad code, good code and the wanted
// findings, and name it in [All].
package detect

import (
	"github.com/gavel-review/gavel"
	"github.com/gavel-review/gavel/internal/code"
)

// Detector is one or more rules and the functions that find them.
type Detector struct {
	Name  string // the file's name
	Rules []*gavel.Rule
	// Run looks at one file of the change. It may be nil, and is called from several goroutines at once.
	Run func(*Pass)
	// Finish looks at the change as a whole after every file was run. It may be nil.
	Finish func(*Summary)
}

// Pass is one file under one set of detectors.
type Pass struct {
	File *gavel.File
	Lang *code.Language // never nil: text of no known language has the plain one
	// Test is true when the path is a test by its language's convention.
	Test bool
	// Whole is true when every line counts as changed: a scan, not a diff.
	Whole bool

	load     func() (string, error)
	source   *Source
	loadErr  error
	findings []gavel.Finding
	masks    map[int][]mask
	facts    map[string]int
}

// Span is a place on one line. Column and End are 0-based byte offsets into the line; End 0 means the whole line.
type Span struct {
	Line, LineEnd int  // 1-based; LineEnd 0 = Line
	Column, End   int  // half open
	Old           bool // the line stands on the old side
	Text          string // the line's text, for the fingerprint and the snippet
}

type mask struct {
	start, end int
	shown      string
}

// Report adds a finding of rule at the place, with the rule's severity. message says what is wrong here, in one or two
// sentences, and never holds a secret's value.
func (p *Pass) Report(rule *gavel.Rule, at Span, message string) *gavel.Finding {
	return p.report(rule, at, message)
}

// Mask marks a secret's value: it is replaced by shown wherever the line is quoted, in findings of any detector, and by
// "*" in fingerprints.
func (p *Pass) Mask(line, start, end int, shown string) {
	if p.masks == nil {
		p.masks = make(map[int][]mask)
	}
	p.masks[line] = append(p.masks[line], mask{start, end, shown})
}

// Count adds to a number about this file that Finish can read as FileSummary.Facts[name].
func (p *Pass) Count(name string, n int) {
	if p.facts == nil {
		p.facts = make(map[string]int)
	}
	p.facts[name] += n
}

// Lines calls yield for every line of the file's hunks with the operation.
func (p *Pass) Lines(op gavel.LineOp, yield func(*gavel.Line)) {
	for i := range p.File.Hunks {
		h := &p.File.Hunks[i]
		for j := range h.Lines {
			if h.Lines[j].Op == op {
				yield(&h.Lines[j])
			}
		}
	}
}
