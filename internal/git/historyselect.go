package git

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/gavel-review/gavel"
)

// DefaultMaxCommits is how many commits a selection takes where no number is given.
const DefaultMaxCommits = 200

// Selection says which commits are wanted: those that satisfy every kind of condition that is given, and of a list at
// least one word. An empty field is no condition.
type Selection struct {
	Author, Committer []string // substrings of name or address, without regard to case
	// Start and End are days, YYYY-MM-DD, both included: a commit is dated by its author's clock, and its day is the one
	// in Zone.
	Start, End string
	// Text is a substring of the message, or of the name of a branch: then its commits that no other branch has. Case
	// does not matter.
	Text   string
	Max    int // 0 = DefaultMaxCommits
	Merges bool
	Zone   *time.Location // nil = UTC
	// Revisions bound the walk: none is HEAD, "A" what is reachable from it, "A" "B", "A..B", "A...B" what A lacks of B.
	Revisions []string
}

// Selecting reports whether any condition is given.
func (s *Selection) Selecting() bool {
	return len(s.Author)+len(s.Committer) > 0 || s.Start+s.End+s.Text != "" || s.Max > 0 || s.Merges
}

// Validate finds what no selection can mean. The error is of class InvalidArgs.
func (s *Selection) Validate() error {
	for _, list := range [...]struct {
		name  string
		words []string
	}{{"author", s.Author}, {"committer", s.Committer}} {
		if slices.Contains(list.words, "") {
			return gavel.Errorf(gavel.InvalidArgs, "%s: an empty text would match everybody", list.name)
		}
	}
	for _, date := range [...]struct{ name, day string }{{"start_date", s.Start}, {"end_date", s.End}} {
		if _, err := time.Parse(time.DateOnly, date.day); date.day != "" && err != nil {
			return gavel.Errorf(gavel.InvalidArgs, "%s: %q is not a day like 2026-01-31", date.name, date.day)
		}
	}
	switch {
	case s.Start != "" && s.End != "" && s.End < s.Start:
		return gavel.Errorf(gavel.InvalidArgs, "end_date: %s is before start_date %s", s.End, s.Start)
	case s.Max < 0:
		return gavel.Errorf(gavel.InvalidArgs, "max_commits: %d is negative", s.Max)
	}
	return nil
}

// Selected is the commits of a selection, the newest author date first. It is valid until the repository is closed.
type Selected struct {
	Commits []Commit // without their messages
	Notes   []string // what was cut off, and by which limit

	repo *Repo
}

// Select walks over the history and picks the commits.
func (r *Repo) Select(ctx context.Context, s Selection) (*Selected, error) {
	if err := s.Validate(); err != nil {
		return nil, err
	}
	ends, err := r.walkBounds(ctx, s.Revisions)
	if err != nil {
		return nil, err
	}
	p := picking{selection: s.folded(), out: &Selected{repo: r}, taken: make(map[string]bool)}
	more, err := r.walk(ctx, ends, s.Merges, MaxWalk, p.walked)
	if err != nil {
		return nil, err
	}
	if more {
		p.out.note("the walk ended after %d commits: older ones were not looked at; revisions bound it", MaxWalk)
	}
	if s.Text != "" {
		if err := p.branches(ctx, ends); err != nil {
			return nil, err
		}
	}
	p.out.sort()
	p.out.cut(cmp.Or(s.Max, DefaultMaxCommits))
	return p.out, nil
}

// picking is a selection under way.
type picking struct {
	selection Selection // folded
	out       *Selected
	taken     map[string]bool
	// open are the commits that lack nothing but the text, by id: a branch may still bring them in. It is nil where any
	// commit of a branch may come.
	open map[string]bool
}

// walked looks at one commit of the walk.
func (p *picking) walked(c *Commit) {
	s := &p.selection
	switch {
	case !s.matchPeople(c) || !s.matchDay(c):
	case s.Text != "" && !strings.Contains(strings.ToLower(c.Message), s.Text):
		if len(s.Revisions) > 0 {
			if p.open == nil {
				p.open = make(map[string]bool)
			}
			p.open[c.ID] = true
		}
	default:
		p.take(c)
	}
}

func (p *picking) take(c *Commit) {
	if p.taken[c.ID] {
		return
	}
	p.taken[c.ID] = true
	kept := *c
	kept.Message = ""
	p.out.Commits = append(p.out.Commits, kept)
}

// branches adds the commits that only branches with the text in their names have. Revisions still bound them: then a
// commit must have been in the walk.
func (p *picking) branches(ctx context.Context, ends bounds) error {
	named, others, err := p.out.repo.branchesNamed(ctx, p.selection.Text)
	if err != nil || len(named) == 0 || ends.explicit && len(p.open) == 0 {
		return err
	}
	s := &p.selection
	more, err := p.out.repo.walk(ctx, bounds{to: named, from: others}, s.Merges, MaxWalk, func(c *Commit) {
		if s.matchPeople(c) && s.matchDay(c) && (!ends.explicit || p.open[c.ID]) {
			p.take(c)
		}
	})
	if more {
		p.out.note("the walk over the branches with that name ended after %d commits: older ones were not looked at", MaxWalk)
	}
	return err
}

// branchesNamed returns the tips of local and remote branches whose short names contain the text, and of all others.
func (r *Repo) branchesNamed(ctx context.Context, text string) (named, others []string, err error) {
	out, stderr, err := r.command("for-each-ref", "--format=%(objectname) %(refname) %(symref)", "refs/heads", "refs/remotes").Output(ctx)
	if err != nil {
		if ctx.Err() == nil && !isLate(err) {
			return nil, nil, gavel.Errorf(gavel.RunFailed, "the branches cannot be read: %s", said(stderr)).WithHint("see what git fsck says")
		}
		return nil, nil, toolError(err)
	}
	for line := range bytes.Lines(out) {
		words := strings.Split(strings.TrimSuffix(string(line), "\n"), " ") // no name holds a blank
		if len(words) != 3 || words[2] != "" || !isID(words[0]) {
			continue // origin/HEAD and its like are other branches' names
		}
		short := strings.TrimPrefix(strings.TrimPrefix(words[1], "refs/heads/"), "refs/remotes/")
		if strings.Contains(strings.ToLower(short), text) {
			named = append(named, words[0])
		} else {
			others = append(others, words[0])
		}
	}
	return named, others, nil
}

// folded returns the selection with every word in lower case.
func (s Selection) folded() Selection {
	lower := func(words []string) []string {
		out := make([]string, len(words))
		for i, w := range words {
			out[i] = strings.ToLower(w)
		}
		return out
	}
	s.Author, s.Committer, s.Text = lower(s.Author), lower(s.Committer), strings.ToLower(s.Text)
	if s.Zone == nil {
		s.Zone = time.UTC
	}
	return s
}

func (s *Selection) matchPeople(c *Commit) bool {
	return matchPerson(s.Author, c.AuthorName, c.AuthorEmail) && matchPerson(s.Committer, c.CommitterName, c.CommitterEmail)
}

func matchPerson(words []string, name, address string) bool {
	if len(words) == 0 {
		return true
	}
	name, address = strings.ToLower(name), strings.ToLower(address)
	return slices.ContainsFunc(words, func(w string) bool { return strings.Contains(name, w) || strings.Contains(address, w) })
}

// matchDay compares days as text, which sorts as they do. A commit without a readable date is of no day.
func (s *Selection) matchDay(c *Commit) bool {
	if s.Start+s.End == "" {
		return true
	}
	if c.Time.IsZero() {
		return false
	}
	t := c.Time.In(s.Zone)
	if t.Year() < 0 {
		return s.Start == ""
	}
	day := t.Format(time.DateOnly)
	return (s.Start == "" || day >= s.Start) && (s.End == "" || day <= s.End)
}

// sort puts the newest author date first; equal ones are in the order of their ids.
func (s *Selected) sort() {
	slices.SortFunc(s.Commits, func(a, b Commit) int {
		return cmp.Or(b.Time.Compare(a.Time), strings.Compare(a.ID, b.ID))
	})
}

func (s *Selected) cut(most int) {
	if n := len(s.Commits); n > most {
		s.Commits = s.Commits[:most]
		s.note("%d commits match, and the newest %d were reviewed; max_commits takes more", n, most)
	}
}

func (s *Selected) note(format string, args ...any) {
	s.Notes = append(s.Notes, fmt.Sprintf(format, args...))
}

// Digest is "sha256:" and hex over the commits in their order, each with its parents. Equal digests are equal changes.
func (s *Selected) Digest() string {
	sum := sha256.New()
	for i := range s.Commits {
		fmt.Fprintf(sum, "commit %s %s\n", s.Commits[i].ID, strings.Join(s.Commits[i].Parents, " "))
	}
	return "sha256:" + hex.EncodeToString(sum.Sum(nil))
}
