package gavel_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"reflect"
	"testing"
	"time"

	"github.com/gavel-review/gavel"
)

var update = flag.Bool("update", false, "write the golden files anew")

// wholeDocument sets every field, so that the golden file shows every name on the wire.
func wholeDocument() gavel.Document {
	finding := gavel.Finding{
		Severity: gavel.High, File: "cmd/main.go", Line: 12, LineEnd: 13, Column: 4, Title: "title", Description: "description",
		Suggestion: "suggestion", Language: "go", Snippet: "key := \"*\"", Quote: "quote", Located: true, Rule: "secret/key",
		Category: gavel.CategorySecret, Source: gavel.SourceDetector, Check: "eslint@web", Confidence: gavel.ConfidenceHigh,
		Fingerprint: gavel.Fingerprint("secret/key", "cmd/main.go", `key := "*"`), Scope: gavel.ScopeChangedLine,
		Baseline: gavel.BaselineNew, CWE: "CWE-798", Commit: "0123456789abcdef0123456789abcdef01234567", Descriptive: true, Pending: "line 11, until 2026-04-01: r",
		Settled: []gavel.Settlement{{Reason: gavel.ReasonDuplicate, Detail: "of secret/token"}}, Aliases: []string{"never on the wire"},
	}
	return gavel.Document{
		Schema: gavel.SchemaVersion, SchemaVersion: gavel.WireVersion, RunID: "20260310-121314-0123456789ab", Content: "raw",
		Findings: []gavel.Finding{finding}, Settled: []gavel.Finding{finding}, FindingsTotal: 2,
		Truncated: &gavel.Truncation{Returned: 1, Total: 2}, Signature: &gavel.Signature{Key: "ed25519:k", Value: "v"},
		Summary: gavel.Summary{
			Text: "1 finding", Counts: gavel.Counts{Critical: 1, High: 2, Medium: 3, Low: 4, Info: 5},
			Gate: gavel.GateAnswer{FailOn: new(gavel.Threshold("high")), Passed: true, Reason: "reason"},
		},
		VerdictHint: new(gavel.Conditional),
		Meta: gavel.Meta{
			ToolVersion: "1.2.3", Repo: gavel.RepoMeta{ID: "id", BaseTree: "base", HeadTree: "head", DiffDigest: "sha256:d", Filters: []string{"file=a.go"}},
			Provider: "none", Model: "m", Lang: "en", Usage: gavel.Usage{InputTokens: 1, OutputTokens: 2, CachedInputTokens: 3},
			CostUSD: new(0.5), LatencyMS: 7, Cached: true, Timestamp: time.Date(2026, 3, 10, 12, 13, 14, 0, time.UTC), Baselined: 1,
			Suppressed: 2, RetryCount: 3, DegradeReason: "degraded", FilteredCommits: new(4), MinSeverity: new(gavel.Low), NoFlaky: true,
			Notes: []string{"note"}, Coverage: gavel.Coverage{
				Files: 4, Reviewed: 2, Skipped: []gavel.Skip{{Path: "x.bin", Reason: gavel.SkipBinary, Detail: "detail"}}, Unlisted: 1, Model: gavel.ModelNone,
			},
		},
	}
}

func TestDocumentGolden(t *testing.T) {
	t.Parallel()
	golden(t, "testdata/document.json", wholeDocument())
	d := gavel.Document{
		Schema: gavel.SchemaVersion, SchemaVersion: gavel.WireVersion, RunID: "r", Findings: []gavel.Finding{}, Settled: []gavel.Finding{},
		Meta: gavel.Meta{Provider: "none", Notes: []string{}, Repo: gavel.RepoMeta{Filters: []string{}}, Coverage: gavel.Coverage{Skipped: []gavel.Skip{}, Model: gavel.ModelNone}},
	}
	golden(t, "testdata/document-empty.json", d)
}

func TestVerdictGolden(t *testing.T) {
	t.Parallel()
	e := found(at(gavel.High), at(gavel.Medium), at(gavel.High, pending, on("b.go", 1)))
	e.Skipped = skipped(gavel.SkipBinary, gavel.SkipTooLarge).Skipped
	e.Checks = append(checked(gavel.CheckFail, true, gavel.BaselineUnknown).Checks, gavel.CheckResult{ID: "lint", Status: gavel.CheckNoScan, Reason: "tool-missing"})
	e.Gates = gated(gavel.GateConditional).Gates
	e.Caveats = []string{"no model reviewed this"}
	golden(t, "testdata/verdict.json", gavel.Decide(e, policy(requires("vet", "build"))))
}

func golden(t *testing.T, path string, value any) {
	t.Helper()
	got, err := json.MarshalIndent(value, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	got = append(got, '\n')
	if *update {
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%s has moved: a new field is fine, a changed one raises the schema; then go test -update\n%s", path, got)
	}
}

// What a document says survives the wire.
func TestDocumentRoundTrip(t *testing.T) {
	t.Parallel()
	want := wholeDocument()
	data, err := json.Marshal(want)
	if err != nil {
		t.Fatal(err)
	}
	var got gavel.Document
	if err := json.Unmarshal(data, &got); err != nil {
		t.Fatal(err)
	}
	want.Findings[0].Aliases, want.Settled[0].Aliases = nil, nil
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
}

// A field that the whole document leaves at its zero value would be missing from the golden file unseen.
func TestWholeDocumentIsWhole(t *testing.T) {
	t.Parallel()
	var walk func(path string, v reflect.Value)
	walk = func(path string, v reflect.Value) {
		switch v.Kind() {
		case reflect.Pointer:
			if v.IsNil() {
				t.Errorf("%s is nil", path)
				return
			}
			walk(path, v.Elem())
		case reflect.Slice:
			if v.Len() == 0 {
				t.Errorf("%s is empty", path)
			}
			for i := range v.Len() {
				walk(path, v.Index(i))
			}
		case reflect.Struct:
			if _, ok := v.Interface().(time.Time); ok {
				return
			}
			for i := range v.NumField() {
				if v.Type().Field(i).Tag.Get("json") == "-" {
					continue
				}
				walk(path+"."+v.Type().Field(i).Name, v.Field(i))
			}
		default:
			if v.IsZero() {
				t.Errorf("%s is zero", path)
			}
		}
	}
	walk("Document", reflect.ValueOf(wholeDocument()))
}

func TestCounts(t *testing.T) {
	t.Parallel()
	fs := []gavel.Finding{
		at(gavel.Critical), at(gavel.High), at(gavel.High), at(gavel.Medium, settled(gavel.ReasonBelowThreshold)), at(gavel.Low, pending),
		at(gavel.Info), at(gavel.Info, descriptive), at(gavel.Critical, settled(gavel.ReasonRuled)),
	}
	c := gavel.CountFindings(fs)
	if c != (gavel.Counts{Critical: 1, High: 2, Medium: 1, Low: 1, Info: 1}) || c.Total() != 6 {
		t.Errorf("%+v, %d in all", c, c.Total())
	}
	for i, s := range gavel.Severities {
		*c.Of(s) = i + 10
	}
	if c != (gavel.Counts{Critical: 10, High: 11, Medium: 12, Low: 13, Info: 14}) {
		t.Errorf("Of points elsewhere: %+v", c)
	}
}
