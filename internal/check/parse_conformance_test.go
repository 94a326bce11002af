package check

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// recording is what a tool left behind, as it lies in testdata.
type recording struct {
	name           string
	report, stderr []byte
}

// recordings are those of a format. Beside a report lies what the tool said on stderr, and what is wanted of it.
func recordings(t testing.TB, format string) []recording {
	t.Helper()
	var all []recording
	err := filepath.WalkDir(filepath.Join("testdata", format), func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || strings.HasSuffix(name, ".golden") || strings.HasSuffix(name, ".stderr.txt") {
			return err
		}
		r := recording{name: name}
		r.stderr, _ = os.ReadFile(strings.TrimSuffix(name, filepath.Ext(name)) + ".stderr.txt") // nothing was said
		r.report, err = os.ReadFile(name)
		all = append(all, r)
		return err
	})
	if err != nil || len(all) == 0 {
		t.Fatalf("nothing is recorded of %s: %v", format, err)
	}
	return all
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
			for _, r := range recordings(t, format) {
				checkCuts(t, parse, r)
			}
		})
	}
}

// checkCuts cuts a recording at twenty places. What is left never passes with another exit code than 0, and a cut JSON or
// XML document is never read at all.
func checkCuts(t *testing.T, parse Parser, r recording) {
	t.Helper()
	whole := strings.TrimSpace(string(r.report))
	document := whole != "" && strings.IndexByte("{[<", whole[0]) >= 0 && !strings.Contains(whole, "}\n{")
	for i := range 20 {
		cut := []byte(whole)[:len(whole)*i/20]
		for _, exit := range []int{0, 1} {
			got, err := parse(Output{Report: cut, Stdout: cut, Exit: exit, Root: "/srv/shop", Dir: "/srv/shop", Check: "x"})
			if err != nil {
				continue
			}
			checkReport(t, got)
			if exit != 0 && len(got.Findings) == 0 {
				t.Errorf("%s cut to %d bytes passes with exit code %d", r.name, len(cut), exit)
			}
			if document && len(cut) > 0 {
				t.Errorf("%s cut to %d of %d bytes was read, exit code %d: %d findings", r.name, len(cut), len(whole), exit, len(got.Findings))
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
