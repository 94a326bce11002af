package check

import "testing"

// Recorded with npm 11.19.1: npm audit --json, against a registry on this machine with three made-up packages.
func TestNpmAudit(t *testing.T) {
	t.Parallel()
	testRecorded(t, "npm-audit", parserOf(t, "npm-audit"), []recorded{
		{file: "clean.json", root: "/srv/shop", check: "npm-audit"},
		{file: "vulnerable.json", exit: 1, root: "/srv/shop", check: "npm-audit"},
		{file: "down.json", exit: 1, root: "/srv/shop", check: "npm-audit", fails: "could not ask: 503 Service Unavailable"},
		{file: "offline.json", exit: 1, root: "/srv/shop", check: "npm-audit", fails: "could not ask: request to"},
		{file: "no-lock.json", exit: 1, root: "/srv/shop", check: "npm-audit", fails: "could not ask: ENOLOCK"},
		{file: "clean.json", exit: 1, root: "/srv/shop", check: "npm-audit", fails: "exited 1"},
	})
}

func TestNpmAuditReport(t *testing.T) {
	t.Parallel()
	doc := func(total, vulnerabilities string) string {
		return `{"auditReportVersion":2,"vulnerabilities":{` + vulnerabilities + `},"metadata":{"vulnerabilities":{"total":` + total +
			`},"dependencies":{"total":7}}}`
	}
	const via = `{"source":1,"title":"t","url":"https://github.com/advisories/GHSA-35jh-r3h4-6jhm","severity":"moderate","range":"<2"}`
	for _, tt := range []struct{ name, report, want string }{
		{"an advisory", doc("1", `"a":{"via":[`+via+`],"fixAvailable":{"name":"b","version":"3.0.0","isSemVerMajor":true}}`),
			"medium web/package-lock.json:0:0 ghsa-35jh-r3h4-6jhm a: t"},
		{"an advisory and what it reaches", doc("2", `"a":{"via":[`+via+`]},"b":{"via":["a"]}`),
			"medium web/package-lock.json:0:0 ghsa-35jh-r3h4-6jhm a: t"},
		{"names alone", doc("1", `"b":{"via":["a"]}`), "error: no advisory"},
		{"an unknown severity", doc("1", `"a":{"via":[{"title":"t","severity":"odd"}]}`), "error: unknown severity"},
		{"a count that differs", doc("1", ""), "error: counts 1"},
		{"the report of npm 6", `{"actions":[],"advisories":{},"metadata":{}}`, "error: version 2"},
		{"an error", `{"error":{"code":"EAUDITNOLOCK","summary":"s"}}`, "error: EAUDITNOLOCK s"},
		{"an error in words", `{"message":"no network","error":"x"}`, "error: no network"},
		{"nothing", "", "error: empty"},
		{"an object", "{}", "error: version 2"},
		{"no metadata", `{"auditReportVersion":2,"vulnerabilities":{}}`, "error: metadata"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			checkSummary(t, "npm-audit", Output{Report: []byte(tt.report), Root: "/srv", Dir: "/srv/web", Check: "npm-audit"}, tt.want)
		})
	}
}

func FuzzNpmAudit(f *testing.F) { fuzzRecorded(f, "npm-audit", parserOf(f, "npm-audit")) }
