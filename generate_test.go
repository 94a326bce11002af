package gavel_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/gavel-review/gavel"
)

// dice draws values from small sets, so that findings meet often: in a place, under a suppression, in the baseline.
type dice struct{ *rand.Rand }

func newDice(seed uint64) dice { return dice{rand.New(rand.NewPCG(seed, 0x9e3779b97f4a7c15))} }

func pick[T any](d dice, of ...T) T { return of[d.IntN(len(of))] }

func (d dice) one(in int) bool { return d.IntN(in) == 0 }

var (
	someFiles      = []string{"a.go", "b.go", "vendor/c.go"}
	someRules      = []string{"secret/key", "secret/token", "hygiene/debug", "risk/exec"}
	someSeverities = []gavel.Severity{gavel.Info, gavel.Low, gavel.Medium, gavel.High, gavel.Critical}
	someThresholds = []gavel.Threshold{gavel.Unset, gavel.None, gavel.Any, "info", "low", "medium", "high", "critical"}
)

func categoryOf(rule string) gavel.Category {
	switch rule[:4] {
	case "secr":
		return gavel.CategorySecret
	case "risk":
		return gavel.CategoryRisk
	}
	return gavel.CategoryHygiene
}

func (d dice) finding() gavel.Finding {
	rule, file := pick(d, someRules...), pick(d, someFiles...)
	text := fmt.Sprint("line ", d.IntN(2))
	f := gavel.Finding{
		Rule: rule, File: file, Line: 1 + d.IntN(3), Column: d.IntN(2), Category: categoryOf(rule),
		Severity: pick(d, someSeverities...), Title: pick(d, "one", "two"), Located: !d.one(8),
		Source:     pick(d, gavel.SourceDetector, gavel.SourceDetector, gavel.SourceModel, gavel.SourceCheck, gavel.SourceHost),
		Confidence: pick(d, gavel.ConfidenceLow, gavel.ConfidenceHigh),
		Scope:      pick(d, gavel.ScopeChangedLine, gavel.ScopeChangedLine, gavel.ScopeChangedFile, gavel.ScopeElsewhere),
		Baseline:   pick(d, gavel.BaselineNew, gavel.BaselineNew, gavel.BaselineUnchanged, gavel.BaselineUnknown, gavel.BaselineAbsent, ""),
	}
	f.Fingerprint = gavel.Fingerprint(rule, file, text)
	if file == "b.go" {
		f.Aliases = []string{gavel.Fingerprint(rule, "old/b.go", text)}
	}
	if d.one(8) {
		f.Severity, f.Descriptive = gavel.Info, true
	}
	return f
}

func (d dice) findings(most int) []gavel.Finding {
	out := make([]gavel.Finding, d.IntN(most+1))
	for i := range out {
		out[i] = d.finding()
	}
	return out
}

func (d dice) suppression() gavel.Suppression {
	return gavel.Suppression{
		File: pick(d, someFiles...), Line: d.IntN(4), Rules: []string{pick(d, append(someRules, "secret/old-key")...)},
		Until: time.Date(2026, 1, 1+d.IntN(3), 0, 0, 0, 0, time.UTC), Reason: "because", Trusted: d.one(2),
	}
}

func (d dice) settlements(findings []gavel.Finding) gavel.Settlements {
	s := gavel.Settlements{
		Subject: pick(d, "tree-1", "tree-2", ""), FailOn: pick(d, someThresholds...),
		MinSeverity: pick(d, append(someSeverities, gavel.NoSeverity)...), Aliases: oldRules,
	}
	for range d.IntN(4) {
		s.Suppressions = append(s.Suppressions, d.suppression())
	}
	if d.one(3) {
		s.Excluded = func(path string) bool { return path == "vendor/c.go" }
	}
	for _, f := range findings {
		if d.one(4) {
			if s.Baseline == nil {
				s.Baseline = make(map[string]int)
			}
			s.Baseline[pick(d, append(f.Aliases, f.Fingerprint)...)]++
		}
		if d.one(6) {
			s.Untouched = append(s.Untouched, d.finding())
		}
		if d.one(6) {
			s.Rulings = append(s.Rulings, gavel.Ruling{Fingerprint: f.Fingerprint, Subject: pick(d, "tree-1", "tree-2", ""), By: "ada", Why: "seen"})
		}
	}
	return s
}

func oldRules(rule string) []string {
	if rule == "secret/key" {
		return []string{"secret/old-key"}
	}
	return nil
}

func shuffled[T any](d dice, in []T) []T {
	out := slices.Clone(in)
	d.Shuffle(len(out), func(i, j int) { out[i], out[j] = out[j], out[i] })
	return out
}
