package check

import (
	"strings"
	"testing"

	"github.com/gavel-review/gavel"
)

// Recorded with go 1.26.8: go test -json -fullpath, with -run, -count 3 and -timeout 300ms where the names say so.
func TestGoTestJSON(t *testing.T) {
	t.Parallel()
	testRecorded(t, "go-test-json", parserOf(t, "go-test-json"), []recorded{
		{file: "pass.jsonl", root: "/srv/shop", check: "go-test"},
		{file: "cached.jsonl", root: "/srv/shop", check: "go-test"},
		{file: "none.jsonl", root: "/srv/shop", check: "go-test"},
		{file: "fail.jsonl", exit: 1, root: "/srv/shop", check: "go-test"},
		{file: "panic.jsonl", exit: 1, root: "/srv/shop", check: "go-test"},
		{file: "timeout.jsonl", exit: 1, root: "/srv/shop", check: "go-test"},
		{file: "main.jsonl", exit: 1, root: "/srv/shop", check: "go-test"},
		{file: "count.jsonl", exit: 1, root: "/srv/shop", check: "go-test"},
		{file: "example.jsonl", exit: 1, root: "/srv/shop", check: "go-test"},
		{file: "build.jsonl", exit: 1, root: "/srv/shop", check: "go-test"},
		{file: "setup.jsonl", exit: 1, root: "/srv/shop", check: "go-test"},
		{file: "vet.jsonl", exit: 1, root: "/srv/shop", check: "go-test"},
		{file: "nothing.jsonl", exit: 1, root: "/srv/shop", check: "go-test", fails: "pattern ./nope/..."},
		{file: "pass.jsonl", exit: 1, root: "/srv/shop", check: "go-test", fails: "exited 1"},
	})
}

func TestGoTestEvents(t *testing.T) {
	t.Parallel()
	const (
		start = `{"Action":"start","Package":"p"}` + "\n"
		pass  = `{"Action":"pass","Package":"p"}` + "\n"
		fail  = `{"Action":"fail","Package":"p"}` + "\n"
	)
	event := func(action, test string) string {
		return `{"Action":"` + action + `","Package":"p","Test":"` + test + `"}` + "\n"
	}
	for _, tt := range []struct {
		name, report string
		exit         int
		want         string
		tests        string
	}{
		{"the worst of three runs", start + event("run", "T") + event("pass", "T") + event("run", "T") + event("fail", "T") +
			event("run", "T") + event("pass", "T") + fail, 1, "high :0:0 test-failed failed: p.T", "p.T failed"},
		{"skipped is worse than passed", start + event("skip", "T") + event("pass", "T") + pass, 0, "", "p.T skipped"},
		{"a name with slashes", start + event("run", "T") + event("run", "T/a/b") + event("fail", "T/a/b") + event("fail", "T") + fail,
			1, "high :0:0 test-failed failed: p.T/a/b", "p.T failed\np.T/a/b failed"},
		{"a test of its own beside its subtests", start + event("run", "T") + event("pass", "T/a") + event("fail", "T") + fail, 1,
			"high :0:0 test-failed failed: p.T", "p.T failed\np.T/a passed"},
		{"the program died", start + event("run", "T") + fail, 1, "high :0:0 test-failed failed: p.T", "p.T failed"},
		{"no test at all", start + pass, 0, "", ""},
		{"no test files", `{"Action":"skip","Package":"p"}`, 0, "", ""},
		{"a package failed alone", start + fail, 1, "high :0:0 package-failed package p failed without a failed test", ""},
		{"a build failed, go 1.19", "FAIL\tp [build failed]\nFAIL\n", 2, "high :0:0 build-failed package p was not built", ""},
		{"a package did not end", start + event("pass", "T"), 0, "error: did not end", ""},
		{"a test did not end", start + event("run", "T") + pass, 0, "error: did not end", ""},
		{"cut in a line", start + event("run", "T")[:20], 1, "error: not an event", ""},
		{"failed without a failure", start + pass, 1, "error: exited 1", ""},
		{"nothing", "", 0, "error: no package", ""},
		{"prose", "PASS\nok  \tp\t0.1s\n", 0, "error: no event", ""},
		{"another document", `{"version": 1}`, 0, "error: without an action", ""},
		{"no package", `{"Action":"pass"}`, 0, "error: names no package", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			o := Output{Report: []byte(tt.report), Exit: tt.exit, Root: "/srv", Dir: "/srv", Check: "go-test"}
			r := checkSummary(t, "go-test-json", o, tt.want)
			var tests []string
			for _, res := range r.Tests {
				tests = append(tests, res.Name+" "+string(res.Outcome))
			}
			if got := strings.Join(tests, "\n"); got != tt.tests {
				t.Errorf("tests\n%s\nwant\n%s", got, tt.tests)
			}
		})
	}
}

// What a test prints and where it gives up differ from run to run, a failed test stays the same finding.
func TestGoTestFingerprint(t *testing.T) {
	t.Parallel()
	var prints []string
	for _, message := range []string{"/srv/a_test.go:3: got 17", "/srv/b_test.go:9: got 4"} {
		report := `{"Action":"output","Package":"p","Test":"T","Output":"    ` + message + `\n"}
{"Action":"fail","Package":"p","Test":"T"}
{"Action":"fail","Package":"p"}`
		r, err := parseGoTestJSON(Output{Report: []byte(report), Exit: 1, Root: "/srv", Dir: "/srv", Check: "go-test"})
		if err != nil || len(r.Findings) != 1 || !r.Findings[0].Located || r.Tests[0].Outcome != gavel.TestFailed {
			t.Fatal(r, err)
		}
		prints = append(prints, r.Findings[0].Fingerprint)
	}
	if prints[0] != prints[1] {
		t.Errorf("two identities: %q", prints)
	}
}

func FuzzGoTestJSON(f *testing.F) { fuzzRecorded(f, "go-test-json", parserOf(f, "go-test-json")) }
