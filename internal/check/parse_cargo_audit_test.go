package check

import "testing"

// The reports are made up after the fields of cargo audit --json.
func TestCargoAudit(t *testing.T) {
	t.Parallel()
	testRecorded(t, "cargo-audit", parserOf(t, "cargo-audit"), []recorded{
		{file: "found.json", exit: 1, root: "/srv/audit", check: "cargo-audit"},
		{file: "clean.json", root: "/srv/audit", check: "cargo-audit"},
		{file: "offline.json", exit: 1, root: "/srv/audit", check: "cargo-audit", fails: "couldn't fetch advisory database"},
		{file: "clean.json", exit: 1, root: "/srv/audit", check: "cargo-audit", fails: "exited 1"},
		{file: "found.json", exit: 0, root: "/srv/audit", check: "cargo-audit", fails: "exited 0 beside 2 vulnerabilities"},
		{file: "clean.json", exit: 2, root: "/srv/audit", check: "cargo-audit", fails: "exited 2"},
	})
}

func TestCargoAuditRefuses(t *testing.T) {
	t.Parallel()
	const (
		head = `{"database":{"advisory-count":9},"lockfile":{"dependency-count":1},"vulnerabilities":`
		none = `{"found":false,"count":0,"list":[]}`
	)
	for name, report := range map[string]string{
		"nothing":               "",
		"prose":                 "no vulnerabilities\n",
		"another document":      `{}`,
		"cut":                   head + none,
		"no list":               head + `{"found":false,"count":0}}`,
		"an empty database":     `{"database":{"advisory-count":0},"lockfile":{"dependency-count":1},"vulnerabilities":` + none + `}`,
		"no lockfile":           `{"database":{"advisory-count":9},"vulnerabilities":` + none + `}`,
		"a shorter list":        head + `{"found":true,"count":1,"list":[]}}`,
		"found and none":        head + `{"found":true,"count":0,"list":[]}}`,
		"a warning of nothing":  head + none + `,"warnings":{"yanked":[{}]}}`,
		"warnings of what kind": head + none + `,"warnings":{"":[{"package":{"name":"a"}}]}}`,
	} {
		r, err := parserOf(t, "cargo-audit")(Output{Report: []byte(report), Root: "/r", Dir: "/r", Check: "cargo-audit"})
		if err == nil {
			t.Errorf("%s: read as %+v", name, r)
		}
	}
}

func FuzzCargoAudit(f *testing.F) { fuzzRecorded(f, "cargo-audit", parserOf(f, "cargo-audit")) }
