package check

import (
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// recordings are the recorded reports of a format.
func recordings(t testing.TB, format string) map[string][]byte {
	t.Helper()
	names, err := filepath.Glob(filepath.Join("testdata", format, "*"))
	if err != nil {
		t.Fatal(err)
	}
	reports := map[string][]byte{}
	for _, name := range names {
		if strings.HasSuffix(name, ".golden") || strings.HasSuffix(name, ".stderr.txt") {
			continue
		}
		if reports[filepath.Base(name)], err = os.ReadFile(name); err != nil {
			t.Fatal(err)
		}
	}
	return reports
}

// silent are the formats in which nothing at all is how success looks, with exit code 0.
var silent = []string{"file-list", "go-build", "mypy", "tsc", "yarn-audit"}

// TestConformance holds every parser of the table to what no format is free of.
func TestConformance(t *testing.T) {
	t.Parallel()
	for _, format := range Formats() {
		t.Run(format, func(t *testing.T) {
			t.Parallel()
			parse := parserOf(t, format)
			reports := recordings(t, format)
			if len(reports) == 0 {
				t.Fatal("nothing is recorded of the format")
			}
			for name, report := range map[string]string{
				"nothing": "", "blanks": " \n\t\n", "prose": "Something went wrong, please try again later.\n",
				"a page": "<!DOCTYPE html>\n<html><body>502 Bad Gateway</body></html>\n", "null": "null", "a number": "0", "a text": `"ok"`,
				"a false": "false", "deep": strings.Repeat("[", 20_000), "deep objects": strings.Repeat(`{"a":`, 20_000), "NUL": "\x00\x00",
			} {
				clean := name == "nothing" || name == "blanks"
				for _, exit := range []int{-1, 0, 1, 2, 127} {
					r, err := parse(Output{Report: []byte(report), Stdout: []byte(report), Exit: exit, Root: "/srv", Dir: "/srv", Check: "x"})
					if err == nil && !(clean && exit == 0 && slices.Contains(silent, format)) {
						t.Errorf("%s with exit code %d was read as %+v", name, exit, r)
					}
				}
			}
			for _, name := range slices.Sorted(maps.Keys(reports)) {
				checkCuts(t, format, parse, name, reports[name])
			}
		})
	}
}

// checkCuts cuts a recording at twenty places. What is left never passes with another exit code than 0, and a cut JSON or
// XML document is never read at all.
func checkCuts(t *testing.T, format string, parse Parser, name string, report []byte) {
	t.Helper()
	whole := strings.TrimSpace(string(report))
	document := whole != "" && strings.IndexByte("{[<", whole[0]) >= 0 && !strings.Contains(whole, "}\n{")
	for i := range 20 {
		cut := []byte(whole)[:len(whole)*i/20]
		for _, exit := range []int{0, 1} {
			r, err := parse(Output{Report: cut, Stdout: cut, Exit: exit, Root: "/srv/shop", Dir: "/srv/shop", Check: "x"})
			if err != nil {
				continue
			}
			checkReport(t, r)
			if exit != 0 && len(r.Findings) == 0 {
				t.Errorf("%s cut to %d bytes passes with exit code %d", name, len(cut), exit)
			}
			if document && len(cut) > 0 {
				t.Errorf("%s cut to %d of %d bytes was read, exit code %d: %d findings", name, len(cut), len(whole), exit, len(r.Findings))
			}
		}
	}
}

// TestFormats compares the table with the folder: every parser is in the table, under the name of its file.
func TestFormats(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("parse_*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		tree, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range tree.Decls {
			f, ok := d.(*ast.FuncDecl)
			if !ok || f.Recv != nil || !isParser(f.Type) {
				continue
			}
			format := strings.ReplaceAll(strings.TrimSuffix(strings.TrimPrefix(file, "parse_"), ".go"), "_", "-")
			if format == "libtest" {
				format = "cargo-test" // parse_cargo_test.go would be a file of tests
			}
			if _, ok := ParserFor(format); !ok {
				t.Errorf("%s of %s is not in the table as %q", f.Name.Name, file, format)
			}
		}
	}
	if !slices.IsSorted(Formats()) || len(slices.Compact(Formats())) != len(parsers) {
		t.Errorf("formats are not sorted or not unique: %q", Formats())
	}
	if _, ok := ParserFor("prose"); ok {
		t.Error("there is a parser of prose")
	}
}

// isParser reports whether a function is written as a Parser: func(o Output) (Report, error).
func isParser(f *ast.FuncType) bool {
	named := func(list *ast.FieldList, names ...string) bool {
		if list == nil || len(list.List) != len(names) {
			return false
		}
		for i, field := range list.List {
			if id, ok := field.Type.(*ast.Ident); !ok || id.Name != names[i] {
				return false
			}
		}
		return true
	}
	return named(f.Params, "Output") && named(f.Results, "Report", "error")
}
