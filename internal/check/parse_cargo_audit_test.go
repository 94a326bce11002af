package check

import "testing"

// Recorded with cargo-audit 0.22.2: cargo audit --json --no-fetch --db FOLDER, with a database of advisories that are made
// up; offline.json without --no-fetch and without a network, denied.json with --deny warnings. yanked.json is made up.
func TestCargoAudit(t *testing.T) {
	t.Parallel()
	testRecorded(t, "cargo-audit", parserOf(t, "cargo-audit"), []recorded{
		{file: "found.json", exit: 1, root: "/srv/audit", check: "cargo-audit"},
		{file: "clean.json", root: "/srv/audit", check: "cargo-audit"},
		{file: "warning.json", root: "/srv/audit", check: "cargo-audit"},
		{file: "denied.json", exit: 1, root: "/srv/audit", check: "cargo-audit"},
		{file: "yanked.json", root: "/srv/audit", check: "cargo-audit"},
		{file: "emptydb.json", root: "/srv/audit", check: "cargo-audit", fails: "no advisories"},
		{file: "offline.json", exit: 1, root: "/srv/audit", check: "cargo-audit", fails: "couldn't fetch advisory database"},
		{file: "nodb.json", exit: 1, root: "/srv/audit", check: "cargo-audit", fails: "error loading advisory database"},
		{file: "nolock.json", exit: 2, root: "/srv/audit", check: "cargo-audit", fails: "Couldn't load Cargo.lock"},
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
