package app

import (
	"strings"

	"github.com/gavel-review/gavel"
)

// shortestValue is the least length at which a word of a line says which secret it is, in bytes.
const shortestValue = 8

// markFresh finds the secrets that the change brings: those whose value no removed line of the file holds. In a scan
// every line counts as changed and nothing is known to be new.
func markFresh(f *gavel.File, findings []gavel.Finding) {
	for i := range findings {
		found := &findings[i]
		if found.Category != gavel.CategorySecret || found.Severity < gavel.High || found.Scope != gavel.ScopeChangedLine {
			continue
		}
		text, added := addedLine(f, found.Line)
		found.Fresh = added && !removedHolds(f, valueAt(text, found.Column))
	}
}

func addedLine(f *gavel.File, number int) (text string, ok bool) {
	for i := range f.Hunks {
		for j := range f.Hunks[i].Lines {
			if l := &f.Hunks[i].Lines[j]; l.Op == gavel.Add && l.New == number {
				return l.Text, true
			}
		}
	}
	return "", false
}

// valueAt is the word that begins at a column, from 1; the whole line where that is too short to tell values apart.
func valueAt(line string, column int) string {
	if column < 1 || column > len(line) {
		return strings.TrimSpace(line)
	}
	value := line[column-1:]
	if end := strings.IndexAny(value, " \t\"'`<>;,)}"); end >= 0 {
		value = value[:end]
	}
	if len(value) < shortestValue {
		return strings.TrimSpace(line)
	}
	return value
}

func removedHolds(f *gavel.File, value string) bool {
	for i := range f.Hunks {
		for j := range f.Hunks[i].Lines {
			if l := &f.Hunks[i].Lines[j]; l.Op == gavel.Remove && strings.Contains(l.Text, value) {
				return true
			}
		}
	}
	return false
}
