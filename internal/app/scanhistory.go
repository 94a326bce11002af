package app

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"path/filepath"
	"slices"
	"strings"

	"github.com/gavel-review/gavel"
	"github.com/gavel-review/gavel/internal/git"
)

// checkHistory looks at what only makes sense with a history.
func (in ScanInput) checkHistory() error {
	switch {
	case in.MaxCommits < 0:
		return gavel.Errorf(gavel.InvalidArgs, "max_commits: %d is negative", in.MaxCommits)
	case !in.History && (in.MaxCommits > 0 || len(in.Diff) > 0):
		return gavel.Errorf(gavel.InvalidArgs, "diff and max_commits bound a history: give history too")
	}
	return nil
}

// scanHistory judges what each commit brought. Paths are the repository's own, from its top.
func scanHistory(ctx context.Context, env *Env, in ScanInput, repo *git.Repo) (*ReviewOutput, error) {
	r, err := newScanner(ctx, env, in, repo)
	if err != nil {
		return nil, err
	}
	below, err := r.historyPaths(in.Path)
	if err != nil {
		return nil, err
	}
	history, err := repo.History(ctx, in.Diff, in.MaxCommits)
	if err != nil {
		return nil, err
	}
	c, err := r.basis(ctx, "")
	if err != nil {
		return nil, err
	}
	said := pace{env: env}
	before := func(done int) { said.progress("history: %d of %d commits", done, history.Total) }
	files := belowPaths(history.Files(ctx, r.filter, before), below)
	j := newJudge(r.origin(files), r.judgeSettings())
	seen := newSightings()
	j.sink = seen.add
	if _, err := j.run(ctx); err != nil {
		return nil, err
	}
	c.subject.DiffDigest = history.Digest()
	policyNotes := c.judged.Notes
	c.judged = seen.judged()
	c.judged.Notes = append(append(c.judged.Notes, history.Notes...), policyNotes...)
	out, err := r.conclude(c)
	if err != nil {
		return nil, err
	}
	out.Meta.FilteredCommits = &history.Total
	if out.Meta.Coverage.Files == 0 {
		return nil, gavel.Errorf(gavel.NoChanges, "no change of %d commits is left to scan", history.Total).WithHint("check the paths, the filters and the revisions")
	}
	keepDocument(env, out.Document, r.now, r.fixed)
	return out, nil
}

// historyPaths turns the paths of the command line into paths from the repository's top. They need not exist any more.
func (r *reviewer) historyPaths(args []string) (git.Filter, error) {
	var paths []string
	for _, arg := range args {
		path := arg
		if !filepath.IsAbs(path) {
			path = filepath.Join(scanFolder(r.env), path)
		}
		if dir, err := filepath.EvalSymlinks(filepath.Dir(path)); err == nil {
			path = filepath.Join(dir, filepath.Base(path))
		}
		rel, err := filepath.Rel(r.repo.Root, path)
		if err != nil || !filepath.IsLocal(rel) {
			return git.Filter{}, gavel.Errorf(gavel.InvalidArgs, "path %s lies outside of the repository", gavel.DisplayPath(arg))
		}
		if rel == "." {
			return git.Filter{}, nil
		}
		paths = append(paths, filepath.ToSlash(rel))
	}
	return git.NewFilter(paths, paths, nil, nil)
}

// belowPaths leaves out what lies elsewhere. What stands for a commit as a whole lies everywhere.
func belowPaths(files iter.Seq2[*gavel.File, error], below git.Filter) iter.Seq2[*gavel.File, error] {
	return func(yield func(*gavel.File, error) bool) {
		for f, err := range files {
			if err == nil && !strings.HasPrefix(f.Path, "commit ") && !below.Match(f.Path, f.OldPath) {
				continue
			}
			if !yield(f, err) {
				return
			}
		}
	}
}

// sightings are the findings of a history, each once: as the first commit brought it. What is held grows with what is
// found and with the number of paths, and not with the number of commits.
type sightings struct {
	found        map[sightingKey]*sighting
	suppressions map[string]gavel.Suppression
	paths        map[string]bool
	skips        map[gavel.Skip]int // with the index of the first
	notes        map[string]int
}

// sightingKey tells findings apart that have a fingerprint in common: the fingerprint holds no secret, but a snippet
// may show a part of one, and two secrets that took each other's place are two findings.
type sightingKey struct{ fingerprint, snippet string }

type sighting struct {
	finding gavel.Finding
	index   int // of the file that it was found in, in the order of the history
}

func newSightings() *sightings {
	return &sightings{
		found: make(map[sightingKey]*sighting), suppressions: make(map[string]gavel.Suppression), paths: make(map[string]bool),
		skips: make(map[gavel.Skip]int), notes: make(map[string]int),
	}
}

// add takes what was found in one file of one commit. Files come in any order; the first of the history wins.
func (s *sightings) add(index int, r *fileResult) {
	for i := range r.findings {
		s.sight(index, &r.findings[i])
	}
	for _, sup := range r.suppressions {
		if !slices.ContainsFunc(r.findings, func(f gavel.Finding) bool { return sup.Covers(&f, ruleAliases) }) {
			continue
		}
		s.suppressions[fmt.Sprint(sup.Commit, "\x00", sup.File, "\x00", sup.Line, sup.Rules)] = sup
	}
	if r.skip == nil {
		s.paths[r.summary.Path] = true
	} else if first, ok := s.skips[*r.skip]; !ok || index < first {
		s.skips[*r.skip] = index
	}
	for _, note := range r.notes {
		if first, ok := s.notes[note]; !ok || index < first {
			s.notes[note] = index
		}
	}
}

// sight counts a finding. One on a line that the commit did not change was brought by an earlier one.
func (s *sightings) sight(index int, f *gavel.Finding) {
	key := sightingKey{f.Fingerprint, f.Snippet}
	known := s.found[key]
	if known == nil {
		s.found[key] = &sighting{*f, index}
		return
	}
	changed, before := f.Scope == gavel.ScopeChangedLine, known.finding.Scope == gavel.ScopeChangedLine
	if changed && !before || changed == before && (index < known.index || index == known.index && gavel.CompareFindings(*f, known.finding) < 0) {
		known.finding, known.index = *f, index
	}
}

// judged is what the history comes to, in a fixed order. Coverage counts paths, not changes: a path is reviewed when
// any change of it was, and is listed once for each reason for which it was not.
func (s *sightings) judged() *judged {
	out := &judged{Files: len(s.paths) + len(s.skips)}
	for _, v := range s.found {
		out.Findings = append(out.Findings, v.finding)
	}
	slices.SortFunc(out.Findings, gavel.CompareFindings)
	for _, sup := range s.suppressions {
		out.Suppressions = append(out.Suppressions, sup)
	}
	out.Skipped = inOrderOf(s.skips, func(a, b gavel.Skip) int {
		return cmp.Or(strings.Compare(a.Path, b.Path), cmp.Compare(a.Reason, b.Reason), strings.Compare(a.Detail, b.Detail))
	})
	out.Notes = inOrderOf(s.notes, strings.Compare)
	return out
}

// inOrderOf returns the keys by their numbers, and equal ones by compare.
func inOrderOf[K comparable](m map[K]int, compare func(a, b K) int) []K {
	keys := make([]K, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.SortFunc(keys, func(a, b K) int { return cmp.Or(cmp.Compare(m[a], m[b]), compare(a, b)) })
	return keys
}
