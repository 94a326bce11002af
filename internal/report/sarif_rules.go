package report

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/gavel-review/gavel"
)

type sarifTool struct {
	Driver sarifDriver `json:"driver"`
}

type sarifDriver struct {
	Name          string            `json:"name"`
	Version       string            `json:"version,omitempty"`
	URI           string            `json:"informationUri"`
	Rules         []sarifRule       `json:"rules"`
	Notifications []sarifNoticeKind `json:"notifications,omitempty"`
}

type sarifNoticeKind struct {
	ID    string    `json:"id"`
	Short sarifText `json:"shortDescription"`
}

type sarifRule struct {
	ID         string              `json:"id"`
	Deprecated []string            `json:"deprecatedIds,omitempty"`
	Short      sarifText           `json:"shortDescription"`
	Full       sarifText           `json:"fullDescription"`
	Help       sarifText           `json:"help"`
	Default    sarifLevel          `json:"defaultConfiguration"`
	Properties sarifRuleProperties `json:"properties"`
}

type sarifLevel struct {
	Level string `json:"level"`
}

// sarifRuleProperties are those that code-scanning services read.
type sarifRuleProperties struct {
	Tags             []string         `json:"tags"`
	Precision        gavel.Confidence `json:"precision,omitempty"`
	ProblemSeverity  string           `json:"problem.severity"`
	SecuritySeverity string           `json:"security-severity,omitempty"`
}

type sarifRules struct {
	descriptors []sarifRule
	index       map[string]int
}

// newSarifRules describes the rules that the findings name, sorted. One that is not documented, of a model say, is
// described by what its findings say about it.
func newSarifRules(doc *gavel.Document, documented []*gavel.Rule) sarifRules {
	used := map[string]*gavel.Finding{}
	for _, findings := range [][]gavel.Finding{doc.Findings, doc.Settled} {
		for i := range findings {
			f := &findings[i]
			if g := used[f.Rule]; g == nil || f.Severity > g.Severity {
				used[f.Rule] = f
			}
		}
	}
	docs := map[string]*gavel.Rule{}
	for _, r := range documented {
		docs[r.ID] = r
	}
	out := sarifRules{descriptors: []sarifRule{}, index: map[string]int{}}
	for i, id := range slices.Sorted(maps.Keys(used)) {
		r := docs[id]
		if r == nil {
			r = undocumented(used[id])
		}
		out.index[id] = i
		out.descriptors = append(out.descriptors, describeRule(r))
	}
	return out
}

func undocumented(f *gavel.Finding) *gavel.Rule {
	if check, name, ok := checkRule(f.Rule); ok {
		title := fmt.Sprintf("%s of the check %s", codeSpan(name), codeSpan(check)) // foreign words: no Markdown of theirs
		return &gavel.Rule{
			ID: f.Rule, Title: title, Text: title + ". What it means and how to configure it is in the documentation of that tool.",
			Severity: f.Severity, Category: f.Category, CWE: f.CWE,
		}
	}
	what := fmt.Sprintf("A finding of category %s by a %s", f.Category, f.Source)
	return &gavel.Rule{
		ID: f.Rule, Title: what, Text: what + ". The rule is not documented here.",
		Severity: f.Severity, Category: f.Category, CWE: f.CWE, Descriptive: f.Descriptive,
	}
}

// checkRule takes the id of a check's rule apart: check/eslint/no-eval.
func checkRule(id string) (check, name string, ok bool) {
	rest, ok := strings.CutPrefix(id, "check/")
	if !ok {
		return "", "", false
	}
	check, name, ok = strings.Cut(rest, "/")
	return check, name, ok && check != "" && name != ""
}

func describeRule(r *gavel.Rule) sarifRule {
	d := sarifRule{
		ID: r.ID, Deprecated: r.Aliases,
		Short:   sarifText{Text: sarifPlain(sentence(r.Title))},
		Full:    sarifText{Text: sarifPlain(r.Text)},
		Help:    sarifText{Text: sarifPlain(RuleText(r)), Markdown: RuleMarkdown(r)},
		Default: sarifLevel{r.Severity.Level()},
		Properties: sarifRuleProperties{
			Tags: ruleTags(r), Precision: r.Confidence, ProblemSeverity: problemSeverity(r.Severity),
		},
	}
	if securityCategory(r.Category) && !r.Descriptive {
		d.Properties.SecuritySeverity = securitySeverity(r.Severity)
	}
	return d
}

func securityCategory(c gavel.Category) bool {
	switch c {
	case gavel.CategorySecret, gavel.CategoryRisk, gavel.CategoryInjection, gavel.CategorySecurity:
		return true
	}
	return false
}

func ruleTags(r *gavel.Rule) []string {
	tags := []string{cmp.Or(string(r.Category), "other")}
	if securityCategory(r.Category) && tags[0] != "security" {
		tags = append(tags, "security")
	}
	if r.CWE != "" {
		tags = append(tags, "external/cwe/"+strings.ToLower(r.CWE))
	}
	return tags
}

func problemSeverity(s gavel.Severity) string {
	if level := s.Level(); level != "note" && level != "none" {
		return level
	}
	return "recommendation"
}

// securitySeverity is a number in the band that code-scanning services show under the same word.
func securitySeverity(s gavel.Severity) string {
	switch s {
	case gavel.Critical:
		return "9.5"
	case gavel.High:
		return "8.0"
	case gavel.Medium:
		return "5.5"
	case gavel.Low:
		return "3.0"
	}
	return "1.0"
}

// notificationKinds describes the notifications that the run holds.
func (s *sarifWriter) notificationKinds() []sarifNoticeKind {
	all := map[string]string{
		"not-judged": "The review gave no verdict.",
		"truncated":  "The document was cut.",
		"note":       "What a reader should know about the review.",
	}
	used := map[string]bool{"not-judged": true, "truncated": true, "note": true}
	for _, skip := range s.doc.Meta.Coverage.Skipped {
		all[skipKind(skip.Reason)] = "A changed path was not reviewed as text: " + string(skip.Reason) + "."
		used[skipKind(skip.Reason)] = true
	}
	var out []sarifNoticeKind
	for _, id := range slices.Sorted(maps.Keys(used)) {
		out = append(out, sarifNoticeKind{id, sarifText{Text: all[id]}})
	}
	return out
}
