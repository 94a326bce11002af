package detect

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/gavel-review/gavel"
)

var testRule = &gavel.Rule{
	ID: "hygiene/x", Aliases: []string{"hygiene/old-x"}, Title: "T", Text: "T", Fix: "F", Before: "B", After: "A",
	Severity: gavel.High, Category: gavel.CategoryHygiene, Confidence: gavel.ConfidenceHigh, CWE: "CWE-1",
}

func detector(run func(*Pass)) []Detector {
	return []Detector{{Name: "x", Rules: []*gavel.Rule{testRule}, Run: run}}
}

func fileOf(path, before, after string) *gavel.File {
	return &gavel.File{Path: path, Status: gavel.Modified, Size: int64(len(after)), Hunks: diffHunks(before, after)}
}

func TestRules(t *testing.T) {
	t.Parallel()
	seen := make(map[string]bool)
	found, good := archiveRules(t)
	for _, d := range All() {
		for _, r := range d.Rules {
			if err := r.Validate(); err != nil {
				t.Error(err)
			}
			for _, id := range append([]string{r.ID}, r.Aliases...) {
				if seen[id] {
					t.Errorf("%s names two rules", id)
				}
				seen[id] = true
			}
			if Rule(r.ID) != r {
				t.Errorf("Rule(%q) is another rule", r.ID)
			}
			if r.Category != d.category() {
				t.Errorf("%s: one detector holds one category, for Without", r.ID)
			}
			if r.Category == gavel.CategoryHygiene && !found[r.ID] {
				t.Errorf("no archive finds %s", r.ID)
			}
		}
		if d.category() == gavel.CategoryHygiene && !good[d.Name] {
			t.Errorf("no archive of %s holds good code", d.Name)
		}
	}
	all := Rules()
	for i := 1; i < len(all); i++ {
		if all[i-1].ID >= all[i].ID {
			t.Errorf("rules are not sorted: %s before %s", all[i-1].ID, all[i].ID)
		}
	}
	if Rule("no/such-rule") != nil {
		t.Error("a rule was made up")
	}
}

// TestAllNamesEveryFile parses the folder: each file that makes a Detector must be named in All.
func TestAllNamesEveryFile(t *testing.T) {
	t.Parallel()
	named := make(map[string]bool)
	for _, d := range All() {
		named[d.Name] = true
	}
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range files {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			lit, ok := n.(*ast.CompositeLit)
			if !ok {
				return true
			}
			if id, ok := lit.Type.(*ast.Ident); ok && id.Name == "Detector" && !named[strings.TrimSuffix(path, ".go")] {
				t.Errorf("%s makes a Detector that All does not name, or names otherwise", path)
			}
			return true
		})
	}
}

func TestWithout(t *testing.T) {
	t.Parallel()
	all := All()
	for _, d := range Without(all, gavel.CategorySecret) {
		if d.category() == gavel.CategorySecret {
			t.Errorf("%s is still there", d.Name)
		}
	}
	if got := len(Without(all)); got != len(all) {
		t.Errorf("%d detectors of %d are left", got, len(all))
	}
}

func TestFindingIsComplete(t *testing.T) {
	t.Parallel()
	f := fileOf("a.go", "package a\nold\n", "package a\nvar\tx = 1\n")
	res := Run(detector(func(p *Pass) {
		p.Report(testRule, Span{Line: 2, Column: 4, End: 5}, "bad \xff")
	}), f, nil, false)
	want := []gavel.Finding{{
		Severity: gavel.High, File: "a.go", Line: 2, Column: 5, Title: "T", Description: "bad \ufffd", Suggestion: "F", Language: "go",
		Snippet: "var\tx = 1", Located: true, Rule: "hygiene/x", Category: gavel.CategoryHygiene, Source: gavel.SourceDetector,
		Confidence: gavel.ConfidenceHigh, Scope: gavel.ScopeChangedLine, Baseline: gavel.BaselineNew, CWE: "CWE-1",
		Fingerprint: gavel.Fingerprint("hygiene/x", "a.go", "var x = 1"),
		Aliases:     []string{gavel.Fingerprint("hygiene/old-x", "a.go", "var x = 1")},
	}}
	if diff := cmp.Diff(want, res.Findings); diff != "" {
		t.Error(diff)
	}
	if s := res.Summary; s.Path != "a.go" || s.Added != 1 || s.Removed != 1 || !s.Code || s.Test {
		t.Errorf("summary %+v", s)
	}
}

func TestScope(t *testing.T) {
	t.Parallel()
	before, after := "a\nb\nc\nd\ne\nf\ng\nh\ni\n", "a\nB\nc\nd\ne\nf\ng\nh\ni\n"
	for _, c := range []struct {
		name  string
		at    Span
		whole bool
		want  gavel.Scope
	}{
		{"added", Span{Line: 2}, false, gavel.ScopeChangedLine},
		{"context", Span{Line: 3}, false, gavel.ScopeChangedFile},
		{"outside of hunks", Span{Line: 9}, false, gavel.ScopeChangedFile},
		{"past the end", Span{Line: 99}, false, gavel.ScopeChangedFile},
		{"span over an added line", Span{Line: 1, LineEnd: 3}, false, gavel.ScopeChangedLine},
		{"removed", Span{Line: 2, Old: true, Text: "b"}, false, gavel.ScopeChangedLine},
		{"whole file", Span{}, false, gavel.ScopeChangedLine},
		{"scan", Span{Line: 3}, true, gavel.ScopeChangedLine},
	} {
		res := Run(detector(func(p *Pass) { p.Report(testRule, c.at, "m") }), fileOf("a.txt", before, after), nil, c.whole)
		if len(res.Findings) != 1 || res.Findings[0].Scope != c.want || res.Findings[0].Line < 1 {
			t.Errorf("%s: %+v", c.name, res.Findings)
		}
	}
}

func TestMaskHoldsForEveryDetector(t *testing.T) {
	t.Parallel()
	f := fileOf("a.py", "", "k = 'hunter2hunter2' # TODO\n")
	dets := []Detector{
		{Name: "early", Rules: []*gavel.Rule{testRule}, Run: func(p *Pass) { p.Report(testRule, Span{Line: 1}, "m") }},
		{Name: "masks", Rules: []*gavel.Rule{testRule}, Run: func(p *Pass) {
			p.Mask(1, 5, 19, "[secret]")
			p.Mask(1, 8, 12, "[inner]")
			p.Mask(1, -5, 0, "[none]")
			p.Mask(1, 900, 999, "[none]")
		}},
	}
	got := Run(dets, f, nil, false).Findings[0]
	if got.Snippet != "k = '[secret]' # TODO" {
		t.Errorf("snippet %q", got.Snippet)
	}
	if want := gavel.Fingerprint(testRule.ID, "a.py", "k = '*' # TODO"); got.Fingerprint != want {
		t.Errorf("fingerprint %s, want %s", got.Fingerprint, want)
	}
}

func TestRemovedLinesAreNotQuoted(t *testing.T) {
	t.Parallel()
	res := Run(detector(func(p *Pass) { p.Report(testRule, Span{Line: 1, Old: true, Text: "password = hunter2"}, "m") }),
		fileOf("a.py", "password = hunter2\n", ""), nil, false)
	if s := res.Findings[0].Snippet; s != "" {
		t.Errorf("snippet %q", s)
	}
}

func TestRenameAliases(t *testing.T) {
	t.Parallel()
	f := fileOf("new.go", "", "x\n")
	f.OldPath, f.Status = "old.go", gavel.Renamed
	res := Run(detector(func(p *Pass) { p.Report(testRule, Span{Line: 1}, "m") }), f, nil, false)
	want := []string{
		gavel.Fingerprint("hygiene/old-x", "new.go", "x"),
		gavel.Fingerprint("hygiene/x", "old.go", "x"),
		gavel.Fingerprint("hygiene/old-x", "old.go", "x"),
	}
	if diff := cmp.Diff(want, res.Findings[0].Aliases); diff != "" {
		t.Error(diff)
	}
	f.Status = gavel.Copied
	res = Run(detector(func(p *Pass) { p.Report(testRule, Span{Line: 1}, "m") }), f, nil, false)
	if n := len(res.Findings[0].Aliases); n != 1 {
		t.Errorf("a copy has %d aliases", n)
	}
}

func TestBrokenDetector(t *testing.T) {
	t.Parallel()
	dets := []Detector{
		{Name: "bad", Rules: []*gavel.Rule{testRule}, Run: func(p *Pass) { p.Report(testRule, Span{Line: 1}, "before"); panic("boom") },
			Finish: func(*Summary) { panic("again") }},
		{Name: "good", Rules: []*gavel.Rule{testRule}, Run: func(p *Pass) { p.Report(testRule, Span{Line: 1}, "after") }},
	}
	res := Run(dets, fileOf("a.go", "", "x\n"), nil, false)
	var broken *BrokenError
	if !errors.As(res.Err, &broken) || broken.Detector != "bad" || len(res.Findings) != 2 {
		t.Errorf("%v, %d findings", res.Err, len(res.Findings))
	}
	var s Summary
	if Finish(dets, &s); !errors.As(s.Err, &broken) {
		t.Errorf("Finish: %v", s.Err)
	}
}

func TestLoad(t *testing.T) {
	t.Parallel()
	calls := 0
	load := func() (string, error) { calls++; return "package a\nvar s = `\nx\n`\n", nil }
	f := fileOf("a.go", "package a\nvar s = `\n`\n", "package a\nvar s = `\nx\n`\n")
	if Run(detector(func(*Pass) {}), f, load, false); calls != 0 {
		t.Error("the text was loaded though nobody asked")
	}
	Run(detector(func(p *Pass) {
		if src := p.Source(); src.Partial || src != p.Source() || src.Line(3) != "x" || src.Line(6) != "" || src.Line(0) != "" {
			t.Errorf("source %+v", src)
		}
	}), f, load, false)
	if calls != 1 {
		t.Errorf("loaded %d times", calls)
	}
	gone := errors.New("gone")
	res := Run(detector(func(p *Pass) {
		if src := p.Source(); !src.Partial || src.Line(3) != "x" {
			t.Errorf("source %+v", src)
		}
		p.Source()
	}), f, func() (string, error) { return "", gone }, false)
	if !errors.Is(res.Err, gone) {
		t.Errorf("error %v", res.Err)
	}
}

func TestPartialSource(t *testing.T) {
	t.Parallel()
	f := &gavel.File{Path: "a.go", Status: gavel.Modified, Hunks: []gavel.Hunk{
		{NewStart: 5, Lines: []gavel.Line{{Op: gavel.Context, Old: 5, New: 5, Text: "a /* open"}, {Op: gavel.Add, New: 6, Text: "b"}}},
		{NewStart: 1 << 40, Lines: []gavel.Line{{Op: gavel.Remove, Old: 9, Text: "gone"}, {Op: gavel.Add, New: 1 << 40, Text: "c // d"}}},
	}}
	Run(detector(func(p *Pass) {
		src := p.Source()
		if src.Line(5) != "a /* open" || src.Line(6) != "b" || src.Line(7) != "" || src.Line(1<<40) != "c // d" || src.Line(4) != "" {
			t.Errorf("lines of %q", src.Text)
		}
		if tok, ok := src.At(1<<40, 3); !ok || src.Text[tok.Start:tok.End] != "// d" || tok.Line != 1<<40 {
			t.Errorf("token %+v %v", tok, ok)
		}
		if n := len(src.TokensOn(1 << 40)); n != 2 {
			t.Errorf("%d tokens on the last line", n)
		}
	}), f, nil, false)
}

func TestScanTakesEveryLineAsAdded(t *testing.T) {
	t.Parallel()
	f := &gavel.File{Path: "run", Status: gavel.Added}
	res := Run(detector(func(p *Pass) {
		p.Lines(gavel.Add, func(l *gavel.Line) { p.Report(testRule, Span{Line: l.New}, "m") })
	}), f, func() (string, error) { return "#!/bin/sh\necho\nend", nil }, true)
	if len(res.Findings) != 3 || res.Findings[0].Language != "shell" || res.Findings[2].Snippet != "end" || f.Hunks != nil {
		t.Errorf("%+v", res.Findings)
	}
}

func TestSkippedTextIsForSecretsAndWhoeverAsks(t *testing.T) {
	t.Parallel()
	f := fileOf("vendor/a.go", "", "x\n")
	f.Skip = &gavel.Skip{Path: f.Path, Reason: gavel.SkipVendored}
	ran := ""
	note := func(s string) func(*Pass) { return func(*Pass) { ran += s } }
	secretRule := *testRule
	secretRule.Category = gavel.CategorySecret
	Run([]Detector{
		{Name: "a", Rules: []*gavel.Rule{testRule}, Run: note("a")},
		{Name: "b", Rules: []*gavel.Rule{testRule}, Run: note("b"), Everywhere: true},
		{Name: "c", Rules: []*gavel.Rule{&secretRule}, Run: note("c")},
	}, f, nil, false)
	if ran != "bc" {
		t.Errorf("%q ran", ran)
	}
}

func TestSnippet(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("é", 400)
	for _, c := range []struct {
		name, line string
		column     int
		want       string
	}{
		{"plain", "a b  ", 0, "a b"},
		{"carriage return", "a\r", 0, "a"},
		{"control", "a\x1b[31mb\x00\x7f\u0085", 0, "a[31mb"},
		{"hidden", "a\u202eb\u200bc\ufe0f", 0, "a<U+202E>b<U+200B>c<U+FE0F>"},
		{"invalid", "a\xffb", 0, "a\ufffdb"},
		{"start of a long line", long, 0, strings.Repeat("é", 100) + "…"},
		{"end of a long line", long, 799, "…" + strings.Repeat("é", 100)},
	} {
		got := snippet(c.line, c.column)
		if got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
	for column := range 820 {
		if s := snippet(long, column); !utf8.ValidString(s) || strings.ContainsRune(s, utf8.RuneError) {
			t.Fatalf("column %d cuts a character: %q", column, s)
		}
	}
}

// FuzzRun looks for panics and for findings that break their laws, on one line before and one text after.
func FuzzRun(f *testing.F) {
	f.Add("a_test.go", "func TestA(t *testing.T) {", "x := 1 //nolint")
	f.Add(".github/workflows/a.yml", "run: x", "run: x || true")
	f.Add("a.spec.ts", "it('a', () => {})", "it.only(`a\u202e`)")
	f.Add("tests/a.rs", "#[test]", "#[allow(x)]\n#[ignore]\nfn a() {}")
	f.Add("\xff\"", "\x00", "\u200b\xe2\x80")
	dets := Without(All(), gavel.CategorySecret)
	f.Fuzz(func(t *testing.T, path, before, after string) {
		if len(before)+len(after) > 4000 {
			return
		}
		file := fileOf(path, before, after)
		var sum Summary
		for _, whole := range []bool{false, true} {
			res := Run(dets, file, nil, whole)
			if res.Err != nil {
				t.Fatal(res.Err)
			}
			sum.Files = append(sum.Files, res.Summary, FileSummary{Path: "b.go", Code: true, Added: 1})
			for i := range res.Findings {
				checkFinding(t, &res.Findings[i])
				checkText(t, &res.Findings[i])
			}
		}
		for _, finding := range Finish(dets, &sum) {
			checkFinding(t, &finding)
			checkText(t, &finding)
		}
		if sum.Err != nil {
			t.Fatal(sum.Err)
		}
	})
}

func checkText(t *testing.T, f *gavel.Finding) {
	t.Helper()
	for _, s := range []string{f.File, f.Title, f.Description, f.Suggestion, f.Snippet, f.Language} {
		if !utf8.ValidString(s) {
			t.Errorf("%q is not UTF-8", s)
		}
	}
	if len(f.Snippet) > 8*snippetBytes {
		t.Errorf("snippet of %d bytes", len(f.Snippet))
	}
}

// goText is that many lines of plain code with a comment, a string and a call each few lines.
func goText(lines int) string {
	var b strings.Builder
	b.WriteString("package a\n")
	for i := 1; i < lines; i++ {
		switch i % 8 {
		case 0:
			fmt.Fprintf(&b, "// step%d explains what the next lines do and why they do it\n", i)
		case 3:
			fmt.Fprintf(&b, "\tif err := call%d(ctx, \"value of %d\", opts...); err != nil {\n", i, i)
		case 4:
			b.WriteString("\t\treturn fmt.Errorf(\"calling: %w\", err)\n")
		case 5:
			b.WriteString("\t}\n")
		default:
			fmt.Fprintf(&b, "\tvalue%d := other.Field[%d] + %d // sum\n", i, i, i)
		}
	}
	return b.String()
}

func BenchmarkRun(b *testing.B) {
	dets := Without(All(), gavel.CategorySecret)
	for _, c := range []struct {
		name  string
		path  string
		lines int
	}{{"5000", "a.go", 5_000}, {"5000 test", "a_test.go", 5_000}, {"100000", "a.go", 100_000}, {"100000 test", "a_test.go", 100_000}} {
		text := goText(c.lines)
		f := &gavel.File{Path: c.path, Status: gavel.Added, Size: int64(len(text)), Hunks: []gavel.Hunk{hunkOf(text)}}
		b.Run(c.name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			b.ReportAllocs()
			for b.Loop() {
				Run(dets, f, nil, false)
			}
		})
		for _, d := range dets {
			if d.Run != nil && c.lines == 100_000 {
				b.Run(c.name+"/"+d.Name, func(b *testing.B) {
					for b.Loop() {
						Run([]Detector{d}, f, nil, false)
					}
				})
			}
		}
	}
}
