package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func write(t *testing.T, root, name, text string) {
	t.Helper()
	path := filepath.Join(root, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// smallSets are one case or two of each set.
func smallSets(t *testing.T) *sets {
	t.Helper()
	root := t.TempDir()
	write(t, root, "secrets/creddata/labels.jsonl", `{"file":"files/a.txt","labels":[{"line":1,"end_line":1,"label":"T","category":"Password"},`+
		`{"line":2,"end_line":2,"label":"F","category":"Password"},{"line":3,"end_line":3,"label":"T","category":"UUID"},{"line":5,"end_line":6,"label":"T","category":"Key:UUID"}]}`+"\n")
	write(t, root, "secrets/rule-samples/samples.jsonl", `{"id":"v1","rule":"x","label":"T","text":"a"}`+"\n"+`{"id":"v2","rule":"x","label":"F","text":"b"}`+"\n")
	write(t, root, "flaky/labels.jsonl", `{"id":"c","lang":"go","repo":"o/r","flaky":"c/flaky/a_test.go","fixed":"c/fixed/a_test.go","labels":[{"line":2,"kind":"sleep","strength":"strong"},{"line":9,"kind":"sleep","strength":"poll"}]}`+"\n")
	write(t, root, "flaky/c/flaky/a_test.go", "start\nsleep\ncheck\nstop\nkept\ngone\n")
	write(t, root, "flaky/c/fixed/a_test.go", "start\nwait\ncheck\nstop\nkept\n")
	write(t, root, "risky/labels.jsonl", `{"file":"a.go","lang":"go","label_kind":"line","labels":[{"line":4,"rule":"G1"}]}`+"\n"+
		`{"file":"b.go","lang":"go","label_kind":"count","rule":"G1","expected":0}`+"\n"+`{"file":"c.go","lang":"go","label_kind":"count","rule":"G1","expected":1}`+"\n")
	write(t, root, "noise/index.jsonl", `{"diff":"diffs/a.diff"}`+"\n"+`{"diff":"diffs/b.diff"}`+"\n")
	s, err := readSets(root)
	if err != nil {
		t.Fatal(err)
	}
	s.codes = map[string][]string{"risk/one": {"G1"}}
	return s
}

func TestJudge(t *testing.T) {
	t.Parallel()
	found := []finding{
		{File: "secrets/creddata/files/a.txt", Line: 1, EndLine: 1, Kind: "secret/p"},
		{File: "secrets/creddata/files/a.txt", Line: 2, EndLine: 2, Kind: "secret/p"}, // false
		{File: "secrets/creddata/files/a.txt", Line: 3, EndLine: 3, Kind: "secret/p"}, // out of scope, and true
		{File: "secrets/rule-samples/v1", Line: 1, EndLine: 1, Kind: "secret/p"},
		{File: "secrets/rule-samples/v2", Line: 1, EndLine: 1, Kind: "secret/q"},    // false
		{File: "flaky/c/flaky/a_test.go", Line: 3, EndLine: 3, Kind: "flaky/sleep"}, // next to the label
		{File: "flaky/c/flaky/a_test.go", Line: 6, EndLine: 6, Kind: "flaky/sleep"}, // on a line that went: false
		{File: "flaky/c/flaky/a_test.go", Line: 5, EndLine: 5, Kind: "flaky/sleep"}, // not judged
		{File: "flaky/c/fixed/a_test.go", Line: 2, EndLine: 2, Kind: "flaky/sleep"}, // false
		{File: "risky/a.go", Line: 5, EndLine: 5, Kind: "risk/one"},                 // next to the label
		{File: "risky/a.go", Line: 9, EndLine: 9, Kind: "risk/one"},                 // false
		{File: "risky/a.go", Line: 9, EndLine: 9, Kind: "risk/two"},                 // stands for another code: not judged
		{File: "risky/b.go", Line: 1, EndLine: 1, Kind: "risk/one"},                 // false
		{File: "noise/diffs/a.diff", Line: 1, EndLine: 1, Kind: "secret/p", Severity: "low", Category: "secret"},
		{File: "noise/diffs/a.diff", Line: 1, EndLine: 1, Kind: "hygiene/x", Severity: "info", Category: "hygiene"},
	}
	s := smallSets(t)
	r := judge(s, found)
	for _, c := range []struct {
		name      string
		got, want any
	}{
		{"real files", r.cred, score{1, 1, 1}},
		{"samples", r.samples, share{1, 1}},
		{"false samples", r.wrong, share{1, 1}},
		{"flaky", r.flaky.score, score{1, 2, 0}},
		{"flaky pairs", r.flaky.pairs, share{0, 1}},
		{"on fixed lines", r.flaky.onFixed, 1},
		{"risk found", r.risky["go"].found, share{1, 2}},
		{"risk flagged", r.risky["go"].flagged, share{1, 1}},
		{"secrets on diffs", r.noise["secret"], 1},
		{"above info", r.aboveInfo, 1},
	} {
		if c.got != c.want {
			t.Errorf("%s: %v, want %v", c.name, c.got, c.want)
		}
	}
	p := r.precision(s)
	for rule, want := range map[string]judgedBy{"secret/p": {4, 3}, "secret/q": {1, 0}, "flaky/sleep": {3, 1}, "risk/one": {3, 1}} {
		if got := p.Rules[rule]; got == nil || got.N != want.N || got.Right != want.Right {
			t.Errorf("%s: %+v, want %+v", rule, got, want)
		}
	}
	if p.Rules["risk/two"] != nil {
		t.Error("a rule that no label is about was judged")
	}
	if len(r.misses) == 0 || !slices.ContainsFunc(r.misses, func(m string) bool { return strings.Contains(m, "missed risky/c.go G1") }) {
		t.Errorf("misses: %q", r.misses)
	}
}

func TestCompareLines(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		a, b         string
		onlyA, onlyB int
	}{
		{"", "", 0, 0},
		{"a b c", "a b c", 0, 0},
		{"a b c", "a x c", 1, 1},
		{"a a a", "a", 2, 0},
		{"x a b y", "a b x y z", 1, 2},
	} {
		onlyA, onlyB := compareLines(strings.Split(c.a, " "), strings.Split(c.b, " "))
		if len(onlyA) != c.onlyA || len(onlyB) != c.onlyB {
			t.Errorf("%q, %q: %v and %v", c.a, c.b, onlyA, onlyB)
		}
	}
}

func TestReadCodes(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "codes.txt")
	write(t, filepath.Dir(path), "codes.txt", "# comment\nrisk/tls-off G402 S501\nrisk/exec: G204, detect-child-process\n\n")
	codes, err := readCodes(path)
	if err != nil || strings.Join(codes["risk/tls-off"], " ") != "G402 S501" || strings.Join(codes["risk/exec"], " ") != "G204 detect-child-process" {
		t.Errorf("%v, %v", codes, err)
	}
	if codes, err := readCodes(path + ".not-there"); err != nil || codes != nil {
		t.Errorf("%v, %v", codes, err)
	}
}

func TestEmptyFolderIsAnError(t *testing.T) {
	t.Parallel()
	if _, err := readSets(t.TempDir()); err == nil {
		t.Error("a folder without data was measured")
	}
}

func TestTable(t *testing.T) {
	t.Parallel()
	s := smallSets(t)
	var b strings.Builder
	printTable(&b, []row{{"gavel", judge(s, nil)}, {"peer", judge(s, nil)}})
	lines := strings.Split(strings.TrimSpace(b.String()), "\n")
	if len(lines) != len(measures())+1 || !strings.Contains(lines[0], "peer") {
		t.Errorf("table:\n%s", b.String())
	}
}
