// Package check runs external tools on exactly the tree that is judged and turns what they report into findings. Which
// tools, how they are called and how their reports are read is declared in manifests; one file per report format reads
// it. A report that cannot be read is an error, never a pass and never one made-up finding.
package check

import (
	"time"

	"github.com/gavel-review/gavel"
)

// Output is what a tool left behind, as a parser sees it.
type Output struct {
	Report []byte // the report file, or stdout where the manifest says so
	// Reports are the files, where the manifest names them by a pattern; then Report is empty. They are sorted by name
	// and all of this very run: what an earlier one left behind is no measurement.
	Reports []NamedReport
	Stdout  []byte
	Stderr  []byte
	Exit    int    // exit code; -1 when a signal ended it
	Root    string // absolute path of the tree's top: findings are relative to it
	Dir     string // absolute path of the folder that the tool ran in
	Check   string // id of the check without its project: rules are named check/<Check>/<rule>
}

// NamedReport is one of several files that a tool left behind: TEST-shop.DeskTest.xml.
type NamedReport struct {
	Name string // relative to Output.Dir, with slashes
	Data []byte
}

// Report is what a parser made of an output.
type Report struct {
	Findings []gavel.Finding
	Tests    []gavel.TestResult
	// Measured counts what the report says was looked at (files, tests, packages), -1 where it does not say.
	Measured int
	// Reduced names what the tool itself says that it did not look at. Empty = nothing is known to be missing.
	Reduced []string
}

// Parser reads one report format. An error means that the output makes no sense as that format: status error.
type Parser func(o Output) (Report, error)

// Tool is a program that a check needs, as it was found.
type Tool struct {
	Name    string `json:"name"`
	Path    string `json:"path,omitempty"`    // absolute; "" = missing
	Version string `json:"version,omitempty"` // what it said of itself, one line
	Local   bool   `json:"local,omitempty"`   // the project's own (node_modules/.bin, .venv)
}

// Outcome is what became of one check in one project.
type Outcome struct {
	ID       string              `json:"id"` // "eslint@packages/web"; without a project part at the repository's top
	Check    string              `json:"check"`
	Project  string              `json:"project"` // folder, "" = top
	Title    string              `json:"title"`
	Family   string              `json:"family"` // lint, types, build, format, tests, audit, security
	Status   gavel.CheckStatus   `json:"status"`
	Reason   Reason              `json:"reason,omitempty"` // why nothing was measured, or why it is an error
	Detail   string              `json:"detail,omitempty"` // for people: what is missing, what was said
	Coverage gavel.CheckCoverage `json:"coverage"`
	Reduced  []string            `json:"reduced,omitempty"` // what reduced the coverage
	Required bool                `json:"required"`
	Command  [][]string          `json:"command"`
	Dir      string              `json:"dir"` // relative to the tree's top
	Tools    []Tool              `json:"tools"`
	Exit     *int                `json:"exit_code"` // of the last command; null = it did not run or a signal ended it
	Started  time.Time           `json:"started_at"`
	Duration time.Duration       `json:"duration_ns"`
	Capped   bool                `json:"output_capped,omitempty"`
	Cached   bool                `json:"cached,omitempty"`
	// Isolation is what confined the tool: full, fs-only or none.
	Isolation string             `json:"isolation"`
	Findings  []gavel.Finding    `json:"findings"`
	Tests     []gavel.TestResult `json:"tests,omitempty"`
	// Baseline says whether a failure was there before; empty until it has been compared.
	Baseline gavel.BaselineState `json:"baseline"`
	// BaselineDetail is why Baseline is unknown.
	BaselineDetail string     `json:"baseline_detail,omitempty"`
	TestDelta      *TestDelta `json:"test_delta,omitempty"`
	// Outputs are the files that hold what the tool said and reported, absolute paths in the scratch folder.
	Outputs []string `json:"-"`
}

// TestDelta compares the tests of two trees by name. A test that is gone is removed, never fixed.
type TestDelta struct {
	Failing []string `json:"newly_failing"`
	Still   []string `json:"still_failing"`
	Fixed   []string `json:"fixed"`
	Removed []string `json:"removed"`
}

// Reason is a closed list: why a check measured nothing.
type Reason string

// The reasons.
const (
	ReasonToolMissing      Reason = "tool_missing"
	ReasonToolBroken       Reason = "tool_broken" // it is there, and its version probe fails
	ReasonDepsMissing      Reason = "dependencies_missing"
	ReasonNotTrusted       Reason = "not_trusted"
	ReasonNotConfigured    Reason = "not_configured" // skip: the repository does not use it
	ReasonNothingToDo      Reason = "nothing_to_check"
	ReasonTimedOut         Reason = "timed_out"
	ReasonBudget           Reason = "out_of_budget" // the run's budget ended before or during it
	ReasonCancelled        Reason = "cancelled"
	ReasonReportMissing    Reason = "report_missing"
	ReasonReportUnreadable Reason = "report_unreadable"
	ReasonCrashed          Reason = "crashed"
	ReasonOutputCapped     Reason = "output_capped" // the report was cut, so it cannot be read whole
	ReasonOffline          Reason = "offline"       // it needs a network that is not there
	ReasonEnvMissing       Reason = "environment_missing"
	ReasonWouldWrite       Reason = "would_write" // it leaves files beside the sources, and the tree is the user's checkout
)
