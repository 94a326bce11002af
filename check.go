package gavel

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

// CheckCoverage says how much of what the check should look at it did look at.
type CheckCoverage string

// The coverages.
const (
	CoverageFull    CheckCoverage = "full"
	CoverageReduced CheckCoverage = "reduced"
	CoverageUnknown CheckCoverage = "unknown"
)

// CheckResult is the outcome of one check.
type CheckResult struct {
	ID       string        `json:"id"`
	Status   CheckStatus   `json:"status"`
	Reason   string        `json:"reason,omitempty"`
	Required bool          `json:"required"`
	Coverage CheckCoverage `json:"coverage"`
	// Baseline compares a failure with the merge base: unchanged is not charged to the change, unknown cannot be.
	Baseline BaselineState `json:"baseline"`
	Findings int           `json:"findings"`
}
