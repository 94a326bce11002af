package git

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gavel-review/gavel"
)

// Every form of repository gives the same tree, or says why it cannot.
func TestMaterialiseForms(t *testing.T) {
	t.Parallel()
	const plain = "a false \"1\\n\" <nil>\nd/\nd/b true \"2\\n\" <nil>\n"
	for _, tt := range []struct {
		name  string
		init  []string
		kind  gavel.SubjectKind
		setUp func(f *fixture)
		place string // "in place", or what lies in the folder
		note  string // part of the only note
	}{
		{"sha256", []string{"--object-format=sha256"}, gavel.SubjectCommit, func(f *fixture) { f.write("u", "x") }, plain, ""},
		{"clean", nil, gavel.SubjectCommit, func(*fixture) {}, "in place", ""},
		{"detached", nil, gavel.SubjectCommit, func(f *fixture) { f.git("checkout", "-q", "--detach") }, "in place", ""},
		{"staged alone", nil, gavel.SubjectCommit, func(f *fixture) { f.write("a", "9\n").add().write("a", "1\n") }, "in place", ""},
		{"staged, back in the work tree", nil, gavel.SubjectIndex, func(f *fixture) { f.write("a", "9\n").add().write("a", "1\n") },
			strings.Replace(plain, "1\\n", "9\\n", 1), ""},
		{"touched", nil, gavel.SubjectCommit, func(f *fixture) { must(f.t, os.Chtimes(f.path("a"), ago, ago)) }, "in place", ""},
		{"ignored", nil, gavel.SubjectCommit, func(f *fixture) { f.write(".git/info/exclude", "o\n", "o", "x") }, "in place", ""},
		{"mode", nil, gavel.SubjectCommit, func(f *fixture) { must(f.t, os.Chmod(f.path("a"), 0o755)) }, plain, ""},
		{"announced", nil, gavel.SubjectCommit, func(f *fixture) { f.write("n", "x").git("add", "-N", "n") }, plain, ""},
		{"announced, index", nil, gavel.SubjectIndex, func(f *fixture) { f.write("n", "x").git("add", "-N", "n") }, plain, ""},
		{"announced, work tree", nil, gavel.SubjectWorktree, func(f *fixture) { f.write("n", "x").git("add", "-N", "n") }, plain + "n false \"x\" <nil>\n", ""},
		{"assumed", nil, gavel.SubjectCommit, func(f *fixture) { f.git("update-index", "--assume-unchanged", "a"); f.write("a", "9\n") }, plain, ""},
		{"skipped, yet there", nil, gavel.SubjectCommit, func(f *fixture) { f.git("update-index", "--skip-worktree", "a"); f.write("a", "9\n") }, plain, ""},
		{"skipped and gone", nil, gavel.SubjectCommit, func(f *fixture) { f.git("update-index", "--skip-worktree", "a"); f.remove("a") }, plain, ""},
		{"sparse", nil, gavel.SubjectCommit, func(f *fixture) { f.git("sparse-checkout", "set", "none") }, plain, ""},
		{"sparse index", nil, gavel.SubjectIndex, func(f *fixture) { f.git("sparse-checkout", "set", "--sparse-index", "none") }, plain, ""},
		{"sparse work tree", nil, gavel.SubjectWorktree, func(f *fixture) { f.git("sparse-checkout", "set", "none") }, plain, ""},
		{"split index", nil, gavel.SubjectIndex, func(f *fixture) { f.git("update-index", "--split-index"); f.write("u", "x") }, plain, ""},
		{"merging", nil, gavel.SubjectCommit, func(f *fixture) {
			f.git("checkout", "-q", "-b", "side")
			f.commit("a", "3\n")
			f.git("checkout", "-q", "main")
			f.commit("a", "4\n")
			_, _ = f.tryGit("", "merge", "side")
		}, strings.Replace(plain, "1\\n", "4\\n", 1), ""},
		{"shallow", nil, gavel.SubjectCommit, func(f *fixture) {
			f.commit("a", "0\n")
			f.commit("a", "1\n")
			f.clone("--depth=1")
			f.write("u", "x")
		}, plain, ""},
		{"LFS", nil, gavel.SubjectCommit, func(f *fixture) {
			f.commit("d/b", lfsPointer{strings.Repeat("ab", 32), 5}.String())
			f.write("u", "x")
		}, "a false \"1\\n\" <nil>\nd/\nd/b true \"version https://git-lfs.github.com/spec/v1\\noid sha256:" + strings.Repeat("ab", 32) + "\\nsize 5\\n\" <nil>\n", "d/b"},
		{"no commit", nil, gavel.SubjectCommit, func(f *fixture) {
			f.git("checkout", "-q", "--orphan", "new")
			f.git("rm", "-rqf", ".")
		}, "", ""},
		{"no commit, index", nil, gavel.SubjectIndex, func(f *fixture) { f.git("checkout", "-q", "--orphan", "new"); f.write("u", "x") }, plain, ""},
	} {
		f := newFixture(t, tt.init...)
		f.write("a", "1\n", "d/b", "2\n")
		must(t, os.Chmod(f.path("d/b"), 0o755))
		f.commit()
		tt.setUp(f)
		folder := t.TempDir()
		for range 2 { // cold and warm
			tree := f.materialise(folder, tt.kind)
			got := "in place"
			if !tree.InPlace {
				got = onDisk(t, tree.Root)
			}
			if got != tt.place || (tt.note == "") != (len(tree.Notes) == 0) || len(tree.Notes) == 1 && !strings.Contains(tree.Notes[0], tt.note) {
				t.Errorf("%s: %s %q", tt.name, got, tree.Notes)
			}
			tree.Release()
		}
	}
}

// clone makes the fixture a clone of what it was.
func (f *fixture) clone(args ...string) {
	f.t.Helper()
	dir := filepath.Join(f.t.TempDir(), "clone")
	f.git(append(append([]string{"clone", "-q"}, args...), "file://"+f.dir, dir)...)
	f.dir, _ = filepath.EvalSymlinks(dir)
}

// A partial clone is looked at where its files lie; nothing is fetched for a tree, and nothing is left out of one.
func TestMaterialisePartialClone(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.commit("a", "1\n")
	f.commit("a", "2\n")
	f.git("config", "uploadpack.allowFilter", "true")
	f.clone("--filter=blob:none")
	if tree := f.materialise(t.TempDir(), gavel.SubjectCommit); !tree.InPlace {
		t.Error("a clean checkout is not used")
	}
	r := f.open()
	base, err := r.CommitSubject(t.Context(), f.git("rev-parse", "HEAD~1"))
	must(t, err)
	before := f.snapshot()
	_, err = r.Materialise(t.Context(), Pinned{Subject: base}, Placement{Folder: t.TempDir(), Slot: "base"})
	if err == nil || gavel.AsError(err).Class != gavel.RunFailed || !strings.Contains(gavel.AsError(err).Hint, "partial clone") {
		t.Errorf("%v", err)
	}
	f.untouched(before)
}

func TestMaterialiseSubmodules(t *testing.T) {
	t.Parallel()
	f, inner := newFixture(t), newFixture(t)
	inner.commit("x", "1\n")
	f.commit("a", "1\n")
	f.git("submodule", "--quiet", "add", inner.dir, "sub")
	f.commit()
	notes := func() string {
		tree := f.materialise(t.TempDir(), gavel.SubjectCommit)
		if !tree.InPlace {
			return "written: " + strings.Join(tree.Notes, "; ")
		}
		return strings.Join(tree.Notes, "; ")
	}
	want(t, notes(), "")
	f.write("sub/x", "2\n")
	want(t, notes(), "submodules with changes of their own, which tools see and the subject does not hold: sub")
	f.git("-C", "sub", "-c", "user.name=a", "-c", "user.email=a@example.org", "commit", "-qam", "m")
	want(t, notes(), "written: submodules are empty folders in the tree that is judged: sub")
	f.git("submodule", "--quiet", "update", "--force")
	f.git("submodule", "--quiet", "deinit", "-f", "sub")
	want(t, notes(), "submodules that are not checked out: sub")
	f.write("sub/.git", "gitdir: /nowhere\n")
	want(t, notes(), "submodules that were not looked into: sub")
}

// What is too large to be stored keeps its reason when the work tree is pinned as a subject.
func TestLargeFileOfASubject(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.commit("a", "1\n")
	f.write("large", strings.Repeat("a line of text\n", MaxText/15+1))
	r := f.open()
	p, err := r.SubjectTree(t.Context(), gavel.SubjectWorktree)
	must(t, err)
	base, err := r.CommitSubject(t.Context(), r.Head)
	must(t, err)
	c, err := r.Compare(t.Context(), base, p)
	must(t, err)
	want(t, show(files(t, c)), "A large too_large\n")
	put := func() (*Tree, error) {
		return r.Materialise(t.Context(), p, Placement{Folder: t.TempDir(), Slot: "subject"})
	}
	tree, err := put()
	must(t, err)
	defer tree.Release()
	if moved, err := tree.Verify(t.Context()); err != nil || len(moved) > 0 {
		t.Errorf("%q, %v", moved, err)
	}
	f.write("large", strings.Repeat("another of text\n", MaxText/16+1))
	if _, err := put(); class(err) != gavel.RunFailed || !strings.Contains(err.Error(), "large") {
		t.Errorf("changed since: %v", err)
	}
	f.remove("large")
	must(t, os.Symlink("a", f.path("large")))
	if _, err := put(); class(err) != gavel.RunFailed {
		t.Errorf("a link by now: %v", err)
	}
}
