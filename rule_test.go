package gavel_test

import (
	"testing"

	"github.com/gavel-review/gavel"
)

func TestRuleValidate(t *testing.T) {
	t.Parallel()
	whole := func(edits ...func(*gavel.Rule)) gavel.Rule {
		r := gavel.Rule{
			ID: "risk/exec-shell", Aliases: []string{"risk/shell"}, Title: "t", Text: "x", Fix: "f", Before: "b", After: "a",
			Severity: gavel.High, Category: gavel.CategoryRisk, Confidence: gavel.ConfidenceHigh,
		}
		for _, edit := range edits {
			edit(&r)
		}
		return r
	}
	if r := whole(); r.Validate() != nil {
		t.Errorf("%v", r.Validate())
	}
	id := func(s string) func(*gavel.Rule) { return func(r *gavel.Rule) { r.ID = s } }
	faulty := map[string]gavel.Rule{
		"no pack": whole(id("exec")), "empty": whole(id("")), "upper": whole(id("Risk/x")), "underscore": whole(id("risk/a_b")),
		"dots": whole(id("risk/..")), "blank": whole(id("risk/a b")), "newline": whole(id("risk/a\n")), "edge hyphen": whole(id("risk/a-")),
		"double hyphen": whole(id("risk/a--b")), "open end": whole(id("risk/")),
		"alias":        whole(func(r *gavel.Rule) { r.Aliases = []string{"Shell"} }),
		"own alias":    whole(func(r *gavel.Rule) { r.Aliases = []string{r.ID} }),
		"no title":     whole(func(r *gavel.Rule) { r.Title = "" }),
		"no text":      whole(func(r *gavel.Rule) { r.Text = "" }),
		"no fix":       whole(func(r *gavel.Rule) { r.Fix = "" }),
		"no before":    whole(func(r *gavel.Rule) { r.Before = "" }),
		"no after":     whole(func(r *gavel.Rule) { r.After = "" }),
		"no severity":  whole(func(r *gavel.Rule) { r.Severity = gavel.NoSeverity }),
		"no category":  whole(func(r *gavel.Rule) { r.Category = "" }),
		"no certainty": whole(func(r *gavel.Rule) { r.Confidence = "" }),
		"descriptive":  whole(func(r *gavel.Rule) { r.Descriptive = true }),
	}
	for name, r := range faulty {
		if r.Validate() == nil {
			t.Errorf("%s: valid", name)
		}
	}
	quiet := whole(func(r *gavel.Rule) { r.Descriptive, r.Severity = true, gavel.Info })
	if err := quiet.Validate(); err != nil {
		t.Error(err)
	}
}
