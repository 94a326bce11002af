package check

import (
	"strings"
	"testing"
)

// Recorded with cargo, rustc and clippy 1.95.0.
func TestCargoJSON(t *testing.T) {
	t.Parallel()
	testRecorded(t, "cargo-json", parserOf(t, "cargo-json"), []recorded{
		{file: "clean.json", root: "/srv/till", check: "cargo-clippy"},
		{file: "clippy-warn.json", root: "/srv/ledger", check: "cargo-clippy"},
		{file: "denied.json", exit: 101, root: "/srv/till", check: "cargo-clippy"},
		{file: "check-error.json", exit: 101, root: "/srv/ledger", check: "cargo-check"},
		{file: "check-member.json", exit: 101, root: "/srv/ledger", dir: "core", check: "cargo-check"},
		{file: "check-syntax.json", exit: 101, root: "/srv/ledger", check: "cargo-check"},
		{file: "macros.json", exit: 101, root: "/srv/till", check: "cargo-check"},
		{file: "link.json", exit: 101, root: "/srv", dir: "till", check: "cargo-build"},
		{file: "manifest.json", exit: 101, root: "/srv/ledger", check: "cargo-check", fails: "build-finished: error: key with no value"},
		{file: "script.json", exit: 101, root: "/srv/till", check: "cargo-check", fails: "failed to run custom build command"},
		{file: "clean.json", exit: 101, root: "/srv/till", check: "cargo-check", fails: "success=true"},
		{file: "check-error.json", exit: 0, root: "/srv/till", check: "cargo-check", fails: "success=false"},
	})
}

const (
	cargoDone = `{"reason":"build-finished","success":true}` + "\n"
	cargoHead = `{"reason":"compiler-message","manifest_path":"/r/core/Cargo.toml","target":{"src_path":"/r/core/src/lib.rs"},"message":`
)

func TestCargoJSONRefuses(t *testing.T) {
	t.Parallel()
	for name, report := range map[string]string{
		"nothing":        "",
		"prose":          "all is well\n",
		"a page":         "<!DOCTYPE html><html></html>\n",
		"cut":            cargoHead + `{"level":"warn`,
		"cut at a line":  cargoHead + `{"level":"warning","message":"m","spans":[]}}` + "\n",
		"no message":     `{"reason":"compiler-message"}` + "\n" + cargoDone,
		"no success":     `{"reason":"build-finished"}` + "\n",
		"after the end":  cargoDone + cargoHead + `{"level":"error","message":"m"}}` + "\n",
		"ended twice":    cargoDone + cargoDone,
		"compiler crash": cargoHead + `{"level":"error: internal compiler error","message":"m"}}` + "\n" + cargoDone,
	} {
		if r, err := parserOf(t, "cargo-json")(Output{Report: []byte(report), Root: "/r", Dir: "/r", Check: "c"}); err == nil {
			t.Errorf("%s: read as %+v", name, r)
		}
	}
}

// rustc runs at the top of the workspace, wherever that is and wherever cargo was started.
func TestCargoJSONPlaces(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ dir, file, want string }{
		{"/r", "core/src/a.rs", "core/src/a.rs"},
		{"/r/core", "core/src/a.rs", "core/src/a.rs"},
		{"/r/core", "src/a.rs", "core/src/a.rs"},
		{"/r", "core/build.rs", "core/build.rs"},
		{"/r/core", "build.rs", "core/build.rs"},
		{"/r", "/r/core/src/a.rs", "core/src/a.rs"},
		{"/r", "/home/u/.cargo/registry/src/x/lib.rs", ""},
		{"/r", "../../elsewhere.rs", ""},
		{"/r", "<anon>", ""},
	} {
		report := cargoHead + `{"level":"warning","message":"m","spans":[{"file_name":"` + c.file + `","is_primary":true,"line_start":3}]}}` + "\n" + cargoDone
		r, err := parserOf(t, "cargo-json")(Output{Report: []byte(report), Root: "/r", Dir: c.dir, Check: "c"})
		if err != nil || len(r.Findings) != 1 || r.Findings[0].File != c.want {
			t.Errorf("%s in %s: %v, %+v, want %q", c.file, c.dir, err, r.Findings, c.want)
		}
	}
}

// A span inside a macro of another crate stands for the invocation.
func TestCargoJSONExpansion(t *testing.T) {
	t.Parallel()
	report := cargoHead + `{"level":"error","message":"m","spans":[{"file_name":"/rustc/1/library/std/src/macros.rs","is_primary":true,"line_start":3,` +
		`"expansion":{"span":{"file_name":"/elsewhere/m.rs","line_start":4,"expansion":{"span":{"file_name":"core/src/a.rs","line_start":7,` +
		`"line_end":8,"column_start":3,"text":[{"text":"é x"}]}}}}}]}}` + "\n" + strings.Replace(cargoDone, "true", "false", 1)
	r, err := parserOf(t, "cargo-json")(Output{Report: []byte(report), Exit: 101, Root: "/r", Dir: "/r", Check: "c"})
	if err != nil || len(r.Findings) != 1 {
		t.Fatal(err, r)
	}
	if f := r.Findings[0]; f.File != "core/src/a.rs" || f.Line != 7 || f.LineEnd != 8 || f.Column != 4 {
		t.Errorf("%+v", f)
	}
}

func FuzzCargoJSON(f *testing.F) { fuzzRecorded(f, "cargo-json", parserOf(f, "cargo-json")) }
