package gavel

import "strings"

// CheckStatus is what became of one external check. It is one axis of three; the severity of what was found and the
// coverage are the others, and none stands for another.
type CheckStatus string

// The check statuses.
const (
	CheckPass   CheckStatus = "pass"
	CheckFail   CheckStatus = "fail"
	CheckSkip   CheckStatus = "skip"   // does not apply
	CheckNoScan CheckStatus = "noscan" // applies, but nothing was measured
	CheckError  CheckStatus = "error"  // the tool crashed or its output made no sense
)

// measured reports whether the check came to a result of its own.
func (s CheckStatus) measured() bool { return s == CheckPass || s == CheckFail }

// CheckCoverage says how much of what the check should look at it did look at.
type CheckCoverage string

// The coverages.
const (
	CoverageFull    CheckCoverage = "full"
	CoverageReduced CheckCoverage = "reduced"
	CoverageUnknown CheckCoverage = "unknown"
)

// CheckResult is the outcome of one check in one project. Its findings are in the evidence, each with the id of this
// result in [Finding.Check].
type CheckResult struct {
	ID     string      `json:"id"` // "eslint@packages/web"; without a project part at the repository's top
	Status CheckStatus `json:"status"`
	// Reason is a word of the closed list of reasons why nothing was measured; Detail says the rest for people.
	Reason   string        `json:"reason,omitempty"`
	Detail   string        `json:"detail,omitempty"`
	Required bool          `json:"required"`
	Coverage CheckCoverage `json:"coverage"`
	Reduced  []string      `json:"reduced,omitempty"` // what reduced the coverage
	// Baseline compares a failure with the merge base: unchanged is not charged to the change, unknown cannot be.
	Baseline       BaselineState `json:"baseline"`
	BaselineDetail string        `json:"baseline_detail,omitempty"` // why Baseline is unknown
	// Findings is how many findings the check reported. A failure without any is judged as one finding of severity high
	// that stands nowhere, and so is one whose findings are not all in the evidence.
	Findings int `json:"findings"`
	// Evidence is what shows a failure without findings: the tests that fail newly, the line that the tool died with.
	Evidence []string `json:"evidence,omitempty"`
}

// CheckName is the check's id without its project: eslint of eslint@packages/web. Policy may speak of either.
func CheckName(id string) string {
	name, _, _ := strings.Cut(id, "@")
	return name
}
