package check

import "testing"

// Recorded with staticcheck 0.8.2: staticcheck -f sarif ./... The rules that nothing was found of are left out of all but
// one of the recordings.
func TestSARIF(t *testing.T) {
	t.Parallel()
	testRecorded(t, "sarif", parserOf(t, "sarif"), []recorded{
		{file: "staticcheck.sarif", root: "/srv/shop", check: "staticcheck"},
		{file: "staticcheck-clean.sarif", root: "/srv/shop", check: "staticcheck"},
		{file: "staticcheck-compile.sarif", root: "/srv/shop", check: "staticcheck"},
		{file: "staticcheck-nothing.sarif", root: "/srv/shop", check: "staticcheck", fails: "nothing was built: pattern"},
		{file: "staticcheck-clean.sarif", exit: 1, root: "/srv/shop", check: "staticcheck", fails: "exited 1"},
	})
}

func FuzzSARIF(f *testing.F) { fuzzRecorded(f, "sarif", parserOf(f, "sarif")) }
