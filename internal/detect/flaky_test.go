package detect

import (
	"strings"
	"testing"

	"github.com/gavel-review/gavel"
	"github.com/gavel-review/gavel/internal/code"
)

// viewOf is the view of a text in the language of the path.
func viewOf(path, text string) *flakyView {
	lang := code.LanguageOf(path, "")
	p := &Pass{File: &gavel.File{Path: path}, Lang: lang, source: newSource(lang, text)}
	return newFlakyView(p)
}

func TestMilliseconds(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		path, text string
		bare, want float64
		known      bool
	}{
		{"a.go", "100 * time.Millisecond", 1e-6, 100, true},
		{"a.go", "time.Second * 2", 1e-6, 2000, true},
		{"a.go", "time.Second", 1e-6, 1000, true},
		{"a.go", "1 * time.Second / 4", 1e-6, 250, true},
		{"a.go", "0", 1e-6, 0, true},
		{"a.go", "pause", 1e-6, 0, false},
		{"a.go", "2 * pause", 1e-6, 0, false},
		{"a.js", "1_000", 1, 1000, true},
		{"a.js", "5e3", 1, 5000, true},
		{"a.py", "0.5", 1000, 500, true},
		{"a.py", "1 + 1", 1000, 0, false},
		{"a.java", "200L", 1, 200, true},
		{"a.java", "10, TimeUnit.SECONDS", 1, 10000, true},
		{"A.cs", "TimeSpan.FromSeconds(3)", 1, 3000, true},
		{"a.rs", "std::time::Duration::from_millis(20)", 1, 20, true},
		{"a.rs", "Duration::from_secs(5u64)", 1, 5000, true},
		{"a.swift", "nanoseconds: 100_000_000", 1, 100, true},
		{"a.js", "\"10\"", 1, 0, false},
		{"a.js", "4 / 0", 1, 0, false},
	} {
		v := viewOf(c.path, c.text)
		ms, known := v.milliseconds(0, len(v.tokens), c.bare)
		if known != c.known || known && (ms < c.want*0.999 || ms > c.want*1.001) {
			t.Errorf("%s: %q is %v %v, want %v %v", c.path, c.text, ms, known, c.want, c.known)
		}
	}
}

func TestFlakyLiterals(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name  string
		judge func(string) bool
		yes   []string
		no    []string
	}{
		{"publicURL", publicURL,
			[]string{"https://api.github.com/zen", "http://www.google.com", "https://user@pypi.org:443/x"},
			[]string{"http://localhost:80", "https://127.0.0.1/", "https://example.com", "https://a.example.org/x", "http://x.test", "http://host/", "ftp://a.b.com", "https://{host}.com", "https://"}},
		{"portIn", portIn,
			[]string{":8080", "127.0.0.1:8099", "http://localhost:5000/x", "[::1]:443"},
			[]string{":0", "localhost", "127.0.0.1:", "a: 8080", ":http", "::1", "x:123456"}},
		{"sharedPath", sharedPath,
			[]string{"/tmp/x", "/var/tmp/a/b", "C:/Temp/x"},
			[]string{"/tmp/", "/tmp", "/tmpfs/x", "/tmp/${x}", "/tmp/tmp.XXXX", "/home/x"}},
		{"brittle", brittle,
			[]string{"/html/body/div[2]", "//div[2]/span[1]/a", "main > div:nth-child(3) > a"},
			[]string{"//button[@id='x']", "#save", "li:nth-child(2)", "https://x/[1]", "//a"}},
	} {
		for _, s := range c.yes {
			if !c.judge(s) {
				t.Errorf("%s(%q) is false", c.name, s)
			}
		}
		for _, s := range c.no {
			if c.judge(s) {
				t.Errorf("%s(%q) is true", c.name, s)
			}
		}
	}
}

func TestHeaders(t *testing.T) {
	t.Parallel()
	text := "func TestA(\n\tt *testing.T,\n) {\n\tfor i := range 3 {\n\t\tif x {\n\t\t} else {\n\t\t\tf()\n\t\t}\n\t}\n}\n"
	v := viewOf("a_test.go", text)
	row, ok := v.row(7)
	if !ok {
		t.Fatal("line 7 has no row")
	}
	var got []string
	for _, h := range v.headers(row) {
		got = append(got, v.text(h.from))
	}
	if s := strings.Join(got, " "); s != "if for func" {
		t.Errorf("headers begin with %q", s)
	}
}

// TestFlakyPartial looks at a hunk without the lines that open its blocks.
func TestFlakyPartial(t *testing.T) {
	t.Parallel()
	f := &gavel.File{Path: "a_test.go", Status: gavel.Modified, Hunks: []gavel.Hunk{{OldStart: 50, OldLines: 1, NewStart: 50, NewLines: 3, Lines: []gavel.Line{
		{Op: gavel.Context, Old: 50, New: 50, Text: "\tstart()"},
		{Op: gavel.Add, New: 51, Text: "\ttime.Sleep(time.Second)"},
		{Op: gavel.Add, New: 52, Text: "\tos.Setenv(\"A\", \"b\")"},
	}}}}
	res := Run([]Detector{flaky}, f, nil, false)
	if len(res.Findings) != 2 || res.Findings[0].Line != 51 || res.Findings[1].Rule != "flaky/env-mutation" {
		t.Errorf("findings are %+v", res.Findings)
	}
}

func FuzzFlaky(f *testing.F) {
	for _, path := range []string{"a_test.go", "a.test.ts", "test_a.py", "ATest.java", "ATest.kt", "ATests.cs", "a_spec.rb", "ATest.php", "tests/a.rs", "ATests.swift"} {
		f.Add(path, "func TestA(t *testing.T) {\n\ttime.Sleep(\n\tos.Setenv(\"A\"\n\tgo func() { t.Fatal( }\n")
		f.Add(path, "@Test void a() {\n  Thread.sleep(5);\n  assertTrue(System.currentTimeMillis() - x < 5)\n")
		f.Add(path, "it('a', async () => {\n  await sleep(\n  expect(x).resolves\n  for k := range map[\n")
		f.Add(path, "  sleep\n rand\n open('/tmp/x', 'w\n list(set(\n\"http://a.b\"\n")
	}
	f.Fuzz(func(t *testing.T, path, text string) {
		file := &gavel.File{Path: path, Status: gavel.Added}
		if res := Run([]Detector{flaky}, file, func() (string, error) { return text, nil }, true); res.Err != nil {
			t.Fatal(res.Err)
		}
		h := hunkOf(text)
		file = &gavel.File{Path: path, Status: gavel.Modified, Hunks: []gavel.Hunk{h}}
		if res := Run([]Detector{flaky}, file, nil, false); res.Err != nil {
			t.Fatal(res.Err)
		}
	})
}
