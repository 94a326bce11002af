package check

import (
	"slices"
	"strings"
	"testing"

	"github.com/gavel-review/gavel"
)

// Recorded with cargo 1.95.0.
func TestCargoTest(t *testing.T) {
	t.Parallel()
	testRecorded(t, "cargo-test", parserOf(t, "cargo-test"), []recorded{
		{file: "ok.txt", root: "/srv/ledger", check: "cargo-test"},
		{file: "fail.txt", exit: 101, root: "/srv/ledger", check: "cargo-test"},
		{file: "fail-fast.txt", exit: 101, root: "/srv/ledger", check: "cargo-test"},
		{file: "member.txt", exit: 101, root: "/srv/ledger", dir: "core", check: "cargo-test"},
		{file: "2024.txt", exit: 101, root: "/srv/ledger", check: "cargo-test"},
		{file: "harness.txt", exit: 101, root: "/srv/ledger", check: "cargo-test"},
		{file: "serial.txt", exit: 101, root: "/srv/ledger", check: "cargo-test"},
		{file: "abort.txt", exit: 101, root: "/srv/ledger", check: "cargo-test"},
		{file: "compile.txt", exit: 101, root: "/srv/ledger", check: "cargo-test"},
		{file: "ok.txt", exit: 101, root: "/srv/ledger", check: "cargo-test", fails: "exited 101"},
		{file: "fail.txt", exit: 0, root: "/srv/ledger", check: "cargo-test", fails: "exited 0"},
	})
}

const (
	libtestOK = "\nrunning 1 test\ntest a ... ok\n\ntest result: ok. 1 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s\n"
	cargoRun  = "     Running unittests src/lib.rs (target/debug/deps/shop-4b3a9cdd9f539d51)\n"
)

func TestCargoTestRefuses(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		out, err string
		exit     int
	}{
		"nothing":              {"", "", 0},
		"prose":                {"all tests passed\n", "", 0},
		"a page":               {"<html>test a ... ok</html>\n", cargoRun, 0},
		"cut before the count": {"\nrunning 1 test\ntest a ... ok\n", cargoRun, 0},
		"cut between tests":    {"\nrunning 2 tests\ntest a ... ok\n", cargoRun, 101},
		"one more counted":     {strings.Replace(libtestOK, "1 passed", "2 passed", 1), cargoRun, 0},
		"one less ran":         {strings.Replace(libtestOK, "1 test", "2 tests", 1), cargoRun, 0},
		"a failure called ok":  {strings.Replace(strings.Replace(libtestOK, "a ... ok", "a ... FAILED", 1), "1 passed; 0 f", "0 passed; 1 f", 1), cargoRun, 101},
		"no verdict":           {strings.Replace(libtestOK, "result: ok", "result: fine", 1), cargoRun, 0},
		"a signal":             {libtestOK, cargoRun, -1},
		"an unknown failure": {libtestOK, cargoRun + "     Running tests/own.rs (target/debug/deps/own-4b3a9cdd9f539d51)\n" +
			"error: test failed, to rerun pass `--test own`\n", 101},
		"only a failed build": {"", "error: could not compile `shop` (lib test) due to 1 previous error\n", 101},
	} {
		r, err := parserOf(t, "cargo-test")(Output{Report: []byte(c.out), Stderr: []byte(c.err), Exit: c.exit, Root: "/r", Dir: "/r", Check: "c"})
		if err == nil {
			t.Errorf("%s: read as %+v", name, r)
		}
	}
}

// What a failed test printed is its message, even where it looks like a report.
func TestCargoTestOutputThatLooksLikeAReport(t *testing.T) {
	t.Parallel()
	out := "\nrunning 2 tests\ntest a ... noise of a child\nok\ntest b ... FAILED\n\nfailures:\n\n---- b stdout ----\n" +
		"running 9 tests\ntest c ... FAILED\ntest result: ok. 9 passed; 0 failed; 0 ignored\n---- c stdout ----\n\n\nfailures:\n    b\n\n" +
		"test result: FAILED. 1 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s\n"
	r, err := parserOf(t, "cargo-test")(Output{Report: []byte(out), Stderr: []byte(cargoRun), Exit: 101, Root: "/r", Dir: "/r", Check: "c"})
	if err != nil || len(r.Tests) != 2 || len(r.Findings) != 1 {
		t.Fatalf("%v %+v", err, r)
	}
	if b := r.Tests[1]; b.Name != "shop src/lib.rs › b" || b.Outcome != gavel.TestFailed || !strings.HasSuffix(b.Message, "---- c stdout ----") {
		t.Errorf("%+v", b)
	}
}

func TestCargoTestDocs(t *testing.T) {
	t.Parallel()
	out := "\nrunning 4 tests\ntest src/lib.rs - (line 9) ... ok\ntest src/lib.rs - (line 2) - compile ... ok\n" +
		"test src/../README.md - readme (line 3) ... ignored\ntest src/lib.rs - A<T>::b (line 30) - should panic ... ok\n\n" +
		"test result: ok. 3 passed; 0 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.00s\n"
	r, err := parserOf(t, "cargo-test")(Output{Report: []byte(out), Stderr: []byte("   Doc-tests shop\n"), Root: "/r", Dir: "/r/shop", Check: "c"})
	if err != nil {
		t.Fatal(err)
	}
	want := []gavel.TestResult{
		{Name: "docs › src/../README.md - readme", Outcome: gavel.TestSkipped, File: "shop/README.md", Line: 3},
		{Name: "docs › src/lib.rs - #2", Outcome: gavel.TestPassed, File: "shop/src/lib.rs", Line: 9},
		{Name: "docs › src/lib.rs -", Outcome: gavel.TestPassed, File: "shop/src/lib.rs", Line: 2},
		{Name: "docs › src/lib.rs - A<T>::b", Outcome: gavel.TestPassed, File: "shop/src/lib.rs", Line: 30},
	}
	if !slices.Equal(r.Tests, want) {
		t.Errorf("got  %+v\nwant %+v", r.Tests, want)
	}
}

func TestCargoProgram(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]string{
		"Running unittests src/lib.rs (target/debug/deps/ledger_core-4b3a9cdd9f539d51)": "ledger_core src/lib.rs",
		`Running tests\api.rs (target\debug\deps\api-4b3a9cdd9f539d51.exe)`:             "api tests/api.rs",
		"Running unittests (target/debug/deps/old-4b3a9cdd9f539d51)":                    "old",
		"Running odd)": "odd",
	} {
		if got := cargoProgram(line); got != want {
			t.Errorf("%q: %q, want %q", line, got, want)
		}
	}
}

func FuzzCargoTest(f *testing.F) { fuzzRecorded(f, "cargo-test", parserOf(f, "cargo-test")) }
