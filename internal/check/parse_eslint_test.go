package check

import "testing"

// Recorded with eslint 10.15.0 (eslint -f json --no-warn-ignored, ignored-warn.json without the latter) and 8.57.1.
func TestESLint(t *testing.T) {
	t.Parallel()
	testRecorded(t, "eslint", parserOf(t, "eslint"), []recorded{
		{file: "clean.json", root: "/srv/shop", check: "eslint"},
		{file: "errors.json", exit: 1, root: "/srv/shop", check: "eslint"},
		{file: "errors-8.json", exit: 1, root: "/srv/shop", check: "eslint"},
		{file: "max-warnings.json", exit: 1, root: "/srv/shop", check: "eslint"},
		{file: "ignored-warn.json", root: "/srv/shop", check: "eslint"},
		{file: "ignored.json", exit: 2, root: "/srv/shop", check: "eslint", fails: "the report is empty"},
		{file: "no-config.json", exit: 2, root: "/srv/shop", check: "eslint", fails: "the report is empty"},
		{file: "bad-config.json", exit: 2, root: "/srv/shop", check: "eslint", fails: `Could not find "no-such-rule"`},
		{file: "nothing.json", exit: 2, root: "/srv/shop", check: "eslint", fails: "the report is empty"},
		{file: "clean.json", exit: 1, root: "/srv/shop", check: "eslint", fails: "exited 1"},
	})
}

func TestESLintReport(t *testing.T) {
	t.Parallel()
	file := func(messages, counts string) string {
		return `[{"filePath":"/srv/a.js","messages":[` + messages + `],` + counts + `}]`
	}
	for _, tt := range []struct {
		name, report string
		want         string
		measured     int
	}{
		{"no file", "[]", "", 0},
		{"a rule of a plugin", file(`{"ruleId":"@typescript-eslint/no-Unused_vars","severity":2,"message":"m","line":1,"column":2}`, `"errorCount":1`),
			"high a.js:1:2 @typescript-eslint/no-unused-vars m", 1},
		{"a hostile rule", file(`{"ruleId":"../../x y\u0000","severity":1,"message":"m"}`, `"warningCount":1`), "medium a.js:0:0 x-y m", 1},
		{"no message", file(`{"ruleId":"a","severity":1,"message":""}`, `"warningCount":1`), "medium a.js:0:0 a no message", 1},
		{"a count that differs", file("", `"errorCount":1`), "error: counts 1 errors", 0},
		{"an unknown severity", file(`{"ruleId":"a","severity":3,"message":"m"}`, `"errorCount":1`), "error: unknown severity", 0},
		{"null", "null", "error: null", 0},
		{"an object", "{}", "error: not the JSON", 0},
		{"a list of something", `[{"name":"a"}]`, "error: without filePath", 0},
		{"two documents", "[][]", "error: not the JSON", 0},
		{"nothing", "\n", "error: empty", 0},
		{"prose", "All fine.", "error: not the JSON", 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			o := Output{Report: []byte(tt.report), Root: "/srv", Dir: "/srv/web", Check: "eslint"}
			if r := checkSummary(t, "eslint", o, tt.want); r.Measured != tt.measured {
				t.Errorf("measured %d, want %d", r.Measured, tt.measured)
			}
		})
	}
}

func FuzzESLint(f *testing.F) { fuzzRecorded(f, "eslint", parserOf(f, "eslint")) }
