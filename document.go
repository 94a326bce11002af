package gavel

import "time"

// Document is the result of a review, schema 1. Every finding is in it: Findings holds those that nothing settles,
// Settled the rest with their reasons. Counts and gates always speak of the full set.
type Document struct {
	Schema        int         `json:"schema"`
	SchemaVersion string      `json:"schema_version"`
	RunID         string      `json:"run_id"`
	Content       string      `json:"content"` // raw model text when it could not be judged, else empty
	Findings      []Finding   `json:"findings"`
	Settled       []Finding   `json:"settled"`
	FindingsTotal int         `json:"findings_total"` // len(Findings) + len(Settled) before any truncation
	Truncated     *Truncation `json:"truncated"`
	Signature     *Signature  `json:"signature,omitempty"`
	Summary       Summary     `json:"summary"`
	VerdictHint   *Decision   `json:"verdict_hint"` // null = not judged
	Meta          Meta        `json:"meta"`
}

// WireVersion names the wire contract in schema_version.
const WireVersion = "gavel.mcp.v1"

// Truncation says that the document was cut to fit a result budget.
type Truncation struct {
	Returned int `json:"returned"`
	Total    int `json:"total"`
}

// Signature vouches for what cannot be recomputed.
type Signature struct {
	Key   string `json:"key"`
	Value string `json:"value"`
}

// Counts is the number of counted findings by severity.
type Counts struct {
	Critical int `json:"critical"`
	High     int `json:"high"`
	Medium   int `json:"medium"`
	Low      int `json:"low"`
	Info     int `json:"info"`
}

// Of returns the count of one severity.
func (c *Counts) Of(s Severity) *int {
	switch s {
	case Critical:
		return &c.Critical
	case High:
		return &c.High
	case Medium:
		return &c.Medium
	case Low:
		return &c.Low
	}
	return &c.Info
}

// Total is the sum over all severities.
func (c Counts) Total() int { return c.Critical + c.High + c.Medium + c.Low + c.Info }

// CountFindings counts what weighs.
func CountFindings(findings []Finding) Counts {
	var c Counts
	for i := range findings {
		if findings[i].Counts() {
			*c.Of(findings[i].Severity)++
		}
	}
	return c
}

// Summary is the document in one line and the gate that was asked for.
type Summary struct {
	Text   string     `json:"text"`
	Counts Counts     `json:"counts"`
	Gate   GateAnswer `json:"gate"`
}

// GateAnswer is the outcome of fail_on. FailOn is null when none was asked for.
type GateAnswer struct {
	FailOn *Threshold `json:"fail_on"`
	Passed bool       `json:"passed"`
	Reason string     `json:"reason"`
}

// Meta is how the document came about.
type Meta struct {
	ToolVersion     string    `json:"tool_version"`
	Repo            RepoMeta  `json:"repo"`
	Provider        string    `json:"provider"` // "none" when no model is configured
	Model           string    `json:"model"`
	Lang            string    `json:"lang"`
	Usage           Usage     `json:"usage"`
	CostUSD         *float64  `json:"cost_usd"` // null = unknown
	LatencyMS       int64     `json:"latency_ms"`
	Cached          bool      `json:"cached"`
	Timestamp       time.Time `json:"timestamp"`
	Baselined       int       `json:"baselined"`
	Suppressed      int       `json:"suppressed"`
	RetryCount      int       `json:"retry_count"`
	DegradeReason   string    `json:"degrade_reason,omitempty"`
	FilteredCommits *int      `json:"filtered_commits,omitempty"`
	MinSeverity     *Severity `json:"min_severity"` // null when no bar was given
	NoFlaky         bool      `json:"no_flaky"`
	Notes           []string  `json:"notes"`
	Coverage        Coverage  `json:"coverage"`
}

// RepoMeta binds the document to what it is about.
type RepoMeta struct {
	ID         string   `json:"id"` // hash of the normalised origin URL, else of the common git directory
	BaseTree   string   `json:"base_tree"`
	HeadTree   string   `json:"head_tree"`
	DiffDigest string   `json:"diff_digest"`
	Filters    []string `json:"filters"` // "file=a.go", "exclude_dir=vendor"; empty when the whole change was looked at
}

// Usage is what a model consumed.
type Usage struct {
	InputTokens       int `json:"input_tokens"`
	OutputTokens      int `json:"output_tokens"`
	CachedInputTokens int `json:"cached_input_tokens"`
}

// ModelCoverage says how much a model looked at.
type ModelCoverage string

// The model coverages.
const (
	ModelNone    ModelCoverage = "none"
	ModelHost    ModelCoverage = "host"
	ModelPartial ModelCoverage = "partial"
	ModelFull    ModelCoverage = "full"
)

// Coverage accounts for every changed path: Files = Reviewed + len(Skipped) + Unlisted.
type Coverage struct {
	Files    int           `json:"files"`
	Reviewed int           `json:"reviewed"`
	Skipped  []Skip        `json:"skipped"`
	Unlisted int           `json:"skipped_unlisted,omitempty"` // skipped paths that a truncated document does not list
	Model    ModelCoverage `json:"model"`
}
