package git

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/gavel-review/gavel"
)

// at makes a commit with an author, a committer, a date and a message.
func (f *fixture) at(author, committer, date, message string, files ...string) string {
	f.t.Helper()
	name := func(s string) (string, string) {
		n, mail, _ := strings.Cut(s, " <")
		return n, strings.TrimSuffix(mail, ">")
	}
	an, am := name(author)
	cn, cm := name(committer)
	saved := f.env
	f.env = append(append([]string{}, saved...), "GIT_AUTHOR_NAME="+an, "GIT_AUTHOR_EMAIL="+am, "GIT_AUTHOR_DATE="+date,
		"GIT_COMMITTER_NAME="+cn, "GIT_COMMITTER_EMAIL="+cm, "GIT_COMMITTER_DATE="+date)
	f.write(files...).add().git("commit", "-q", "--allow-empty", "-m", message)
	f.env = saved
	return f.git("rev-parse", "HEAD")
}

const (
	ada = "Ada Lovelace <ada@example.org>"
	bob = "bob <Bob@Example.com>"
)

// people is a history of five commits on main and a branch that is not merged.
func people(t *testing.T) *fixture {
	t.Helper()
	f := newFixture(t)
	f.at(ada, bob, "2024-01-01T12:00:00Z", "first\n\nbody with NEEDLE", "a", "1\n")
	f.at(bob, ada, "2024-02-01T12:00:00Z", "second", "a", "2\n")
	f.at(ada, ada, "2024-03-01T12:00:00Z", "third", "b", "1\n")
	f.git("checkout", "-q", "-b", "topic/Login")
	f.at(bob, bob, "2024-05-01T12:00:00Z", "on the branch", "c", "1\n")
	f.git("checkout", "-q", "main")
	f.at("Zoë Ünal <z@example.org>", bob, "2024-04-01T12:00:00Z", "fourth", "a", "3\n")
	f.at("-a --all <--output=x>", bob, "2024-04-01T12:00:00Z", "--format=%H", "d", "1\n")
	return f
}

// picked shows the first words of the messages, in the order of the selection.
func picked(f *fixture, s *Selected) string {
	var words []string
	for _, c := range s.Commits {
		words = append(words, f.git("log", "-1", "--format=%s", c.ID))
	}
	return strings.Join(words, ", ")
}

func TestSelect(t *testing.T) {
	t.Parallel()
	f := people(t)
	r := f.open()
	tests := []struct {
		name string
		s    Selection
		want string
	}{
		{"author by name", Selection{Author: []string{"lovelace"}}, "third, first"},
		{"author by address", Selection{Author: []string{"BOB@EXAMPLE"}}, "second"},
		{"authors: any of them", Selection{Author: []string{"ada", "bob"}}, "third, second, first"},
		{"not across name and address", Selection{Author: []string{"Lovelace <ada"}}, ""},
		{"letters beyond ASCII", Selection{Author: []string{"zoË ü"}}, "fourth"},
		{"what looks like an option", Selection{Author: []string{"--all"}}, "--format=%H"},
		{"a pattern is no pattern", Selection{Author: []string{"a.*"}}, ""},
		{"committer", Selection{Committer: []string{"ada"}}, "third, second"},
		{"kinds: all of them", Selection{Author: []string{"ada"}, Committer: []string{"bob"}}, "first"},
		{"message body, without case", Selection{Text: "needle"}, "first"},
		{"a message like an option", Selection{Text: "--format=%H"}, "--format=%H"},
		{"branch", Selection{Text: "login"}, "on the branch"},
		{"branch and author", Selection{Text: "login", Author: []string{"ada"}}, ""},
		{"branch outside of the revisions", Selection{Text: "login", Revisions: []string{"main"}}, ""},
		{"branch inside of the revisions", Selection{Text: "login", Revisions: []string{"main", "topic/Login"}}, "on the branch"},
		{"start", Selection{Start: "2024-03-01"}, "--format=%H, fourth, third"},
		{"end", Selection{End: "2024-02-01"}, "second, first"},
		{"one day", Selection{Start: "2024-02-01", End: "2024-02-01"}, "second"},
		{"no such day", Selection{Start: "2024-02-02", End: "2024-02-28"}, ""},
		{"range", Selection{Author: []string{"example"}, Revisions: []string{"HEAD~3..HEAD~1"}}, "fourth, third"},
		{"three dots lack the same", Selection{Author: []string{"b"}, Revisions: []string{"main...topic/Login"}}, "on the branch"},
		{"one revision", Selection{Author: []string{"ada"}, Revisions: []string{"HEAD~3"}}, "first"},
		{"at most", Selection{Author: []string{"ada"}, Max: 1}, "third"},
	}
	for _, test := range tests {
		got, err := r.Select(t.Context(), test.s)
		if err != nil {
			t.Errorf("%s: %v", test.name, err)
			continue
		}
		order := picked(f, got)
		if test.name == "start" && got.Commits[0].ID > got.Commits[1].ID {
			t.Errorf("equal dates are not in the order of their ids")
		}
		if test.name == "start" && strings.HasPrefix(order, "fourth") {
			order = "--format=%H, fourth, third"
		}
		if order != test.want {
			t.Errorf("%s: %q, want %q", test.name, order, test.want)
		}
		if (test.s.Max == 1) != (len(got.Notes) == 1) {
			t.Errorf("%s: notes %q", test.name, got.Notes)
		}
	}
}

// A branch that others have merged has nothing of its own; its remote twin does not take anything from it.
func TestSelectBranchNames(t *testing.T) {
	t.Parallel()
	f := people(t)
	r := f.open()
	count := func(text string) int {
		s, err := r.Select(t.Context(), Selection{Text: text})
		must(t, err)
		return len(s.Commits)
	}
	f.git("update-ref", "refs/remotes/origin/topic/Login", "topic/Login")
	f.git("tag", "login-tag", "HEAD~1")
	if n := count("login"); n != 1 {
		t.Errorf("%d commits with a remote twin", n)
	}
	f.git("branch", "other", "topic/Login")
	if n := count("login"); n != 0 {
		t.Errorf("%d commits that another branch has too", n)
	}
}

func TestSelectMerges(t *testing.T) {
	t.Parallel()
	f := people(t)
	f.git("merge", "-q", "--no-ff", "-m", "joined", "topic/Login")
	r := f.open()
	by := Selection{Author: []string{"a"}, Start: "2024-01-02", Max: 1000}
	plain, err := r.Select(t.Context(), by)
	must(t, err)
	by.Merges = true
	all, err := r.Select(t.Context(), by)
	must(t, err)
	if len(all.Commits) != len(plain.Commits)+1 {
		t.Errorf("%q and with merges %q", picked(f, plain), picked(f, all))
	}
	joined, err := r.Select(t.Context(), Selection{Text: "joined", Merges: true})
	must(t, err)
	want(t, show(collect(t, joined)), "A c +1 -0\n") // against the first parent
	if joined.Digest() == plain.Digest() || !strings.HasPrefix(joined.Digest(), "sha256:") {
		t.Errorf("digest %s", joined.Digest())
	}
}

func collect(t *testing.T, s *Selected) []*gavel.File {
	t.Helper()
	var all []*gavel.File
	for f, err := range s.Files(t.Context(), Filter{}) {
		must(t, err)
		all = append(all, f)
	}
	return all
}

// A file that three commits change comes three times, each with its commit.
func TestSelectedFiles(t *testing.T) {
	t.Parallel()
	f := people(t)
	before := f.snapshot()
	s, err := f.open().Select(t.Context(), Selection{End: "2024-12-31"})
	must(t, err)
	all := collect(t, s)
	f.untouched(before)
	times := map[string]int{}
	for _, file := range all {
		times[file.Path]++
		if !isID(file.Commit) {
			t.Errorf("%s has no commit", file.Path)
		}
	}
	if fmt.Sprint(times) != "map[a:3 b:1 d:1]" {
		t.Errorf("%v", times)
	}
}

// The day is the author's, in the zone that is asked for, and the committer's clock plays no role.
func TestSelectZones(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.at(ada, ada, "2024-02-29T23:30:00+0000", "leap", "a", "1\n")
	r := f.open()
	east, west := time.FixedZone("east", 9*3600), time.FixedZone("west", -9*3600)
	for _, test := range []struct {
		zone *time.Location
		day  string
		n    int
	}{
		{nil, "2024-02-29", 1}, {nil, "2024-03-01", 0}, {east, "2024-03-01", 1}, {east, "2024-02-29", 0}, {west, "2024-02-29", 1}, {west, "2024-01-02", 0},
	} {
		s, err := r.Select(t.Context(), Selection{Start: test.day, End: test.day, Zone: test.zone})
		must(t, err)
		if len(s.Commits) != test.n {
			t.Errorf("%v %s: %d commits, want %d", test.zone, test.day, len(s.Commits), test.n)
		}
	}
}

func TestSelectionValidate(t *testing.T) {
	t.Parallel()
	for _, s := range []Selection{
		{Author: []string{""}}, {Committer: []string{"a", ""}}, {Start: "2024-02-30"}, {End: "2023-02-29"}, {Start: "2024-1-1"}, {Start: "yesterday"},
		{Start: "2024-01-01T00:00:00"}, {Start: "24-01-01"}, {Start: " 2024-01-01"}, {Start: "2024-01-02", End: "2024-01-01"}, {Max: -1}, {Max: -1, Text: "x"},
	} {
		if err := s.Validate(); class(err) != gavel.InvalidArgs {
			t.Errorf("%+v: %v", s, err)
		}
	}
	for _, s := range []Selection{{}, {Author: []string{}}, {Start: "2024-02-29"}, {Start: "2024-01-01", End: "2024-01-01"}, {Text: "x", Max: 5, Merges: true}, {Max: 5}, {Merges: true}} {
		if err := s.Validate(); err != nil {
			t.Errorf("%+v: %v", s, err)
		}
	}
}

func TestSelectRevisions(t *testing.T) {
	t.Parallel()
	f := people(t)
	r := f.open()
	for _, revisions := range [][]string{{"--all"}, {"-1"}, {"^HEAD"}, {"no-such"}, {"HEAD:"}, {"HEAD^{tree}"}, {"a", "b", "c"}, {"HEAD..--all"}, {"HEAD\n--all"}} {
		if _, err := r.Select(t.Context(), Selection{Text: "x", Revisions: revisions}); class(err) != gavel.InvalidArgs {
			t.Errorf("%q: %v", revisions, err)
		}
	}
	empty := newFixture(t).open()
	if s, err := empty.Select(t.Context(), Selection{Text: "x"}); err != nil || len(s.Commits) != 0 {
		t.Errorf("no commit yet: %v, %v", s, err)
	}
}

// Names that are not UTF-8, commits without a date that can be read, and messages in another encoding.
func TestSelectOddCommits(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	tree := f.git("hash-object", "-w", "-t", "tree", os.DevNull)
	raw := func(text string) string {
		id := f.gitIn(strings.ReplaceAll(text, "TREE", tree), "hash-object", "-w", "-t", "commit", "--literally", "--stdin")
		f.git("update-ref", "refs/heads/main", id)
		return id
	}
	r1 := raw("tree TREE\nauthor Jos\xe9 <jose@example.org> 1704067200 +0000\ncommitter c <c@x> 1704067200 +0000\n\nolder\n")
	r2 := raw("tree TREE\nparent " + r1 + "\nauthor J\xf6rg <j@x> 1704067200 +0000\ncommitter c <c@x> 1704067200 +0000\nencoding ISO-8859-1\n\nGr\xfc\xdfe\n")
	raw("tree TREE\nparent " + r2 + "\nauthor nobody <n@x> never\ncommitter c <c@x> 1704067200 +0000\n\nundated\n")
	r := f.open()
	for _, test := range []struct {
		s Selection
		n int
	}{
		{Selection{Author: []string{"jose@"}}, 1}, {Selection{Author: []string{"jörg"}}, 1}, {Selection{Text: "GRÜSSE"}, 0}, {Selection{Text: "grüße"}, 1},
		{Selection{Start: "2024-01-01", End: "2024-01-01"}, 2}, {Selection{Author: []string{"nobody"}}, 1}, {Selection{Start: "0001-01-01"}, 2},
	} {
		s, err := r.Select(t.Context(), test.s)
		must(t, err)
		if len(s.Commits) != test.n {
			t.Errorf("%+v: %d commits, want %d", test.s, len(s.Commits), test.n)
		}
	}
}

// What a shallow clone cuts off is neither a root nor passed over.
func TestSelectShallow(t *testing.T) {
	t.Parallel()
	f := people(t)
	clone := bareFixture(t)
	clone.git("clone", "-q", "--depth=2", "file://"+f.dir, clone.dir)
	r := clone.open()
	s, err := r.Select(t.Context(), Selection{Start: "2024-04-01", End: "2024-04-01"})
	must(t, err)
	unknown := 0
	for _, file := range collect(t, s) {
		if file.Skip != nil && file.Skip.Reason == gavel.SkipObjectMissing && strings.Contains(file.Skip.Detail, "unshallow") {
			unknown++
		}
	}
	if len(s.Commits) != 2 || unknown != 1 {
		t.Errorf("%d commits, %d of them unknown", len(s.Commits), unknown)
	}
}

// Nothing that the repository configures takes part: a mail map, a format, replacements.
func TestSelectIgnoresConfiguration(t *testing.T) {
	t.Parallel()
	f := people(t)
	f.write(".mailmap", "Mallory <m@x> <ada@example.org>\n").add().git("commit", "-q", "-m", "map")
	for _, pair := range [][2]string{{"log.mailmap", "true"}, {"log.showSignature", "true"}, {"i18n.logOutputEncoding", "UTF-16"}, {"format.pretty", "oneline"}, {"color.ui", "always"}} {
		f.git("config", pair[0], pair[1])
	}
	f.git("replace", "HEAD~2", "HEAD~4")
	s, err := f.open().Select(t.Context(), Selection{Author: []string{"ada"}})
	must(t, err)
	if got := len(s.Commits); got != 2 {
		t.Errorf("%d commits", got)
	}
}

// Both caps are said: that of the walk, and that of what is reviewed.
func TestSelectCaps(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	var stream strings.Builder
	for i := range MaxWalk + 3 {
		fmt.Fprintf(&stream, "commit refs/heads/main\nauthor a <a@x> %d +0000\ncommitter c <c@x> %d +0000\ndata 1\nm\n", 1700000000+i, 1700000000+i)
	}
	f.gitIn(stream.String(), "fast-import", "--quiet")
	r := f.open()
	s, err := r.Select(t.Context(), Selection{Author: []string{"a@"}})
	must(t, err)
	if len(s.Commits) != DefaultMaxCommits || len(s.Notes) != 2 || !strings.Contains(s.Notes[0], "10000") || !strings.Contains(s.Notes[1], "10000 commits match, and the newest 200") {
		t.Errorf("%d commits, notes %q", len(s.Commits), s.Notes)
	}
	s, err = r.Select(t.Context(), Selection{Author: []string{"a@"}, Max: MaxWalk, Revisions: []string{"HEAD~9999..HEAD"}})
	must(t, err)
	if len(s.Commits) != 9999 || len(s.Notes) != 0 {
		t.Errorf("%d commits, notes %q", len(s.Commits), s.Notes)
	}
	s, err = r.Select(t.Context(), Selection{Text: "MAIN", Revisions: []string{"HEAD~2"}})
	must(t, err)
	if len(s.Commits) != DefaultMaxCommits || len(s.Notes) != 3 {
		t.Errorf("%d commits of a branch, notes %q", len(s.Commits), s.Notes)
	}
}
