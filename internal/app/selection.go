package app

import (
	"context"
	"fmt"
	"iter"
	"strconv"
	"strings"
	"time"

	"github.com/gavel-review/gavel"
	"github.com/gavel-review/gavel/internal/git"
	"github.com/gavel-review/gavel/internal/store"
)

// selection is the commit filters of the input, in the zone of this machine.
func (in ReviewInput) selection() git.Selection {
	return git.Selection{
		Author: in.Author, Committer: in.Committer, Start: in.StartDate, End: in.EndDate, Text: in.Text,
		Max: in.MaxCommits, Merges: in.Merges, Zone: time.Local, Revisions: in.Diff,
	}
}

// checkSelection looks at the commit filters, and at what they replace. Where any of them selects, the review is of
// commits, one by one, and not of a difference between two trees.
func (in ReviewInput) checkSelection() error {
	s := in.selection()
	if err := s.Validate(); err != nil || !s.Selecting() {
		return err
	}
	names := strings.Join(filterNames(in.commitFilters()), ", ")
	switch {
	case in.Staged != nil && *in.Staged, in.Unstaged != nil && *in.Unstaged:
		return gavel.Errorf(gavel.InvalidArgs, "%s: commit filters walk over the history: leave staged and unstaged out", names)
	case in.Patch != "":
		return gavel.Errorf(gavel.InvalidArgs, "%s: commit filters walk over the history: leave patch out", names)
	}
	return nil
}

// commitFilters are the entries of the document that name the selection. The order is fixed.
func (in ReviewInput) commitFilters() []string {
	var all []string
	add := func(name string, values ...string) {
		for _, v := range values {
			if v != "" {
				all = append(all, name+"="+v)
			}
		}
	}
	add("author", in.Author...)
	add("committer", in.Committer...)
	add("start_date", in.StartDate)
	add("end_date", in.EndDate)
	add("text", in.Text)
	if in.MaxCommits > 0 {
		add("max_commits", strconv.Itoa(in.MaxCommits))
	}
	if in.Merges {
		add("merges", "true")
	}
	return all
}

// applyCommitFilter is the way back from commitFilters. known is false for a name that is none of them.
func (in *ReviewInput) applyCommitFilter(name, value string) (known bool, err error) {
	switch name {
	case "author":
		in.Author = append(in.Author, value)
	case "committer":
		in.Committer = append(in.Committer, value)
	case "start_date":
		in.StartDate = value
	case "end_date":
		in.EndDate = value
	case "text":
		in.Text = value
	case "max_commits":
		in.MaxCommits, err = strconv.Atoi(value)
	case "merges":
		in.Merges, err = strconv.ParseBool(value)
	default:
		return false, nil
	}
	return true, err
}

// filterNames are the names in a list of filters, each once.
func filterNames(filters []string) []string {
	var names []string
	for _, f := range filters {
		name, _, _ := strings.Cut(f, "=")
		if n := len(names); n == 0 || names[n-1] != name {
			names = append(names, name)
		}
	}
	return names
}

// judgeSelection is the pipeline over commits: the change is the first-parent patches of those that were selected, one
// after the other. There are no two trees, so that no acknowledgement can be bound to it.
func (r *reviewer) judgeSelection(ctx context.Context) (*ReviewOutput, error) {
	selected, err := r.repo.Select(ctx, r.in.selection())
	if err != nil {
		return nil, err
	}
	c, err := r.basis(ctx, "")
	if err != nil {
		return nil, err
	}
	if c.rulings, err = store.Open(r.env.Getenv).Rulings(r.repo.ID); err != nil {
		return nil, err
	}
	policyNotes := c.judged.Notes
	if c.judged, err = newJudge(r.origin(r.counted(selected, selected.Files(ctx, r.filter))), r.judgeSettings()).run(ctx); err != nil {
		return nil, err
	}
	c.judged.Notes = append(append(c.judged.Notes, selected.Notes...), policyNotes...)
	c.judged.Notes = append(c.judged.Notes, selectionNote(selected.Commits))
	if r.trusted.Caveat != "" {
		c.judged.Notes = append(c.judged.Notes, r.trusted.Caveat)
	}
	c.subject.DiffDigest = selected.Digest()
	out, err := r.conclude(c)
	if err != nil {
		return nil, err
	}
	n := len(selected.Commits)
	out.Meta.FilteredCommits = &n
	if out.Meta.Coverage.Files == 0 {
		return r.emptySelection(out)
	}
	return out, nil
}

// counted says now and then how many of the commits are done.
func (r *reviewer) counted(s *git.Selected, files iter.Seq2[*gavel.File, error]) iter.Seq2[*gavel.File, error] {
	said, done, last := pace{env: r.env}, 0, ""
	return func(yield func(*gavel.File, error) bool) {
		for f, err := range files {
			if err == nil && f.Commit != last {
				last = f.Commit
				said.progress("commit %d of %d", done+1, len(s.Commits))
				done++
			}
			if !yield(f, err) {
				return
			}
		}
	}
}

// selectionNote says which commits were looked at.
func selectionNote(commits []git.Commit) string {
	const shown = 10
	ids := make([]string, 0, shown)
	for _, c := range commits[:min(shown, len(commits))] {
		ids = append(ids, gavel.ShortCommit(c.ID))
	}
	more := ""
	if n := len(commits) - shown; n > 0 {
		more = fmt.Sprintf(" and %d more", n)
	}
	switch len(commits) {
	case 0:
		return "no commit was reviewed"
	case 1:
		return "1 commit was reviewed: " + ids[0]
	}
	return fmt.Sprintf("%d commits were reviewed, the newest first: %s%s", len(commits), strings.Join(ids, ", "), more)
}

// emptySelection is a selection without a changed path: a person asked for it in words, so that it is no pass.
func (r *reviewer) emptySelection(out *ReviewOutput) (*ReviewOutput, error) {
	e := gavel.Errorf(gavel.NoChanges, "no commit matches the filters %v", r.in.commitFilters()).WithHint("filters of several kinds must all match; the walk begins at HEAD, or at the revisions; merges are left out without merges")
	switch {
	case *out.Meta.FilteredCommits > 0 && len(r.in.filters()) > len(r.in.commitFilters()):
		e = gavel.Errorf(gavel.NoChanges, "no changed path of %d commits is left by the filters %v", *out.Meta.FilteredCommits, r.in.filters()).WithHint("check the filter's spelling: paths are relative to the repository's top")
	case *out.Meta.FilteredCommits > 0:
		e = gavel.Errorf(gavel.NoChanges, "the %d commits that match the filters %v change no path", *out.Meta.FilteredCommits, r.in.commitFilters())
	}
	if r.env.Door != CLI {
		return nil, e
	}
	out.notice, out.hint = e.Message, e.Hint
	out.unjudged(e.Message)
	return out, nil
}
