package gavel_test

import (
	"slices"
	"testing"

	"github.com/gavel-review/gavel"
)

// wantedExit is the exit table read as a list of signals: each one that applies raises its code, the modes shadow and
// warn silence two of them, and the first code in the order of precedence is the answer.
func wantedExit(v gavel.Verdict, o gavel.ExitOptions) int {
	raised := []int{0}
	if asked := o.FailOn != ""; asked {
		if o.Tripped && o.FailOn != "none" {
			raised = append(raised, 1)
		}
	} else {
		if v.Decision == "BLOCK" {
			raised = append(raised, 1)
		}
		if v.Pending {
			raised = append(raised, 1)
		}
		if v.Decision == "CONDITIONAL" && o.Strict {
			raised = append(raised, 2)
		}
	}
	if v.Decision == "" {
		raised = append(raised, 3)
	}
	if v.Incomplete {
		raised = append(raised, 3)
	}
	if o.Mode == "shadow" || o.Mode == "warn" {
		raised = slices.DeleteFunc(raised, func(code int) bool { return code == 1 || code == 2 })
	}
	for _, code := range []int{1, 3, 2} {
		if slices.Contains(raised, code) {
			return code
		}
	}
	return 0
}

func TestExitTable(t *testing.T) {
	t.Parallel()
	both := []bool{false, true}
	n := 0
	for _, decision := range []gavel.Decision{gavel.Pass, gavel.Conditional, gavel.Block, gavel.NoDecision} {
		for _, incomplete := range both {
			for _, pending := range both {
				v := gavel.Verdict{Decision: decision, Incomplete: incomplete, Pending: pending}
				n += exitsOf(t, v)
			}
		}
	}
	if n != 4*2*2*len(someThresholds)*2*2*4 {
		t.Errorf("%d combinations", n)
	}
}

func exitsOf(t *testing.T, v gavel.Verdict) (n int) {
	t.Helper()
	for _, failOn := range someThresholds {
		for _, tripped := range []bool{false, true} {
			for _, strict := range []bool{false, true} {
				for _, mode := range []gavel.EnforcementMode{gavel.ModeShadow, gavel.ModeWarn, gavel.ModeBlock, "nonsense"} {
					o := gavel.ExitOptions{Mode: mode, Strict: strict, FailOn: failOn, Tripped: tripped}
					if got, want := v.Exit(o), wantedExit(v, o); got != want {
						t.Errorf("%+v %+v: exit %d, want %d", v, o, got, want)
					}
					n++
				}
			}
		}
	}
	return n
}

// With fail_on none only 0 and 3 remain.
func TestFailOnNone(t *testing.T) {
	t.Parallel()
	for _, d := range []gavel.Decision{gavel.Pass, gavel.Conditional, gavel.Block, gavel.NoDecision} {
		for _, v := range []gavel.Verdict{{Decision: d}, {Decision: d, Incomplete: true}, {Decision: d, Pending: true}} {
			code := v.Exit(gavel.ExitOptions{Mode: gavel.ModeBlock, FailOn: gavel.None, Strict: true, Tripped: true})
			if code != gavel.ExitPass && code != gavel.ExitNoVerdict {
				t.Errorf("%+v: exit %d", v, code)
			}
		}
	}
}
