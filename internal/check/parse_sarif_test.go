package check

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
)

// Recorded with staticcheck 0.8.2 (staticcheck -f sarif ./..., the rules that nothing was found of are left out of all
// recordings but one), golangci-lint 2.15.0 (golangci-lint run --output.sarif.path=stdout --show-stats=false ./...),
// govulncheck 1.9.0 (govulncheck -format sarif ./..., -db with two made-up advisories), osv-scanner 2.2.2 (osv-scanner
// scan source --offline-vulnerabilities --format sarif -r ., with the like), biome 2.6.8 (biome ci --reporter=sarif),
// hadolint 2.15.1 (hadolint -f sarif) and actionlint 1.7.12 (actionlint -format with the template of the built-in check).
func TestSARIF(t *testing.T) {
	t.Parallel()
	testRecorded(t, "sarif", parserOf(t, "sarif"), []recorded{
		{file: "staticcheck.sarif", root: "/srv/shop", check: "staticcheck"},
		{file: "staticcheck-clean.sarif", root: "/srv/shop", check: "staticcheck"},
		{file: "staticcheck-compile.sarif", root: "/srv/shop", check: "staticcheck"},
		{file: "staticcheck-nothing.sarif", root: "/srv/shop", check: "staticcheck", fails: "nothing was built: pattern"},
		{file: "staticcheck-clean.sarif", exit: 1, root: "/srv/shop", check: "staticcheck", fails: "exited 1"},
		{file: "golangci-lint.sarif", exit: 1, root: "/srv/shop", check: "golangci-lint"},
		{file: "golangci-lint-clean.sarif", root: "/srv/shop", check: "golangci-lint"},
		{file: "golangci-lint-compile.sarif", exit: 1, root: "/srv/shop", check: "golangci-lint"},
		{file: "golangci-lint-nothing.sarif", exit: 7, root: "/srv/shop", check: "golangci-lint", fails: "exited 7"},
		{file: "govulncheck.sarif", root: "/srv/shop", check: "govulncheck"},
		{file: "govulncheck-unused.sarif", root: "/srv/shop", check: "govulncheck"},
		{file: "govulncheck-clean.sarif", root: "/srv/shop", check: "govulncheck"},
		{file: "govulncheck-compile.sarif", exit: 1, root: "/srv/shop", check: "govulncheck", fails: "There are errors"},
		{file: "govulncheck-offline.sarif", exit: 1, root: "/srv/shop", check: "govulncheck", fails: "no such host"},
		{file: "osv-scanner.sarif", exit: 1, root: "/srv/shop", check: "osv-scanner"},
		{file: "osv-scanner-clean.sarif", root: "/srv/shop", check: "osv-scanner"},
		{file: "biome-ci.sarif", exit: 1, root: "/srv/shop", check: "biome"},
		{file: "biome-clean.sarif", root: "/srv/shop", check: "biome"},
		{file: "biome-nothing.sarif", exit: 1, root: "/srv/shop", check: "biome", fails: "exited 1"},
		{file: "hadolint.sarif", exit: 1, root: "/srv/shop", check: "hadolint"},
		{file: "hadolint-clean.sarif", root: "/srv/shop", check: "hadolint"},
		{file: "hadolint-broken.sarif", exit: 1, root: "/srv/shop", check: "hadolint"},
		{file: "hadolint-missing.sarif", exit: 1, root: "/srv/shop", check: "hadolint", fails: "nope.Dockerfile"},
		{file: "actionlint.sarif", exit: 1, root: "/srv/shop", check: "actionlint"},
		{file: "actionlint-clean.sarif", root: "/srv/shop", check: "actionlint"},
		{file: "actionlint-syntax.sarif", exit: 1, root: "/srv/shop", check: "actionlint"},
		{file: "actionlint-missing.sarif", exit: 3, root: "/srv/shop", check: "actionlint", fails: `could not read ".github/workflows/nope.yml"`},
	})
}

// sarifOf is a log of one run with what is given in place of results and beside them.
func sarifOf(driver, run string) string {
	return `{"version":"2.1.0","runs":[{"tool":{"driver":{"name":"t"` + driver + `}},` + run + `}]}`
}

func TestSARIFResults(t *testing.T) {
	t.Parallel()
	at := func(artifact, region string) string {
		return `"locations":[{"physicalLocation":{"artifactLocation":` + artifact + `,"region":` + region + `}}]`
	}
	results := func(fields ...string) string {
		return `"results":[{"message":{"text":"m"},` + strings.Join(fields, ",") + `}]`
	}
	here := at(`{"uri":"a.go"}`, `{"startLine":3,"startColumn":5}`)
	for _, tt := range []struct{ name, driver, run, want string }{
		{"nothing found", "", `"results":[]`, ""},
		{"a level", "", results(`"ruleId":"R1","level":"error"`, here), "high web/a.go:3:5 r1 m"},
		{"a note", "", results(`"ruleId":"R1","level":"note"`, here), "low web/a.go:3:5 r1 m"},
		{"no level", "", results(`"ruleId":"R1","level":"none"`, here), "info web/a.go:3:5 r1 m"},
		{"nothing said of the level", "", results(`"ruleId":"R1"`, here), "medium web/a.go:3:5 r1 m"},
		{"the level of the rule", `,"rules":[{"id":"R0"},{"id":"R1","defaultConfiguration":{"level":"error"}}]`,
			results(`"ruleId":"R1"`, here), "high web/a.go:3:5 r1 m"},
		{"a rule by its index", `,"rules":[{"id":"R0","defaultConfiguration":{"level":"error"}}]`, results(`"ruleIndex":0`, here), "high web/a.go:3:5 r0 m"},
		{"an index that is none", `,"rules":[{"id":"R0"}]`, results(`"ruleIndex":9`, here), "medium web/a.go:3:5 finding m"},
		{"a rule in levels", `,"rules":[{"id":"CA1","defaultConfiguration":{"level":"error"}}]`, results(`"ruleId":"CA1/2"`, here), "high web/a.go:3:5 ca1/2 m"},
		{"a score", `,"rules":[{"id":"R","properties":{"security-severity":"9.1"}}]`, results(`"ruleId":"R","level":"note"`, here), "critical web/a.go:3:5 r m"},
		{"a score as a number", `,"rules":[{"id":"R","properties":{"security-severity":5}}]`, results(`"ruleId":"R"`, here), "medium web/a.go:3:5 r m"},
		{"a score that is none", `,"rules":[{"id":"R","properties":{"security-severity":"NaN","tags":7}}]`, results(`"ruleId":"R"`, here), "medium web/a.go:3:5 r m"},
		{"a message of the rule", `,"rules":[{"id":"R","messageStrings":{"k":{"text":"{0} is not {1}"}}}]`,
			`"results":[{"ruleId":"R","message":{"id":"k","arguments":["a","b"]}}]`, "medium :0:0 r a is not b"},
		{"suppressed", "", results(`"suppressions":[{"kind":"inSource"}]`, here), ""},
		{"a suppression that was refused", "", results(`"suppressions":[{"kind":"external","status":"rejected"}]`, here), "medium web/a.go:3:5 finding m"},
		{"what passed", "", results(`"kind":"pass"`, here), ""},
		{"what is gone", "", results(`"baselineState":"absent"`, here), ""},
		{"a file URI", "", results(at(`{"uri":"file:///srv/web/my%20page.ts"}`, `{"startLine":3}`)), "medium web/my page.ts:3:0 finding m"},
		{"a file URI of Windows, elsewhere", "", results(at(`{"uri":"file:///C:/x/a.ts"}`, `{"startLine":3}`)), "medium :0:0 finding m"},
		{"a base", "", `"originalUriBaseIds":{"B":{"uri":"lib/","uriBaseId":"A"},"A":{"uri":"file:///srv/x/"}},` +
			results(at(`{"uri":"a.ts","uriBaseId":"B"}`, `{"startLine":3}`)), "medium x/lib/a.ts:3:0 finding m"},
		{"bases in a circle", "", `"originalUriBaseIds":{"B":{"uri":"x/","uriBaseId":"B"}},` +
			results(at(`{"uri":"a.ts","uriBaseId":"B"}`, `{"startLine":3}`)), "medium web/x/x/x/x/x/x/x/x/a.ts:3:0 finding m"},
		{"a base that is not told", "", results(at(`{"uri":"a.ts","uriBaseId":"%SRCROOT%"}`, `{"startLine":3}`)), "medium web/a.ts:3:0 finding m"},
		{"an artifact by its index", "", `"artifacts":[{"location":{"uri":"b.ts"}}],` + results(at(`{"index":0}`, `{"startLine":3}`)), "medium web/b.ts:3:0 finding m"},
		{"an address of the web", "", results(at(`{"uri":"https://example.com/a.ts"}`, `{"startLine":3}`)), "medium :0:0 finding m"},
		{"a region in characters", "", results(at(`{"uri":"a.ts"}`, `{"charOffset":30}`)), "medium web/a.ts:0:0 finding m"},
		{"no list of results", "", `"results":null`, "error: looked at nothing"},
		{"no list, and a success", "", `"invocations":[{"executionSuccessful":true}]`, ""},
		{"a failure", "", `"invocations":[{"executionSuccessful":false,"toolExecutionNotifications":[{"level":"error","message":{"text":"no rules"}}]}],"results":[]`,
			"error: says that it failed: no rules"},
		{"another version", "", `"results":[]}],"version":"1.0.0","x":[{"y":0`, "error: not SARIF 2.1.0"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			report := sarifOf(tt.driver, tt.run)
			if !json.Valid([]byte(report)) {
				t.Fatal(report)
			}
			checkSummary(t, "sarif", Output{Report: []byte(report), Root: "/srv", Dir: "/srv/web", Check: "x"}, tt.want)
		})
	}
}

func TestSARIFNotifications(t *testing.T) {
	t.Parallel()
	report := sarifOf("", `"results":[],"invocations":[{"executionSuccessful":true,
		"toolExecutionNotifications":[
			{"level":"warning","message":{"text":"cannot parse"},"locations":[{"physicalLocation":{"artifactLocation":{"uri":"a.py"},"region":{"startLine":4}}}]},
			{"level":"note","message":{"text":"took 3 s"}}],
		"toolConfigurationNotifications":[{"level":"error","message":{"text":"rule x is unknown"}}]}]`)
	r, err := parserOf(t, "sarif")(Output{Report: []byte(report), Root: "/srv", Dir: "/srv/web", Check: "x"})
	want := []string{"rule x is unknown", "web/a.py:4: cannot parse"}
	if err != nil || !slices.Equal(r.Reduced, want) {
		t.Errorf("%q %v, want %q", r.Reduced, err, want)
	}
}

func TestCWE(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		want string
		tags []string
	}{
		{"CWE-79", []string{"security", "external/cwe/cwe-079"}},
		{"CWE-327", []string{"CWE-327: Use of a Broken or Risky Cryptographic Algorithm"}},
		{"", []string{"CWE-", "cwe-x", "CWE-000"}},
		{"", nil},
	} {
		if got := cweOf(tt.tags); got != tt.want {
			t.Errorf("%q: %q, want %q", tt.tags, got, tt.want)
		}
	}
}

func FuzzSARIF(f *testing.F) { fuzzRecorded(f, "sarif", parserOf(f, "sarif")) }
