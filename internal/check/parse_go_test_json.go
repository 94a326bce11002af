package check

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/gavel-review/gavel"
)

// goEvent is one line of go test -json (go doc test2json; build events: go help buildjson).
type goEvent struct {
	Action      string
	Package     string
	ImportPath  string
	Test        string
	Output      string
	FailedBuild string
}

// parseGoTestJSON reads go test -json. A test is named package.Test/subtest; of several runs of one test the worst
// counts. A failed test is a finding, a test that failed because of its subtests is not one more. A package that failed
// without a failed test is one too: it did not build, which the compiler's words tell, or its program did not end well.
// A package that began and never ended is an error: the report is cut.
//
// Files are known where the tests print whole paths (go test -fullpath).
func parseGoTestJSON(o Output) (Report, error) {
	run := goTestRun{tests: map[goTestID]*goTest{}, packages: map[string]*goPackage{}}
	for n, line := range bytes.Split(o.Report, []byte("\n")) {
		if err := run.line(bytes.TrimSpace(line)); err != nil {
			return Report{}, fmt.Errorf("line %d: %w", n+1, err)
		}
	}
	if len(run.packages) == 0 {
		return Report{}, fmt.Errorf("go test reported on no package%s", o.said())
	}
	return run.report(o)
}

type goTestRun struct {
	tests    map[goTestID]*goTest
	order    []*goTest
	packages map[string]*goPackage
	names    []string        // of packages, in their order
	build    strings.Builder // what compilers said
}

type goTestID struct{ pkg, name string }

type goTest struct {
	goTestID
	outcome gavel.TestOutcome // "" = it never ended
	output  strings.Builder   // of the last run, or of the first that failed
	running bool
	parent  bool // a failed subtest of it is known
}

type goPackage struct {
	ended, failed bool
	build         string // the build that failed, "" = none
	output        strings.Builder
	failures      int
	panicked      bool
}

// keptOutput bounds what is kept of the output of one test or package, in bytes: more than is shown, since the place of
// a failure may stand far down in a stack.
const keptOutput = 64 << 10

func (r *goTestRun) line(line []byte) error {
	switch {
	case len(line) == 0, bytes.Equal(line, []byte("FAIL")):
		return nil
	case line[0] != '{':
		return r.plain(cleanText(line))
	}
	var e goEvent
	if err := json.Unmarshal(line, &e); err != nil {
		return fmt.Errorf("not an event of go test -json: %w", err)
	}
	switch e.Action {
	case "":
		return errors.New("an event without an action")
	case "build-output":
		r.build.WriteString(e.Output)
		return nil
	case "build-fail":
		return nil
	}
	if e.Package == "" {
		return fmt.Errorf("event %q names no package", excerpt(e.Action))
	}
	pkg := r.pkg(e.Package)
	if e.Test != "" {
		r.test(goTestID{e.Package, e.Test}).event(&e)
		return nil
	}
	pkg.event(&e)
	return nil
}

// plain reads "FAIL	example.com/shop [build failed]", which older releases do not wrap.
func (r *goTestRun) plain(line string) error {
	rest, ok := strings.CutPrefix(line, "FAIL\t")
	name, why, found := strings.Cut(rest, " [")
	if !ok || !found {
		return fmt.Errorf("%q is no event of go test -json", excerpt(line))
	}
	p := r.pkg(name)
	p.ended, p.failed, p.build = true, true, strings.TrimSuffix(why, "]")
	return nil
}

func (r *goTestRun) pkg(name string) *goPackage {
	p := r.packages[name]
	if p == nil {
		p = &goPackage{}
		r.packages[name] = p
		r.names = append(r.names, name)
	}
	return p
}

func (r *goTestRun) test(id goTestID) *goTest {
	t := r.tests[id]
	if t == nil {
		t = &goTest{goTestID: id}
		r.tests[id] = t
		r.order = append(r.order, t)
	}
	return t
}

func (p *goPackage) event(e *goEvent) {
	switch e.Action {
	case "output":
		keep(&p.output, e.Output)
	case "pass", "skip":
		p.ended = true
	case "fail":
		p.ended, p.failed, p.build = true, true, e.FailedBuild
	}
}

func (t *goTest) event(e *goEvent) {
	switch e.Action {
	case "run":
		if t.outcome != gavel.TestFailed {
			t.output.Reset()
		}
		t.running = true
	case "output":
		if t.running || t.outcome != gavel.TestFailed {
			keep(&t.output, e.Output)
		}
	case "pass", "bench":
		t.end(gavel.TestPassed)
	case "skip":
		t.end(gavel.TestSkipped)
	case "fail":
		t.end(gavel.TestFailed)
	}
}

// end takes the worse of what is known and what came now: failed, then skipped, then passed.
func (t *goTest) end(outcome gavel.TestOutcome) {
	t.running = false
	if t.outcome == "" || outcome == gavel.TestFailed || t.outcome == gavel.TestPassed {
		t.outcome = outcome
	}
}

func keep(b *strings.Builder, s string) {
	if b.Len()+len(s) <= keptOutput {
		b.WriteString(s)
	}
}

func (r *goTestRun) report(o Output) (Report, error) {
	out := Report{Measured: len(r.order)}
	if err := r.settle(); err != nil {
		return Report{}, err
	}
	text, err := readGoText(r.build.String() + "\n" + string(o.Stderr))
	if err != nil {
		return Report{}, err
	}
	out.Reduced = text.reduced
	if o.Exit == 0 {
		text.warn()
	}
	out.Findings = o.unique(text.found)
	for _, t := range r.order {
		result := r.result(o, t)
		out.Tests = append(out.Tests, result)
		if t.outcome == gavel.TestFailed && !t.parent {
			out.Findings = append(out.Findings, o.testFinding(&result))
		}
	}
	for _, name := range r.names {
		p := r.packages[name]
		if p.failed && p.failures == 0 && (p.build == "" || len(text.found) == 0) {
			out.Findings = append(out.Findings, o.packageFinding(name, p))
		}
		if why := p.cutShort(); why != "" {
			out.Reduced = append(out.Reduced, name+": "+why)
		}
	}
	slices.SortStableFunc(out.Tests, func(a, b gavel.TestResult) int { return cmp.Compare(a.Name, b.Name) })
	return out, nil
}

// settle decides on tests that never ended and marks those that failed because of a subtest.
func (r *goTestRun) settle() error {
	for _, name := range r.names {
		if !r.packages[name].ended {
			return fmt.Errorf("package %s did not end: the report is cut", excerpt(name))
		}
	}
	for _, t := range r.order {
		p := r.packages[t.pkg]
		if t.outcome == "" || t.running {
			if !p.failed {
				return fmt.Errorf("test %s of %s did not end: the report is cut", excerpt(t.name), excerpt(t.pkg))
			}
			t.outcome = gavel.TestFailed // the program died, or was ended, while it ran
		}
		if t.outcome != gavel.TestFailed {
			continue
		}
		p.failures++
		p.panicked = p.panicked || strings.Contains("\n"+t.output.String(), "\npanic: ")
		for above, ok := t.above(r); ok; above, ok = above.above(r) {
			above.parent = true
		}
	}
	return nil
}

// above is the nearest test of which t is a subtest. A name may hold slashes of its own.
func (t *goTest) above(r *goTestRun) (*goTest, bool) {
	for name := t.name; ; {
		i := strings.LastIndexByte(name, '/')
		if i < 0 {
			return nil, false
		}
		name = name[:i]
		if above := r.tests[goTestID{t.pkg, name}]; above != nil {
			return above, true
		}
	}
}

func (r *goTestRun) result(o Output, t *goTest) gavel.TestResult {
	res := gavel.TestResult{Name: o.clean(t.pkg + "." + t.name), Outcome: t.outcome}
	if t.outcome == gavel.TestPassed {
		return res
	}
	output := t.output.String()
	message := goTestMessage(output)
	// A panic in a subtest is printed by the test above it.
	for above, ok := t.above(r); message == "" && ok; above, ok = above.above(r) {
		output = above.output.String()
		message = goTestMessage(output)
	}
	res.Message = boundMessage(o.clean(message))
	res.File, res.Line = goPlace(o, output)
	return res
}

// goTestMessage leaves out the lines that only tell how a test goes.
func goTestMessage(output string) string {
	var b strings.Builder
	for line := range strings.Lines(output) {
		trimmed := strings.TrimSpace(line)
		if !strings.HasPrefix(trimmed, "=== ") && !strings.HasPrefix(trimmed, "--- ") {
			b.WriteString(line)
		}
	}
	return strings.Trim(b.String(), "\n")
}

// goPlace is the first place in the tree that the output names with a whole path, in a test file if there is one:
// "    /srv/shop/cart_test.go:23: message" or, in a stack, "	/srv/shop/cart.go:12 +0x2c".
func goPlace(o Output, output string) (file string, line int) {
	for text := range strings.Lines(cleanString(output)) {
		text = strings.TrimSpace(text)
		at := strings.Index(text, ".go:")
		if at < 0 || !absolute(slashed(text)) {
			continue
		}
		digits := text[at+len(".go:"):]
		end := 0
		for end < len(digits) && digits[end] >= '0' && digits[end] <= '9' {
			end++
		}
		name, n, _ := cutPosition(text[:at+len(".go:")+end])
		in, ok := o.place(name)
		if !ok || n <= 0 {
			continue
		}
		if strings.HasSuffix(in, "_test.go") {
			return in, n
		}
		if file == "" {
			file, line = in, n
		}
	}
	return file, line
}

// cutShort says why tests of a package may not have run.
func (p *goPackage) cutShort() string {
	switch {
	case p.failed && p.build != "":
		return "not built, its tests did not run"
	case p.failed && p.panicked:
		return "ended by a panic or a timeout, later tests did not run"
	}
	return ""
}

// packageFinding tells of a package that failed although no test of it did.
func (o Output) packageFinding(name string, p *goPackage) gavel.Finding {
	d := diagnostic{
		rule: "package-failed", message: fmt.Sprintf("package %s failed without a failed test", name),
		detail: p.output.String(), severity: gavel.High, category: gavel.CategoryTest,
	}
	if p.build != "" {
		d.rule, d.message, d.category = "build-failed", fmt.Sprintf("package %s was not built", name), gavel.CategoryBuild
	}
	return o.finding(d)
}
