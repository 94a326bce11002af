package gavel

import "time"

// Profile says how much a run is asked to do.
type Profile string

// The profiles.
const (
	ProfileQuick Profile = "quick" // detectors, linters and type checks on what the change touches
	ProfileDeep  Profile = "deep"  // quick, and tests, dependency audit, and the model where one is configured
)

// ParseProfile reads quick or deep.
func ParseProfile(word string) (Profile, error) {
	switch p := Profile(word); p {
	case ProfileQuick, ProfileDeep:
		return p, nil
	}
	return "", Errorf(InvalidArgs, "profile: %q is neither quick nor deep", word)
}

// RunState is how far a run has come.
type RunState string

// The states of a run. They are derived from what lies in its folder, never stored.
const (
	StateRunning   RunState = "running"   // its owner lives
	StateCompleted RunState = "completed" // its pack is whole
	StateStale     RunState = "stale"     // its owner died before it could say how it ended
	StateFailed    RunState = "failed"    // it ended without a pack, and says why
)

// Kinds of run. A run of kind RunOfChange can be the latest of its branch; others are found by their id alone.
const (
	RunOfChange = "run"
	RunOfChecks = "checks"
)

// RunRecord is what a run is known by from its first moment on.
type RunRecord struct {
	ID           string      `json:"run_id"`
	Kind         string      `json:"kind"`
	Profile      Profile     `json:"profile"`
	Subject      SubjectKind `json:"subject"`
	Commit       string      `json:"commit"`     // id of HEAD, in full; "" before the first commit
	Tree         string      `json:"tree"`       // id of the tree that is judged
	Branch       string      `json:"branch"`     // short name; "" where HEAD is detached
	BaseUsed     []string    `json:"base_used"`  // names of the bases: one or none
	BaseCommit   string      `json:"base"`       // id, in full
	MergeBase    string      `json:"merge_base"` // id of the commit that the difference starts from, in full
	BaseFallback bool        `json:"base_fallback"`
	StartedAt    time.Time   `json:"started_at"` // UTC
}

// Latest reports whether the run may be found without its id: it judged a commit, and it was a run of a change.
func (r *RunRecord) Latest() bool { return r.Kind == RunOfChange && r.Subject == SubjectCommit }

// TestOutcome is what became of one test.
type TestOutcome string

// The outcomes of a test.
const (
	TestPassed  TestOutcome = "passed"
	TestFailed  TestOutcome = "failed"
	TestSkipped TestOutcome = "skipped"
)

// TestResult is one test of a check, named so that the same test has the same name on another tree.
type TestResult struct {
	Name    string      `json:"name"` // package or file and test: "example.com/a.TestX/sub", "src/a.test.ts › adds"
	Outcome TestOutcome `json:"outcome"`
	File    string      `json:"file,omitempty"` // relative to the repository's top, where the tool says it
	Line    int         `json:"line,omitempty"`
	Message string      `json:"message,omitempty"` // what the tool said of a failure, cut to a few KB
}
