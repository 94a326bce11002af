package report

import (
	"fmt"
	"io"
	"iter"
	"reflect"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/gavel-review/gavel"
	"github.com/gavel-review/gavel/internal/untrusted"
)

const (
	sarifSchema = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
	homepage    = "https://github.com/gavel-review/gavel"
	sourceRoot  = "%SRCROOT%"
)

// SARIF writes the document as SARIF 2.1.0 (OASIS, with errata 01): one run, every finding a result, settled ones with
// their reasons as suppressions, skipped paths as notifications. rules documents the rules; those that no finding names
// are left out. Equal input gives equal bytes.
func SARIF(w io.Writer, doc *gavel.Document, v gavel.Verdict, rules []*gavel.Rule) error {
	s := newSarif(doc, rules)
	e := newEncoder(w)
	e.text("{\n  \"$schema\": \"" + sarifSchema + "\",\n  \"version\": \"2.1.0\",\n  \"runs\": [\n    ")
	e.object(reflect.ValueOf(s.run(v)), "    ")
	e.text("\n  ]\n}\n")
	return e.close()
}

type sarifRun struct {
	Tool          sarifTool                   `json:"tool"`
	Automation    sarifAutomation             `json:"automationDetails"`
	Bases         map[string]sarifDescription `json:"originalUriBaseIds"`
	ColumnKind    string                      `json:"columnKind"`
	Invocations   []sarifInvocation           `json:"invocations"`
	Results       iter.Seq[any]               `json:"results"`
	RunProperties sarifRunProperties          `json:"properties"`
}

type sarifText struct {
	Text     string `json:"text"`
	Markdown string `json:"markdown,omitempty"`
}

type sarifDescription struct {
	Description sarifText `json:"description"`
}

type sarifAutomation struct {
	ID string `json:"id"`
}

type sarifRunProperties struct {
	RunID      string          `json:"gavel/runId"`
	Verdict    *gavel.Decision `json:"gavel/verdict"`
	BaseTree   string          `json:"gavel/baseTree"`
	HeadTree   string          `json:"gavel/headTree"`
	DiffDigest string          `json:"gavel/diffDigest"`
	Summary    string          `json:"gavel/summary"`
}

type sarifInvocation struct {
	Successful    bool                `json:"executionSuccessful"`
	End           string              `json:"endTimeUtc,omitempty"`
	Notifications []sarifNotification `json:"toolExecutionNotifications"`
}

type sarifNotification struct {
	Descriptor sarifReference  `json:"descriptor"`
	Level      string          `json:"level"`
	Message    sarifText       `json:"message"`
	Locations  []sarifLocation `json:"locations,omitempty"`
}

type sarifReference struct {
	ID string `json:"id"`
}

type sarifResult struct {
	RuleID       string               `json:"ruleId"`
	RuleIndex    int                  `json:"ruleIndex"`
	Level        string               `json:"level"`
	Message      sarifText            `json:"message"`
	Locations    []sarifLocation      `json:"locations"`
	Fingerprints map[string]string    `json:"partialFingerprints,omitempty"`
	Baseline     gavel.BaselineState  `json:"baselineState,omitempty"`
	Suppressions []sarifSuppression   `json:"suppressions,omitempty"`
	Rank         int                  `json:"rank"`
	Properties   sarifFindingProperty `json:"properties"`
}

type sarifFindingProperty struct {
	Severity    gavel.Severity   `json:"severity"`
	Confidence  gavel.Confidence `json:"confidence"`
	Category    gavel.Category   `json:"category"`
	Source      gavel.Source     `json:"source"`
	Check       string           `json:"check,omitempty"`
	Scope       gavel.Scope      `json:"scope"`
	Located     bool             `json:"located"`
	Descriptive bool             `json:"descriptive,omitempty"`
	Commit      string           `json:"commit,omitempty"`
	Suggestion  string           `json:"suggestion,omitempty"`
	Pending     string           `json:"suppressionPending,omitempty"`
}

type sarifSuppression struct {
	Kind          string `json:"kind"`
	Status        string `json:"status"`
	Justification string `json:"justification"`
}

type sarifLocation struct {
	Physical sarifPhysical `json:"physicalLocation"`
}

type sarifPhysical struct {
	Artifact sarifArtifact `json:"artifactLocation"`
	Region   *sarifRegion  `json:"region,omitempty"`
}

type sarifArtifact struct {
	URI  string `json:"uri"`
	Base string `json:"uriBaseId,omitempty"`
}

type sarifRegion struct {
	StartLine   int        `json:"startLine"`
	StartColumn int        `json:"startColumn,omitempty"`
	EndLine     int        `json:"endLine,omitempty"`
	Snippet     *sarifText `json:"snippet,omitempty"`
}

type sarifWriter struct {
	doc   *gavel.Document
	rules sarifRules
}

func newSarif(doc *gavel.Document, rules []*gavel.Rule) *sarifWriter {
	return &sarifWriter{doc: doc, rules: newSarifRules(doc, rules)}
}

func (s *sarifWriter) run(v gavel.Verdict) sarifRun {
	m := &s.doc.Meta
	return sarifRun{
		Tool: sarifTool{sarifDriver{
			Name: "gavel", Version: m.ToolVersion, URI: homepage,
			Rules: s.rules.descriptors, Notifications: s.notificationKinds(),
		}},
		Automation: sarifAutomation{"gavel/" + untrusted.Visible(s.doc.RunID)},
		Bases:      map[string]sarifDescription{sourceRoot: {sarifText{Text: "The top of the repository, or the folder that was scanned."}}},
		ColumnKind: "unicodeCodePoints",
		Invocations: []sarifInvocation{{
			Successful: notJudged(s.doc, v) == "", End: sarifTime(m.Timestamp), Notifications: s.notifications(v),
		}},
		Results: s.results(),
		RunProperties: sarifRunProperties{
			RunID: s.doc.RunID, Verdict: s.doc.VerdictHint, BaseTree: m.Repo.BaseTree, HeadTree: m.Repo.HeadTree,
			DiffDigest: m.Repo.DiffDigest, Summary: SummaryLine(s.doc, v),
		},
	}
}

func sarifTime(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(time.RFC3339)
}

func (s *sarifWriter) results() iter.Seq[any] {
	return func(yield func(any) bool) {
		for _, findings := range [][]gavel.Finding{s.doc.Findings, s.doc.Settled} {
			for i := range findings {
				if !yield(s.result(&findings[i])) {
					return
				}
			}
		}
	}
}

func (s *sarifWriter) result(f *gavel.Finding) *sarifResult {
	r := &sarifResult{
		RuleID: f.Rule, RuleIndex: s.rules.index[f.Rule], Level: f.Severity.Level(),
		Message: sarifMessage(f), Locations: sarifLocations(f.File, sarifPlace(f)),
		Rank: rank(f),
		Properties: sarifFindingProperty{
			Severity: f.Severity, Confidence: f.Confidence, Category: f.Category, Source: f.Source, Check: f.Check, Scope: f.Scope,
			Located: f.Located, Descriptive: f.Descriptive, Commit: f.Commit, Suggestion: f.Suggestion, Pending: f.Pending,
		},
	}
	if f.Fingerprint != "" {
		r.Fingerprints = map[string]string{"gavel/v1": f.Fingerprint}
	}
	if f.Baseline != gavel.BaselineUnknown {
		r.Baseline = f.Baseline
	}
	for _, reason := range f.Settled {
		r.Suppressions = append(r.Suppressions, sarifSuppressed(reason))
	}
	return r
}

// sarifSuppressed tells a reader that the finding does not count. A suppression that waits for a person is none: many
// readers take any entry for an accepted one.
func sarifSuppressed(s gavel.Settlement) sarifSuppression {
	kind := "external"
	if s.Reason == gavel.ReasonSuppressed {
		kind = "inSource"
	}
	text := string(s.Reason)
	if s.Detail != "" {
		text += ": " + untrusted.Visible(s.Detail)
	}
	return sarifSuppression{kind, "accepted", text}
}

func sarifMessage(f *gavel.Finding) sarifText {
	text := sentence(f.Title)
	for _, more := range []string{f.Description, f.Suggestion} {
		if more != "" && more != f.Title {
			text += "\n" + more
		}
	}
	return sarifText{Text: sarifPlain(text)}
}

func sentence(s string) string {
	if s == "" || strings.ContainsAny(s[len(s)-1:], ".!?") {
		return s
	}
	return s + "."
}

// sarifPlain escapes what SARIF reads into plain text (§3.11): a link in brackets, and a placeholder such as {0}.
func sarifPlain(s string) string {
	s = untrusted.VisibleText(s)
	if !strings.ContainsAny(s, "]{") {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == ']' && strings.HasPrefix(s[i+1:], "("):
			b.WriteString(`\]`)
		case c == '{' && placeholder(s[i:]) > 0:
			n := placeholder(s[i:])
			b.WriteString("{" + s[i:i+n] + "}")
			i += n - 1
		default:
			b.WriteByte(c)
		}
	}
	return b.String()
}

// placeholder returns the length of the {digits} that s begins with, or 0.
func placeholder(s string) int {
	n := 1
	for n < len(s) && s[n] >= '0' && s[n] <= '9' {
		n++
	}
	if n == 1 || n == len(s) || s[n] != '}' {
		return 0
	}
	return n + 1
}

func sarifLocations(file string, region *sarifRegion) []sarifLocation {
	if file == "" {
		return []sarifLocation{}
	}
	artifact := sarifArtifact{Base: sourceRoot}
	uri, relative := fileURI(file)
	if artifact.URI = uri; !relative {
		artifact.Base = ""
	}
	return []sarifLocation{{sarifPhysical{artifact, region}}}
}

// sarifPlace is nil where the file as a whole is meant.
func sarifPlace(f *gavel.Finding) *sarifRegion {
	if f.Line < 1 {
		return nil
	}
	r := &sarifRegion{StartLine: f.Line, StartColumn: codePointColumn(f)}
	if f.LineEnd > r.StartLine {
		r.EndLine = f.LineEnd
	}
	if f.Snippet != "" {
		r.Snippet = &sarifText{Text: f.Snippet}
	}
	return r
}

// codePointColumn turns the finding's byte column into one of code points, as columnKind promises. It needs the line
// up to there; where the snippet does not hold it and may hold anything but ASCII, no column is better than a wrong one.
func codePointColumn(f *gavel.Finding) int {
	before := f.Column - 1
	switch {
	case before < 0:
		return 0
	case before <= len(f.Snippet) && !strings.HasPrefix(f.Snippet, "…") && !strings.Contains(f.Snippet[:before], "\n") && utf8.ValidString(f.Snippet[:before]):
		return utf8.RuneCountInString(f.Snippet[:before]) + 1
	case ascii(strings.Trim(f.Snippet, "…")):
		return f.Column
	}
	return 0
}

func ascii(s string) bool {
	for i := 0; i < len(s); i++ {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// rank orders results for readers that sort by it (§3.27.25): severity first, then confidence.
func rank(f *gavel.Finding) int {
	n := 20*int(f.Severity) - 10
	switch f.Confidence {
	case gavel.ConfidenceHigh:
		n += 9
	case gavel.ConfidenceMedium:
		n += 5
	}
	return max(n, 0)
}

func (s *sarifWriter) notifications(v gavel.Verdict) []sarifNotification {
	out := []sarifNotification{}
	add := func(kind, level, text, file string) {
		n := sarifNotification{sarifReference{kind}, level, sarifText{Text: sarifPlain(text)}, nil}
		if file != "" {
			n.Locations = sarifLocations(file, nil)
		}
		out = append(out, n)
	}
	if reason := notJudged(s.doc, v); reason != "" {
		add("not-judged", "error", reason, "")
	}
	if t := s.doc.Truncated; t != nil {
		add("truncated", "warning", fmt.Sprintf("%d of %d findings are here.", t.Returned, t.Total), "")
	}
	for _, note := range s.doc.Meta.Notes {
		add("note", "note", note, "")
	}
	for _, skip := range s.doc.Meta.Coverage.Skipped {
		level := "note"
		if !skip.Reason.Expected() {
			level = "warning"
		}
		text := "Not reviewed: " + string(skip.Reason)
		if skip.Detail != "" {
			text += ", " + skip.Detail
		}
		add(skipKind(skip.Reason), level, text, skip.Path)
	}
	return out
}

func skipKind(r gavel.SkipReason) string { return "skipped/" + string(r) }
