package app

import (
	"slices"
	"strings"
	"testing"

	"github.com/gavel-review/gavel"
	"github.com/gavel-review/gavel/internal/git"
)

func TestCheckSelection(t *testing.T) {
	t.Parallel()
	yes, no := true, false
	for name, in := range map[string]ReviewInput{
		"staged":         {Text: "x", Staged: &yes},
		"unstaged":       {Author: []string{"a"}, Unstaged: &yes},
		"patch":          {StartDate: "2024-01-01", Patch: "-"},
		"beside staged":  {Merges: true, Staged: &yes},
		"empty word":     {Committer: []string{""}},
		"no such day":    {EndDate: "2024-02-30"},
		"inverted":       {StartDate: "2024-02-02", EndDate: "2024-02-01"},
		"negative":       {Text: "x", MaxCommits: -1},
		"negative alone": {MaxCommits: -1},
	} {
		if err := in.validate(); gavel.AsError(err) == nil || gavel.AsError(err).Class != gavel.InvalidArgs {
			t.Errorf("%s: %v", name, err)
		}
	}
	for name, in := range map[string]ReviewInput{
		"not given":    {Author: []string{}, Committer: nil, MaxCommits: 0, Merges: false, Staged: &yes},
		"a number":     {MaxCommits: 5},
		"merges":       {Merges: true, Diff: []string{"main..HEAD"}},
		"staged false": {Text: "x", Staged: &no, Unstaged: &no},
		"with a range": {Text: "x", Diff: []string{"main...HEAD"}, MaxCommits: 5, Merges: true},
		"one day":      {StartDate: "2024-02-29", EndDate: "2024-02-29"},
	} {
		if err := in.validate(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if s := in.selection(); s.Selecting() != (name != "not given") {
			t.Errorf("%s: selecting %v", name, s.Selecting())
		}
	}
}

func TestCommitFiltersRoundTrip(t *testing.T) {
	t.Parallel()
	in := ReviewInput{File: []string{"f"}, Author: []string{"a=b", "c"}, Committer: []string{"d"}, StartDate: "2024-01-01", EndDate: "2024-12-31", Text: "x=y", MaxCommits: 7, Merges: true}
	var back ReviewInput
	if err := back.applyFilters(in.filters()); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(back.filters(), in.filters()) || len(in.filters()) != 9 {
		t.Errorf("filters %q, want %q", back.filters(), in.filters())
	}
	for _, odd := range []string{"max_commits=many", "merges=perhaps", "commit=x", "=", "author"} {
		var in ReviewInput
		if err := in.applyFilters([]string{odd}); err == nil && odd != "author" {
			t.Errorf("%q is accepted", odd)
		}
	}
	if got := filterNames(in.commitFilters()); strings.Join(got, " ") != "author committer start_date end_date text max_commits merges" {
		t.Errorf("names %q", got)
	}
}

func TestSelectionNote(t *testing.T) {
	t.Parallel()
	commits := make([]git.Commit, 12)
	for i := range commits {
		commits[i].ID = strings.Repeat("abcdef012345"[i:i+1], 40)
	}
	if got := selectionNote(commits[:1]); got != "1 commit was reviewed: aaaaaaaaaaaa" {
		t.Error(got)
	}
	if got := selectionNote(commits); !strings.HasPrefix(got, "12 commits were reviewed") || !strings.HasSuffix(got, "333333333333 and 2 more") {
		t.Error(got)
	}
}

// Whatever order the files come in, a finding is the first commit's that brought it.
func TestSightings(t *testing.T) {
	t.Parallel()
	finding := func(print, snippet, commit string, scope gavel.Scope) gavel.Finding {
		return gavel.Finding{Fingerprint: print, Snippet: snippet, Commit: commit, Scope: scope, Rule: "r", File: "a", Line: 1}
	}
	skip := &gavel.Skip{Path: "v", Reason: gavel.SkipVendored}
	results := []fileResult{
		{findings: []gavel.Finding{finding("late", "x", "0", gavel.ScopeChangedFile)}},
		{findings: []gavel.Finding{finding("p", "x", "1", gavel.ScopeChangedLine), finding("late", "x", "1", gavel.ScopeChangedLine)}, notes: []string{"n"}},
		{findings: []gavel.Finding{finding("p", "x", "2", gavel.ScopeChangedLine), finding("p", "y", "2", gavel.ScopeChangedLine)}, skip: skip},
		{findings: []gavel.Finding{finding("p", "y", "3", gavel.ScopeChangedLine)}, skip: skip, notes: []string{"n"}},
	}
	for i := range results {
		results[i].summary.Path = "a"
	}
	for _, order := range [][]int{{0, 1, 2, 3}, {3, 2, 1, 0}, {2, 0, 3, 1}} {
		s := newSightings()
		for _, i := range order {
			r := results[i]
			s.add(i, &r)
		}
		j := s.judged()
		var got []string
		for _, f := range j.Findings {
			got = append(got, f.Fingerprint+f.Snippet+f.Commit)
		}
		slices.Sort(got)
		if want := []string{"latex1", "px1", "py2"}; !slices.Equal(got, want) {
			t.Errorf("%v: %q, want %q", order, got, want)
		}
		if j.Files != 2 || len(j.Skipped) != 1 || len(j.Notes) != 1 {
			t.Errorf("%v: %d files, skipped %v, notes %q", order, j.Files, j.Skipped, j.Notes)
		}
	}
}
