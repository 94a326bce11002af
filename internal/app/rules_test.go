package app

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/gavel-review/gavel"
	"github.com/gavel-review/gavel/internal/detect"
)

func testRules() []*gavel.Rule {
	return []*gavel.Rule{
		{
			ID: "hygiene/merge-marker", Aliases: []string{"hygiene/conflict-marker"}, Title: "Merge marker left behind",
			Text: "A conflict was not resolved.", Fix: "Resolve it.", Before: "<<<<<<< ours\n```\n", After: "a\n",
			Severity: gavel.High, Category: gavel.CategoryHygiene, Confidence: "high", CWE: "CWE-000",
		},
		{
			ID: "secret/github-token", Title: "GitHub token", Text: "It grants access.", Fix: "Revoke it.", Before: "x", After: "y",
			Severity: gavel.Critical, Category: gavel.CategorySecret, Confidence: "high",
		},
		{
			ID: "secret/gitlab-token", Title: "GitLab token", Text: "It grants access.", Fix: "Revoke it.", Before: "x", After: "y",
			Severity: gavel.Critical, Category: gavel.CategorySecret, Confidence: "high",
		},
	}
}

func TestListRules(t *testing.T) {
	t.Parallel()
	tests := []struct {
		category string
		ids      []string
		class    gavel.Class
	}{
		{"", []string{"hygiene/merge-marker", "secret/github-token", "secret/gitlab-token"}, ""},
		{"secret", []string{"secret/github-token", "secret/gitlab-token"}, ""},
		{"risk", []string{}, ""},
		{"Secret", nil, gavel.InvalidArgs},
		{"bug", nil, gavel.InvalidArgs},
	}
	for _, tt := range tests {
		out, err := listRules(RulesInput{tt.category}, testRules())
		if tt.class != "" {
			if err == nil || gavel.AsError(err).Class != tt.class {
				t.Errorf("category %q: error %v, want class %s", tt.category, err, tt.class)
			}
			continue
		}
		ids := []string{}
		for _, r := range out.Rules {
			ids = append(ids, r.ID)
		}
		if err != nil || !slices.Equal(ids, tt.ids) {
			t.Errorf("category %q: %v, %v; want %v", tt.category, ids, err, tt.ids)
		}
	}
}

func TestRulesAgreeWithTheirCategories(t *testing.T) {
	t.Parallel()
	fields := Fields(new(RulesInput))
	if !slices.Equal(fields[0].Enum, detectorCategories) {
		t.Errorf("the flag offers %v, the operation takes %v", fields[0].Enum, detectorCategories)
	}
	for _, r := range detect.Rules() {
		if !slices.Contains(detectorCategories, string(r.Category)) {
			t.Errorf("rule %s: --category cannot select %q", r.ID, r.Category)
		}
	}
}

func TestRenderRules(t *testing.T) {
	t.Parallel()
	out, err := listRules(RulesInput{"secret"}, testRules())
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := Rules.Render(&b, out, RenderOptions{}); err != nil {
		t.Fatal(err)
	}
	want := `RULE                 SEVERITY  CATEGORY  TITLE
secret/github-token  critical  secret    GitHub token
secret/gitlab-token  critical  secret    GitLab token
2 rules; ` + "`gavel explain RULE` says more\n"
	if b.String() != want {
		t.Errorf("got:\n%s\nwant:\n%s", b.String(), want)
	}
}

func TestExplainFindsRules(t *testing.T) {
	t.Parallel()
	tests := []struct {
		asked, id, old string
		class          gavel.Class
		hint           string
	}{
		{asked: "secret/github-token", id: "secret/github-token"},
		{asked: " secret/github-token\n", id: "secret/github-token"},
		{asked: "hygiene/conflict-marker", id: "hygiene/merge-marker", old: "hygiene/conflict-marker"},
		{asked: "", class: gavel.InvalidArgs, hint: "gavel rules"},
		{asked: "secret/github-tokn", class: gavel.NotFound, hint: "did you mean secret/github-token"},
		{asked: "github-token", class: gavel.NotFound, hint: "did you mean secret/github-token"},
		{asked: "risk/merge-marker", class: gavel.NotFound, hint: "did you mean hygiene/merge-marker?"},
		{asked: "token", class: gavel.NotFound, hint: "did you mean secret/github-token or secret/gitlab-token?"},
		{asked: "SECRET/GITHUB-TOKEN", class: gavel.NotFound, hint: "did you mean secret/github-token"},
		{asked: "conflict-marker", class: gavel.NotFound, hint: "did you mean hygiene/merge-marker?"},
		{asked: "nothing/like-it", class: gavel.NotFound, hint: "gavel rules"},
		{asked: "x", class: gavel.NotFound, hint: "gavel rules"},
		{asked: strings.Repeat("long/", 1<<16), class: gavel.NotFound, hint: "gavel rules"},
	}
	for _, tt := range tests {
		out, err := explainRule(tt.asked, testRules())
		if tt.class != "" {
			e := gavel.AsError(err)
			if e == nil || e.Class != tt.class || !strings.Contains(e.Hint, tt.hint) {
				t.Errorf("%.40q: %v (hint %q); want %s with hint %q", tt.asked, err, e.Hint, tt.class, tt.hint)
			}
			continue
		}
		if err != nil || out.ID != tt.id || out.Asked != tt.old {
			t.Errorf("%q: %+v, %v; want %s, asked as %q", tt.asked, out, err, tt.id, tt.old)
		}
	}
}

func TestRenderExplain(t *testing.T) {
	t.Parallel()
	out, err := explainRule("hygiene/conflict-marker", testRules())
	if err != nil {
		t.Fatal(err)
	}
	for format, wants := range map[string][]string{
		"text": {"hygiene/conflict-marker is now called hygiene/merge-marker.\n\nhygiene/merge-marker: Merge marker left behind\n",
			"\nA conflict was not resolved.\n", "    <<<<<<< ours\n", "severity high", "\nOld names: hygiene/conflict-marker.\n"},
		"markdown": {"# hygiene/merge-marker\n\n", "\n````", "<<<<<<< ours\n", "\nOld names: hygiene/conflict-marker.\n"},
	} {
		var b bytes.Buffer
		if err := Explain.Render(&b, out, RenderOptions{Format: format}); err != nil {
			t.Fatal(err)
		}
		for _, want := range wants {
			if !strings.Contains(b.String(), want) {
				t.Errorf("%s: %q is missing in:\n%s", format, want, b.String())
			}
		}
	}
}

func TestExplainKnowsEveryRule(t *testing.T) {
	t.Parallel()
	for _, r := range detect.Rules() {
		for _, id := range append([]string{r.ID}, r.Aliases...) {
			if out, err := explainRule(id, detect.Rules()); err != nil || out.ID != r.ID {
				t.Errorf("explain %s: %v", id, err)
			}
		}
	}
}
