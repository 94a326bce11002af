package check

import (
	"encoding/json"
	"errors"
	"flag"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"
)

var update = flag.Bool("update", false, "write the golden files")

// recorded is one recorded call of a tool: testdata/<format>/<file>, and <name>.stderr.txt where it said something.
type recorded struct {
	file  string
	exit  int
	root  string
	dir   string // relative to root
	check string
	fails string // part of the error that is wanted; "" = the report is <name>.golden
}

func (c recorded) output(t *testing.T, format string) Output {
	t.Helper()
	name := filepath.Join("testdata", format, c.file)
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	stderr, err := os.ReadFile(strings.TrimSuffix(name, filepath.Ext(name)) + ".stderr.txt")
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	return Output{Report: data, Stdout: data, Stderr: stderr, Exit: c.exit, Root: c.root,
		Dir: filepath.Join(c.root, c.dir), Check: c.check}
}

func testRecorded(t *testing.T, format string, parse Parser, cases []recorded) {
	for _, c := range cases {
		t.Run(c.file, func(t *testing.T) {
			t.Parallel()
			r, err := parse(c.output(t, format))
			if c.fails != "" {
				if err == nil || !strings.Contains(err.Error(), c.fails) {
					t.Fatalf("error %v, want one with %q", err, c.fails)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			checkReport(t, r)
			got, err := json.MarshalIndent(r, "", "  ")
			if err != nil {
				t.Fatal(err)
			}
			golden := filepath.Join("testdata", format, c.file+".golden")
			if *update {
				if err := os.WriteFile(golden, append(got, '\n'), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil || string(want) != string(got)+"\n" {
				t.Errorf("%s differs (%v), got\n%s", golden, err, got)
			}
		})
	}
}

// checkReport holds for every report of every parser, whatever it was made of.
func checkReport(t *testing.T, r Report) {
	t.Helper()
	inside := func(file string) bool {
		return utf8.ValidString(file) && (file == "" || filepath.IsLocal(file)) && !strings.Contains(file, `\`)
	}
	for _, f := range r.Findings {
		if !inside(f.File) || f.Title == "" || len(f.Title) > 200 || !utf8.ValidString(f.Title+f.Description+f.Suggestion) ||
			f.Line < 0 || f.Column < 0 || f.Fingerprint == "" || f.Baseline != "" || f.Scope != "" {
			t.Errorf("finding %+v", f)
		}
	}
	for _, r := range r.Tests {
		if !inside(r.File) || r.Name == "" || r.Outcome == "" || !utf8.ValidString(r.Name+r.Message) || len(r.Message) > 8<<10 {
			t.Errorf("test %+v", r)
		}
	}
}

func fuzzRecorded(f *testing.F, format string, parse Parser) {
	for _, r := range recordings(f, format) {
		for _, exit := range []int{0, 1, 101} {
			f.Add(r.report, r.stderr, exit)
		}
	}
	f.Fuzz(func(t *testing.T, report, stderr []byte, exit int) {
		r, err := parse(Output{Report: report, Stdout: report, Stderr: stderr, Exit: exit, Root: "/srv", Dir: "/srv/shop", Check: "x"})
		if err == nil {
			checkReport(t, r)
		}
	})
}
