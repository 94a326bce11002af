package gavel

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"
)

// Category groups rules by what they are about.
type Category string

// The categories. Detectors use the first five, checks and models the rest.
const (
	CategorySecret      Category = "secret"
	CategoryFlaky       Category = "flaky"
	CategoryRisk        Category = "risk"
	CategoryInjection   Category = "injection"
	CategoryHygiene     Category = "hygiene"
	CategoryBug         Category = "bug"
	CategorySecurity    Category = "security"
	CategoryPerformance Category = "performance"
	CategoryTest        Category = "test"
	CategoryBuild       Category = "build"
	CategoryStyle       Category = "style"
	CategoryDependency  Category = "dependency"
	CategoryDocs        Category = "docs"
)

// Source says who made the statement.
type Source string

// The sources. What a model or a host says can add findings, never remove one.
const (
	SourceDetector Source = "detector"
	SourceModel    Source = "model"
	SourceCheck    Source = "check"
	SourceHost     Source = "host"
)

// Confidence is how sure the source is.
type Confidence string

// The confidences.
const (
	ConfidenceLow    Confidence = "low"
	ConfidenceMedium Confidence = "medium"
	ConfidenceHigh   Confidence = "high"
)

// Scope relates a finding's place to the change.
type Scope string

// The scopes. In-process detectors count for the verdict on changed lines only.
const (
	ScopeChangedLine Scope = "changed_line"
	ScopeChangedFile Scope = "changed_file"
	ScopeElsewhere   Scope = "elsewhere"
)

// BaselineState says whether the finding was there before.
type BaselineState string

// The baseline states; "absent" is SARIF's word for what is gone.
const (
	BaselineNew       BaselineState = "new"
	BaselineUnchanged BaselineState = "unchanged"
	BaselineAbsent    BaselineState = "absent"
	BaselineUnknown   BaselineState = "unknown"
)

// Reason is a closed list: why a finding does not count. BelowThreshold alone hides a finding without taking it out
// of counts and gates.
type Reason string

// The reasons for which a finding is settled.
const (
	ReasonOutsideChange  Reason = "outside_change"
	ReasonRuled          Reason = "ruled"
	ReasonBaseline       Reason = "baseline"
	ReasonSuppressed     Reason = "suppressed"
	ReasonDuplicate      Reason = "duplicate"
	ReasonExcluded       Reason = "excluded"
	ReasonBelowThreshold Reason = "below_threshold"
)

// Settlement is one reason with what a person needs to follow it up.
type Settlement struct {
	Reason Reason `json:"reason"`
	Detail string `json:"detail"`
}

// Finding is one statement on one place. It is never dropped: what does not count carries its reasons in Settled.
type Finding struct {
	Severity    Severity      `json:"severity"`
	File        string        `json:"file"`
	Line        int           `json:"line"` // 1-based; on the old side for a removed line
	LineEnd     int           `json:"line_end,omitempty"`
	Column      int           `json:"column,omitempty"` // 1-based byte column; 0 = whole line
	Title       string        `json:"title"`
	Description string        `json:"description"`
	Suggestion  string        `json:"suggestion"`
	Language    string        `json:"language,omitempty"`
	Snippet     string        `json:"snippet,omitempty"` // never holds a secret's value
	Quote       string        `json:"quote,omitempty"`   // what a model or host claims stands there
	Located     bool          `json:"located"`
	Rule        string        `json:"rule"`
	Category    Category      `json:"category"`
	Source      Source        `json:"source"`
	Check       string        `json:"check,omitempty"` // id of the [CheckResult] that reported it, with its project
	Confidence  Confidence    `json:"confidence"`
	Fingerprint string        `json:"fingerprint"`
	Scope       Scope         `json:"scope"`
	Baseline    BaselineState `json:"baseline"`
	CWE         string        `json:"cwe,omitempty"` // "CWE-798"
	// Commit is the id of the commit that the place is in, where commits were judged one by one; no part of the identity.
	Commit string `json:"commit,omitempty"`
	// Descriptive marks what no threshold, policy or verdict counts: text that addresses an automated reader.
	Descriptive bool `json:"descriptive,omitempty"`
	// Pending is set when the change itself carries a suppression of this finding that a person has to acknowledge.
	Pending string       `json:"suppression_pending,omitempty"`
	Settled []Settlement `json:"settled,omitempty"`

	// Fresh is true for a secret whose value the change brings: a fingerprint holds no value, so a baseline would take a
	// new secret for the old one that it replaces.
	Fresh bool `json:"-"`
	// Aliases are the fingerprints under which a baseline may know the finding: the old path of a rename, the old
	// name of a rule.
	Aliases []string `json:"-"`
}

// Counts reports whether the finding weighs in counts, gates and verdicts.
func (f *Finding) Counts() bool {
	if f.Descriptive {
		return false
	}
	for _, s := range f.Settled {
		if s.Reason != ReasonBelowThreshold {
			return false
		}
	}
	return true
}

// gates reports whether the finding can move a gate. What was there before, what is gone, and a claim of a model or a
// host that nobody could locate are listed and counted, but move nothing.
func (f *Finding) gates() bool {
	switch f.Baseline {
	case BaselineUnchanged, BaselineAbsent:
		return false
	}
	claimed := f.Source == SourceModel || f.Source == SourceHost
	return f.Counts() && (f.Located || !claimed)
}

// Fingerprint identifies a finding over time: "g1:" and the first 32 hex digits of sha256 over rule, path and line,
// NUL between them. Runs of blanks in the line fold to one and the ends are trimmed. No line number takes part, and
// the caller has replaced any secret's value by "*". The algorithm never changes under the prefix g1.
func Fingerprint(rule, path, line string) string {
	h := sha256.New()
	h.Write([]byte(rule))
	h.Write([]byte{0})
	h.Write([]byte(path))
	h.Write([]byte{0})
	h.Write([]byte(foldBlanks(line)))
	return "g1:" + hex.EncodeToString(h.Sum(nil))[:32]
}

func foldBlanks(line string) string { return strings.Join(strings.Fields(line), " ") }

// CompareFindings orders findings by place, then by rule and by everything else that tells two apart, so that any
// permutation of the same findings sorts to the same bytes. The baseline state comes late and new before the rest, so
// that what Settle writes there moves nothing that Settle looks at.
func CompareFindings(a, b Finding) int { return compareFindings(&a, &b) }

func compareFindings(a, b *Finding) int {
	if c := cmp.Or(
		cmp.Compare(a.File, b.File),
		cmp.Compare(a.Line, b.Line),
		cmp.Compare(a.Column, b.Column),
		cmp.Compare(a.Rule, b.Rule),
	); c != 0 {
		return c
	}
	return cmp.Or(
		cmp.Compare(b.Severity, a.Severity),
		cmp.Compare(a.LineEnd, b.LineEnd),
		cmp.Compare(a.Fingerprint, b.Fingerprint),
		cmp.Compare(a.Source, b.Source),
		cmp.Compare(a.Check, b.Check),
		cmp.Compare(a.Title, b.Title),
		cmp.Compare(a.Description, b.Description),
		cmp.Compare(a.Snippet, b.Snippet),
		cmp.Compare(a.Scope, b.Scope),
		cmp.Compare(a.Category, b.Category),
		cmp.Compare(a.Confidence, b.Confidence),
		cmp.Compare(a.Suggestion, b.Suggestion),
		cmp.Compare(a.Language, b.Language),
		cmp.Compare(a.Quote, b.Quote),
		cmp.Compare(a.CWE, b.CWE),
		cmp.Compare(a.Commit, b.Commit),
		compareBools(a.Located, b.Located),
		compareBools(a.Descriptive, b.Descriptive),
		compareBools(a.Fresh, b.Fresh),
		slices.Compare(a.Aliases, b.Aliases),
		compareBools(a.Baseline != BaselineNew, b.Baseline != BaselineNew),
		cmp.Compare(a.Baseline, b.Baseline),
		cmp.Compare(a.Pending, b.Pending),
		slices.CompareFunc(a.Settled, b.Settled, compareSettlements),
	)
}

func compareSettlements(a, b Settlement) int {
	return cmp.Or(cmp.Compare(a.Reason, b.Reason), cmp.Compare(a.Detail, b.Detail))
}

func compareBools(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return 1
	}
	return -1
}
