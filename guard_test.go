package gavel_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/gavel-review/gavel"
)

func TestGuardPolicyApply(t *testing.T) {
	t.Parallel()
	fs := []gavel.Finding{
		at(gavel.High), at(gavel.High, on("src/b.go", 1)), at(gavel.Medium, ruled("hygiene/debug")), at(gavel.Low, settled(gavel.ReasonBelowThreshold)),
		at(gavel.Critical, settled(gavel.ReasonRuled)), at(gavel.Info, descriptive), at(gavel.High, pending),
		at(gavel.Low, from(gavel.SourceCheck), state(gavel.BaselineUnchanged)), at(gavel.Low, state(gavel.BaselineUnknown)), at(gavel.Low, state("")),
	}
	tests := []struct {
		name  string
		guard gavel.GuardPolicy
		want  string
	}{
		{"no bounds", gavel.GuardPolicy{}, ""},
		{"high", gavel.GuardPolicy{Thresholds: map[gavel.Severity]int{gavel.High: 2, gavel.Critical: 0, gavel.Info: 0}}, "thresholds.high 3>2"},
		{"high at the bound", gavel.GuardPolicy{Thresholds: map[gavel.Severity]int{gavel.High: 3}}, ""},
		{"order", gavel.GuardPolicy{Total: new(0), Thresholds: map[gavel.Severity]int{gavel.Low: 0, gavel.High: 0, gavel.Medium: 0}},
			"thresholds.high 3>0 thresholds.medium 1>0 thresholds.low 4>0 total 8>0"},
		{"new only", gavel.GuardPolicy{NewOnly: true, Total: new(0)}, "total 7>0"},
		{"rules", gavel.GuardPolicy{Rules: map[string]int{"risk/exec": 6, "hygiene/debug": 0, "a/b": 0}}, "rules.hygiene/debug 1>0 rules.risk/exec 7>6"},
		{"paths", gavel.GuardPolicy{Paths: map[string]int{"src": 0, "lib": 0}}, "paths.src 1>0"},
	}
	for _, tt := range tests {
		counts, violations := tt.guard.Apply(fs, func(pattern, path string) bool { return strings.HasPrefix(path, pattern+"/") })
		var got []string
		for _, v := range violations {
			got = append(got, fmt.Sprintf("%s %d>%d", v.Bound, v.Actual, v.Allowed))
		}
		if s := strings.Join(got, " "); s != tt.want {
			t.Errorf("%s: %q, want %q (%+v)", tt.name, s, tt.want, counts)
		}
		if violations == nil {
			t.Errorf("%s: null", tt.name)
		}
		if bounded := tt.guard.Bounded(); bounded != (tt.name != "no bounds") {
			t.Errorf("%s: bounded %v", tt.name, bounded)
		}
	}
	if len(fs) != 10 || fs[4].Severity != gavel.Critical {
		t.Error("the input was changed")
	}
}
