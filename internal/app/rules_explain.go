package app

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/gavel-review/gavel"
	"github.com/gavel-review/gavel/internal/detect"
	"github.com/gavel-review/gavel/internal/report"
)

// ExplainInput names a rule.
type ExplainInput struct {
	Rule string `json:"rule" doc:"id of the rule, an old one too"`
}

// ExplainOutput is the whole documentation of one rule.
type ExplainOutput struct {
	SchemaVersion string `json:"schema_version"`
	*gavel.Rule
	// Asked is the old id that the rule was asked for by; empty when its present id was given.
	Asked string `json:"asked,omitempty"`
	// Measured is how often the rule was right on labelled public data; null where none judge it.
	Measured *MeasuredRule `json:"measured,omitempty"`
}

// MeasuredRule is a rule's precision and when it was measured.
type MeasuredRule struct {
	Date string `json:"date"`
	detect.Measured
}

// Explain shows everything that is known about a rule.
var Explain = Op[ExplainInput, *ExplainOutput]{
	Name:       "explain",
	Doc:        "Explain one rule: why it matters, what to do, and an example before and after.",
	Example:    "  gavel explain hygiene/merge-marker",
	Doors:      CLI,
	ReadOnly:   true,
	Positional: "rule",
	Formats:    []string{"markdown"},
	Run: func(_ context.Context, _ *Env, in ExplainInput) (*ExplainOutput, error) {
		out, err := explainRule(in.Rule, detect.Rules())
		if err != nil {
			return nil, err
		}
		if m, ok := detect.MeasuredRule(out.ID); ok {
			out.Measured = &MeasuredRule{detect.Measurements().Date, m}
		}
		return out, nil
	},
	Render: renderExplain,
}

func explainRule(id string, rules []*gavel.Rule) (*ExplainOutput, error) {
	id = strings.TrimSpace(id)
	if id == "" {
		return nil, gavel.Errorf(gavel.InvalidArgs, "rule: the id of a rule is needed").WithHint("`gavel rules` lists them")
	}
	for _, r := range rules {
		switch {
		case r.ID == id:
			return &ExplainOutput{SchemaVersion: gavel.WireVersion, Rule: r}, nil
		case slices.Contains(r.Aliases, id):
			return &ExplainOutput{SchemaVersion: gavel.WireVersion, Rule: r, Asked: id}, nil
		}
	}
	e := gavel.Errorf(gavel.NotFound, "there is no rule %q", id)
	if near := nearRules(id, rules); len(near) > 0 {
		return nil, e.WithHint("did you mean %s?", strings.Join(near, " or "))
	}
	return nil, e.WithHint("`gavel rules` lists every rule")
}

// maxNear is how many near names an error offers.
const maxNear = 3

// nearRules returns the ids that were probably meant, best first: those a few edits away, those of another pack with
// the same name, and those that the word is a part of.
func nearRules(asked string, rules []*gavel.Rule) []string {
	asked = strings.ToLower(asked)
	type candidate struct {
		id       string
		distance int
	}
	var near []candidate
	for _, r := range rules {
		best := -1
		for _, name := range append([]string{r.ID, ruleName(r.ID)}, r.Aliases...) {
			if d := nearness(asked, name); d >= 0 && (best < 0 || d < best) {
				best = d
			}
		}
		if best >= 0 {
			near = append(near, candidate{r.ID, best})
		}
	}
	slices.SortFunc(near, func(a, b candidate) int {
		return cmp.Or(cmp.Compare(a.distance, b.distance), strings.Compare(a.id, b.id))
	})
	ids := make([]string, 0, maxNear)
	for _, c := range near[:min(len(near), maxNear)] {
		ids = append(ids, c.id)
	}
	return ids
}

// nearness is how far the word is from a name, in edits; a word that is contained in the name ranks behind every
// misspelling. It is -1 for a name that cannot have been meant. Long words are not compared: the distance is quadratic.
func nearness(asked, name string) int {
	const contained, longest = 100, 100
	if len(asked) > longest {
		return -1
	}
	if d := gavel.EditDistance(asked, name); d <= max(2, len(name)/5) {
		return d
	}
	if ruleName(asked) == name {
		return 0
	}
	if len(asked) >= 3 && strings.Contains(name, asked) {
		return contained
	}
	return -1
}

// ruleName is a rule's id without its pack.
func ruleName(id string) string { return id[strings.LastIndexByte(id, '/')+1:] }

func renderExplain(w io.Writer, o *ExplainOutput, opt RenderOptions) error {
	var b strings.Builder
	if o.Asked != "" {
		fmt.Fprintf(&b, "%s is now called %s.\n\n", o.Asked, o.ID)
	}
	if opt.Format == "markdown" {
		fmt.Fprintf(&b, "# %s\n\n%s", o.ID, report.RuleMarkdown(o.Rule))
	} else {
		fmt.Fprintf(&b, "%s: %s", o.ID, report.RuleText(o.Rule))
	}
	if len(o.Aliases) > 0 {
		fmt.Fprintf(&b, "\nOld names: %s.\n", strings.Join(o.Aliases, ", "))
	}
	if o.Measured != nil {
		fmt.Fprintf(&b, "\nMeasured on labelled public data, %s: %s.\n", o.Measured.Date, o.Measured)
	}
	_, err := io.WriteString(w, b.String())
	return err
}
