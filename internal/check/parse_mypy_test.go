package check

import (
	"strings"
	"testing"
)

// Recorded with mypy 2.4.1: mypy --output json, and as text with --show-column-numbers --show-error-end --no-pretty;
// bare.txt with --show-column-numbers --no-error-summary.
func TestMypy(t *testing.T) {
	t.Parallel()
	testRecorded(t, "mypy", parserOf(t, "mypy"), []recorded{
		{file: "shop.json", exit: 1, root: "/srv/shop", check: "mypy"},
		{file: "clean.json", root: "/srv/shop", check: "mypy"},
		{file: "folder.json", exit: 1, root: "/srv/shop", dir: "shop", check: "mypy"},
		{file: "imports.json", exit: 1, root: "/srv/shop", check: "mypy"},
		{file: "blocked.json", exit: 2, root: "/srv/shop", check: "mypy"},
		{file: "duplicate.json", exit: 2, root: "/srv/shop", check: "mypy"},
		{file: "shop.txt", exit: 1, root: "/srv/shop", check: "mypy"},
		{file: "clean.txt", root: "/srv/shop", check: "mypy"},
		{file: "blocked.txt", exit: 2, root: "/srv/shop", check: "mypy"},
		{file: "bare.txt", exit: 1, root: "/srv/shop", check: "mypy"},
		{file: "missing.txt", exit: 2, root: "/srv/shop", check: "mypy", fails: "Cannot read file"},
		{file: "clean.json", exit: 2, root: "/srv/shop", check: "mypy", fails: "reported nothing"},
		{file: "shop.json", exit: 0, root: "/srv/shop", check: "mypy", fails: "exited 0 beside 6 errors"},
	})
}

func TestMypyRefuses(t *testing.T) {
	t.Parallel()
	const found = "a.py:1:2: error: m  [misc]\n"
	for name, c := range map[string]struct {
		report string
		exit   int
	}{
		"prose":           {"everything is typed\n", 0},
		"a page":          {"<html></html>\n", 0},
		"cut":             {`{"file": "a.py", "line": 1`, 1},
		"no message":      {`{"file": "a.py", "line": 1}`, 1},
		"no file":         {`{"message": "m"}`, 1},
		"nothing, failed": {"", 1},
		"a signal":        {"", -1},
		"unknown exit":    {found, 3},
		"fewer errors":    {found + "Found 2 errors in 1 file (checked 1 source file)\n", 1},
		"called clean":    {found + "Success: no issues found in 1 source file\n", 1},
		"a crash":         {"a.py:1: error: INTERNAL ERROR -- Please try using mypy master on GitHub:\n", 2},
	} {
		if r, err := parserOf(t, "mypy")(Output{Report: []byte(c.report), Exit: c.exit, Root: "/r", Dir: "/r", Check: "mypy"}); err == nil {
			t.Errorf("%s: read as %+v", name, r)
		}
	}
}

// Both forms name the same findings, so that a change of the form changes no finding.
func TestMypyFormsAgree(t *testing.T) {
	t.Parallel()
	c := recorded{file: "shop.json", exit: 1, root: "/srv/shop", check: "mypy"}
	fromJSON, err := parserOf(t, "mypy")(c.output(t, "mypy"))
	if err != nil {
		t.Fatal(err)
	}
	c.file = "shop.txt"
	fromText, err := parserOf(t, "mypy")(c.output(t, "mypy"))
	if err != nil || len(fromJSON.Findings) != len(fromText.Findings) {
		t.Fatal(err, len(fromJSON.Findings), len(fromText.Findings))
	}
	for i, a := range fromJSON.Findings {
		if b := fromText.Findings[i]; a.Fingerprint != b.Fingerprint || a.Line != b.Line || a.Column != b.Column || a.Description != b.Description {
			t.Errorf("%+v\n%+v", a, b)
		}
	}
}

func TestMypyBytes(t *testing.T) {
	t.Parallel()
	report := "\xef\xbb\xbfa.py:1:2: error: \x1b[1mbad\x1b[0m \xff value  [misc]\r\nFound 1 error in 1 file (checked 1 source file)\r\n"
	r, err := parserOf(t, "mypy")(Output{Report: []byte(report), Exit: 1, Root: "/r", Dir: "/r", Check: "mypy"})
	if err != nil || len(r.Findings) != 1 {
		t.Fatal(err, r)
	}
	if f := r.Findings[0]; f.File != "a.py" || !strings.HasPrefix(f.Title, "bad ") || f.Rule != "check/mypy/misc" {
		t.Errorf("%+v", f)
	}
}

func FuzzMypy(f *testing.F) { fuzzRecorded(f, "mypy", parserOf(f, "mypy")) }
