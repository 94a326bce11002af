package check

import "testing"

// Recorded with pyright 1.1.414: pyright --outputjson.
func TestPyright(t *testing.T) {
	t.Parallel()
	testRecorded(t, "pyright", parserOf(t, "pyright"), []recorded{
		{file: "shop.json", exit: 1, root: "/srv/shop", check: "pyright"},
		{file: "clean.json", root: "/srv/shop", check: "pyright"},
		{file: "syntax.json", exit: 1, root: "/srv/shop", check: "pyright"},
		{file: "imports.json", exit: 1, root: "/srv/shop", check: "pyright"},
		{file: "warning.json", root: "/srv/shop", check: "pyright"},
		{file: "empty.json", root: "/srv/shop", check: "pyright"},
		{file: "config.json", exit: 3, root: "/srv/shop", check: "pyright", fails: "could not be parsed"},
		{file: "call.txt", exit: 4, root: "/srv/shop", check: "pyright", fails: "exited 4: Unexpected option"},
		{file: "clean.json", exit: 1, root: "/srv/shop", check: "pyright", fails: "exited 1"},
		{file: "shop.json", exit: 0, root: "/srv/shop", check: "pyright", fails: "exited 0"},
	})
}

func TestPyrightRefuses(t *testing.T) {
	t.Parallel()
	const summary = `"summary":{"filesAnalyzed":1,"errorCount":0,"warningCount":0,"informationCount":0}`
	for name, report := range map[string]string{
		"nothing":             "",
		"prose":               "0 errors, 0 warnings, 0 informations\n",
		"a page":              "<html></html>",
		"cut":                 `{"version":"1","generalDiagnostics":[`,
		"two documents":       `{"version":"1","generalDiagnostics":[],` + summary + `} {}`,
		"another document":    `{}`,
		"no list":             `{"version":"1",` + summary + `}`,
		"no summary":          `{"version":"1","generalDiagnostics":[]}`,
		"another count":       `{"version":"1","generalDiagnostics":[{"file":"/r/a.py","severity":"warning","message":"m"}],` + summary + `}`,
		"an unknown severity": `{"version":"1","generalDiagnostics":[{"file":"/r/a.py","severity":"odd","message":"m"}],` + summary + `}`,
	} {
		if r, err := parserOf(t, "pyright")(Output{Report: []byte(report), Root: "/r", Dir: "/r", Check: "pyright"}); err == nil {
			t.Errorf("%s: read as %+v", name, r)
		}
	}
}

func FuzzPyright(f *testing.F) { fuzzRecorded(f, "pyright", parserOf(f, "pyright")) }
