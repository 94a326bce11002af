package check

import "testing"

// Recorded with go 1.26.8: go vet -json ./...
func TestGoVet(t *testing.T) {
	t.Parallel()
	testRecorded(t, "go-vet", parserOf(t, "go-vet"), []recorded{
		{file: "clean.json", root: "/srv/shop", check: "go-vet"},
		{file: "printf.json", root: "/srv/shop", check: "go-vet"},
		{file: "broken.json", exit: 1, root: "/srv/shop", check: "go-vet"},
		{file: "many.json", exit: 1, root: "/srv/shop", check: "go-vet"},
		{file: "cycle.json", exit: 1, root: "/srv/shop", check: "go-vet"},
		{file: "nothing.json", exit: 1, root: "/srv/shop", check: "go-vet", fails: "pattern ./nope/..."},
		{file: "printf.json", exit: 1, root: "/srv/shop", check: "go-vet", fails: "did not say why"},
	})
}

func TestGoVetReport(t *testing.T) {
	t.Parallel()
	const found = `{"a": {"printf": [{"posn": "/srv/a.go:3:5", "end": "/srv/a.go:4:2", "message": "m"}]}}`
	for _, tt := range []struct {
		name, stdout, stderr string
		exit                 int
		want                 string
		measured             int
	}{
		{"on stderr, as go 1.24 does it", "", "# a\n" + found + "\n# b\n{}\n", 0, "high a.go:3:5 printf m", 2},
		{"on stderr beside words", "", "# b\nb.go:1:2: undefined: x\n# a\n" + found + "\n", 1,
			"high a.go:3:5 printf m\nhigh b.go:1:2 compile undefined: x", 1},
		{"an analyzer that failed", `{"a": {"printf": {"error": "out of memory"}}}`, "", 0, "", 1},
		{"no package", "", "go: warning: \"./...\" matched no packages\n", 0, "", 0},
		{"nothing", "", "", 0, "error: no package", 0},
		{"null", "null", "", 0, "error: null", 0},
		{"a list", "[]", "", 0, "error: not a report", 0},
		{"cut", found[:40], "", 0, "error: not a report", 0},
		{"prose", "no problems found", "", 0, "error: not a report", 0},
		{"another document", `{"version": "2.1.0"}`, "", 0, "error: not a report", 0},
		{"null for diagnostics", `{"a": {"printf": null}}`, "", 0, "error: neither", 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			o := Output{Report: []byte(tt.stdout), Stderr: []byte(tt.stderr), Exit: tt.exit, Root: "/srv", Dir: "/srv", Check: "go-vet"}
			if r := checkSummary(t, "go-vet", o, tt.want); r.Measured != tt.measured {
				t.Errorf("measured %d, want %d", r.Measured, tt.measured)
			}
		})
	}
}

func FuzzGoVet(f *testing.F) { fuzzRecorded(f, "go-vet", parserOf(f, "go-vet")) }
