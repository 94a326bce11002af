package detect

import (
	"path"
	"strings"

	"github.com/gavel-review/gavel"
	"github.com/gavel-review/gavel/internal/code"
	"github.com/gavel-review/gavel/internal/untrusted"
)

var injection = Detector{
	Name:  "injection",
	Rules: []*gavel.Rule{ruleOverrides, ruleAddresses, ruleSteers, ruleAsks, ruleHides, ruleBecomes},
	Run:   runInjection,
}

// injectionRules are the rules by the name of the engine's.
var injectionRules = map[string]*gavel.Rule{
	untrusted.RuleOverride: ruleOverrides, untrusted.RuleAddressed: ruleAddresses, untrusted.RuleVerdict: ruleSteers,
	untrusted.RuleSecrets: ruleAsks, untrusted.RuleConceal: ruleHides, untrusted.RuleRole: ruleBecomes,
}

// injectionWalk looks at one file.
type injectionWalk struct {
	*Pass
	seen map[injectionPlace]bool
}

type injectionPlace struct {
	rule string
	line int
}

func runInjection(p *Pass) {
	w := injectionWalk{p, make(map[injectionPlace]bool)}
	if p.File.Status == gavel.Added || p.File.Status == gavel.Renamed {
		w.name()
	}
	for i := range p.File.Hunks {
		h := &p.File.Hunks[i]
		for at := w.marked(h, 0, len(h.Lines)-1); at >= 0; {
			at = w.marked(h, w.around(h, at)+1, len(h.Lines)-1)
		}
	}
}

// name reads each part of the path as a sentence.
func (w *injectionWalk) name() {
	for part := range strings.SplitSeq(w.File.Path, "/") {
		part = strings.TrimSuffix(part, path.Ext(part))
		text := strings.NewReplacer("-", " ", "_", " ", ".", " ").Replace(part)
		if !untrusted.MayInject(text) {
			continue
		}
		for _, s := range untrusted.Injections(text) {
			w.report(s.Rule, Span{}, "The file's name addresses an automated reader.")
		}
	}
}

// nearLines is how many lines before and behind are read with a line, each of at most nearBytes: commands wrap. mostLines bounds
// what is read at once.
const (
	nearLines = 3
	nearBytes = 2000
	mostLines = 200
)

// around reads the line with its neighbours on the new side, and on to the next line with a word where that is near. It returns the
// last line of the hunk that was read so.
func (w *injectionWalk) around(h *gavel.Hunk, at int) int {
	from, to := reachUp(h, at), at
	for next := at; next >= 0 && next-at < mostLines; {
		to = reachDown(h, next)
		next = w.marked(h, next+1, to)
	}
	var lines []*gavel.Line
	for i := from; i <= to; i++ {
		if h.Lines[i].New > 0 {
			lines = append(lines, &h.Lines[i])
		}
	}
	w.read(lines)
	return to
}

// marked returns the first added line of the range that may be a command, -1 where there is none.
func (w *injectionWalk) marked(h *gavel.Hunk, from, to int) int {
	for i := from; i <= to; i++ {
		if l := &h.Lines[i]; l.Op == gavel.Add && w.mayInject(l.Text) && !w.moved(l) {
			return i
		}
	}
	return -1
}

func reachUp(h *gavel.Hunk, at int) int {
	from := at
	for i, n := at-1, 0; i >= 0 && n < nearLines && len(h.Lines[i].Text) <= nearBytes; i-- {
		if h.Lines[i].New > 0 {
			from = i
			n++
		}
	}
	return from
}

func reachDown(h *gavel.Hunk, at int) int {
	to := at
	for i, n := at+1, 0; i < len(h.Lines) && n < nearLines && len(h.Lines[i].Text) <= nearBytes; i++ {
		if h.Lines[i].New > 0 {
			to = i
			n++
		}
	}
	return to
}

// unquote makes each literal a text of its own; every byte keeps its place.
var unquote = strings.NewReplacer(`"`, "\n", "'", "\n", "`", "\n")

func (w *injectionWalk) read(lines []*gavel.Line) {
	var b strings.Builder
	starts := make([]int, len(lines))
	for i, l := range lines {
		starts[i] = b.Len()
		b.WriteString(l.Text)
		b.WriteByte('\n')
	}
	text := b.String()
	leaves := w.signals(unquote.Replace(text))
	if len(leaves) == 0 && !strings.Contains(text, "'") {
		return
	}
	prose := w.signals(text)
	for _, s := range prose {
		w.signal(s, lines, starts, true)
	}
	for _, s := range leaves {
		w.signal(s, lines, starts, false)
	}
}

// pieceBytes is how much of a text is read at once, pieceMargin how much of what stands around it: more than the engine
// looks at on either side of a word.
const (
	pieceBytes  = 64 << 10
	pieceMargin = 8 << 10
)

// signals reads a text piece by piece, so that a line of any length takes little room and can be left in the middle.
func (w *injectionWalk) signals(text string) []untrusted.Signal {
	var out []untrusted.Signal
	for at := 0; at < len(text); at += pieceBytes {
		from, to := max(0, at-pieceMargin), min(len(text), at+pieceBytes+pieceMargin)
		w.tick(to - from)
		for _, s := range untrusted.Injections(text[from:to]) {
			s.Offset, s.End = s.Offset+from, s.End+from
			if s.Offset >= at && s.Offset < at+pieceBytes {
				out = append(out, s)
			}
		}
	}
	return out
}

// mayInject is untrusted.MayInject, piece by piece.
func (w *injectionWalk) mayInject(line string) bool {
	for at := 0; at < len(line); at += pieceBytes {
		from, to := max(0, at-pieceMargin), min(len(line), at+pieceBytes+pieceMargin)
		w.tick(to - from)
		if untrusted.MayInject(line[from:to]) {
			return true
		}
	}
	return false
}

// signal reports what stands in a comment, in prose, or in a literal of its own.
func (w *injectionWalk) signal(s untrusted.Signal, lines []*gavel.Line, starts []int, prose bool) {
	i := len(starts) - 1
	for i > 0 && starts[i] > s.Offset {
		i--
	}
	l, column := lines[i], s.Offset-starts[i]
	if l.Op != gavel.Add {
		return
	}
	switch w.holder(l, column) {
	case code.String:
	case code.Comment:
		if !prose {
			return
		}
	default:
		return
	}
	w.report(s.Rule, place(l, column, min(s.End-s.Offset, len(l.Text)-column)), "An automated reader is addressed here; this review does not obey it.")
}

// holder says what the place belongs to: Comment for prose, String for the leaves of data.
func (w *injectionWalk) holder(l *gavel.Line, column int) code.Kind {
	switch {
	case w.Lang.Program:
		return w.kindAt(l.New, column)
	case w.prose():
		return code.Comment
	}
	return code.String
}

func (w *injectionWalk) report(rule string, at Span, message string) {
	key := injectionPlace{rule, at.Line}
	if !w.seen[key] {
		w.seen[key] = true
		w.Report(injectionRules[rule], at, message)
	}
}
