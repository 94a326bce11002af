package detect

import (
	"regexp"
	"strings"
)

// secretAllow is where a rule of a file does not count.
type secretAllow struct {
	only   []*regexp.Regexp // the paths that it looks at; empty = all
	paths  []*regexp.Regexp // the paths that it leaves alone
	values []*regexp.Regexp // the values that it leaves alone
	words  []string         // lower case; values with one of them are left alone
}

// place reports whether the rule looks at the path.
func (a *secretAllow) place(path string) bool {
	if a == nil {
		return true
	}
	return (len(a.only) == 0 || anyMatch(a.only, path)) && !anyMatch(a.paths, path)
}

// value reports whether the rule counts for the value.
func (a *secretAllow) value(value string) bool {
	if a == nil {
		return true
	}
	lower := strings.ToLower(value)
	for _, word := range a.words {
		if strings.Contains(lower, word) {
			return false
		}
	}
	return !anyMatch(a.values, value)
}

func anyMatch(all []*regexp.Regexp, text string) bool {
	for _, re := range all {
		if re.MatchString(text) {
			return true
		}
	}
	return false
}
