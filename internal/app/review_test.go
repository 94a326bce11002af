package app

import (
	"slices"
	"testing"

	"github.com/gavel-review/gavel"
	"github.com/gavel-review/gavel/internal/git"
)

func TestReviewScope(t *testing.T) {
	yes, no := true, false
	tests := []struct {
		name string
		in   ReviewInput
		want git.ScopeKind
		ok   bool
	}{
		{"default", ReviewInput{}, git.Staged, true},
		{"staged", ReviewInput{Staged: &yes}, git.Staged, true},
		{"unstaged", ReviewInput{Unstaged: &yes}, git.Unstaged, true},
		{"unstaged alone of two", ReviewInput{Staged: &no, Unstaged: &yes}, git.Unstaged, true},
		{"unstaged false", ReviewInput{Unstaged: &no}, git.Staged, true},
		{"revisions", ReviewInput{Diff: []string{"HEAD~1", "HEAD"}}, git.Revisions, true},
		{"both", ReviewInput{Staged: &yes, Unstaged: &yes}, 0, false},
		{"diff beside staged", ReviewInput{Staged: &yes, Diff: []string{"HEAD"}}, 0, false},
		{"diff beside unstaged", ReviewInput{Unstaged: &yes, Diff: []string{"HEAD"}}, 0, false},
		{"staged false alone", ReviewInput{Staged: &no}, 0, false},
		{"patch beside staged", ReviewInput{Patch: "-", Staged: &yes}, 0, false},
		{"patch beside revisions", ReviewInput{Patch: "-", Diff: []string{"HEAD"}}, 0, false},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			scope, err := test.in.scope()
			if (err == nil) != test.ok {
				t.Fatalf("err = %v", err)
			}
			if err != nil && gavel.AsError(err).Class != gavel.InvalidArgs {
				t.Errorf("class %s", gavel.AsError(err).Class)
			}
			if err == nil && scope.Kind != test.want {
				t.Errorf("kind %v, want %v", scope.Kind, test.want)
			}
		})
	}
}

func TestReviewValidate(t *testing.T) {
	for _, in := range []ReviewInput{
		{FailOn: "grave"}, {FailOn: "HIGH"}, {MinSeverity: "any"}, {MinSeverity: "none"}, {Provider: "host"}, {Provider: "openai"},
		{Model: "m"}, {Provider: "none", Model: "m"}, {Workers: -1}, {Workers: 1000},
	} {
		if err := in.validate(); gavel.AsError(err) == nil || gavel.AsError(err).Class != gavel.InvalidArgs {
			t.Errorf("%+v: err = %v, want invalid_args", in, err)
		}
	}
	for _, in := range []ReviewInput{{}, {FailOn: "any"}, {FailOn: "none"}, {MinSeverity: "info"}, {Provider: "none"}, {Workers: 8}} {
		if err := in.validate(); err != nil {
			t.Errorf("%+v: %v", in, err)
		}
	}
}

func TestFiltersRoundTrip(t *testing.T) {
	in := ReviewInput{File: []string{"a=b.go"}, Dir: []string{"src"}, ExcludeFile: []string{"*.md"}, ExcludeDir: []string{"vendor"}}
	var back ReviewInput
	if err := back.applyFilters(in.filters()); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(back.filters(), in.filters()) {
		t.Errorf("filters %q, want %q", back.filters(), in.filters())
	}
	if err := back.applyFilters([]string{"authors=x"}); err == nil {
		t.Error("an unknown filter is accepted")
	}
}
