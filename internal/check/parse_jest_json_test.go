package check

import (
	"strings"
	"testing"
)

// Recorded with jest 30.5.2 (jest --json --testLocationInResults --outputFile=FILE) and vitest 4.1.12 (vitest run
// --reporter=json --outputFile=FILE).
func TestJestJSON(t *testing.T) {
	t.Parallel()
	testRecorded(t, "jest-json", parserOf(t, "jest-json"), []recorded{
		{file: "jest.json", exit: 1, root: "/srv/shop", check: "jest"},
		{file: "jest-clean.json", root: "/srv/shop", check: "jest"},
		{file: "jest-coverage.json", exit: 1, root: "/srv/shop", check: "jest"},
		{file: "jest-none.json", exit: 1, root: "/srv/shop", check: "jest", fails: "No tests found"},
		{file: "vitest.json", exit: 1, root: "/srv/shop", check: "vitest"},
		{file: "vitest-clean.json", root: "/srv/shop", check: "vitest"},
		{file: "vitest-stdout.json", root: "/srv/shop", check: "vitest"},
		{file: "vitest-none.json", exit: 1, root: "/srv/shop", check: "vitest", fails: "exited 1"},
		{file: "vitest-unhandled.json", exit: 1, root: "/srv/shop", check: "vitest", fails: "exited 1 and reported nothing wrong"},
	})
}

func TestJestReport(t *testing.T) {
	t.Parallel()
	doc := func(total, failed, files string) string {
		return `{"success":true,"numTotalTests":` + total + `,"numFailedTests":` + failed + `,"testResults":[` + files + `]}`
	}
	const twin = `{"title":"t","status":"passed"}`
	for _, tt := range []struct {
		name, report, want, tests string
	}{
		{"no test", doc("0", "0", ""), "", ""},
		{"two of one name", doc("2", "0", `{"name":"/srv/a.js","status":"passed","assertionResults":[`+twin+`,`+twin+`]}`), "",
			"a.js › t passed\na.js › t #2 passed"},
		{"outside the tree", doc("1", "0", `{"name":"/home/ann/other/a.js","status":"passed","assertionResults":[`+twin+`]}`), "",
			"…/ann/other/a.js › t passed"},
		{"a count that differs", doc("3", "0", ""), "error: 3 tests", ""},
		{"failures that differ", doc("1", "1", `{"name":"/srv/a.js","status":"passed","assertionResults":[`+twin+`]}`), "error: of which 1 failed", ""},
		{"an unknown status", doc("1", "0", `{"name":"/srv/a.js","status":"passed","assertionResults":[{"status":"odd"}]}`), "error: unknown status", ""},
		{"an unknown status of a file", doc("0", "0", `{"name":"/srv/a.js","status":"odd"}`), "error: unknown status", ""},
		{"interrupted", strings.Replace(doc("0", "0", ""), "{", `{"wasInterrupted":true,`, 1), "error: interrupted", ""},
		{"another document", "{}", "error: not a report of jest", ""},
		{"a list", "[]", "error: not the JSON", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			o := Output{Report: []byte(tt.report), Root: "/srv", Dir: "/srv", Check: "jest"}
			r := checkSummary(t, "jest-json", o, tt.want)
			var tests []string
			for _, res := range r.Tests {
				tests = append(tests, res.Name+" "+string(res.Outcome))
			}
			if got := strings.Join(tests, "\n"); got != tt.tests {
				t.Errorf("tests\n%s\nwant\n%s", got, tt.tests)
			}
		})
	}
}

func FuzzJestJSON(f *testing.F) { fuzzRecorded(f, "jest-json", parserOf(f, "jest-json")) }
