package gavel

// Decision is the verdict's one word. The empty decision is no verdict: nothing trustworthy can be said.
type Decision string

// The decisions, best first.
const (
	Pass        Decision = "PASS"
	Conditional Decision = "CONDITIONAL"
	Block       Decision = "BLOCK"
	NoDecision  Decision = ""
)

// Recommendation is what the decision asks of whoever merges.
type Recommendation string

// The recommendations.
const (
	Approve        Recommendation = "approve"
	ReviewRequired Recommendation = "review_required"
	BlockMerge     Recommendation = "block"
)

// GateStatus is the state of one condition of the verdict.
type GateStatus string

// The gate states. A neutral gate was not asked for and says so; an unknown one was asked for and measured nothing.
const (
	GatePass        GateStatus = "pass"
	GateFail        GateStatus = "fail"
	GateConditional GateStatus = "conditional"
	GateNeutral     GateStatus = "neutral"
	GateUnknown     GateStatus = "unknown"
)

// Gate is one condition of the verdict, with its evidence.
type Gate struct {
	ID       string     `json:"id"`
	Status   GateStatus `json:"status"`
	Reason   string     `json:"reason"`
	Evidence []string   `json:"evidence"`
}

// Verdict is what a change deserves. Every view renders this value; none computes its own.
type Verdict struct {
	Decision Decision `json:"verdict"`
	// NotJudged says why there is no decision; empty when there is one.
	NotJudged string   `json:"not_judged,omitempty"`
	Blocking  []string `json:"blocking_issues"`
	Caveats   []string `json:"caveats"`
	Gates     []Gate   `json:"gates"`
	// Incomplete is true when something that had to be measured was not: the exit code is then at least
	// ExitNoVerdict, whatever the decision.
	Incomplete bool `json:"incomplete"`
	// Pending is true while a suppression that the change brings waits for a person.
	Pending bool `json:"suppression_pending"`
}

// Recommendation derives what the decision asks for. No decision asks for a review.
func (v Verdict) Recommendation() Recommendation {
	switch v.Decision {
	case Pass:
		return Approve
	case Block:
		return BlockMerge
	}
	return ReviewRequired
}

// AllowMerge is true only for PASS.
func (v Verdict) AllowMerge() bool { return v.Decision == Pass }

// ExitOptions is what moves an exit code beside the verdict.
type ExitOptions struct {
	Mode   EnforcementMode
	Strict bool // CONDITIONAL is ExitConditional
	// FailOn, where set, replaces the verdict: Tripped says whether a counted finding reached it.
	FailOn  Threshold
	Tripped bool
}

// Exit maps a verdict to the exit code of the command that asked for it. Measured badness comes first, then what could
// not be measured, then the rest; the modes shadow and warn turn ExitBlock and ExitConditional into ExitPass, and leave
// ExitNoVerdict alone. A mode that is none of the three softens nothing.
func (v Verdict) Exit(o ExitOptions) int {
	code := v.exit(o)
	if o.Mode.softens() && (code == ExitBlock || code == ExitConditional) {
		if v.unjudged() {
			return ExitNoVerdict
		}
		return ExitPass
	}
	return code
}

func (v Verdict) unjudged() bool { return v.Incomplete || v.Decision == NoDecision }

func (v Verdict) exit(o ExitOptions) int {
	bad := v.Decision == Block || v.Pending
	if o.FailOn != Unset {
		bad = o.Tripped && o.FailOn != None
	}
	switch {
	case bad:
		return ExitBlock
	case v.unjudged():
		return ExitNoVerdict
	case o.FailOn == Unset && o.Strict && v.Decision == Conditional:
		return ExitConditional
	}
	return ExitPass
}
