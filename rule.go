package gavel

import (
	"fmt"
	"regexp"
	"slices"
)

// Rule documents one kind of finding. It is data: help texts, SARIF, `gavel explain` and the reference pages all come
// from it.
type Rule struct {
	ID          string     `json:"id"` // pack/kebab-name; never reused
	Aliases     []string   `json:"aliases,omitempty"`
	Title       string     `json:"title"` // one sentence without a full stop
	Text        string     `json:"text"`  // why it matters and when it fires, Markdown
	Fix         string     `json:"fix"`   // what to do, one or two sentences
	Before      string     `json:"before"`
	After       string     `json:"after"`
	Severity    Severity   `json:"severity"`
	Category    Category   `json:"category"`
	Confidence  Confidence `json:"confidence"`
	CWE         string     `json:"cwe,omitempty"`
	Descriptive bool       `json:"descriptive,omitempty"`
}

var ruleID = regexp.MustCompile(`^[a-z0-9]+(/[a-z0-9]+(-[a-z0-9]+)*)+$`)

// Validate reports the first thing that is missing from the documentation.
func (r *Rule) Validate() error {
	switch {
	case !ruleID.MatchString(r.ID):
		return fmt.Errorf("rule id %q is not pack/kebab-name", r.ID)
	case r.Title == "" || r.Text == "" || r.Fix == "" || r.Before == "" || r.After == "":
		return fmt.Errorf("rule %s: title, text, fix, before and after are all needed", r.ID)
	case r.Severity == NoSeverity || r.Category == "" || r.Confidence == "":
		return fmt.Errorf("rule %s: severity, category and confidence are all needed", r.ID)
	case slices.ContainsFunc(r.Aliases, func(id string) bool { return !ruleID.MatchString(id) || id == r.ID }):
		return fmt.Errorf("rule %s: aliases %q are not other rule ids", r.ID, r.Aliases)
	case r.Descriptive && r.Severity != Info:
		return fmt.Errorf("rule %s: a descriptive rule is info", r.ID)
	}
	return nil
}
