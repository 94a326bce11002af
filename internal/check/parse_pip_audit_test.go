package check

import "testing"

// Recorded with pip-audit 2.10.1: pip-audit -f json --no-deps --disable-pip -r requirements.txt. The advisories are made
// up and came from a local server of the OSV interface (-s osv --osv-url); unknown.json is PyPI without its advisories,
// offline.stderr.txt a machine that cannot reach them.
func TestPipAudit(t *testing.T) {
	t.Parallel()
	testRecorded(t, "pip-audit", parserOf(t, "pip-audit"), []recorded{
		{file: "vulnerable.json", exit: 1, root: "/srv/shop", check: "pip-audit"},
		{file: "clean.json", root: "/srv/shop", check: "pip-audit"},
		{file: "none.json", root: "/srv/shop", check: "pip-audit"},
		{file: "partial.json", exit: 1, root: "/srv/shop", check: "pip-audit"},
		{file: "unknown.json", root: "/srv/shop", check: "pip-audit", fails: "looked up none of 3 dependencies"},
		{file: "offline.json", exit: 1, root: "/srv/shop", check: "pip-audit", fails: "without a report"},
		{file: "missing.json", exit: 1, root: "/srv/shop", check: "pip-audit", fails: "invalid requirements input"},
		{file: "clean.json", exit: 1, root: "/srv/shop", check: "pip-audit", fails: "exited 1"},
		{file: "vulnerable.json", exit: 0, root: "/srv/shop", check: "pip-audit", fails: "exited 0"},
	})
}

func TestPipAuditRefuses(t *testing.T) {
	t.Parallel()
	for name, report := range map[string]string{
		"nothing":          "",
		"prose":            "No known vulnerabilities found\n",
		"a page":           "<html></html>",
		"cut":              `{"dependencies": [{"name": "idna"`,
		"another document": `{}`,
		"null":             `{"dependencies": null}`,
		"no name":          `{"dependencies": [{"version": "1", "vulns": []}]}`,
		"no version":       `{"dependencies": [{"name": "a", "vulns": []}]}`,
		"no vulns":         `{"dependencies": [{"name": "a", "version": "1"}]}`,
		"no id":            `{"dependencies": [{"name": "a", "version": "1", "vulns": [{}]}]}`,
	} {
		if r, err := parserOf(t, "pip-audit")(Output{Report: []byte(report), Root: "/r", Dir: "/r", Check: "pip-audit"}); err == nil {
			t.Errorf("%s: read as %+v", name, r)
		}
	}
}

func FuzzPipAudit(f *testing.F) { fuzzRecorded(f, "pip-audit", parserOf(f, "pip-audit")) }
