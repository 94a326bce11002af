package report

import (
	"fmt"
	"strings"

	"github.com/gavel-review/gavel"
	"github.com/gavel-review/gavel/internal/untrusted"
)

// RuleMarkdown is a rule's documentation as Markdown without a heading: what it finds, why, the fix, before and after.
func RuleMarkdown(r *gavel.Rule) string {
	var b strings.Builder
	fmt.Fprintf(&b, "**%s**\n\n%s\n", strings.TrimSpace(r.Title), strings.TrimSpace(r.Text))
	if r.Fix != "" {
		fmt.Fprintf(&b, "\n**Fix:** %s\n", strings.TrimSpace(r.Fix))
	}
	for _, example := range []struct{ name, code string }{{"Before", r.Before}, {"After", r.After}} {
		if example.code != "" {
			fmt.Fprintf(&b, "\n%s:\n\n%s\n", example.name, fenced("", example.code))
		}
	}
	fmt.Fprintf(&b, "\nRule %s, %s\n", codeSpan(r.ID), ruleFacts(r))
	return b.String()
}

// RuleText is the same for readers that show text as it stands.
func RuleText(r *gavel.Rule) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n\n%s\n", strings.TrimSpace(r.Title), strings.TrimSpace(r.Text))
	if r.Fix != "" {
		fmt.Fprintf(&b, "\nFix: %s\n", strings.TrimSpace(r.Fix))
	}
	for _, example := range []struct{ name, code string }{{"Before", r.Before}, {"After", r.After}} {
		if example.code != "" {
			code := strings.ReplaceAll(strings.Trim(example.code, "\n"), "\n", "\n    ")
			fmt.Fprintf(&b, "\n%s:\n\n    %s\n", example.name, code)
		}
	}
	fmt.Fprintf(&b, "\nRule %s, %s\n", untrusted.Visible(r.ID), ruleFacts(r))
	return b.String()
}

func ruleFacts(r *gavel.Rule) string {
	facts := []string{"severity " + r.Severity.String()}
	if r.Confidence != "" {
		facts = append(facts, "confidence "+string(r.Confidence))
	}
	if r.CWE != "" {
		facts = append(facts, r.CWE)
	}
	if r.Descriptive {
		facts = append(facts, "never counts for a verdict")
	}
	return strings.Join(facts, ", ") + "."
}
