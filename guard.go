package gavel

import (
	"maps"
	"slices"
)

// Violation is one bound that a document breaks.
type Violation struct {
	Bound   string `json:"bound"` // "thresholds.high", "total", "rules.secret/jwt", "paths.src"
	Allowed int    `json:"allowed"`
	Actual  int    `json:"actual"`
}

// Bounded reports whether any bound is set.
func (g GuardPolicy) Bounded() bool {
	return g.Total != nil || len(g.Thresholds) > 0 || len(g.Rules) > 0 || len(g.Paths) > 0
}

// Apply counts the findings that weigh and lists every bound that they break, gravest severity first. match says
// whether a path pattern speaks of a path.
func (g GuardPolicy) Apply(findings []Finding, match func(pattern, path string) bool) (Counts, []Violation) {
	counted := slices.DeleteFunc(slices.Clone(findings), func(f Finding) bool {
		return !f.Counts() || g.NewOnly && (f.Baseline == BaselineUnchanged || f.Baseline == BaselineAbsent)
	})
	counts := CountFindings(counted)
	violations := []Violation{}
	check := func(bound string, allowed, actual int) {
		if actual > allowed {
			violations = append(violations, Violation{bound, allowed, actual})
		}
	}
	for _, s := range Severities {
		if allowed, ok := g.Thresholds[s]; ok {
			check("thresholds."+s.String(), allowed, *counts.Of(s))
		}
	}
	if g.Total != nil {
		check("total", *g.Total, counts.Total())
	}
	for _, rule := range slices.Sorted(maps.Keys(g.Rules)) {
		check("rules."+rule, g.Rules[rule], countIf(counted, func(f Finding) bool { return f.Rule == rule }))
	}
	for _, pattern := range slices.Sorted(maps.Keys(g.Paths)) {
		check("paths."+pattern, g.Paths[pattern], countIf(counted, func(f Finding) bool { return match(pattern, f.File) }))
	}
	return counts, violations
}

func countIf(findings []Finding, keep func(Finding) bool) int {
	n := 0
	for _, f := range findings {
		if keep(f) {
			n++
		}
	}
	return n
}
