package test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
)

// editFile replaces the first OLD in FILE by NEW and writes OUT.
func editFile(ts *testscript.TestScript, neg bool, args []string) {
	usage(ts, neg || len(args) != 4, "edit FILE OLD NEW OUT")
	data := ts.ReadFile(args[0])
	if !strings.Contains(data, args[1]) {
		ts.Fatalf("%s does not hold %q", args[0], args[1])
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[3]), []byte(strings.Replace(data, args[1], args[2], 1)), 0o600))
}

// cutFile writes the first N bytes of FILE to OUT.
func cutFile(ts *testscript.TestScript, neg bool, args []string) {
	usage(ts, neg || len(args) != 3, "cut FILE N OUT")
	n, err := strconv.Atoi(args[1])
	ts.Check(err)
	data := ts.ReadFile(args[0])
	ts.Check(os.WriteFile(ts.MkAbs(args[2]), []byte(data[:min(n, len(data))]), 0o600))
}

// fingerprint writes the fingerprint of the first finding of RULE in the last standard output to FILE.
func fingerprint(ts *testscript.TestScript, neg bool, args []string) {
	usage(ts, neg || len(args) != 3, "fingerprint DOCUMENT RULE FILE")
	var doc struct {
		Findings []struct{ Rule, Fingerprint string }
	}
	ts.Check(json.NewDecoder(bytes.NewReader([]byte(ts.ReadFile(args[0])))).Decode(&doc))
	for _, f := range doc.Findings {
		if f.Rule == args[1] {
			ts.Check(os.WriteFile(ts.MkAbs(args[2]), []byte(f.Fingerprint), 0o600))
			return
		}
	}
	ts.Fatalf("no finding of %s", args[1])
}

// acknowledge runs `gavel acknowledge` for the fingerprint in FILE.
func acknowledge(ts *testscript.TestScript, neg bool, args []string) {
	usage(ts, neg || len(args) != 2, "acknowledge FILE WHY")
	ts.Check(ts.Exec("gavel", "acknowledge", ts.ReadFile(args[0]), "--why", args[1]))
}

// hostileNames copies FILE under names that git quotes, that break lines and that are not UTF-8.
func hostileNames(ts *testscript.TestScript, neg bool, args []string) {
	usage(ts, neg || len(args) != 2, "hostile-names FILE DIR")
	data := []byte(ts.ReadFile(args[0]))
	for _, name := range []string{"naïve & 日本.go", "tab\there.go", "line\nbreak.go", `"quoted".go`, `back\slash.go`, "latin\xe9.go", " lead and trail .go ", "-dash.go", "b/a.go"} {
		path := filepath.Join(ts.MkAbs(args[1]), name)
		ts.Check(os.MkdirAll(filepath.Dir(path), 0o755))
		ts.Check(os.WriteFile(path, data, 0o644))
	}
}
