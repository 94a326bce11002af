package check

import "testing"

// Recorded with yarn 1.22.22 (yarn audit --json) and yarn 4.18.1 (yarn npm audit --json --recursive --all), against a
// registry on this machine with three made-up packages; yarn 1 has its registry's address built in, which was changed.
func TestYarnAudit(t *testing.T) {
	t.Parallel()
	testRecorded(t, "yarn-audit", parserOf(t, "yarn-audit"), []recorded{
		{file: "clean.jsonl", root: "/srv/shop", check: "yarn-audit"},
		{file: "vulnerable.jsonl", exit: 26, root: "/srv/shop", check: "yarn-audit"},
		{file: "berry.jsonl", exit: 1, root: "/srv/shop", check: "yarn-audit"},
		{file: "berry-clean.jsonl", root: "/srv/shop", check: "yarn-audit"},
		{file: "berry-down.jsonl", exit: 1, root: "/srv/shop", check: "yarn-audit", fails: "exited 1"},
		{file: "down.jsonl", exit: 1, root: "/srv/shop", check: "yarn-audit", fails: "exited 1"},
		{file: "no-lock.jsonl", root: "/srv/shop", check: "yarn-audit", fails: "No lockfile found"},
		{file: "clean.jsonl", exit: 2, root: "/srv/shop", check: "yarn-audit", fails: "exited 2"},
	})
}

func TestYarnAuditLines(t *testing.T) {
	t.Parallel()
	const (
		found   = `{"type":"auditAdvisory","data":{"advisory":{"id":7,"module_name":"a","title":"t","severity":"low","cwe":"CWE-79"}}}` + "\n"
		summary = `{"type":"auditSummary","data":{"vulnerabilities":{"low":2},"totalDependencies":3}}` + "\n"
	)
	for _, tt := range []struct{ name, report, want string }{
		{"two paths to one advisory", found + found + summary, "low web/yarn.lock:0:0 7 a: t"},
		{"a deprecation", `{"value":"a","children":{"ID":"a (deprecation)","Issue":"old","Severity":"moderate"}}`,
			"medium web/yarn.lock:0:0 a-deprecation a: old"},
		{"no summary", found, "error: did not sum up"},
		{"a summary alone", summary, "error: holds none"},
		{"a summary of nothing", `{"type":"auditSummary","data":null}`, "error: cannot be read"},
		{"an error", `{"type":"error","data":"Error: 503"}`, "error: could not ask: Error: 503"},
		{"cut", found + summary[:20], "error: line 2"},
		{"another document", `{"version":1}`, "error: not a line"},
		{"prose", "yarn audit v1.22.22\n0 vulnerabilities found", "error: line 1"},
		{"an unknown severity", `{"value":"a","children":{"ID":1,"Issue":"t","Severity":"odd"}}`, "error: unknown severity"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			checkSummary(t, "yarn-audit", Output{Report: []byte(tt.report), Root: "/srv", Dir: "/srv/web", Check: "yarn-audit"}, tt.want)
		})
	}
}

func FuzzYarnAudit(f *testing.F) { fuzzRecorded(f, "yarn-audit", parserOf(f, "yarn-audit")) }
