package report

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/gavel-review/gavel"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

func TestReadRoundTrip(t *testing.T) {
	t.Parallel()
	for _, s := range samples() {
		data := render(t, s, formats[0].write)
		got, err := ReadDocument(iotest.OneByteReader(bytes.NewReader(data)), 0)
		if err != nil {
			t.Errorf("%s: %v", s.name, err)
			continue
		}
		want := complete(s.doc)
		if diff := cmp.Diff(&want, got, cmpopts.EquateEmpty()); diff != "" && s.name != "hostile" {
			t.Errorf("%s: %s", s.name, diff)
		}
		var again bytes.Buffer
		if err := JSON(&again, got); err != nil || !bytes.Equal(again.Bytes(), data) {
			t.Errorf("%s: reading and writing changes it (%v)", s.name, err)
		}
	}
}

// edit changes the full sample's JSON as a person with an editor would.
func edit(t *testing.T, pairs ...string) string {
	t.Helper()
	text := string(render(t, fullSample(), formats[0].write))
	for i := 0; i < len(pairs); i += 2 {
		if !strings.Contains(text, pairs[i]) {
			t.Fatalf("the sample does not hold %q", pairs[i])
		}
		text = strings.Replace(text, pairs[i], pairs[i+1], 1)
	}
	return text
}

func TestReadRefuses(t *testing.T) {
	t.Parallel()
	whole := edit(t)
	for _, c := range []struct {
		name, in string
		fault    Fault
		message  string // part of it
	}{
		{"nothing", "", FaultCutShort, "empty"},
		{"blanks", " \n", FaultCutShort, "empty"},
		{"many blanks", strings.Repeat(" ", 1000), FaultCutShort, ""},
		{"empty object", "{}", FaultForeign, "no schema number"},
		{"error object", `{"error":"provider failed"}`, FaultForeign, "reports an error"},
		{"tool error", `{"error_class":"refused","message":"no","schema_version":"gavel.mcp.v1"}`, FaultForeign, "reports an error"},
		{"array", "[]", FaultForeign, "not a JSON object"},
		{"null", "null", FaultForeign, "not a JSON object"},
		{"number", "1", FaultForeign, "not a JSON object"},
		{"text", "3 findings; BLOCK", FaultSyntax, "after top-level value"},
		{"byte order mark", "\ufeff" + whole, FaultSyntax, "invalid character"},
		{"not UTF-8", strings.Replace(whole, "Focused", "F\xffcused", 1), FaultSyntax, "UTF-8"},
		{"cut in half", whole[:len(whole)/2], FaultCutShort, "byte"},
		{"last brace gone", strings.TrimSuffix(whole, "}\n"), FaultCutShort, "byte"},
		{"two documents", whole + whole, FaultSyntax, "after top-level value"},
		{"trailing word", whole + "x", FaultSyntax, "after top-level value"},
		{"deep", strings.Repeat("[", 20000), FaultSyntax, "depth"},
		{"schema 99", edit(t, `"schema": 1`, `"schema": 99`), FaultSchema, "schema: 99 is not known"},
		{"schema 0", edit(t, `"schema": 1`, `"schema": 0`), FaultSchema, ""},
		{"schema as text", edit(t, `"schema": 1`, `"schema": "1"`), FaultSchema, ""},
		{"schema as fraction", edit(t, `"schema": 1`, `"schema": 1.0`), FaultSchema, ""},
		{"only a schema", `{"schema":1}`, FaultShape, "schema_version: it is missing"},
		{"wire version", edit(t, `"gavel.mcp.v1"`, `"gavel.mcp.v2"`), FaultSchema, "gavel.mcp.v2"},
		{"findings null", edit(t, `"notes": [`, `"notes": null, "x": [`), FaultShape, "meta.notes: it is null, not an array"},
		{"findings missing", edit(t, `"findings": [`, `"gone": [`), FaultShape, "findings: it is missing"},
		{"settled missing", edit(t, "\n  \"settled\": [", "\n  \"other\": ["), FaultShape, "settled: it is missing"},
		{"doubled key", edit(t, `"schema": 1`, `"schema": 1, "findings": []`), FaultShape, "findings: it is there twice"},
		{"doubled key, escaped", edit(t, `"schema": 1`, `"schema": 1, "\u0066indings": []`), FaultShape, "findings: it is there twice"},
		{"doubled schema", edit(t, `"schema": 1`, `"schema": 99, "schema": 1`), FaultShape, "schema: it is there twice"},
		{"doubled inside", edit(t, `"title": "Focused test"`, `"title": "x", "title": "Focused test"`), FaultShape, "findings[0].title: it is there twice"},
		{"another case", edit(t, `"schema": 1`, `"schema": 1, "Findings": []`), FaultShape, `"Findings" is not "findings"`},
		{"folded letter", edit(t, `"schema": 1`, `"schema": 1, "findingſ": []`), FaultShape, `is not "findings"`},
		{"severity", edit(t, `"severity": "high"`, `"severity": "urgent"`), FaultShape, `findings[0].severity: "urgent" is none of critical, high`},
		{"severity in capitals", edit(t, `"severity": "high"`, `"severity": "HIGH"`), FaultShape, ""},
		{"severity number", edit(t, `"severity": "high"`, `"severity": 4`), FaultShape, "it is a number, not a string"},
		{"category", edit(t, `"category": "hygiene"`, `"category": ""`), FaultShape, ""},
		{"reason", edit(t, `"reason": "baseline"`, `"reason": "because"`), FaultShape, "settled[0].settled[0].reason"},
		{"skip reason", edit(t, `"reason": "too_large"`, `"reason": "boring"`), FaultShape, "meta.coverage.skipped[0].reason"},
		{"verdict", edit(t, `"verdict_hint": "BLOCK"`, `"verdict_hint": "ALLOW"`), FaultShape, "verdict_hint"},
		{"fail_on", edit(t, `"fail_on": "high"`, `"fail_on": ""`), FaultShape, "summary.gate.fail_on"},
		{"line zero", edit(t, `"line": 17`, `"line": 0`), FaultShape, "findings[0].line: 0 is less than 1"},
		{"line fraction", edit(t, `"line": 17`, `"line": 1.5`), FaultShape, "no integer"},
		{"line exponent", edit(t, `"line": 17`, `"line": 1e3`), FaultShape, "no integer"},
		{"line huge", edit(t, `"line": 17`, `"line": 99999999999999999999`), FaultShape, "no integer"},
		{"negative count", edit(t, `"critical": 1`, `"critical": -1`), FaultShape, "less than 0"},
		{"bool as text", edit(t, `"passed": false`, `"passed": "false"`), FaultShape, "it is a string, not a boolean"},
		{"time", edit(t, "2026-01-02T03:04:05Z", "yesterday"), FaultShape, "meta.timestamp"},
		{"cost", edit(t, `"cost_usd": 0.0123`, `"cost_usd": 1e999`), FaultShape, "meta.cost_usd"},
		{"object for array", edit(t, `"filters": []`, `"filters": {}`), FaultShape, "it is an object, not an array"},
		{"null finding", edit(t, `"findings": [`, `"findings": [null,`), FaultShape, "findings[0]: it is null"},
		{"settled null", edit(t, `"located": true`, `"located": true, "settled": null`), FaultShape, "it is null"},
		{"a finding less", edit(t, `"findings_total": 11`, `"findings_total": 12`), FaultContradiction, "12, but 11"},
		{"a reason on an open finding", edit(t, `"located": true`, `"located": true, "settled": [{"reason": "ruled", "detail": ""}]`), FaultContradiction, "findings[0]"},
		{"no reason", edit(t, `"findings": [`, `"findings": [], "x": [`, "\n  \"settled\": [", "\n  \"y\": [", `"findings_total"`, `"settled": [], "findings_total"`), FaultContradiction, "11, but 0"},
		{"coverage", edit(t, `"reviewed": 12`, `"reviewed": 20`), FaultContradiction, "meta.coverage"},
		{"truncation", edit(t, `"truncated": null`, `"truncated": {"returned": 5, "total": 4}`), FaultContradiction, "truncated"},
		{"terminal codes", edit(t, `"severity": "high"`, `"severity": "\u001b[2J"`), FaultShape, `\x1b[2J`},
	} {
		doc, err := ReadDocument(strings.NewReader(c.in), 0)
		var refusal *DocumentError
		switch {
		case err == nil:
			t.Errorf("%s: accepted: %+v", c.name, doc)
		case !errors.As(err, &refusal):
			t.Errorf("%s: not a *DocumentError: %v", c.name, err)
		case refusal.Fault != c.fault || !strings.Contains(err.Error(), c.message):
			t.Errorf("%s: %s: %v; want %s: …%s…", c.name, refusal.Fault, err, c.fault, c.message)
		}
	}
}

func TestReadIgnoresUnknownFields(t *testing.T) {
	t.Parallel()
	in := edit(t, `"schema": 1`, `"schema": 1, "new": {"schema": 99, "a": [[{"b": "]}\"\\"}]], "a": null}, "newer": -1.5e3, "newest": ""`, `"located": true`, `"located": true, "owner": [true, false, null]`)
	if _, err := ReadDocument(strings.NewReader(in), 0); err != nil {
		t.Error(err)
	}
}

func TestReadLimit(t *testing.T) {
	t.Parallel()
	whole := edit(t)
	if _, err := ReadDocument(strings.NewReader(whole), int64(len(whole))); err != nil {
		t.Errorf("a document as large as allowed: %v", err)
	}
	var refusal *DocumentError
	if _, err := ReadDocument(strings.NewReader(whole), int64(len(whole)-1)); !errors.As(err, &refusal) || refusal.Fault != FaultTooLarge {
		t.Errorf("one byte more than allowed: %v", err)
	}
	broken := errors.New("broken pipe")
	if _, err := ReadDocument(io.MultiReader(strings.NewReader("{"), iotest.ErrReader(broken)), 0); !errors.Is(err, broken) {
		t.Errorf("the read error is lost: %v", err)
	}
}

// FuzzReadDocument: no panic; whatever is accepted has all that a gate relies on, and keeps it when written again.
func FuzzReadDocument(f *testing.F) {
	small := newSample("small", []gavel.Finding{finding(nil)}, nil) // large seeds keep the fuzzer from trying much
	var b, compact bytes.Buffer
	if err := JSON(&b, small.doc); err != nil {
		f.Fatal(err)
	}
	if err := json.Compact(&compact, b.Bytes()); err != nil {
		f.Fatal(err)
	}
	f.Add(compact.Bytes())
	for _, s := range []string{"{}", `{"schema":1}`, `{"schema":1,"findings":null}`, `{"a":{"b":[1,"\"}"]},"schema":1}`, "[", `{"schema":1,"x":"\ud800"}`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		doc, err := ReadDocument(bytes.NewReader(data), 1<<20)
		if err != nil {
			if doc != nil {
				t.Fatal("a document and an error")
			}
			return
		}
		var b bytes.Buffer
		if err := JSON(&b, doc); err != nil {
			t.Fatalf("accepted, but cannot be written: %v", err)
		}
		if _, err := ReadDocument(&b, 0); err != nil {
			t.Fatalf("accepted, written, refused: %v", err)
		}
	})
}
