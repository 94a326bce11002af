package detect

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/gavel-review/gavel"
	"github.com/gavel-review/gavel/internal/code"
)

var testRemoved = Detector{
	Name: "test_removed", Rules: []*gavel.Rule{ruleTestDeleted, ruleTestEmptied}, Run: runTestRemoved, Finish: finishTestRemoved,
}

var ruleTestDeleted = &gavel.Rule{
	ID:    "hygiene/test-deleted",
	Title: "Test is deleted while the code changes",
	Text: "A change that cannot satisfy a test may delete it; the build is then green and proves less. The rule fires where a change of program text " +
		"also deletes tests. A test that is moved, renamed or rewritten in place is no finding, and neither is one that goes together with the code that " +
		"it was about.",
	Fix:      "Bring the test back, or say in the commit why what it checked does not hold any more.",
	Before:   "- func TestRefundIsBounded(t *testing.T) { … }",
	After:    "  func TestRefundIsBounded(t *testing.T) { … }",
	Severity: gavel.Medium, Category: gavel.CategoryHygiene, Confidence: gavel.ConfidenceMedium,
}

var ruleTestEmptied = &gavel.Rule{
	ID:    "hygiene/test-emptied",
	Title: "Assertions are removed from a test while the code changes",
	Text: "A test that runs code and checks nothing is green whatever the code does. The rule fires where a change of program text removes assertions " +
		"from tests that stay and puts none in their place, anywhere. Assertions of constants and commented ones count as none.",
	Fix:      "Bring the assertions back, adjusted to what should hold now.",
	Before:   "  got := Refund(order)\n- if got != want { t.Errorf(\"got %v\", got) }",
	After:    "  got := Refund(order)\n  if got != want { t.Errorf(\"got %v\", got) }",
	Severity: gavel.Medium, Category: gavel.CategoryHygiene, Confidence: gavel.ConfidenceMedium,
}

// Names of facts. Those that end in ":" are followed by a name.
const (
	factRemovedTest   = "test-removed:" // + name: the old line of its definition
	factAddedTest     = "test-added:"
	factRemovedAssert = "asserts-removed" // in tests that stay
	factAssertLine    = "assert-line"     // old line of the first of them
	factAddedAssert   = "asserts-added"
	factGone          = "gone:" // + name of a function or type that program text no longer defines
	factUses          = "uses:" // + name that the removed lines of a test hold
	factReplaced      = "tests-replaced"
)

// mostFacts bounds how many names are kept of one file.
const mostFacts = 2000

func runTestRemoved(p *Pass) {
	if p.Whole || !p.Lang.Program || !changesOld(p.File) {
		if p.Test {
			p.countAdded()
		}
		return
	}
	if !p.Test {
		p.countGone()
		if p.Lang.Name != "rust" { // whose unit tests stand beside the code
			return
		}
	}
	for i := range p.File.Hunks {
		p.countTests(&p.File.Hunks[i])
	}
}

// changesOld reports whether the change removes a line.
func changesOld(f *gavel.File) bool {
	for i := range f.Hunks {
		if f.Hunks[i].OldLines > 0 {
			for j := range f.Hunks[i].Lines {
				if f.Hunks[i].Lines[j].Op == gavel.Remove {
					return true
				}
			}
		}
	}
	return false
}

// countAdded counts what a file that only grows adds: tests and assertions may have moved there.
func (p *Pass) countAdded() {
	var w testWalk
	p.Lines(gavel.Add, func(l *gavel.Line) { w.line(p, l) })
}

// countGone notes the names that program text defined and no longer defines in this file.
func (p *Pass) countGone() {
	kept := make(map[string]bool)
	p.Lines(gavel.Add, func(l *gavel.Line) {
		if n := definedName(l.Text); n != "" && len(kept) < mostFacts {
			kept[n] = true
		}
	})
	left := mostFacts
	var w testWalk
	p.Lines(gavel.Remove, func(l *gavel.Line) {
		if w.define(p.Lang, l.Text) != "" { // a unit test beside the code
			return
		}
		if n := definedName(l.Text); len(n) > 3 && !kept[n] && left > 0 {
			left--
			p.Count(factGone+strings.ToLower(n), 1)
		}
	})
}

// testWalk follows the tests of one side through a hunk.
type testWalk struct {
	marked  bool   // the last line announced a test
	current string // the removed test whose body this is
	helper  int    // 1 + indentation of a function inside the test whose removed body this is, 0 = none
	facts   int
}

// define returns the name of the test that the line defines.
func (w *testWalk) define(lang *code.Language, text string) string {
	name, marker := testName(lang, text)
	if w.marked && name == "" {
		if trimmed := strings.TrimSpace(text); !strings.HasPrefix(trimmed, "@") && !strings.HasPrefix(trimmed, "[") && !strings.HasPrefix(trimmed, "#[") {
			name = definedName(text)
		}
	}
	if name != "" || marker {
		w.marked = marker
	}
	return name
}

// line counts an added line.
func (w *testWalk) line(p *Pass, l *gavel.Line) {
	if w.facts > mostFacts {
		return
	}
	if name := w.define(p.Lang, l.Text); name != "" {
		w.facts++
		p.Count(factAddedTest+name, 1)
	}
	if asserts(l.Text) {
		p.Count(factAddedAssert, 1)
	}
}

// countTests counts the tests and assertions that one hunk adds and removes. A definition that is replaced within one block of
// changed lines was renamed or rewritten: it is not lost.
func (p *Pass) countTests(h *gavel.Hunk) {
	var was, is testWalk
	var lost []*gavel.Line
	names := make(map[*gavel.Line]string)
	found := 0
	flush := func() {
		for _, l := range lost {
			if found > 0 {
				found--
				p.Count(factReplaced, 1)
				continue
			}
			if key := factRemovedTest + names[l]; p.facts[key] == 0 {
				p.Count(key, l.Old)
			}
		}
		lost, found = nil, 0
	}
	for i := range h.Lines {
		l := &h.Lines[i]
		switch l.Op {
		case gavel.Context:
			flush()
			was.helper = 0
			if name := was.define(p.Lang, l.Text); name != "" {
				was.current = ""
			}
			is.marked = was.marked
		case gavel.Add:
			before := is.facts
			is.line(p, l)
			found += is.facts - before
		case gavel.Remove:
			if was.facts > mostFacts {
				continue
			}
			if name := was.define(p.Lang, l.Text); name != "" {
				was.current = name
				was.facts++
				names[l] = name
				lost = append(lost, l)
			}
			p.countRemoved(&was, l)
		}
	}
	flush()
}

func (p *Pass) countRemoved(w *testWalk, l *gavel.Line) {
	p.countUses(w, l.Text)
	w.nested(l.Text)
	if w.current != "" || w.helper > 0 || !asserts(l.Text) {
		return
	}
	p.Count(factRemovedAssert, 1)
	if p.facts[factAssertLine] == 0 {
		p.Count(factAssertLine, l.Old)
	}
}

// nested follows a function inside a test through a block of removed lines: its assertions are a helper's.
func (w *testWalk) nested(line string) {
	indent := indentation(line)
	if w.helper > 0 && indent < w.helper-1 {
		w.helper = 0
	}
	if w.helper == 0 && !asserts(line) && containsAny(line, []string{":= func(", "= func(", "def ", "function ", "=> {", "= lambda"}) {
		w.helper = indent + 1
	}
}

// countUses notes the names on a removed line of a test, to tell later whether what it was about is gone too.
func (p *Pass) countUses(w *testWalk, line string) {
	for i := 0; i < len(line) && w.facts <= mostFacts; {
		if !wordByte(line[i]) {
			i++
			continue
		}
		name := identAt(line, i)
		if i += len(name); len(name) > 3 && len(name) < 80 {
			if key := factUses + strings.ToLower(name); p.facts[key] == 0 {
				w.facts++
				p.Count(key, 1)
			}
		}
	}
}

func finishTestRemoved(s *Summary) {
	if s.Whole {
		return
	}
	c := newTestChange(s)
	if !c.codeChanged {
		return
	}
	for i := range s.Files {
		f := &s.Files[i]
		lost := c.lost(f)
		switch {
		case c.excused(f):
		case len(lost) > 0:
			reportLost(s, f, lost)
		case f.Facts[factRemovedAssert] > 0 && f.Facts[factAddedAssert] == 0 && f.Facts[factReplaced] == 0 && c.assertsLost > 0 &&
			f.Status != gavel.Deleted:
			s.Report(ruleTestEmptied, f, Span{Line: f.Facts[factAssertLine], Old: true},
				fmt.Sprintf("The change removes %s from tests that stay and adds none.", count(f.Facts[factRemovedAssert], "line that asserts", "lines that assert")))
		}
	}
}

// testChange is what the change as a whole does to code and tests.
type testChange struct {
	codeChanged bool
	added       map[string]int // tests by name
	gone        []string       // names that program text which shrinks no longer defines, lower case
	deletedCode map[string]bool
	assertsLost int // removed less added, over the whole change
}

func newTestChange(s *Summary) *testChange {
	c := &testChange{added: make(map[string]int), deletedCode: make(map[string]bool)}
	gone := make(map[string]bool)
	for i := range s.Files {
		f := &s.Files[i]
		c.codeChanged = c.codeChanged || f.Code
		if f.Status == gavel.Deleted && !f.Test {
			c.deletedCode[stem(f.Path)] = true
		}
		c.assertsLost += f.Facts[factRemovedAssert] - f.Facts[factAddedAssert]
		for key, n := range f.Facts {
			if name, ok := strings.CutPrefix(key, factAddedTest); ok {
				c.added[name] += n
			} else if name, ok := strings.CutPrefix(key, factGone); ok && f.Removed > f.Added {
				gone[name] = true
			}
		}
	}
	for name := range gone {
		c.gone = append(c.gone, name)
	}
	slices.Sort(c.gone)
	return c
}

// lost returns the tests that the file no longer holds and no other file has got, by the line they stood on.
func (c *testChange) lost(f *FileSummary) []lostTest {
	var out []lostTest
	for key, line := range f.Facts {
		name, ok := strings.CutPrefix(key, factRemovedTest)
		if ok && c.added[name] == 0 && !c.about(strings.ToLower(name)) {
			out = append(out, lostTest{name, line})
		}
	}
	slices.SortFunc(out, func(a, b lostTest) int {
		if a.line != b.line {
			return a.line - b.line
		}
		return strings.Compare(a.name, b.name)
	})
	return out
}

type lostTest struct {
	name string
	line int // on the old side
}

// about reports whether the test's name holds the name of something that is gone.
func (c *testChange) about(test string) bool {
	flat := strings.ReplaceAll(test, "_", "")
	for _, name := range c.gone {
		if strings.Contains(flat, strings.ReplaceAll(name, "_", "")) {
			return true
		}
	}
	return false
}

// excused reports whether what the file's tests were about goes with them: the file of the same name is deleted, or the removed
// lines use something that program text no longer defines.
func (c *testChange) excused(f *FileSummary) bool {
	if c.deletedCode[stem(f.Path)] {
		return true
	}
	for _, name := range c.gone {
		if f.Facts[factUses+name] > 0 {
			return true
		}
	}
	return false
}

// stem is the base name without what marks a test: "refund" for refund_test.go, RefundTest.java and test_refund.py.
func stem(file string) string {
	s := strings.ToLower(path.Base(file))
	s, _, _ = strings.Cut(s, ".")
	for _, mark := range []string{"_test", "-test", "_tests", "_spec", "-spec", "tests", "test", "spec"} {
		s = strings.TrimSuffix(s, mark)
	}
	return strings.TrimPrefix(s, "test_")
}

func reportLost(s *Summary, f *FileSummary, lost []lostTest) {
	const named = 5
	var names []string
	for _, t := range lost[:min(len(lost), named)] {
		names = append(names, strings.ToValidUTF8(t.name[:min(len(t.name), 80)], ""))
	}
	what := strings.Join(names, ", ")
	if len(lost) > named {
		what += fmt.Sprintf(" and %d more", len(lost)-named)
	}
	at := Span{Line: lost[0].line, Old: true}
	if f.Status == gavel.Deleted {
		at = Span{}
	}
	s.Report(ruleTestDeleted, f, at, fmt.Sprintf("The change deletes %s while it changes code: %s.", count(len(lost), "test", "tests"), what))
}

func count(n int, one, many string) string {
	if n == 1 {
		return "one " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}
