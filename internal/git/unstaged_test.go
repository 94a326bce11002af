//go:build unix

package git

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"strings"
	"syscall"
	"testing"

	"github.com/gavel-review/gavel"
)

func TestUnstagedKinds(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.write("tracked.log", "1\n").git("add", "tracked.log")
	f.commit(".gitignore", "*.log\n", "mod", "1\n", "gone", "1\n", "staged", "1\n", "same", "1\n", "exec", "1\n",
		"file-to-dir", "1\n", "dir/to/file", "1\n", "dir/to/two", "1\n", "link-to-dir/x", "1\n", "fifo", "1\n")
	f.write("staged", "2\n").git("add", "staged")
	f.remove("gone", "file-to-dir", "dir", "link-to-dir", "fifo")
	f.write("mod", "2\n", "file-to-dir/x", "new\n", "dir", "file\n", "ignored.log", "x\n", "tracked.log", "2\n", "new/deep/file", "x\n")
	must(t, os.Chmod(f.path("exec"), 0o755))
	must(t, os.Symlink("new", f.path("link-to-dir")))
	must(t, os.Symlink("nowhere", f.path("dangling")))
	must(t, syscall.Mkfifo(f.path("fifo"), 0o600))
	must(t, syscall.Mkfifo(f.path("untracked-fifo"), 0o600))
	must(t, os.Chtimes(f.path("same"), ago, ago))
	c := f.pin(unstaged())
	want(t, show(files(t, c)), `
A dangling +1 -0
A dir +1 -0
D dir/to/file +0 -1
D dir/to/two +0 -1
M exec mode_only
M fifo unreadable
D file-to-dir +0 -1
A file-to-dir/x +1 -0
D gone +0 -1
A link-to-dir +1 -0
D link-to-dir/x +0 -1
M mod +1 -1
A new/deep/file +1 -0
M tracked.log +1 -1
`)
	if c.Base.Kind != gavel.SubjectIndex || c.Base.Tree != f.git("write-tree") || c.Head.Kind != gavel.SubjectWorktree {
		t.Errorf("base %+v, head %+v", c.Base, c.Head)
	}
	f.remove("fifo", "untracked-fifo").add()
	if c := f.pin(revs("HEAD")); c.Head.Tree != f.git("write-tree") {
		t.Errorf("the work tree %s is not what git would add, %s", c.Head.Tree, f.git("write-tree"))
	}
}

func TestFlagsHideNothing(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.commit("assumed", "1\n", "skipped", "1\n", "assumed-gone", "1\n", "skipped-gone", "1\n", "both", "1\n")
	f.write("assumed", "2\n", "skipped", "2\n", "both", "2\n")
	f.git("update-index", "--assume-unchanged", "assumed", "assumed-gone", "both")
	f.git("update-index", "--skip-worktree", "skipped", "skipped-gone", "both")
	f.remove("assumed-gone", "skipped-gone")
	c := f.pin(unstaged())
	want(t, show(files(t, c)), "M assumed +1 -1\nD assumed-gone +0 -1\nM both +1 -1\nM skipped +1 -1\n")
	if len(c.Notes) != 1 || !strings.Contains(c.Notes[0], "sparse") {
		t.Errorf("notes: %q", c.Notes)
	}
}

func TestNestedRepositories(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.commit("a", "1\n")
	inner := newFixture(t)
	first := inner.commit("x", "1\n")
	f.git("clone", "-q", inner.dir, "nested")
	f.git("init", "-q", "unborn")
	f.write("unborn/file", "x\n", "unborn-not/file", "x\n")
	got := files(t, f.pin(unstaged()))
	want(t, show(got), "A nested submodule_pointer\nA unborn submodule_pointer\nA unborn-not/file +1 -0\n")
	if got[0].NewMode != gavel.ModeGitlink || got[0].NewID != first {
		t.Errorf("nested: %+v", got[0])
	}
	f.remove("unborn", "unborn-not", "nested")
	f.git("submodule", "--quiet", "add", inner.dir, "sub")
	f.commit()
	inner.commit("x", "2\n")
	f.git("-C", "sub", "pull", "-q")
	f.write("sub/dirt", "x\n")
	want(t, show(files(t, f.pin(unstaged()))), "M sub submodule_pointer\n")
	f.git("add", "sub")
	want(t, show(files(t, f.pin(staged()))), "M sub submodule_pointer\n")
	f.git("rm", "-qf", "sub")
	f.write("sub", "a file now\n").add()
	want(t, show(files(t, f.pin(staged()))), "M .gitmodules +0 -3\nT sub +1 -0\n")
}

func TestLFS(t *testing.T) {
	t.Parallel()
	content := strings.Repeat("large content\x00", 100)
	sum := sha256.Sum256([]byte(content))
	pointer := lfsPointer{hex.EncodeToString(sum[:]), int64(len(content))}.String()
	f := newFixture(t)
	f.commit(".gitattributes", "*.bin filter=lfs diff=lfs merge=lfs -text\n", "same.bin", pointer, "moved.bin", pointer, "raw.bin", pointer, "almost.txt", pointer)
	f.write("same.bin", content, "moved.bin", content+"x", "almost.txt", pointer+"and more\n")
	must(t, os.Chtimes(f.path("raw.bin"), ago, ago))
	got := files(t, f.pin(unstaged()))
	want(t, show(got), "M almost.txt +1 -0\nM moved.bin lfs_pointer\n")
}

func TestLineEnds(t *testing.T) {
	t.Parallel()
	for _, attributes := range []bool{true, false} {
		f := newFixture(t)
		f.commit("lf", "a\nb\n", "crlf", "a\r\nb\r\n")
		if attributes {
			f.write(".gitattributes", "* text=auto\n")
			f.git("add", ".gitattributes")
			f.git("commit", "-qm", "m")
		} else {
			f.git("config", "core.autocrlf", "true")
		}
		f.write("lf", "a\r\nb\r\nc\r\n", "crlf", "a\r\nb\r\nc\r\n")
		got := files(t, f.pin(unstaged()))
		want(t, show(got), "M crlf +1 -0\nM lf +1 -0\n")
	}
}

func TestUndecodable(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.commit(".gitattributes", "*.txt working-tree-encoding=UTF-16\n")
	f.write("a.txt", "x", "b.txt", "no BOM here\n", "c.go", "fine\n")
	got := show(files(t, f.pin(unstaged())))
	if !strings.Contains(got, "A c.go +1 -0\n") || strings.Count(got, "\n") != 3 || !strings.Contains(got, "A b.txt undecodable\n") {
		t.Errorf("got:\n%s", got)
	}
}

func TestLargeFiles(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.git("config", "core.compression", "0")
	f.commit("a", "1\n", "grows", "1\n")
	line := strings.Repeat("x", 20<<20)
	f.write("line", line+"\nend\n", "a", "2\n")
	for name, head := range map[string]string{"text": "y", "binary": "\x00", "grows": "z"} {
		file, err := os.Create(f.path(name))
		must(t, err)
		_, err = file.WriteString(head)
		must(t, err)
		_, err = file.WriteString(strings.Repeat(strings.Repeat("y", 1023)+"\n", MaxText>>10))
		must(t, err)
		must(t, file.Close())
	}
	const all = "M a +1 -1\nA binary binary\nM grows too_large\nA line +2 -0\nA text too_large\n"
	c := f.pin(unstaged())
	want(t, show(files(t, c)), all)
	if len(files(t, c)[3].Hunks[0].Lines[0].Text) != len(line) {
		t.Error("the long line is not whole")
	}
	want(t, show(files(t, f.add().pin(staged()))), all)
	f.commit()
	f.git("mv", "text", "moved")
	must(t, os.Chmod(f.path("grows"), 0o755))
	want(t, show(files(t, f.add().pin(staged()))), "M grows mode_only\nR moved < text\n")
}

func TestExcludes(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.commit("a", "1\n")
	f.write(".git/info/exclude", "mine\n", "mine", "x\n", "other", "x\n", "sub/x", "x\n", "sub/y", "x\n", "sub/.gitignore", "x\n")
	want(t, show(files(t, f.pin(unstaged()))), "A other +1 -0\nA sub/.gitignore +1 -0\nA sub/y +1 -0\n")
	f.write(".git/my-excludes", "other\n")
	f.git("config", "core.excludesFile", f.path(".git/my-excludes"))
	want(t, show(files(t, f.pin(unstaged()))), "A sub/.gitignore +1 -0\nA sub/y +1 -0\n")
}

func TestUnreadable(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.commit("tracked", "1\n")
	f.write("a", "x\n", "tracked", "2\n")
	w := &capture{r: f.open(), c: &Comparison{}, changes: map[string]leaf{}, tracked: func(string) (leaf, bool) { return leaf{}, false }}
	w.unlisted("warning: could not open directory 'closed/': Permission denied\nwarning: something else\n")
	w.unreadable("a", true, &os.PathError{Op: "open", Path: "a", Err: syscall.EACCES})
	w.notHashed("a", "error: open(\"a\"): Permission denied\nerror: unable to index file 'a'\nfatal: Unable to process path a")
	if len(w.c.unread) != 3 || w.c.unread[0].Path != "closed/" {
		t.Fatalf("unread: %+v", w.c.unread)
	}
	for _, u := range w.c.unread {
		if u.Skip.Reason != gavel.SkipUnreadable || !strings.Contains(strings.ToLower(u.Skip.Detail), "permission denied") {
			t.Errorf("%+v", *u.Skip)
		}
	}
	names := []string{"x", "new\nline"}
	if i := failedPath("error: x\nfatal: Unable to process path new\nline", names); i != 1 {
		t.Errorf("failed path %d", i)
	}
}

// A path that git cannot read does not keep the others from being read, wherever it stands.
func TestOneBadPath(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.commit("a", "1\n")
	f.write("b", "1\n", "c", "1\n", "d", "1\n")
	w := &capture{r: f.open(), c: &Comparison{}, changes: map[string]leaf{}, tracked: func(string) (leaf, bool) { return leaf{}, false }}
	var err error
	w.index, err = w.openIndex(&index{})
	must(t, err)
	w.hash = []string{".git/x", "b", "c/under-a-file", "d"}
	must(t, w.hashFiles(t.Context()))
	if len(w.changes) < 2 || w.changes["b"].mode == 0 || w.changes["d"].mode == 0 {
		t.Errorf("changes %v, unread %v", w.changes, w.c.unread)
	}
}
