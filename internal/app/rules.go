package app

import (
	"context"
	"fmt"
	"io"
	"text/tabwriter"

	"github.com/gavel-review/gavel"
	"github.com/gavel-review/gavel/internal/detect"
)

// RulesInput narrows the list of rules.
type RulesInput struct {
	Category string `json:"category,omitempty" doc:"only rules of this category" enum:"secret,flaky,risk,injection,hygiene"`
}

// RulesOutput lists rules, sorted by id.
type RulesOutput struct {
	SchemaVersion string    `json:"schema_version"`
	Rules         []RuleRow `json:"rules"`
}

// RuleRow is one rule in one line; `gavel explain` has the rest.
type RuleRow struct {
	ID          string         `json:"id"`
	Severity    gavel.Severity `json:"severity"`
	Category    gavel.Category `json:"category"`
	Title       string         `json:"title"`
	Descriptive bool           `json:"descriptive,omitempty"` // moves no gate
}

// Rules lists every rule that the detectors know.
var Rules = Op[RulesInput, *RulesOutput]{
	Name:     "rules",
	Doc:      "List every rule with its severity and category.",
	Long:     "The severity is the rule's own; a policy may set another one under [policy.severities]. `gavel explain RULE` says more.",
	Example:  "  gavel rules\n  gavel rules --category secret --json",
	Doors:    CLI,
	ReadOnly: true,
	Run: func(_ context.Context, _ *Env, in RulesInput) (*RulesOutput, error) {
		return listRules(in, detect.Rules())
	},
	Render: renderRules,
}

func listRules(in RulesInput, rules []*gavel.Rule) (*RulesOutput, error) {
	if in.Category != "" {
		if err := checkEnum("category", in.Category, detectorCategories...); err != nil {
			return nil, err
		}
	}
	out := &RulesOutput{SchemaVersion: gavel.WireVersion, Rules: []RuleRow{}}
	for _, r := range rules {
		if in.Category == "" || in.Category == string(r.Category) {
			out.Rules = append(out.Rules, RuleRow{r.ID, r.Severity, r.Category, r.Title, r.Descriptive})
		}
	}
	return out, nil
}

// detectorCategories are the categories that detectors report; the others come from checks and models.
var detectorCategories = []string{
	string(gavel.CategorySecret), string(gavel.CategoryFlaky), string(gavel.CategoryRisk),
	string(gavel.CategoryInjection), string(gavel.CategoryHygiene),
}

func renderRules(w io.Writer, o *RulesOutput, _ RenderOptions) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "RULE\tSEVERITY\tCATEGORY\tTITLE")
	for _, r := range o.Rules {
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\n", r.ID, r.Severity, r.Category, r.Title)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	_, err := fmt.Fprintf(w, "%s; `gavel explain RULE` says more\n", plural(len(o.Rules), "rule"))
	return err
}
