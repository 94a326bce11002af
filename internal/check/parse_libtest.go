package check

import (
	"cmp"
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/gavel-review/gavel"
)

// parseCargoTest reads cargo test, as it prints on stable: libtest's text on stdout, and on stderr which test program
// runs. The n-th program on stderr owns the n-th block of stdout. Every block has to hold the tests that its own "test
// result" counts. A program that died before it could count is one failed test, named after the program. A build
// that failed gives the compiler's errors.
func parseCargoTest(o Output) (Report, error) {
	blocks, err := readLibtest(cleanText(o.Report))
	if err != nil {
		return Report{}, err
	}
	log := readCargoLog(cleanText(o.Stderr))
	if len(log.compile) > 0 {
		return cargoTestBuild(o, log)
	}
	if len(blocks) == 0 {
		return Report{}, fmt.Errorf("no test program reported%s", o.said())
	}
	var r Report
	if !log.assign(blocks) {
		if log.failed > countFailed(blocks) {
			return Report{}, fmt.Errorf("a test program failed that does not report as libtest does%s", o.said())
		}
		r.Reduced = append(r.Reduced, "a test program does not report as libtest does: no test of it is known")
	}
	for i := range blocks {
		b := &blocks[i]
		r.Tests = append(r.Tests, b.results(o)...)
		if b.closed {
			continue
		}
		if b.died == "" {
			return Report{}, fmt.Errorf("a test program did not count its tests: %d of %d are there", len(b.tests), b.wanted)
		}
		r.Reduced = append(r.Reduced, fmt.Sprintf("%s: %d of %d tests reported", b.program, len(b.tests), b.wanted))
	}
	nameApart(r.Tests)
	for i := range r.Tests {
		if r.Tests[i].Outcome == gavel.TestFailed {
			r.Findings = append(r.Findings, o.testFinding(&r.Tests[i]))
		}
	}
	if o.Exit == 0 && len(r.Findings) > 0 {
		return Report{}, fmt.Errorf("cargo test exited 0 beside %d failed tests", len(r.Findings))
	}
	r.Measured = len(r.Tests)
	return r, nil
}

// libtestBlock is what one test program printed.
type libtestBlock struct {
	program string // "ledger_core src/lib.rs", "" where it could not be told
	died    string // how the program ended, where it did not count its tests
	wanted  int
	tests   []libtestCase
	closed  bool // "test result" was there
}

type libtestCase struct {
	name    string // as printed
	outcome gavel.TestOutcome
	message string
}

// libtestReader follows the text line by line. Inside the section of failures, what a test printed is taken for nothing
// else, whatever it looks like.
type libtestReader struct {
	blocks  []libtestBlock
	pending string // test whose outcome is on a later line
	state   int
	section string // failed test whose output is being read
	text    []string
}

// docSeparator stands between file and item in the name of a documentation test, and in no other name:
// "src/lib.rs - sum", "README.md -".
const docSeparator = " -"

const (
	libtestOutside = iota
	libtestRunning
	libtestFailures // the outputs of the failed tests
	libtestList     // their names
)

func readLibtest(text string) ([]libtestBlock, error) {
	var l libtestReader
	for n, line := range strings.Split(text, "\n") {
		if err := l.line(line); err != nil {
			return nil, fmt.Errorf("line %d: %w", n+1, err)
		}
	}
	l.endSection()
	return l.blocks, nil
}

func (l *libtestReader) block() *libtestBlock { return &l.blocks[len(l.blocks)-1] }

func (l *libtestReader) line(line string) error {
	if l.state == libtestFailures {
		l.failure(line)
		return nil
	}
	if n, ok := libtestHeader(line); ok {
		l.pending = ""
		l.blocks = append(l.blocks, libtestBlock{wanted: n})
		l.state = libtestRunning
		return nil
	}
	if l.state == libtestOutside {
		return nil
	}
	if rest, ok := strings.CutPrefix(line, "test result: "); ok {
		l.state, l.pending = libtestOutside, ""
		return l.block().close(rest)
	}
	if line == "failures:" {
		l.state = libtestFailures
		return nil
	}
	if l.state == libtestRunning {
		l.result(line)
	}
	return nil
}

// libtestHeader reads "running 3 tests".
func libtestHeader(line string) (int, bool) {
	rest, ok := strings.CutPrefix(line, "running ")
	if !ok || !strings.HasSuffix(rest, " tests") && !strings.HasSuffix(rest, " test") {
		return 0, false
	}
	n, err := strconv.Atoi(rest[:strings.IndexByte(rest, ' ')])
	return n, err == nil && n >= 0
}

// result reads "test tests::sums ... ok". What a test writes past libtest's capture may stand between the dots and the
// outcome; then the outcome is a line of its own.
func (l *libtestReader) result(line string) {
	if rest, ok := strings.CutPrefix(line, "test "); ok {
		if name, word, ok := strings.Cut(rest, " ... "); ok && name != "" {
			if outcome, ok := libtestOutcome(word); ok {
				l.add(name, outcome)
			} else {
				l.pending = name
			}
			return
		}
	}
	if l.pending == "" {
		return
	}
	if outcome, ok := libtestOutcome(line); ok {
		l.add(l.pending, outcome)
	}
}

func (l *libtestReader) add(name string, outcome gavel.TestOutcome) {
	l.pending = ""
	b := l.block()
	b.tests = append(b.tests, libtestCase{name: name, outcome: outcome})
}

func libtestOutcome(word string) (gavel.TestOutcome, bool) {
	switch {
	case word == "ok", strings.HasPrefix(word, "ok <"), strings.HasPrefix(word, "bench: "):
		return gavel.TestPassed, true
	case word == "FAILED", strings.HasPrefix(word, "FAILED <"), strings.HasPrefix(word, "FAILED ("):
		return gavel.TestFailed, true
	case word == "ignored", strings.HasPrefix(word, "ignored, "):
		return gavel.TestSkipped, true
	}
	return "", false
}

// failure reads the outputs of the failed tests, up to the list of their names.
func (l *libtestReader) failure(line string) {
	if name, ok := strings.CutPrefix(line, "---- "); ok {
		if name, ok = strings.CutSuffix(name, " stdout ----"); ok && l.block().test(name) != nil {
			l.endSection()
			l.section = name
			return
		}
	}
	if line == "failures:" {
		l.endSection()
		l.state = libtestList
		return
	}
	l.text = append(l.text, line)
}

func (l *libtestReader) endSection() {
	if l.section != "" {
		l.block().test(l.section).message = libtestMessage(l.text)
	}
	l.section, l.text = "", nil
}

// libtestMessage leaves out of a test's output what differs from run to run: the stack and the thread's number.
func libtestMessage(lines []string) string {
	if i := slices.Index(lines, "stack backtrace:"); i >= 0 {
		lines = lines[:i]
	}
	lines = slices.DeleteFunc(slices.Clone(lines), func(s string) bool {
		return strings.HasPrefix(s, "note: run with `RUST_BACKTRACE=1`")
	})
	for i, s := range lines {
		if who, rest, ok := strings.Cut(s, ") panicked at "); ok && strings.HasPrefix(s, "thread '") {
			if j := strings.LastIndex(who, " ("); j >= 0 {
				lines[i] = who[:j] + " panicked at " + rest
			}
		}
	}
	return strings.TrimSpace(strings.Join(lines, "\n"))
}

func (b *libtestBlock) test(name string) *libtestCase {
	for i := range b.tests {
		if b.tests[i].name == name {
			return &b.tests[i]
		}
	}
	return nil
}

func (b *libtestBlock) count(outcome gavel.TestOutcome) int {
	n := 0
	for _, t := range b.tests {
		if t.outcome == outcome {
			n++
		}
	}
	return n
}

// close reads "FAILED. 1 passed; 3 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.13s".
func (b *libtestBlock) close(result string) error {
	word, rest, _ := strings.Cut(result, ". ")
	says := map[string]int{}
	for part := range strings.SplitSeq(rest, "; ") {
		if number, what, ok := strings.Cut(part, " "); ok {
			if n, err := strconv.Atoi(number); err == nil {
				says[what] = n
			}
		}
	}
	passed, failed, ignored := b.count(gavel.TestPassed), b.count(gavel.TestFailed), b.count(gavel.TestSkipped)
	if says["passed"]+says["measured"] != passed || says["failed"] != failed || says["ignored"] != ignored {
		return fmt.Errorf("%q, and %d passed, %d failed, %d ignored stand above it", excerpt(result), passed, failed, ignored)
	}
	if len(b.tests) != b.wanted || word != "ok" && word != "FAILED" || (word == "ok") != (failed == 0) {
		return fmt.Errorf("%q after %d of %d tests", excerpt(result), len(b.tests), b.wanted)
	}
	b.closed = true
	return nil
}

// doc reports whether the block is one of documentation tests, "src/lib.rs - sum (line 11)".
func (b *libtestBlock) doc() bool {
	return len(b.tests) > 0 && !slices.ContainsFunc(b.tests, func(t libtestCase) bool {
		return !strings.Contains(t.name, docSeparator) || !strings.Contains(t.name, "(line ")
	})
}

func countFailed(blocks []libtestBlock) int {
	n := 0
	for i := range blocks {
		if !blocks[i].closed || blocks[i].count(gavel.TestFailed) > 0 {
			n++
		}
	}
	return n
}

// results names the tests of the block. The names of documentation tests lose their line numbers, tests of
// one item are told apart by their order.
func (b *libtestBlock) results(o Output) []gavel.TestResult {
	var out []gavel.TestResult
	prefix := ""
	if b.program != "" {
		prefix = b.program + " › "
	}
	for _, t := range b.tests {
		r := gavel.TestResult{Outcome: t.outcome, Message: boundMessage(t.message)}
		r.Name, r.Line = libtestName(t.name)
		if r.Line > 0 {
			file, _, _ := strings.Cut(r.Name, docSeparator)
			r.File = rustFile(o, file)
		} else if t.outcome == gavel.TestFailed {
			r.File, r.Line = panicPlace(o, t.message)
		}
		r.Name = prefix + r.Name
		if r.File == "" {
			r.Line = 0
		}
		out = append(out, r)
	}
	slices.SortStableFunc(out, func(a, b gavel.TestResult) int { return cmp.Compare(a.Name, b.Name) })
	if !b.closed {
		out = append(out, gavel.TestResult{Name: b.program, Outcome: gavel.TestFailed, Message: b.died})
	}
	return out
}

// libtestName takes off what is no part of a test's identity: how it is meant to end, and the line of a documentation test.
func libtestName(name string) (string, int) {
	if i := strings.LastIndex(name, " (line "); i >= 0 {
		number, _, _ := strings.Cut(name[i+len(" (line "):], ")")
		if line, err := strconv.Atoi(number); err == nil && line > 0 {
			return name[:i], line
		}
	}
	return strings.TrimSuffix(name, " - should panic"), 0
}

// panicPlace finds "panicked at core/src/lib.rs:38:9:" in the tree.
func panicPlace(o Output, message string) (string, int) {
	for line := range strings.SplitSeq(message, "\n") {
		for _, mark := range []string{" panicked at ", "note: test did not panic as expected at "} {
			if _, at, ok := strings.Cut(line, mark); ok {
				file, numbers := cutNumbers(strings.TrimSuffix(at, ":"), 2)
				if name := rustFile(o, file); name != "" && len(numbers) > 0 {
					return name, numbers[0]
				}
			}
		}
	}
	return "", 0
}

// rustFile is the file that rustc calls name, relative to the tree's top, "" where it lies outside.
func rustFile(o Output, name string) string {
	name = filepath.ToSlash(name)
	if base, ok := baseAbove(filepath.ToSlash(o.Dir), name); ok && o.inTree(path.Join(base, name)) {
		name = path.Join(base, name)
	}
	file, _ := o.place(name)
	return file
}

// nameApart numbers tests of one name in the order in which they stand, documentation tests by their lines.
func nameApart(tests []gavel.TestResult) {
	seen := map[string][]int{}
	for i := range tests {
		seen[tests[i].Name] = append(seen[tests[i].Name], i)
	}
	for name, at := range seen {
		if strings.Contains(name, docSeparator) {
			slices.SortStableFunc(at, func(a, b int) int { return tests[a].Line - tests[b].Line })
		}
		for n, i := range at {
			if n > 0 {
				tests[i].Name = fmt.Sprintf("%s #%d", name, n+1)
			}
		}
	}
}
