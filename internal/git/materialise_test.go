package git

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/gavel-review/gavel"
)

// onDisk lists a folder: modes, names and contents.
func onDisk(t *testing.T, root string) string {
	t.Helper()
	var b strings.Builder
	err := filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		if err != nil || name == root {
			return err
		}
		rel, _ := filepath.Rel(root, name)
		info, err := d.Info()
		if err != nil {
			return err
		}
		switch {
		case d.IsDir():
			fmt.Fprintf(&b, "%s/\n", rel)
		case info.Mode()&fs.ModeSymlink != 0:
			target, _ := os.Readlink(name)
			fmt.Fprintf(&b, "%s -> %s\n", rel, target)
		default:
			data, err := os.ReadFile(name)
			fmt.Fprintf(&b, "%s %v %q %v\n", rel, info.Mode()&0o100 != 0, data, err)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// materialise pins a subject and puts it on disk; the repository stays as it is.
func (f *fixture) materialise(folder string, kind gavel.SubjectKind) *Tree {
	f.t.Helper()
	before := f.snapshot()
	r := f.open()
	p, err := r.SubjectTree(f.t.Context(), kind)
	if err != nil {
		f.t.Fatal(err)
	}
	tree, err := r.Materialise(f.t.Context(), p, Placement{Folder: folder, Slot: "subject"})
	if err != nil {
		f.t.Fatal(err)
	}
	f.t.Cleanup(tree.Release)
	if moved, err := tree.Verify(f.t.Context()); err != nil || len(moved) > 0 {
		f.t.Errorf("moved %q, %v", moved, err)
	}
	f.untouched(before)
	return tree
}

func TestMaterialise(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.write("a.txt", "a\r\n", "sub/run.sh", "#!/bin/sh\n", ".gitattributes", "*.txt text eol=lf\n*.sh filter=x\n", "big", "version https://git-lfs.github.com/spec/v1\n")
	for _, name := range hostileNames {
		f.write("names/"+name, name)
	}
	f.add()
	f.git("update-index", "--chmod=+x", "sub/run.sh")
	link := f.gitIn("sub/run.sh", "hash-object", "-w", "--stdin")
	f.git("update-index", "--add", "--cacheinfo", "120000,"+link+",link", "--add", "--cacheinfo", "160000,"+strings.Repeat("12", 20)+",module")
	f.git("commit", "-q", "-m", "m")
	f.git("reset", "-q", "--hard")
	f.write("untracked", "x") // so the checkout is not the subject
	tree := f.materialise(t.TempDir(), gavel.SubjectCommit)
	got := onDisk(t, tree.Root)
	for _, want := range []string{"a.txt false \"a", "sub/run.sh true \"#!/bin/sh\\n\"", "link -> sub/run.sh\n", "module/\n"} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is not in\n%s", want, got)
		}
	}
	if strings.Contains(got, "untracked") || strings.Contains(got, ".git/") || tree.InPlace || len(tree.Notes) != 1 {
		t.Errorf("%v %q\n%s", tree.InPlace, tree.Notes, got)
	}
	for _, name := range hostileNames {
		if data, err := os.ReadFile(filepath.Join(tree.Root, "names", filepath.FromSlash(name))); err != nil || string(data) != name {
			t.Errorf("%q: %q, %v", name, data, err)
		}
	}
}

func TestMaterialiseSubjects(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.commit("a", "commit\n", "gone", "x\n")
	if tree := f.materialise(t.TempDir(), gavel.SubjectCommit); !tree.InPlace || tree.Root != f.dir {
		t.Errorf("a clean checkout is written anew into %s", tree.Root)
	}
	f.write("a", "index\n").add()
	f.write("a", "work tree\n", "new", "n\n", ".gitignore", "out\n", "out", "o\n").remove("gone")
	for kind, want := range map[gavel.SubjectKind]string{
		gavel.SubjectCommit:   "a false \"commit\\n\" <nil>\ngone false \"x\\n\" <nil>\n",
		gavel.SubjectIndex:    "a false \"index\\n\" <nil>\ngone false \"x\\n\" <nil>\n",
		gavel.SubjectWorktree: ".gitignore false \"out\\n\" <nil>\na false \"work tree\\n\" <nil>\nnew false \"n\\n\" <nil>\n",
	} {
		if got := onDisk(t, f.materialise(t.TempDir(), kind).Root); got != want {
			t.Errorf("%s: %s", kind, got)
		}
	}
	f.git("reset", "-q", "--hard")
	f.remove("new", ".gitignore", "out")
	for _, kind := range []gavel.SubjectKind{gavel.SubjectIndex, gavel.SubjectWorktree} {
		if tree := f.materialise(t.TempDir(), kind); !tree.InPlace {
			t.Errorf("the %s is HEAD and is written anew into %s", kind, tree.Root)
		}
	}
}

// The folder keeps its name and what did not change; what tools left or touched is put right.
func TestMaterialiseAgain(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.commit("keep", "k\n", "edit", "1\n", "dir/file", "d\n", "swap", "file\n", "spoilt", "s\n", "perm", "p\n")
	f.write("untracked", "x")
	folder := t.TempDir()
	first := f.materialise(folder, gavel.SubjectCommit)
	kept, err := os.Stat(filepath.Join(first.Root, "keep"))
	if err != nil {
		t.Fatal(err)
	}
	outside := filepath.Join(t.TempDir(), "outside")
	left := func(name, data string) {
		path := filepath.Join(first.Root, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(data), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	left("build/out/x.o", "o")
	left("dir/cache", "c")
	left("spoilt", "S\n")
	for _, err := range []error{
		os.Chtimes(filepath.Join(first.Root, "spoilt"), time.Unix(1, 0), kept.ModTime()),
		os.Chmod(filepath.Join(first.Root, "perm"), 0o755),
		os.Chmod(filepath.Join(first.Root, "build/out"), 0o000),
		os.RemoveAll(filepath.Join(first.Root, "dir")),
		os.Mkdir(outside, 0o755),
		os.Symlink(outside, filepath.Join(first.Root, "dir")),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	moved, err := first.Verify(t.Context())
	if err != nil || strings.Join(moved, " ") != "dir/file perm spoilt" {
		t.Errorf("moved %q, %v", moved, err)
	}
	first.Release()
	f.remove("swap")
	f.write("edit", "2\n", "swap/in", "folder\n").add().write("another", "x")
	second := f.materialise(folder, gavel.SubjectIndex)
	if second.Root != first.Root {
		t.Errorf("%s, not %s", second.Root, first.Root)
	}
	want(t, onDisk(t, second.Root), "dir/\ndir/file false \"d\\n\" <nil>\nedit false \"2\\n\" <nil>\nkeep false \"k\\n\" <nil>\n"+
		"perm false \"p\\n\" <nil>\nspoilt false \"s\\n\" <nil>\nswap/\nswap/in false \"folder\\n\" <nil>\nuntracked false \"x\" <nil>\n")
	if again, err := os.Stat(filepath.Join(second.Root, "keep")); err != nil || !os.SameFile(kept, again) || !again.ModTime().Equal(kept.ModTime()) {
		t.Errorf("an unchanged file was written again: %v", err)
	}
	if entries, err := os.ReadDir(outside); err != nil || len(entries) > 0 {
		t.Errorf("something was written through a link: %v %v", entries, err)
	}
}

// Two runs never share a folder.
func TestMaterialiseTwice(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.commit("a", "1\n")
	f.write("b", "x")
	folder := t.TempDir()
	first, second := f.materialise(folder, gavel.SubjectCommit), f.materialise(folder, gavel.SubjectIndex)
	if first.Root == second.Root {
		t.Error("one folder for two trees")
	}
	first.Release()
	if third := f.materialise(folder, gavel.SubjectCommit); third.Root != first.Root {
		t.Error("a released folder is not used again")
	}
}

// A torn or foreign record costs time, never content.
func TestMaterialiseBadRecord(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.commit("a", "1\n")
	f.write("b", "x")
	for _, record := range []string{"", "gavel tree 2\n", recordHeader, recordHeader + "100644 zz 1 2 3 4 5 0 a\x00", recordHeader + "\x00\x00 \x00a b c\x00"} {
		folder := t.TempDir()
		first := f.materialise(folder, gavel.SubjectCommit)
		first.Release()
		if err := os.WriteFile(first.recordPath(), []byte(record), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(first.Root, "a"), []byte("2\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		want(t, onDisk(t, f.materialise(folder, gavel.SubjectCommit).Root), "a false \"1\\n\" <nil>\n")
	}
}

func TestCheckNames(t *testing.T) {
	t.Parallel()
	for _, names := range [][]string{{"a", "a"}, {"a", "a/b"}, {"a", "a.b", "a/b"}, {"b", "a"}, {"x/a", "x/a.b/c", "x/a/b"}} {
		tree := &Tree{}
		for _, name := range names {
			tree.files = append(tree.files, treeFile{path: name})
		}
		if gavel.AsError(tree.checkNames()) == nil {
			t.Errorf("%q are let through", names)
		}
	}
	for _, name := range []string{".git/config", "a/.GIT/x", "GIT~1/x", ".git.", ".git /x", ".git::$INDEX_ALLOCATION/x", ".g\u200cit/config", "\u200c.git/x", ".git\u200d", ".git::$DATA\u200c", ".git . .", "a\x00b", "../x", "a/../b", "a//b", "/a", "./a", ""} {
		tree := &Tree{files: []treeFile{{path: name}}}
		if gavel.AsError(tree.checkNames()) == nil {
			t.Errorf("%q is let through", name)
		}
	}
	for _, name := range []string{".gitignore", "a/.github/x", "git", ".gitmodules", "a..b", "..a"} {
		tree := &Tree{files: []treeFile{{path: name}}}
		if err := tree.checkNames(); err != nil {
			t.Errorf("%q: %v", name, err)
		}
	}
}

// What a user changes while the run looks at the checkout is seen, and told from what comes beside it.
func TestVerifyInPlace(t *testing.T) {
	t.Parallel()
	for _, kind := range []gavel.SubjectKind{gavel.SubjectCommit, gavel.SubjectIndex, gavel.SubjectWorktree} {
		for _, tt := range []struct {
			moved, added string
			move         func(f *fixture)
		}{
			{"a", "", func(f *fixture) { f.write("a", "2\n") }},
			{"", "new", func(f *fixture) { f.write("new", "2\n") }},
			{"gone", "", func(f *fixture) { f.remove("gone") }},
			{"HEAD a", "", func(f *fixture) { f.commit("a", "3\n") }},
			{"HEAD", "", func(f *fixture) { f.commit() }},
			{"", "", func(f *fixture) { f.write("out", "ignored\n") }},
			{"a", "", func(f *fixture) { f.write("a", "1\n"); must(t, os.Chmod(f.path("a"), 0o755)) }},
			{"a", "a/b", func(f *fixture) { f.remove("a").write("a/b", "2\n") }},
		} {
			f := newFixture(t)
			f.commit("a", "1\n", "gone", "g\n", ".gitignore", "out\n")
			tree := f.materialise(t.TempDir(), kind)
			tt.move(f)
			wanted := tt.moved
			if kind != gavel.SubjectCommit {
				wanted = strings.TrimPrefix(strings.TrimPrefix(wanted, "HEAD"), " ")
			}
			moved, err := tree.Verify(t.Context())
			if err != nil || strings.Join(moved, " ") != wanted || strings.Join(tree.Added, " ") != tt.added {
				t.Errorf("%s: %q, %q: %q, %q, %v", kind, wanted, tt.added, moved, tree.Added, err)
			}
		}
	}
}
