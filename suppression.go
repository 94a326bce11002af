package gavel

import (
	"fmt"
	"strings"
	"time"
)

// SuppressionMarker is the word that begins a suppression comment:
//
//	gavel:ignore RULE[,RULE] until YYYY-MM-DD -- reason
const SuppressionMarker = "gavel:ignore"

// MaxSuppressionDays is how far ahead a suppression may reach. Suppression always expires.
const MaxSuppressionDays = 365

// Suppression is one comment that asks for findings on its line or the next to be settled.
type Suppression struct {
	File   string
	Line   int
	Rules  []string
	Until  time.Time // the last day on which it holds, as midnight UTC
	Reason string
	// Trusted is true when the same comment over the same line stands on the trusted base. Anything else was brought
	// in by the change or by an earlier commit on its branch.
	Trusted bool
}

// ParseSuppression reads the marker out of one line of comment text. found tells whether there is a marker at all; with
// found true and an error, the marker is not honoured and the error says why.
func ParseSuppression(comment string, now time.Time) (s Suppression, found bool, err error) {
	_, rest, found := strings.Cut(comment, SuppressionMarker)
	if !found || (rest != "" && rest[0] != ' ' && rest[0] != '\t') {
		return Suppression{}, false, nil
	}
	head, reason, ok := strings.Cut(rest, "--")
	reason = trimCommentEnd(reason)
	if !ok || reason == "" {
		return s, true, fmt.Errorf("no reason: write %q", SuppressionMarker+" RULE until YYYY-MM-DD -- why")
	}
	words := strings.Fields(head)
	if len(words) != 3 || words[1] != "until" {
		return s, true, fmt.Errorf("want %q", SuppressionMarker+" RULE[,RULE] until YYYY-MM-DD -- why")
	}
	for rule := range strings.SplitSeq(words[0], ",") {
		if !ruleID.MatchString(rule) {
			return s, true, fmt.Errorf("%q is not a rule id", rule)
		}
		s.Rules = append(s.Rules, rule)
	}
	until, err := time.Parse(time.DateOnly, words[2])
	if err != nil {
		return s, true, fmt.Errorf("%q is not a date: write YYYY-MM-DD", words[2])
	}
	today := now.UTC().Truncate(24 * time.Hour)
	switch {
	case until.Before(today):
		return s, true, fmt.Errorf("expired on %s", words[2])
	case until.After(today.AddDate(0, 0, MaxSuppressionDays)):
		return s, true, fmt.Errorf("%s is more than %d days ahead", words[2], MaxSuppressionDays)
	}
	s.Until, s.Reason = until, reason
	return s, true, nil
}

// trimCommentEnd cuts what closes a comment in the languages that close one.
func trimCommentEnd(reason string) string {
	reason = strings.TrimSpace(reason)
	for _, end := range []string{"*/", "-->", "--}}", "%>", "#}", "*)", "=#", "]]"} {
		reason = strings.TrimSpace(strings.TrimSuffix(reason, end))
	}
	return reason
}

// Covers reports whether the suppression speaks of the finding: same file, its line or the next, one of its rules.
func (s Suppression) Covers(f *Finding, aliases func(rule string) []string) bool {
	if s.File != f.File || (f.Line != s.Line && f.Line != s.Line+1) {
		return false
	}
	for _, rule := range s.Rules {
		if rule == f.Rule {
			return true
		}
		if aliases != nil {
			for _, old := range aliases(f.Rule) {
				if rule == old {
					return true
				}
			}
		}
	}
	return false
}
