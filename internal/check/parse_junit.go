package check

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/gavel-review/gavel"
)

// parseJUnit reads test reports in the format of JUnit's ant task, as pytest, Surefire, Gradle, vitest and many others
// write it. It has no standard; what is read are testsuite and testcase with failure, error and skipped in them. A test
// is named class.test, or "file › test" where the class is a file. A test that Surefire ran again until it passed has
// passed. A suite that counts failures and holds none failed as a whole, and is a finding; one that counts tests and
// holds none is an error.
func parseJUnit(o Output) (Report, error) {
	h := junitReader{o: o}
	if err := readXML(o.Report, []string{"testsuites", "testsuite"}, &h); err != nil {
		return Report{}, fmt.Errorf("%w%s", err, o.said())
	}
	r := Report{Tests: h.tests, Measured: len(h.tests)}
	numberTwins(r.Tests)
	r.Findings = append(o.testFindings(r.Tests), h.found...)
	return r, nil
}

type junitReader struct {
	o      Output
	tests  []gavel.TestResult
	found  []gavel.Finding
	suites []junitSuite
	test   *junitTest // that is open
}

type junitSuite struct {
	name            string
	total, failures int // as it counts them
	cases, failed   int // as they stand in it and in the suites in it
	words           string
}

type junitTest struct {
	attributes map[string]string
	outcome    gavel.TestOutcome
	what       map[string]string // attributes of the failure that is open
	message    string
}

func (j *junitReader) start(name string, attributes map[string]string) error {
	switch name {
	case "testsuite", "testsuites":
		s := junitSuite{name: attributes["name"]}
		s.total, _ = strconv.Atoi(attributes["tests"]) // absent: nothing is counted
		failures, _ := strconv.Atoi(attributes["failures"])
		errors, _ := strconv.Atoi(attributes["errors"])
		s.failures = failures + errors
		j.suites = append(j.suites, s)
	case "testcase":
		if j.test != nil {
			return fmt.Errorf("a test in a test: %q", excerpt(attributes["name"]))
		}
		j.test = &junitTest{attributes: attributes, outcome: gavel.TestPassed}
	case "failure", "error", "skipped":
		if j.test != nil {
			j.test.what = attributes
		}
	}
	return nil
}

func (j *junitReader) end(name, text string) error {
	switch name {
	case "testsuite", "testsuites":
		return j.endSuite()
	case "testcase":
		j.endTest()
	case "failure", "error":
		if j.test != nil {
			j.test.outcome = gavel.TestFailed
			j.test.say(text)
		} else if n := len(j.suites); n > 0 {
			j.suites[n-1].failures++
			j.suites[n-1].words = joinLines(j.suites[n-1].words, strings.TrimSpace(text))
		}
	case "skipped":
		if j.test != nil && j.test.outcome != gavel.TestFailed {
			j.test.outcome = gavel.TestSkipped
			j.test.say(text)
		}
	}
	return nil
}

// say adds the message of a failure and what stands below it, which mostly begins with the message.
func (t *junitTest) say(text string) {
	message, text := strings.TrimSpace(t.what["message"]), strings.TrimSpace(text)
	if message != "" && !strings.Contains(text, message) {
		text = joinLines(message, text)
	}
	if text == "" {
		text = t.what["type"]
	}
	t.message = joinLines(t.message, text)
}

func (j *junitReader) endTest() {
	t := j.test
	j.test = nil
	suite := ""
	for i := range j.suites {
		j.suites[i].cases++
		if t.outcome == gavel.TestFailed {
			j.suites[i].failed++
		}
		suite = j.suites[i].name
	}
	res := gavel.TestResult{Name: j.o.clean(junitName(t.attributes, suite)), Outcome: t.outcome}
	if t.outcome != gavel.TestPassed {
		res.Message = boundMessage(j.o.clean(t.message))
	}
	res.File, res.Line = j.place(t, suite)
	j.tests = append(j.tests, res)
}

// junitName joins what a test belongs to with its name. Without a class that is the suite.
func junitName(attributes map[string]string, suite string) string {
	class, name := strings.TrimSpace(attributes["classname"]), strings.TrimSpace(attributes["name"])
	switch {
	case name == "":
		name = "a test without a name"
	case class == name:
		class = "" // vitest, of a file that could not be loaded
		suite = ""
	}
	switch {
	case class == "" && suite == "":
		return name
	case class == "":
		return suite + " › " + name
	case strings.ContainsAny(class, `/\ `):
		return class + " › " + name
	}
	return class + "." + name
}

// place is where a test is: what its attributes say, or the first place in the tree that its failure names. pytest
// counts lines from 0.
func (j *junitReader) place(t *junitTest, suite string) (string, int) {
	if file, ok := j.o.place(t.attributes["file"]); ok && file != "" {
		line, err := strconv.Atoi(t.attributes["line"])
		if err != nil || line < 0 {
			return file, 0
		}
		if suite == "pytest" {
			line++
		}
		return file, line
	}
	if t.outcome != gavel.TestFailed {
		return "", 0
	}
	class, _ := j.o.place(t.attributes["classname"])
	if file, line := jsPlace(j.o, t.message, class); line > 0 {
		return file, line
	}
	return pytestPlace(j.o, t.message)
}

// pytestPlace is the first "tests/test_cart.py:13: AssertionError" of a failure: where the test called what failed.
func pytestPlace(o Output, text string) (string, int) {
	for line := range strings.Lines(text) {
		head, _, ok := strings.Cut(line, ": ")
		name, n, _ := cutPosition(head)
		if !ok || n <= 0 || !strings.HasSuffix(name, ".py") {
			continue
		}
		if file, ok := o.place(name); ok {
			return file, n
		}
	}
	return "", 0
}

func (j *junitReader) endSuite() error {
	last := len(j.suites) - 1
	s := j.suites[last]
	j.suites = j.suites[:last]
	if s.total > 0 && s.cases == 0 && s.failures == 0 {
		return fmt.Errorf("suite %q counts %d tests and holds none", excerpt(s.name), s.total)
	}
	if s.failures > 0 && s.failed == 0 {
		j.found = append(j.found, j.o.finding(diagnostic{
			rule: "suite-failed", message: "suite failed without a failed test: " + s.name, detail: s.words,
			severity: gavel.High, category: gavel.CategoryTest,
		}))
		for i := range j.suites {
			j.suites[i].failed++ // said once, not for each suite around it
		}
	}
	return nil
}
