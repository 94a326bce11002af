package check

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
)

// Recorded with vitest 4.1.12 (vitest run --reporter=junit --outputFile=FILE), pytest (pytest --junit-xml=FILE, with -o
// junit_family=xunit1 where the name says so) 9.2.0 and Surefire 3.5.2 with JUnit 5.11.4, surefire-rerun.xml with
// -Dsurefire.rerunFailingTestsCount=1; Surefire's properties are left out. gradle.xml is made up after what Gradle writes.
func TestJUnit(t *testing.T) {
	t.Parallel()
	testRecorded(t, "junit", parserOf(t, "junit"), []recorded{
		{file: "vitest.xml", exit: 1, root: "/srv/shop", check: "vitest"},
		{file: "vitest-unhandled.xml", exit: 1, root: "/srv/shop", check: "vitest", fails: "exited 1"},
		{file: "pytest.xml", exit: 1, root: "/srv/shop", check: "pytest"},
		{file: "pytest-xunit1.xml", exit: 1, root: "/srv/shop", check: "pytest"},
		{file: "pytest-clean.xml", root: "/srv/shop", check: "pytest"},
		{file: "pytest-collect.xml", exit: 2, root: "/srv/shop", check: "pytest"},
		{file: "pytest-none.xml", exit: 5, root: "/srv/shop", check: "pytest", fails: "exited 5"},
		{file: "gradle.xml", exit: 1, root: "/srv/desk", check: "gradle-test"},
		{file: "surefire-rerun.xml", exit: 1, root: "/srv/desk", check: "maven-test"},
	})
}

// Surefire leaves a file for each class.
func TestJUnitOfSurefire(t *testing.T) {
	t.Parallel()
	o := Output{Exit: 1, Root: "/srv/desk", Dir: "/srv/desk", Check: "maven-test"}
	for _, r := range recordings(t, "junit/surefire") {
		o.Reports = append(o.Reports, NamedReport{Name: filepath.Base(r.name), Data: r.report})
	}
	r := checkSummary(t, "junit", o, "high :0:0 test-failed failed: shop.DeskTest.fails\n"+
		"high :0:0 test-failed failed: shop.DeskTest.sumsNothing")
	if len(o.Reports) != 2 || r.Measured != len(r.Tests) || r.Measured != 7 {
		t.Errorf("%d tests of %d files: %+v", r.Measured, len(o.Reports), r.Tests)
	}
	o.Reports[1].Data = o.Reports[1].Data[:len(o.Reports[1].Data)/2]
	if r, err := parserOf(t, "junit")(o); err == nil {
		t.Errorf("a file that was cut was read as %+v", r)
	}
}

func TestJUnitReport(t *testing.T) {
	t.Parallel()
	const failure = `<failure message="m" type="E">E: m` + "\n" + `    at x (/srv/a/b.js:3:5)</failure>`
	for _, tt := range []struct {
		name, report, want string
		exit               int
		tests              string // name outcome place
	}{
		{"no test", `<testsuites/>`, "", 0, ""},
		{"passed, skipped, failed", `<testsuite name="s"><testcase classname="c" name="a"/><testcase classname="c" name="b"><skipped/></testcase>` +
			`<testcase classname="c" name="d">` + failure + `</testcase></testsuite>`,
			"high a/b.js:3:0 test-failed failed: c.d", 1, "c.a passed :0\nc.b skipped :0\nc.d failed a/b.js:3"},
		{"an error counts as a failure", `<testsuite><testcase name="a"><error>x</error></testcase></testsuite>`,
			"high :0:0 test-failed failed: a", 1, "a failed :0"},
		{"run again until it passed", `<testsuite><testcase classname="c" name="a"><flakyFailure message="m"/></testcase></testsuite>`,
			"", 0, "c.a passed :0"},
		{"two of one name", `<testsuite><testcase classname="c" name="a"/><testcase classname="c" name="a"><failure/></testcase></testsuite>`,
			"high :0:0 test-failed failed: c.a #2", 1, "c.a passed :0\nc.a #2 failed :0"},
		{"pytest counts lines from 0", `<testsuite name="pytest"><testcase classname="t" name="a" file="tests/t.py" line="4"/></testsuite>`,
			"", 0, "t.a passed tests/t.py:5"},
		{"suites in suites, no class", `<testsuites name="o"><testsuite name="p"><testsuite name="q"><testcase name="a"/></testsuite></testsuite></testsuites>`,
			"", 0, "q › a passed :0"},
		{"a suite that failed", `<testsuites failures="1"><testsuite name="s" tests="1" failures="1"><testcase classname="c" name="a"/></testsuite></testsuites>`,
			"high :0:0 suite-failed suite failed without a failed test: s", 1, "c.a passed :0"},
		{"an error of a suite", `<testsuite name="s"><error>no database</error></testsuite>`,
			"high :0:0 suite-failed suite failed without a failed test: s", 1, ""},
		{"tests that are not there", `<testsuite name="s" tests="3"></testsuite>`, "error: counts 3 tests and holds none", 0, ""},
		{"a test in a test", `<testsuite><testcase name="a"><testcase name="b"/></testcase></testsuite>`, "error: a test in a test", 0, ""},
		{"another document", `<coverage/>`, "error: a document of <coverage>", 0, ""},
		{"cut", `<testsuite><testcase name="a"/>`, "error: XML", 0, ""},
		{"failed without a failure", `<testsuite><testcase name="a"/></testsuite>`, "error: exited 1", 1, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			o := Output{Report: []byte(tt.report), Exit: tt.exit, Root: "/srv", Dir: "/srv", Check: "x"}
			r := checkSummary(t, "junit", o, tt.want)
			var tests []string
			for _, res := range r.Tests {
				tests = append(tests, fmt.Sprintf("%s %s %s:%d", res.Name, res.Outcome, res.File, res.Line))
			}
			if got := strings.Join(tests, "\n"); got != tt.tests {
				t.Errorf("tests\n%s\nwant\n%s", got, tt.tests)
			}
		})
	}
}

func FuzzJUnit(f *testing.F) { fuzzRecorded(f, "junit", parserOf(f, "junit")) }
