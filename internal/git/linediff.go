package git

import (
	"slices"
	"strings"

	"github.com/gavel-review/gavel"
)

// contextLines is how many lines a hunk shows around a change.
const contextLines = 3

// The bounds below which a difference is worked out here. They keep the cost of a file small, and they stay below
// where git itself stops looking for the shortest difference.
const (
	maxDiffBytes = 512 << 10 // of either side
	maxDiffCells = 1 << 18   // lines that are left on one side, times those on the other
	maxDiffEdits = 200
)

// linePair is a line that both sides have, by its index on each.
type linePair struct{ old, new int }

// diffLines returns the hunks of a modified file. ok is false where that is better left to git.
//
// Git's answer is one of the shortest differences, unless it gives up on finding one; which of several it shows is its
// own affair. So the hunks are made here only where there is exactly one shortest difference and where git does not
// give up: it does so for differences of some hundred lines, and for lines that are on the other side many times.
func diffLines(old, new string) (hunks []gavel.Hunk, ok bool) {
	if len(old) > maxDiffBytes || len(new) > maxDiffBytes {
		return nil, false
	}
	a, b := splitLines(old), splitLines(new)
	from, tail := equalEnds(a, b)
	common, ok := onlyAlignment(a, b, from, tail)
	if !ok {
		return nil, false
	}
	return hunksOf(a, b, from, tail, common), true
}

// splitLines cuts after each "\n", which stays: a last line without one is another line.
func splitLines(text string) []string {
	lines := make([]string, 0, strings.Count(text, "\n")+1)
	for text != "" {
		i := strings.IndexByte(text, '\n') + 1
		if i == 0 {
			i = len(text)
		}
		lines = append(lines, text[:i])
		text = text[i:]
	}
	return lines
}

// equalEnds counts the lines that both sides begin with, and then those that both end with.
func equalEnds(a, b []string) (from, tail int) {
	least := min(len(a), len(b))
	for from < least && a[from] == b[from] {
		from++
	}
	for tail < least-from && a[len(a)-1-tail] == b[len(b)-1-tail] {
		tail++
	}
	return from, tail
}

// onlyAlignment returns the lines between the equal ends that both sides have in the one shortest difference; ok is
// false where there are several, or where git might show another one.
//
// One line of either end is looked at too: if any shortest difference left an end unmatched, another one would leave
// just its last line unmatched.
func onlyAlignment(a, b []string, from, tail int) (common []linePair, ok bool) {
	before, behind := min(from, 1), min(tail, 1)
	x, y := a[from-before:len(a)-tail+behind], b[from-before:len(b)-tail+behind]
	if len(x)*len(y) > maxDiffCells {
		return nil, false
	}
	table := newCommonTable(x, y)
	if len(x)+len(y)-2*table.longest() > maxDiffEdits {
		return nil, false
	}
	common = table.walk(true)
	if !slices.Equal(common, table.walk(false)) {
		return nil, false
	}
	if before > 0 {
		common = common[1:] // it is there: only this line can be paired with the other's
	}
	common = common[:len(common)-behind]
	for i := range common {
		common[i].old += from - before
		common[i].new += from - before
	}
	return common, rareEnough(a, b, common)
}

// rareEnough reports whether git takes each of the lines into account: it may leave out those that are on the other
// side about as often as the square root of the number of lines.
func rareEnough(a, b []string, common []linePair) bool {
	if len(common) == 0 {
		return true
	}
	inOld, inNew := countLines(a), countLines(b)
	few := min(len(a), len(b))
	for _, c := range common {
		n := max(inOld[a[c.old]], inNew[a[c.old]])
		if n > 1 && n*n >= few {
			return false
		}
	}
	return true
}

func countLines(lines []string) map[string]int {
	n := make(map[string]int, len(lines))
	for _, l := range lines {
		n[l]++
	}
	return n
}

// commonTable holds the length of the longest common subsequence of every two rests of the sides.
type commonTable struct {
	x, y   []int32 // lines by number: equal ones have the same
	length []uint16
}

func newCommonTable(x, y []string) *commonTable {
	numbers := make(map[string]int32, len(x)+len(y))
	number := func(lines []string) []int32 {
		out := make([]int32, len(lines))
		for i, l := range lines {
			n, known := numbers[l]
			if !known {
				n = int32(len(numbers))
				numbers[l] = n
			}
			out[i] = n
		}
		return out
	}
	t := &commonTable{x: number(x), y: number(y)}
	width := len(y) + 1
	t.length = make([]uint16, (len(x)+1)*width)
	for i := len(x) - 1; i >= 0; i-- {
		row, below := t.length[i*width:(i+1)*width], t.length[(i+1)*width:(i+2)*width]
		for j := len(y) - 1; j >= 0; j-- {
			if t.x[i] == t.y[j] {
				row[j] = below[j+1] + 1
			} else {
				row[j] = max(below[j], row[j+1])
			}
		}
	}
	return t
}

func (t *commonTable) at(i, j int) uint16 { return t.length[i*(len(t.y)+1)+j] }

func (t *commonTable) longest() int { return int(t.at(0, 0)) }

// walk follows the shortest difference that removes lines as early as it can, or the one that adds them as early. Every
// other shortest difference lies between the two.
func (t *commonTable) walk(removeFirst bool) []linePair {
	pairs := make([]linePair, 0, t.longest())
	for i, j := 0, 0; i < len(t.x) && j < len(t.y); {
		here := t.at(i, j)
		down, right := t.at(i+1, j) == here, t.at(i, j+1) == here
		switch {
		case removeFirst && down:
			i++
		case !removeFirst && right:
			j++
		case t.x[i] == t.y[j]: // here: 1 + what is left
			pairs = append(pairs, linePair{i, j})
			i++
			j++
		case down:
			i++
		default:
			j++
		}
	}
	return pairs
}

// hunksOf turns an alignment into hunks: changes with few lines between them share one.
func hunksOf(a, b []string, from, tail int, common []linePair) []gavel.Hunk {
	end := linePair{len(a) - tail, len(b) - tail}
	var changes []lineChange
	at := linePair{from, from}
	for _, c := range append(slices.Clone(common), end) {
		if c.old > at.old || c.new > at.new {
			changes = append(changes, lineChange{at, c})
		}
		at = linePair{c.old + 1, c.new + 1}
	}
	var hunks []gavel.Hunk
	for len(changes) > 0 {
		n := 1
		for n < len(changes) && changes[n].from.old-changes[n-1].to.old <= 2*contextLines {
			n++
		}
		hunks = append(hunks, hunkOfChanges(a, b, changes[:n]))
		changes = changes[n:]
	}
	return hunks
}

// lineChange is a run of lines, [from, to) on each side, without a common one.
type lineChange struct{ from, to linePair }

func hunkOfChanges(a, b []string, changes []lineChange) gavel.Hunk {
	first, last := changes[0].from, changes[len(changes)-1].to
	lead := min(contextLines, first.old)
	trail := min(contextLines, len(a)-last.old)
	at := linePair{first.old - lead, first.new - lead}
	h := gavel.Hunk{OldLines: last.old + trail - at.old, NewLines: last.new + trail - at.new}
	h.OldStart, h.NewStart = startOf(at.old, h.OldLines), startOf(at.new, h.NewLines)
	h.Lines = make([]gavel.Line, 0, h.OldLines+h.NewLines)
	context := func(to int) {
		for ; at.old < to; at.old, at.new = at.old+1, at.new+1 {
			h.Lines = append(h.Lines, lineOf(gavel.Context, a[at.old], at.old+1, at.new+1))
		}
	}
	for _, c := range changes {
		context(c.from.old)
		for ; at.old < c.to.old; at.old++ {
			h.Lines = append(h.Lines, lineOf(gavel.Remove, a[at.old], at.old+1, 0))
		}
		for ; at.new < c.to.new; at.new++ {
			h.Lines = append(h.Lines, lineOf(gavel.Add, b[at.new], 0, at.new+1))
		}
	}
	context(last.old + trail)
	return h
}

// startOf is the number of a hunk's first line, or of the line before it where it has none.
func startOf(index, lines int) int {
	if lines == 0 {
		return index
	}
	return index + 1
}

func lineOf(op gavel.LineOp, text string, old, new int) gavel.Line {
	text, ended := strings.CutSuffix(text, "\n")
	return gavel.Line{Op: op, Old: old, New: new, Text: text, NoEOL: !ended}
}

// wholeHunk is the one hunk of a file that is added or removed; none for an empty one.
func wholeHunk(op gavel.LineOp, text string) []gavel.Hunk {
	if text == "" {
		return nil
	}
	n := strings.Count(text, "\n")
	if !strings.HasSuffix(text, "\n") {
		n++
	}
	h := gavel.Hunk{Lines: make([]gavel.Line, 0, n)}
	for number := 1; text != ""; number++ {
		i := strings.IndexByte(text, '\n') + 1
		if i == 0 {
			i = len(text)
		}
		if op == gavel.Add {
			h.Lines = append(h.Lines, lineOf(op, text[:i], 0, number))
		} else {
			h.Lines = append(h.Lines, lineOf(op, text[:i], number, 0))
		}
		text = text[i:]
	}
	if op == gavel.Add {
		h.NewStart, h.NewLines = 1, n
	} else {
		h.OldStart, h.OldLines = 1, n
	}
	return []gavel.Hunk{h}
}
