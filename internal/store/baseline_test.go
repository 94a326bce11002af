package store

import (
	"bytes"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gavel-review/gavel"
)

var (
	printA = "g1:" + strings.Repeat("a", 32)
	printB = "g1:" + strings.Repeat("b", 32)
)

func TestRenderBaseline(t *testing.T) {
	t.Parallel()
	want := "{\n  \"version\": 1,\n  \"fingerprints\": {\n    \"" + printA + "\": 2,\n    \"" + printB + "\": 1\n  }\n}\n"
	if got := RenderBaseline(map[string]int{printB: 1, printA: 2, "g1:none": 0, "g1:less": -1}); string(got) != want {
		t.Errorf("got %s", got)
	}
	for _, empty := range []map[string]int{nil, {}, {printA: 0}} {
		if got := RenderBaseline(empty); string(got) != "{\n  \"version\": 1,\n  \"fingerprints\": {}\n}\n" {
			t.Errorf("empty: %s", got)
		}
	}
}

func TestParseBaseline(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		file string
		want map[string]int
	}{
		"empty":    {`{"version":1,"fingerprints":{}}`, map[string]int{}},
		"compact":  {`{"fingerprints":{"` + printB + `":3,"` + printA + `":1},"version":1}`, map[string]int{printA: 1, printB: 3}},
		"CRLF":     {"{\r\n\"version\": 1,\r\n\"fingerprints\": {\"" + printA + "\": 1}\r\n}\r\n", map[string]int{printA: 1}},
		"rendered": {string(RenderBaseline(map[string]int{printA: 7})), map[string]int{printA: 7}},
	} {
		if got, err := ParseBaseline([]byte(tt.file)); err != nil || !maps.Equal(got, tt.want) {
			t.Errorf("%s: %v, %v", name, got, err)
		}
	}
}

func TestParseBaselineIsStrict(t *testing.T) {
	t.Parallel()
	prints := func(s string) string { return `{"version":1,"fingerprints":{` + s + `}}` }
	one := `"` + printA + `":1`
	tests := []struct{ name, file, why string }{
		{"nothing", "", "not a JSON object"},
		{"blanks", " \n", "not a JSON object"},
		{"null", "null", "not a JSON object"},
		{"a list", "[]", "not a JSON object"},
		{"a byte order mark", "\ufeff" + prints(one), "not a JSON object"},
		{"half", `{"version":1,"fingerprints":{` + one, "unexpected EOF"},
		{"a merge conflict", "{\n<<<<<<< HEAD\n" + prints(one)[1:], "invalid character"},
		{"something behind", prints(one) + "{}", "follows the object"},
		{"no version", `{"fingerprints":{}}`, "version is missing"},
		{"version 0", `{"version":0,"fingerprints":{}}`, "not a version"},
		{"version -1", `{"version":-1,"fingerprints":{}}`, "not a version"},
		{"version as text", `{"version":"1","fingerprints":{}}`, "not a version"},
		{"version 1.0", `{"version":1.0,"fingerprints":{}}`, "not a version"},
		{"newer", `{"version":2,"entries":[]}`, "newer"},
		{"version twice", `{"version":1,"version":1,"fingerprints":{}}`, "stands twice"},
		{"version in capitals", `{"Version":1,"fingerprints":{}}`, "version is missing"},
		{"no fingerprints", `{"version":1}`, "fingerprints: not a JSON object"},
		{"fingerprints as a list", `{"version":1,"fingerprints":["` + printA + `"]}`, "fingerprints: not a JSON object"},
		{"fingerprints null", `{"version":1,"fingerprints":null}`, "fingerprints: not a JSON object"},
		{"fingerprints twice", `{"version":1,"fingerprints":{},"fingerprints":{}}`, "stands twice"},
		{"unknown key", `{"version":1,"fingerprints":{},"more":1}`, `unknown key "more"`},
		{"doubled print", prints(one + "," + one), "stands twice"},
		{"doubled print, escaped", prints(one + `,"\u00671:` + printA[3:] + `":1`), "stands twice"},
		{"count 0", prints(`"` + printA + `":0`), "not a count"},
		{"count -1", prints(`"` + printA + `":-1`), "not a count"},
		{"count 1.5", prints(`"` + printA + `":1.5`), "not a count"},
		{"count 1e3", prints(`"` + printA + `":1e3`), "not a count"},
		{"count as text", prints(`"` + printA + `":"1"`), "not a count"},
		{"count null", prints(`"` + printA + `":null`), "not a count"},
		{"count true", prints(`"` + printA + `":true`), "not a count"},
		{"count too large", prints(`"` + printA + `":99999999999999999999`), "not a count"},
		{"short print", prints(`"g1:abc":1`), "not a fingerprint"},
		{"long print", prints(`"` + printA + `0":1`), "not a fingerprint"},
		{"print in capitals", prints(`"` + strings.ToUpper(printA) + `":1`), "not a fingerprint"},
		{"print of another algorithm", prints(`"g2:` + printA[3:] + `":1`), "not a fingerprint"},
		{"empty print", prints(`"":1`), "not a fingerprint"},
	}
	for _, tt := range tests {
		got, err := ParseBaseline([]byte(tt.file))
		if e := wantClass(t, err, gavel.InvalidArgs); !strings.Contains(e.Message, tt.why) || !strings.HasPrefix(e.Message, "baseline: ") || e.Hint == "" || got != nil {
			t.Errorf("%s: %v, %q, want %q", tt.name, got, e.Message, tt.why)
		}
	}
}

func FuzzParseBaseline(f *testing.F) {
	for _, file := range []string{
		"", "{}", `{"version":1,"fingerprints":{}}`, string(RenderBaseline(map[string]int{printA: 2, printB: 1})), `{"version":2}`, `{"a":{"b":[`,
	} {
		f.Add([]byte(file))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		counts, err := ParseBaseline(data)
		if err != nil {
			wantClass(t, err, gavel.InvalidArgs)
			return
		}
		for print, n := range counts {
			if n < 1 || !validFingerprint(print) || !bytes.Contains(data, []byte(print[3:])) && !bytes.Contains(data, []byte(`\u`)) {
				t.Fatalf("%q: %d came from nowhere", print, n)
			}
		}
		rendered := RenderBaseline(counts)
		again, err := ParseBaseline(rendered)
		if err != nil || !maps.Equal(counts, again) || !bytes.Equal(rendered, RenderBaseline(again)) {
			t.Fatalf("%v, rendered and read: %v, %v", counts, again, err)
		}
	})
}

func TestWriteBaseline(t *testing.T) {
	t.Parallel()
	repo := t.TempDir()
	path := filepath.Join(repo, ".gavel", "baseline.json")
	must(t, WriteBaseline(path, map[string]int{printA: 1}))
	first, err := os.Stat(path)
	must(t, err)
	if first.Mode().Perm() != 0o644 {
		t.Errorf("mode %04o", first.Mode().Perm())
	}
	must(t, WriteBaseline(path, map[string]int{printA: 1}))
	if second, err := os.Stat(path); err != nil || !os.SameFile(first, second) {
		t.Errorf("equal bytes were written again: %v", err)
	}
	must(t, WriteBaseline(path, map[string]int{printA: 2}))
	data, err := os.ReadFile(path)
	must(t, err)
	if counts, err := ParseBaseline(data); err != nil || counts[printA] != 2 {
		t.Errorf("%v, %v", counts, err)
	}
	entries, err := os.ReadDir(filepath.Dir(path))
	if err != nil || len(entries) != 1 {
		t.Errorf("left behind: %v, %v", entries, err)
	}
	wantClass(t, WriteBaseline(path, map[string]int{"nonsense": 1}), gavel.Internal)
}

// A repository must not choose what is written outside of it.
func TestWriteBaselineFollowsNoLink(t *testing.T) {
	t.Parallel()
	outside := t.TempDir()
	target := filepath.Join(outside, "baseline.json")
	must(t, os.WriteFile(target, []byte("precious"), 0o644))
	plants := map[string]func(dir, path string){
		"linked folder":    func(dir, _ string) { must(t, os.Symlink(outside, dir)) },
		"dangling link":    func(dir, _ string) { must(t, os.Symlink(filepath.Join(outside, "none"), dir)) },
		"folder is a file": func(dir, _ string) { must(t, os.WriteFile(dir, nil, 0o644)) },
		"linked file": func(dir, path string) {
			must(t, os.Mkdir(dir, 0o755))
			must(t, os.Symlink(target, path))
		},
		"file is a folder": func(_, path string) { must(t, os.MkdirAll(path, 0o755)) },
	}
	for name, plant := range plants {
		dir := filepath.Join(t.TempDir(), ".gavel")
		path := filepath.Join(dir, "baseline.json")
		plant(dir, path)
		err := WriteBaseline(path, map[string]int{printA: 1})
		if e := wantClass(t, err, gavel.Refused); strings.Contains(e.Hint, "GAVEL_HOME") {
			t.Errorf("%s: the hint speaks of the state: %q", name, e.Hint)
		}
	}
	if data, err := os.ReadFile(target); err != nil || string(data) != "precious" {
		t.Errorf("%q, %v", data, err)
	}
	entries, err := os.ReadDir(outside)
	if err != nil || len(entries) != 1 {
		t.Errorf("%v, %v", entries, err)
	}
}
