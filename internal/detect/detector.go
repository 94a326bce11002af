// Package detect holds the detectors that run in this process: one file each, with the documentation of its rules. A
// detector sees bytes and positions; it reads no file, starts no process and knows no clock.
//
// To add one: write <name>.go with a Detector value, testdata/<name>.txtar with bad code, good code and the wanted
// findings, and name it in [All].
package detect

import "github.com/gavel-review/gavel"

// Detector is one or more rules and the functions that find them.
type Detector struct {
	Name  string // the file's name
	Rules []*gavel.Rule
	// Run looks at one file of the change. It may be nil, and is called from several goroutines at once.
	Run func(*Pass)
	// Finish looks at the change as a whole after every file was run. It may be nil.
	Finish func(*Summary)
	// Everywhere lets Run see files whose text is not reviewed too: vendored, generated, lock files, binary. Detectors
	// of secrets see them in any case.
	Everywhere bool
}

func (d *Detector) everywhere() bool {
	return d.Everywhere || d.category() == gavel.CategorySecret
}

func (d *Detector) category() gavel.Category {
	if len(d.Rules) == 0 {
		return ""
	}
	return d.Rules[0].Category
}

// Without returns the detectors whose rules are of none of the categories.
func Without(dets []Detector, categories ...gavel.Category) []Detector {
	var kept []Detector
	for _, d := range dets {
		drop := false
		for _, c := range categories {
			drop = drop || d.category() == c
		}
		if !drop {
			kept = append(kept, d)
		}
	}
	return kept
}

// Only returns the detectors whose rules are of one of the categories.
func Only(dets []Detector, categories ...gavel.Category) []Detector {
	var kept []Detector
	for _, d := range dets {
		for _, c := range categories {
			if d.category() == c {
				kept = append(kept, d)
				break
			}
		}
	}
	return kept
}
