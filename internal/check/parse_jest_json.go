package check

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/gavel-review/gavel"
)

type (
	// jestReport is the document of jest --json and of vitest --reporter=json.
	jestReport struct {
		Success     *bool      `json:"success"`
		Total       *int       `json:"numTotalTests"`
		Failed      *int       `json:"numFailedTests"`
		Interrupted bool       `json:"wasInterrupted"`
		Files       []jestFile `json:"testResults"`
	}

	jestFile struct {
		Name    string     `json:"name"` // absolute path
		Status  string     `json:"status"`
		Message string     `json:"message"`
		Tests   []jestTest `json:"assertionResults"`
	}

	jestTest struct {
		Above    []string `json:"ancestorTitles"`
		Title    string   `json:"title"`
		Status   string   `json:"status"`
		Messages []string `json:"failureMessages"`
		Location *struct {
			Line int `json:"line"`
		} `json:"location"` // jest --testLocationInResults, vitest --includeTaskLocation
	}
)

// parseJestJSON reads jest --json and vitest --reporter=json. A test is named file › describe › test. Each failed test is
// a finding, and so is a file that failed without one: it could not be loaded, or a hook of it failed. The counts have to
// agree with the tests. Errors outside of any test, which vitest tells by its exit code alone, and a run that was
// interrupted are errors.
func parseJestJSON(o Output) (Report, error) {
	var doc jestReport
	if err := decodeJSON(o.Report, &doc); err != nil {
		return Report{}, fmt.Errorf("%w%s", err, o.said())
	}
	switch {
	case doc.Success == nil || doc.Total == nil || doc.Failed == nil || doc.Files == nil:
		return Report{}, errors.New("not a report of jest: success, numTotalTests, numFailedTests and testResults are needed")
	case doc.Interrupted:
		return Report{}, errors.New("the run was interrupted")
	}
	var r Report
	total, failed := 0, 0
	for i := range doc.Files {
		n, err := r.addJest(o, &doc.Files[i])
		if err != nil {
			return Report{}, err
		}
		failed += n
		total += len(doc.Files[i].Tests)
	}
	if total != *doc.Total || failed != *doc.Failed {
		return Report{}, fmt.Errorf("%d tests of which %d failed are counted, the report holds %d and %d",
			*doc.Total, *doc.Failed, total, failed)
	}
	r.Measured = total
	numberTwins(r.Tests)
	r.Findings = append(r.Findings, o.testFindings(r.Tests)...)
	if len(r.Findings) == 0 && o.Exit != 0 {
		r.Findings = o.coverageFindings()
	}
	return r, nil
}

func (r *Report) addJest(o Output, f *jestFile) (failed int, err error) {
	file, ok := o.place(f.Name)
	if !ok {
		file = o.shown(f.Name)
	}
	for _, t := range f.Tests {
		res := gavel.TestResult{Name: o.clean(strings.Join(append(append([]string{file}, t.Above...), t.Title), " › "))}
		if res.Outcome, ok = jestOutcome(t.Status); !ok {
			return 0, fmt.Errorf("test %s has the unknown status %q", excerpt(res.Name), excerpt(t.Status))
		}
		message := cleanString(strings.Join(t.Messages, "\n"))
		if o.inTree(f.Name) {
			res.File = file
			if t.Location != nil {
				res.Line = max(t.Location.Line, 0)
			}
		}
		if res.Outcome == gavel.TestFailed {
			failed++
			res.Message = boundMessage(o.clean(withoutDependencies(message)))
			if where, line := jsPlace(o, message, file); line > 0 {
				res.File, res.Line = where, line
			}
		}
		r.Tests = append(r.Tests, res)
	}
	switch f.Status {
	case "failed":
		if failed == 0 {
			r.Findings = append(r.Findings, o.jestFileFinding(file, f))
		}
	case "passed", "skipped", "pending", "focused":
	default:
		return 0, fmt.Errorf("file %s has the unknown status %q", excerpt(file), excerpt(f.Status))
	}
	return failed, nil
}

func jestOutcome(status string) (gavel.TestOutcome, bool) {
	switch status {
	case "passed":
		return gavel.TestPassed, true
	case "failed":
		return gavel.TestFailed, true
	case "skipped", "pending", "todo", "disabled", "focused":
		return gavel.TestSkipped, true
	}
	return "", false
}

// jestFileFinding tells of a file that failed although no test of it did.
func (o Output) jestFileFinding(file string, f *jestFile) gavel.Finding {
	d := diagnostic{
		rule: "test-file-failed", path: f.Name, message: "failed without a failed test: " + file,
		detail: strings.TrimSpace(cleanString(f.Message)), severity: gavel.High, category: gavel.CategoryTest,
	}
	if where, line := jsPlace(o, f.Message, file); where == file {
		d.line = line
	}
	return o.finding(d)
}

// jsPlace is the first place in the tree that a stack names, in the file itself if there is one. Dependencies are no
// place: "    at sum (/srv/shop/src/sum.js:2:15)", " ❯ src/sum.js:2:15".
func jsPlace(o Output, text, file string) (where string, line int) {
	for frame := range strings.Lines(cleanString(text)) {
		frame = strings.TrimSpace(frame)
		stack := strings.HasPrefix(frame, "at ") || strings.HasPrefix(frame, "❯ ")
		if !stack || strings.Contains(frame, "node_modules") {
			continue
		}
		frame = strings.TrimSuffix(frame[strings.IndexByte(frame, ' ')+1:], ")")
		if i := strings.LastIndexAny(frame, "( "); i >= 0 {
			frame = frame[i+1:]
		}
		name, n, column := cutPosition(strings.TrimPrefix(frame, "file://"))
		in, ok := o.place(name)
		if !ok || in == "" || n <= 0 || column <= 0 { // Java's stacks tell no column, and no folder
			continue
		}
		if in == file {
			return in, n
		}
		if where == "" {
			where, line = in, n
		}
	}
	return where, line
}

// withoutDependencies leaves out the frames of a stack that lie in dependencies.
func withoutDependencies(stack string) string {
	var b strings.Builder
	for line := range strings.Lines(stack) {
		text := strings.TrimSpace(line)
		if !strings.HasPrefix(text, "at ") || !strings.Contains(text, "node_modules") {
			b.WriteString(line)
		}
	}
	return b.String()
}

// coverageFindings reads the thresholds of coverage that were missed: "Jest: Coverage for lines (80%) does not meet
// "global" threshold (90%)", "ERROR: Coverage for lines (80%) does not meet global threshold (90%)".
func (o Output) coverageFindings() []gavel.Finding {
	var found []gavel.Finding
	for line := range strings.SplitSeq(cleanText(o.Stderr), "\n") {
		_, text, ok := strings.Cut(line, "Coverage for ")
		if !ok || !strings.Contains(text, "does not meet") || !strings.Contains(text, "threshold") {
			continue
		}
		found = append(found, o.finding(diagnostic{
			rule: "coverage-threshold", message: "coverage for " + strings.TrimSpace(text), severity: gavel.High,
			category: gavel.CategoryTest,
		}))
	}
	return found
}

// testFindings are the findings of the failed tests among the results.
func (o Output) testFindings(tests []gavel.TestResult) []gavel.Finding {
	var found []gavel.Finding
	for i := range tests {
		if tests[i].Outcome == gavel.TestFailed {
			found = append(found, o.testFinding(&tests[i]))
		}
	}
	return found
}

// numberTwins numbers tests of one name in the order in which they stand, and sorts all by name.
func numberTwins(tests []gavel.TestResult) {
	seen := map[string]int{}
	for i := range tests {
		name := tests[i].Name
		if seen[name]++; seen[name] > 1 {
			tests[i].Name = fmt.Sprintf("%s #%d", name, seen[name])
		}
	}
	slices.SortStableFunc(tests, func(a, b gavel.TestResult) int { return strings.Compare(a.Name, b.Name) })
}
