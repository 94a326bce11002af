package detect

import (
	"sort"

	"github.com/gavel-review/gavel"
	"github.com/gavel-review/gavel/internal/code"
)

// Pass is one file under one set of detectors.
type Pass struct {
	File *gavel.File
	Lang *code.Language // never nil: text of no known language has the plain one
	// Test is true when the path is a test by its language's convention.
	Test bool
	// Whole is true when every line counts as changed: a scan, not a diff.
	Whole bool

	load    func() (string, error)
	stop    func() bool // nil = never
	unasked int         // bytes looked at since stop was asked
	strewn  bool        // a binary file with text in it here and there
	source  *Source
	loadErr error
	reports []*report
	masks   map[int][]mask
	facts   map[string]int
	news    []*gavel.Line // the lines of the new side by number, once asked for
	indexed bool
	removed map[string][]*gavel.Line // the removed lines without their indentation, once asked for
	oldText *Source                  // once asked for
}

// Span is a place on one line. Column and End are 0-based byte offsets into the line; End 0 means the whole line.
type Span struct {
	Line, LineEnd int    // 1-based; LineEnd 0 = Line; Line 0 = the file as a whole
	Column, End   int    // half open
	Old           bool   // the line stands on the old side
	Text          string // the line's text, for the fingerprint and the snippet; "" = look it up by Line
}

type mask struct {
	start, end int
	shown      string
}

// report is a finding whose line is masked only when every detector has run.
type report struct {
	finding gavel.Finding
	rule    *gavel.Rule
	at      Span
	held    bool // for Finish to decide on
}

// Report adds a finding of rule at the place, with the rule's severity. message says what is wrong here, in one or two
// sentences, and never holds a secret's value. The result may be changed until the detector returns.
func (p *Pass) Report(rule *gavel.Rule, at Span, message string) *gavel.Finding {
	if at.Text == "" && at.Line > 0 && !at.Old {
		at.Text = p.text(at.Line)
	}
	p.tick(0)
	r := &report{rule: rule, at: at, finding: newFinding(rule, p.File.Path, p.Lang, at, message)}
	r.finding.Scope = p.scope(at)
	p.reports = append(p.reports, r)
	return &r.finding
}

// Hold is Report for a finding whose weight depends on the rest of the change: it reaches Finish, complete, in
// FileSummary.Held, and stands only when it is released there.
func (p *Pass) Hold(rule *gavel.Rule, at Span, message string) *gavel.Finding {
	f := p.Report(rule, at, message)
	p.reports[len(p.reports)-1].held = true
	return f
}

// Mask marks a secret's value on a line of the new side: it is replaced by shown wherever the line is quoted, in
// findings of any detector, and by "*" in fingerprints. start and end are byte offsets into the line.
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
			p.tick(len(h.Lines[j].Text))
			if h.Lines[j].Op == op {
				yield(&h.Lines[j])
			}
		}
	}
}

// Source is the whole text of the new side. It is loaded at the first call; where that is not possible it is put
// together from the hunks and [Source.Partial] is set.
func (p *Pass) Source() *Source {
	if p.source != nil {
		return p.source
	}
	if p.load != nil {
		text, err := p.load()
		if err == nil {
			p.source = newSource(p.Lang, text)
			p.source.tell = p.tick
			return p.source
		}
		p.loadErr = err
	}
	p.source = sourceOfHunks(p.Lang, p.File.Hunks)
	p.source.tell = p.tick
	return p.source
}

// scope relates a place to the change: a removed line and the file as a whole count as changed.
func (p *Pass) scope(at Span) gavel.Scope {
	if p.Whole || at.Old || at.Line == 0 {
		return gavel.ScopeChangedLine
	}
	for line := at.Line; line <= max(at.LineEnd, at.Line); line++ {
		if l := p.line(line); l != nil && l.Op == gavel.Add {
			return gavel.ScopeChangedLine
		}
	}
	return gavel.ScopeChangedFile
}

func (p *Pass) text(line int) string {
	if l := p.line(line); l != nil {
		return l.Text
	}
	if p.source != nil {
		return p.source.Line(line)
	}
	return ""
}

// line returns the hunk line with the number on the new side, nil where no hunk shows it.
func (p *Pass) line(number int) *gavel.Line {
	if !p.indexed {
		p.indexed = true
		for i := range p.File.Hunks {
			for j := range p.File.Hunks[i].Lines {
				if l := &p.File.Hunks[i].Lines[j]; l.New > 0 {
					p.news = append(p.news, l)
				}
			}
		}
		sort.SliceStable(p.news, func(a, b int) bool { return p.news[a].New < p.news[b].New })
	}
	i := sort.Search(len(p.news), func(i int) bool { return p.news[i].New >= number })
	if i < len(p.news) && p.news[i].New == number {
		return p.news[i]
	}
	return nil
}
