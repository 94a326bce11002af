package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/gavel-review/gavel"
	"github.com/gavel-review/gavel/internal/detect"
	"github.com/gavel-review/gavel/internal/report"
)

func rulesPage(*source) (string, error) {
	var b strings.Builder
	rules := detect.Rules()
	b.WriteString("Every rule that the detectors know, by category. `gavel explain RULE` shows the same. A policy may give a rule another severity under `[policy.severities]`.\n\n")
	measuredOn(&b, detect.Measurements())
	for _, category := range categories(rules) {
		var rows [][]string
		for _, r := range rules {
			if r.Category == category {
				rows = append(rows, []string{fmt.Sprintf("[`%s`](#%s)", r.ID, anchor(r.ID)), r.Severity.String(), string(r.Confidence), measured(r.ID), r.Title})
			}
		}
		fmt.Fprintf(&b, "## %s\n\n", category)
		table(&b, []string{"rule", "severity", "confidence", "precision", "finds"}, rows)
	}
	for _, category := range categories(rules) {
		for _, r := range rules {
			if r.Category == category {
				if err := r.Validate(); err != nil {
					return "", err
				}
				rule(&b, r)
			}
		}
	}
	return b.String(), nil
}

func rule(b *strings.Builder, r *gavel.Rule) {
	fmt.Fprintf(b, "### %s\n\n%s\n", r.ID, strings.TrimSpace(report.RuleMarkdown(r)))
	if m, ok := detect.MeasuredRule(r.ID); ok {
		fmt.Fprintf(b, "\nMeasured: %s.\n", m)
	}
	if len(r.Aliases) > 0 {
		fmt.Fprintf(b, "\nOld names: %s.\n", quoteAll(r.Aliases))
	}
	b.WriteByte('\n')
}

// measuredOn says what the precisions were measured on.
func measuredOn(b *strings.Builder, m *detect.Measurement) {
	fmt.Fprintf(b, "Precision is the share of a rule's findings that were right, and of how many, on labelled public data on %s; an empty one says that no label judges the rule. [precision.json](precision.json) has the numbers. The data:\n\n", m.Date)
	for _, s := range m.Sets {
		fmt.Fprintf(b, "- %s, %d cases: %s\n", s.Name, s.Cases, s.Source)
	}
	b.WriteByte('\n')
}

// measured is a rule's precision and the number of judged findings, "" where there are none.
func measured(id string) string {
	m, ok := detect.MeasuredRule(id)
	if !ok {
		return ""
	}
	return fmt.Sprintf("%.2f of %d", m.Precision, m.N)
}

// categories lists the categories of the rules, each once, in the order of the names.
func categories(rules []*gavel.Rule) []gavel.Category {
	var all []gavel.Category
	for _, r := range rules {
		all = append(all, r.Category)
	}
	slices.Sort(all)
	return slices.Compact(all)
}
