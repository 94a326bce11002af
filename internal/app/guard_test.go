package app

import (
	"testing"

	"github.com/gavel-review/gavel"
)

func goodDocument() *gavel.Document {
	pass := gavel.Pass
	return &gavel.Document{
		Schema: 1, FindingsTotal: 1, VerdictHint: &pass, Findings: []gavel.Finding{{Rule: "a/b", Source: gavel.SourceDetector, Severity: gavel.Low, File: "a", Line: 1}},
		Meta: gavel.Meta{ToolVersion: "test", Repo: gavel.RepoMeta{ID: "r", BaseTree: "b", HeadTree: "h", DiffDigest: "d"}, Coverage: gavel.Coverage{Files: 1, Reviewed: 1}},
	}
}

func TestAcceptable(t *testing.T) {
	if err := acceptable(goodDocument(), false); err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name    string
		break_  func(*gavel.Document)
		allowed bool // with --allow-narrowed
	}{
		{"truncated", func(d *gavel.Document) { d.Truncated = &gavel.Truncation{Returned: 1, Total: 2} }, false},
		{"a finding is missing", func(d *gavel.Document) { d.Findings = nil }, false},
		{"not judged", func(d *gavel.Document) { d.VerdictHint = nil }, false},
		{"degraded", func(d *gavel.Document) { d.Meta.DegradeReason = "prose" }, false},
		{"nothing looked at", func(d *gavel.Document) { d.Meta.Coverage.Files = 0 }, false},
		{"filters", func(d *gavel.Document) { d.Meta.Repo.Filters = []string{"file=a"} }, true},
		{"detector off", func(d *gavel.Document) { d.Meta.NoFlaky = true }, true},
		{"unvouched model finding", func(d *gavel.Document) { d.Findings[0].Source = gavel.SourceModel }, false},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			d := goodDocument()
			test.break_(d)
			if err := acceptable(d, false); gavel.AsError(err) == nil || gavel.AsError(err).Mapping().Exit != gavel.ExitNoVerdict {
				t.Errorf("err = %v, want exit 3", err)
			}
			if err := acceptable(d, true); (err == nil) != test.allowed {
				t.Errorf("allow_narrowed: err = %v", err)
			}
		})
	}
}

func TestSameReview(t *testing.T) {
	tests := map[string]func(*gavel.Document){
		"repository": func(d *gavel.Document) { d.Meta.Repo.ID = "x" },
		"base tree":  func(d *gavel.Document) { d.Meta.Repo.BaseTree = "x" },
		"head tree":  func(d *gavel.Document) { d.Meta.Repo.HeadTree = "x" },
		"digest":     func(d *gavel.Document) { d.Meta.Repo.DiffDigest = "x" },
		"version":    func(d *gavel.Document) { d.Meta.ToolVersion = "x" },
		"severity":   func(d *gavel.Document) { d.Findings[0].Severity = gavel.Info },
		"line":       func(d *gavel.Document) { d.Findings[0].Line = 2 },
		"settled by hand": func(d *gavel.Document) {
			d.Settled, d.Findings = d.Findings, nil
			d.Settled[0].Settled = []gavel.Settlement{{Reason: gavel.ReasonBaseline}}
		},
		"coverage": func(d *gavel.Document) { d.Meta.Coverage.Reviewed = 0 },
	}
	for name, edit := range tests {
		d := goodDocument()
		edit(d)
		if sameReview(d, goodDocument()) == nil {
			t.Errorf("%s: accepted", name)
		}
	}
	hidden := goodDocument()
	hidden.Settled, hidden.Findings = hidden.Findings, nil
	hidden.Settled[0].Settled = []gavel.Settlement{{Reason: gavel.ReasonBelowThreshold, Detail: "below high"}}
	same := goodDocument()
	same.Settled, same.Findings = same.Findings, nil
	same.Settled[0].Settled = []gavel.Settlement{{Reason: gavel.ReasonBelowThreshold, Detail: "below high"}}
	same.RunID, same.Meta.LatencyMS = "another", 7
	if err := sameReview(hidden, same); err != nil {
		t.Errorf("id and duration make another review: %v", err)
	}
	if sameReview(hidden, goodDocument()) == nil {
		t.Error("hidden findings pass for shown ones")
	}
}
