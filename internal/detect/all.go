package detect

import (
	"slices"
	"sync"

	"github.com/gavel-review/gavel"
)

// All returns every detector, in the order of their names.
func All() []Detector {
	return []Detector{
		addedFile, assertion, flaky, focused, gateConfig, injection, invisible, leftover, lockstep, mergeMarker,
		risk, secretDetector(), skipped, suppression, swallowed, testRemoved,
	}
}

var catalogue = sync.OnceValue(func() map[string]*gavel.Rule {
	byID := make(map[string]*gavel.Rule)
	for _, d := range All() {
		for _, r := range d.Rules {
			byID[r.ID] = r
			for _, old := range r.Aliases {
				byID[old] = r
			}
		}
	}
	return byID
})

// Rules returns every rule, sorted by id.
func Rules() []*gavel.Rule {
	var out []*gavel.Rule
	for _, d := range All() {
		out = append(out, d.Rules...)
	}
	slices.SortFunc(out, func(a, b *gavel.Rule) int {
		if a.ID < b.ID {
			return -1
		}
		return 1
	})
	return out
}

// Rule returns the rule with the id or old name, nil when there is none.
func Rule(idOrAlias string) *gavel.Rule { return catalogue()[idOrAlias] }
