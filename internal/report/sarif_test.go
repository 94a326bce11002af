package report

import (
	"encoding/json"
	"net/url"
	"os"
	"strings"
	"testing"

	"github.com/gavel-review/gavel"
)

func TestSarifIsValid(t *testing.T) {
	t.Parallel()
	official, err := os.ReadFile("testdata/oasis/sarif-2.1.0.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	schema := compile(t, sarifSchema, official)
	for _, s := range samples() {
		if err := validate(t, schema, render(t, s, formats[1].write)); err != nil {
			t.Errorf("%s: %v", s.name, err)
		}
	}
}

// sarifLog is what readers of SARIF look at.
type sarifLog struct {
	Runs []struct {
		Tool struct {
			Driver struct {
				Name, Version, InformationURI string
				Rules                         []struct {
					ID                   string
					Help                 struct{ Text, Markdown string }
					DefaultConfiguration struct{ Level string }
					Properties           map[string]any
				}
				Notifications []struct{ ID string }
			}
		}
		ColumnKind         string
		OriginalURIBaseIDs map[string]any `json:"originalUriBaseIds"`
		Invocations        []struct {
			ExecutionSuccessful        bool
			ToolExecutionNotifications []struct {
				Level      string
				Descriptor struct{ ID string }
			}
		}
		Results []struct {
			RuleID, Level, BaselineState string
			RuleIndex                    int
			Message                      struct{ Text string }
			PartialFingerprints          map[string]string
			Suppressions                 []struct{ Kind, Status, Justification string }
			Locations                    []struct {
				PhysicalLocation struct {
					ArtifactLocation struct{ URI, URIBaseID string }
					Region           struct{ StartLine, StartColumn, EndLine int }
				}
			}
			Properties map[string]any
		}
	}
}

func sarifOf(t *testing.T, s sample) *sarifLog {
	t.Helper()
	var log sarifLog
	if err := json.Unmarshal(render(t, s, formats[1].write), &log); err != nil {
		t.Fatal(err)
	}
	return &log
}

// TestSarifSaysWhatTheDocumentSays checks every result against its finding.
func TestSarifSaysWhatTheDocumentSays(t *testing.T) {
	t.Parallel()
	for _, s := range samples() {
		run := sarifOf(t, s).Runs[0]
		all := append(append([]gavel.Finding{}, s.doc.Findings...), s.doc.Settled...)
		if len(run.Results) != len(all) {
			t.Fatalf("%s: %d results for %d findings", s.name, len(run.Results), len(all))
		}
		for i, r := range run.Results {
			f := &all[i]
			if rule := run.Tool.Driver.Rules[r.RuleIndex]; rule.ID != r.RuleID || rule.Help.Text == "" || rule.Help.Markdown == "" {
				t.Errorf("%s: result %d points at rule %q", s.name, i, rule.ID)
			}
			if r.Level != f.Severity.Level() || f.Descriptive && r.Level != "note" {
				t.Errorf("%s: result %d of severity %s has level %s", s.name, i, f.Severity, r.Level)
			}
			if len(r.Suppressions) != len(f.Settled) || r.PartialFingerprints["gavel/v1"] != f.Fingerprint {
				t.Errorf("%s: result %d: %+v", s.name, i, r)
			}
			checkSarifPlace(t, s.name, f, r.Locations[0].PhysicalLocation.ArtifactLocation.URI)
		}
		notes := run.Invocations[0].ToolExecutionNotifications
		if len(notes) < len(s.doc.Meta.Coverage.Skipped) {
			t.Errorf("%s: %d notifications for %d skipped paths", s.name, len(notes), len(s.doc.Meta.Coverage.Skipped))
		}
		if run.Invocations[0].ExecutionSuccessful != (s.verdict.Decision != gavel.NoDecision) {
			t.Errorf("%s: executionSuccessful is %v", s.name, run.Invocations[0].ExecutionSuccessful)
		}
	}
}

// checkSarifPlace: the URI is relative, and decoding it gives the path byte for byte.
func checkSarifPlace(t *testing.T, name string, f *gavel.Finding, uri string) {
	t.Helper()
	u, err := url.Parse(uri)
	if err != nil || u.IsAbs() || u.Host != "" || u.RawQuery != "" || u.Fragment != "" {
		t.Errorf("%s: %q is no relative path: %v", name, uri, err)
		return
	}
	if u.Path != rawPath(f.File) || gavel.DisplayPath(u.Path) != f.File {
		t.Errorf("%s: %q decodes to %q, not %q", name, uri, u.Path, f.File)
	}
}

func TestSarifSettledAndPending(t *testing.T) {
	t.Parallel()
	run := sarifOf(t, fullSample()).Runs[0]
	kinds := map[string]int{}
	for _, r := range run.Results {
		for _, s := range r.Suppressions {
			kinds[s.Kind]++
			if s.Status != "accepted" || s.Justification == "" {
				t.Errorf("suppression %+v", s)
			}
		}
		if r.Properties["suppressionPending"] != nil && len(r.Suppressions) > 0 {
			t.Error("a suppression that nobody accepted is passed on as one")
		}
	}
	if kinds["inSource"] != 1 || kinds["external"] != 4 {
		t.Errorf("kinds %v", kinds)
	}
	for _, rule := range run.Tool.Driver.Rules {
		security := rule.Properties["security-severity"]
		if (rule.ID == "secret/aws-access-key-id") != (security == "9.5") {
			t.Errorf("%s has security-severity %v", rule.ID, security)
		}
	}
}

func TestFileURI(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		path, want string
		relative   bool
	}{
		{"src/main.go", "src/main.go", true},
		{"a b/%41#x?y", "a%20b/%2541%23x%3Fy", true},
		{"c:/x", "c%3A/x", true},
		{"日.go", "%E6%97%A5.go", true},
		{"a\nb", "a%0Ab", true},
		{"a\xffb", "a%FFb", true},
		{`"quoted"`, "%22quoted%22", true},
		{`back\slash`, "back%5Cslash", true},
		{"-._~", "-._~", true},
		{"../up", "../up", true},
		{"/abs/x", "file:///abs/x", false},
		{"", "", true},
	} {
		got, relative := fileURI(gavel.DisplayPath(c.path))
		if got != c.want || relative != c.relative {
			t.Errorf("%q: %q, %v; want %q", c.path, got, relative, c.want)
		}
	}
}

func FuzzFileURI(f *testing.F) {
	for _, h := range hostiles {
		f.Add(h)
	}
	f.Add(`"\101"`)
	f.Add(`"\777"`)
	f.Fuzz(func(t *testing.T, path string) {
		display := gavel.DisplayPath(path)
		if got := rawPath(display); got != path {
			t.Fatalf("%q shows as %q and is read as %q", path, display, got)
		}
		uri, relative := fileURI(display)
		u, err := url.Parse(uri)
		if err != nil || u.Path != path || relative == u.IsAbs() {
			t.Fatalf("%q became %q (%v)", path, uri, err)
		}
	})
}

func TestSarifMessages(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"plain":                 "plain",
		"a [b](http://x) c":     `a [b\](http://x) c`,
		"a [b] (c)":             "a [b] (c)",
		"{0} {12} {} {x} { 1 }": "{{0}} {{12}} {} {x} { 1 }",
		"{0":                    "{0",
		"\x1b[2J\nnext":         `\x1b[2J` + "\nnext",
	} {
		if got := sarifPlain(in); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}

func TestCodePointColumn(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		column  int
		snippet string
		want    int
	}{
		{0, "x", 0},
		{3, "abcd", 3},
		{4, "日x", 2},
		{3, "日x", 0},        // inside a character: the snippet is not the line
		{5, "", 5},          // nothing known against ASCII
		{300, "…abc…", 300}, // cut, ASCII as far as it shows
		{300, "…日…", 0},
		{300, "日", 0},
		{-1, "x", 0},
	} {
		f := gavel.Finding{Column: c.column, Snippet: c.snippet}
		if got := codePointColumn(&f); got != c.want {
			t.Errorf("column %d in %q: %d, want %d", c.column, c.snippet, got, c.want)
		}
	}
}

func TestSarifNamesNoUnusedRule(t *testing.T) {
	t.Parallel()
	log := string(render(t, samples()[0], formats[1].write))
	if strings.Contains(log, "focused-test") || !strings.Contains(log, `"rules": []`) {
		t.Error("a clean run lists rules")
	}
}
