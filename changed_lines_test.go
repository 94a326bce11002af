package gavel_test

import (
	"slices"
	"testing"

	"github.com/gavel-review/gavel"
)

func TestChangedLines(t *testing.T) {
	t.Parallel()
	add := func(n int) gavel.Line { return gavel.Line{Op: gavel.Add, New: n} }
	keep := func(n int) gavel.Line { return gavel.Line{Op: gavel.Context, Old: n, New: n} }
	gone := gavel.Line{Op: gavel.Remove, Old: 3}
	var c gavel.ChangedLines
	if c.Scope("a", 1, 1) != gavel.ScopeElsewhere || len(c.Files()) != 0 || c.OldPath("a") != "a" {
		t.Error("an empty change has changed something")
	}
	for _, f := range []*gavel.File{
		{Path: "edit", Status: gavel.Modified, OldID: "1", NewID: "2", Hunks: []gavel.Hunk{{Lines: []gavel.Line{keep(1), gone, add(2), add(3), keep(4)}}, {Lines: []gavel.Line{add(9)}}}},
		{Path: "cut", Status: gavel.Modified, OldID: "1", NewID: "2", Hunks: []gavel.Hunk{{Lines: []gavel.Line{keep(1), gone, keep(2)}}}},
		{Path: "new", Status: gavel.Added, NewID: "2"},
		{Path: "opaque", Status: gavel.Modified, OldID: "1", NewID: "2"},
		{Path: "moved", OldPath: "old", Status: gavel.Renamed, OldID: "1", NewID: "1"},
		{Path: "copy", OldPath: "old", Status: gavel.Copied, OldID: "1", NewID: "1"},
		{Path: "mode", Status: gavel.Modified, OldID: "1", NewID: "1"},
	} {
		c.Add(f)
	}
	for _, tt := range []struct {
		path      string
		line, end int
		want      gavel.Scope
	}{
		{"edit", 1, 1, gavel.ScopeChangedFile}, {"edit", 2, 2, gavel.ScopeChangedLine}, {"edit", 3, 0, gavel.ScopeChangedLine},
		{"edit", 4, 8, gavel.ScopeChangedFile}, {"edit", 4, 9, gavel.ScopeChangedLine}, {"edit", 1, 50, gavel.ScopeChangedLine}, {"edit", 0, 0, gavel.ScopeChangedFile},
		{"cut", 2, 2, gavel.ScopeChangedFile}, {"new", 0, 0, gavel.ScopeChangedLine}, {"new", 99, 99, gavel.ScopeChangedLine},
		{"opaque", 7, 7, gavel.ScopeChangedLine}, {"moved", 1, 1, gavel.ScopeChangedFile}, {"mode", 1, 1, gavel.ScopeChangedFile},
		{"other", 1, 1, gavel.ScopeElsewhere}, {"old", 1, 1, gavel.ScopeElsewhere}, {"", 0, 0, gavel.ScopeElsewhere},
	} {
		if got := c.Scope(tt.path, tt.line, tt.end); got != tt.want {
			t.Errorf("%s:%d-%d is %s, want %s", tt.path, tt.line, tt.end, got, tt.want)
		}
	}
	if got := c.Files(); !slices.Equal(got, []string{"copy", "cut", "edit", "mode", "moved", "new", "opaque"}) {
		t.Errorf("%q", got)
	}
	if r := c.Renames(); len(r) != 1 || r["old"] != "moved" {
		t.Errorf("%v", r)
	}
	if c.OldPath("copy") != "old" || c.OldPath("moved") != "old" || c.OldPath("edit") != "edit" {
		t.Error("renames")
	}
}
