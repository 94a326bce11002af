package app

import (
	"slices"

	"github.com/gavel-review/gavel"
	"github.com/gavel-review/gavel/internal/detect"
)

// untouched looks for findings on the lines that the change leaves alone, which a review does not see. It does so only
// where the baseline may know a finding of the change: one that stands where it stood must take its share first, else
// the baseline would settle its copy as the old one.
func (j *judge) untouched(f *gavel.File, text func() (string, error), r *fileResult) error {
	known := func(found gavel.Finding) bool {
		return j.settings.Baseline[found.Fingerprint] > 0 ||
			slices.ContainsFunc(found.Aliases, func(print string) bool { return j.settings.Baseline[print] > 0 })
	}
	changed := func(found gavel.Finding) bool { return found.Scope == gavel.ScopeChangedLine && known(found) }
	if j.origin.whole || text == nil || f.Binary || len(j.settings.Baseline) == 0 || !slices.ContainsFunc(r.findings, changed) {
		return nil
	}
	whole := *f
	whole.Hunks = nil
	result := detect.Run(j.detectors, &whole, text, true)
	seen := make(map[string]int)
	for i := range r.findings {
		seen[r.findings[i].Fingerprint]++
	}
	for _, found := range result.Findings {
		switch {
		case seen[found.Fingerprint] > 0:
			seen[found.Fingerprint]--
		case known(found):
			r.untouched = append(r.untouched, found)
		}
	}
	return result.Err
}

// mostUntouched takes each fingerprint from the file that holds it most often: where commits are judged one by one, the
// same lines are there again in every one that touches their file.
func mostUntouched(results []fileResult) []gavel.Finding {
	most := make(map[string][]gavel.Finding)
	for i := range results {
		equal := make(map[string][]gavel.Finding)
		for _, found := range results[i].untouched {
			equal[found.Fingerprint] = append(equal[found.Fingerprint], found)
		}
		for print, found := range equal {
			if len(found) > len(most[print]) {
				most[print] = found
			}
		}
	}
	var all []gavel.Finding
	for _, found := range most {
		all = append(all, found...)
	}
	slices.SortFunc(all, gavel.CompareFindings)
	return all
}
