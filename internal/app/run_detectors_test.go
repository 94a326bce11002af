package app

import (
	"slices"
	"testing"

	"github.com/gavel-review/gavel"
)

func TestDetectorResults(t *testing.T) {
	t.Parallel()
	findings := []gavel.Finding{
		{Rule: "secret/x", Category: gavel.CategorySecret, Source: gavel.SourceDetector, Severity: gavel.Critical, Located: true, Baseline: gavel.BaselineNew},
		{Rule: "flaky/x", Category: gavel.CategoryFlaky, Source: gavel.SourceDetector, Severity: gavel.Low, Located: true, Baseline: gavel.BaselineNew},
		{Rule: "check/eslint/x", Category: gavel.CategorySecret, Source: gavel.SourceCheck, Severity: gavel.Critical, Check: "eslint", Baseline: gavel.BaselineNew},
	}
	ownDetectors(findings)
	if findings[0].Check != "gavel-secrets" || findings[1].Check != "gavel-flaky" || findings[2].Check != "eslint" {
		t.Errorf("%+v", findings)
	}
	skipped := gavel.Coverage{Skipped: []gavel.Skip{{Path: "a", Reason: gavel.SkipUnreadable}}}
	for _, r := range detectorResults(findings, gavel.DefaultPolicy(), skipped) {
		want := gavel.CheckPass
		if r.ID == "gavel-secrets" {
			want = gavel.CheckFail
		}
		if r.Status != want || !r.Required || r.Coverage != gavel.CoverageReduced {
			t.Errorf("%+v", r)
		}
	}
	evidence := gavel.Evidence{Findings: findings[:2], Checks: detectorResults(findings[:2], gavel.DefaultPolicy(), gavel.Coverage{})}
	if v := gavel.Decide(evidence, gavel.DefaultPolicy()); v.Decision != gavel.Block || len(v.Blocking) != 1 {
		t.Errorf("one secret blocks once: %+v", v)
	}
}

func TestOtherThanDetectors(t *testing.T) {
	t.Parallel()
	ids := []string{"gavel-secrets", "go-vet", "gavel-hygiene"}
	if got := otherThanDetectors(ids); !slices.Equal(got, []string{"go-vet"}) || len(ids) != 3 || ids[1] != "go-vet" {
		t.Errorf("%q of %q", got, ids)
	}
}
