package git

import (
	"os"
	"strings"
	"testing"

	"github.com/gavel-review/gavel"
)

func staged() Scope   { return Scope{Kind: Staged} }
func unstaged() Scope { return Scope{Kind: Unstaged} }
func revs(r ...string) Scope {
	return Scope{Kind: Revisions, Revisions: r}
}

func TestStagedKinds(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	lines := strings.Repeat("a line that stays\n", 40)
	f.commit("mod.go", "one\ntwo\n", "gone.go", "bye\n", "sub/old.go", lines, "mode.sh", "x\n", "type", "text\n",
		"crlf.txt", "a\r\nb\r\n", "noeol", "a\nb", "bin", "a\x00b", "emptied", "x\n")
	f.write("mod.go", "one\n2\nthree\n", "new.go", "hello\n", "empty", "", "crlf.txt", "a\r\nc\r\n", "noeol", "a\nc",
		"bin", "a\x00c", "utf16", "h\x00i\x00", "emptied", "", "latin1", "caf\xe9\n",
		"lfs.bin", lfsPointer{strings.Repeat("ab", 32), 12345}.String())
	f.remove("gone.go", "type")
	if err := os.Chmod(f.path("mode.sh"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("mod.go", f.path("type")); err != nil {
		t.Fatal(err)
	}
	f.git("mv", "sub/old.go", "moved.go")
	f.add()
	c := f.pin(staged())
	got := files(t, c)
	want(t, show(got), `
M bin binary
M crlf.txt +1 -1
M emptied +0 -1
A empty
D gone.go +0 -1
A latin1 +1 -0
A lfs.bin lfs_pointer
M mod.go +2 -1
M mode.sh mode_only
R moved.go < sub/old.go
A new.go +1 -0
M noeol +1 -1
T type +1 -1
A utf16 binary
`)
	byPath := map[string]*gavel.File{}
	for _, f := range got {
		byPath[f.Path] = f
	}
	want(t, text(byPath["noeol"]), "@@ 1,2 1,2\n a\n-b\n\\\n+c\n\\\n")
	want(t, text(byPath["crlf.txt"]), "@@ 1,2 1,2\n a\r\n-b\r\n+c\r\n")
	want(t, text(byPath["type"]), "@@ 1,1 0,0\n-text\n@@ 0,0 1,1\n+mod.go\n\\\n")
	want(t, text(byPath["latin1"]), "@@ 0,0 1,1\n+caf\xe9\n")
	if !byPath["bin"].Binary || byPath["new.go"].Binary {
		t.Error("Binary is wrong")
	}
	if f := byPath["mod.go"]; f.Size != 12 || f.OldMode != gavel.ModeRegular || len(f.OldID) != 40 || len(f.NewID) != 40 {
		t.Errorf("mod.go: %+v", f)
	}
	if f := byPath["gone.go"]; f.Size != 0 || f.NewMode != 0 || f.NewID != "" {
		t.Errorf("gone.go: %+v", f)
	}
	if c.Base.Kind != gavel.SubjectCommit || c.Head.Kind != gavel.SubjectIndex || c.Head.Tree != f.git("write-tree") {
		t.Errorf("base %+v, head %+v", c.Base, c.Head)
	}
}

func TestStagedIsWhatGitWrites(t *testing.T) {
	t.Parallel()
	for _, format := range []string{"sha1", "sha256"} {
		for _, version := range []string{"2", "3", "4"} {
			f := newFixture(t, "--object-format="+format)
			f.git("config", "index.version", version)
			c := f.write("a/b/c/d", "1\n", "a-b", "2\n", "a/b.c", "3\n", "a0", "4\n", "z/y", "5\n").add().pin(staged())
			want(t, show(files(t, c)), "A a-b +1 -0\nA a/b.c +1 -0\nA a/b/c/d +1 -0\nA a0 +1 -0\nA z/y +1 -0\n")
			if c.Base.Kind != gavel.SubjectEmpty || c.Head.Tree != f.git("write-tree") {
				t.Errorf("%s v%s: base %+v, head %+v", format, version, c.Base, c.Head)
			}
			f.commit("a/b/c/d", "changed\n", "a/b/n", "new\n")
			f.git("rm", "-q", "z/y")
			c = f.write("a/b/n", "newer\n").remove("a0").write("a0/x", "folder now\n").add().pin(staged())
			if c.Head.Tree != f.git("write-tree") {
				t.Errorf("%s v%s: another tree than git's", format, version)
			}
			want(t, show(files(t, c)), "M a/b/n +1 -1\nD a0 +0 -1\nA a0/x +1 -0\nD z/y +0 -1\n")
		}
	}
}

func TestEmptyRepository(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	for _, scope := range []Scope{staged(), unstaged(), {Kind: LastCommit}} {
		if c := f.pin(scope); c.Len() != 0 || len(files(t, c)) != 0 {
			t.Errorf("%+v: not empty", scope)
		}
	}
	r := f.open()
	if r.Head != "" || r.HeadRef != "refs/heads/main" {
		t.Errorf("head %q, ref %q", r.Head, r.HeadRef)
	}
	if b, err := r.TrustedBase(t.Context()); err != nil || b.Commit != "" || b.Caveat == "" {
		t.Errorf("base %+v, %v", b, err)
	}
	if _, err := r.Pin(t.Context(), revs("HEAD")); class(err) != gavel.InvalidArgs {
		t.Errorf("HEAD: %v", err)
	}
}

var hostileNames = []string{
	`quo"te`, "tab\there", "new\nline", "caf\u00e9", "bad\xff\xfe", " lead", "trail ", "-dash", ":colon", `back\slash`,
	"a b/c d", "diff --git a/x b/x", "\x01ctl", "[glob]*?", "#hash", "x\r", "{a,b}", "+++ b", `"quoted"`,
}

func TestHostileNames(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	for _, name := range hostileNames {
		f.write(name, "one\n", "dir/"+name+"/x", "one\n")
	}
	f.commit()
	for i, name := range hostileNames {
		f.write(name, "one\ntwo\n")
		if i%2 == 0 {
			f.remove("dir/" + name + "/x")
		}
	}
	for _, scope := range []Scope{unstaged(), staged()} {
		if scope.Kind == Staged {
			f.add()
		}
		seen := map[string]string{}
		for _, file := range files(t, f.pin(scope)) {
			seen[file.Path] = show([]*gavel.File{file})
		}
		for i, name := range hostileNames {
			if got, want := seen[name], "M "+gavel.DisplayPath(name)+" +1 -0\n"; got != want {
				t.Errorf("%q: got %q, want %q", name, got, want)
			}
			if _, ok := seen["dir/"+name+"/x"]; ok != (i%2 == 0) {
				t.Errorf("dir/%q/x: deleted is %v", name, ok)
			}
		}
		if want := len(hostileNames) + (len(hostileNames)+1)/2; len(seen) != want {
			t.Errorf("%d paths, want %d", len(seen), want)
		}
	}
}

// Lines of content that look like structure hide nothing and move nothing.
func TestHostileContent(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.commit("a.sql", "keep\n-- x\n-- a/vendor/y\nkeep\n", "m.go", "one\n")
	evil := "keep\n++ b/vendor/x\n++ /dev/null\ndiff --git a/vendor/x b/vendor/x\n@@ -1 +1 @@\n\\ No newline at end of file\n" +
		"index 000..111\nBinary files a/x and b/x differ\n\n-- \n2.39\n\r\n"
	f.write("a.sql", "keep\nkeep\n", "m.go", evil, "n.go", evil, "vendor/ok.go", "x\n").add()
	got := files(t, f.pin(staged()))
	want(t, show(got), "M a.sql +0 -2\nM m.go +12 -1\nA n.go +12 -0\nA vendor/ok.go +1 -0\n")
	want(t, text(got[0]), "@@ 1,4 1,2\n keep\n--- x\n--- a/vendor/y\n keep\n")
	var b strings.Builder
	for _, l := range got[2].Hunks[0].Lines {
		b.WriteString(l.Text + "\n")
	}
	want(t, b.String(), evil)
}

// Nothing in the repository's configuration or attributes changes what is seen.
func TestConfigurationHidesNothing(t *testing.T) {
	t.Parallel()
	plain := newFixture(t)
	plain.commit("a.go", "one\n", "b.go", "x\n")
	plain.write("a.go", "one\ntwo\n", "b.go", "y\n", "c.go", "new\n").add()
	reference := files(t, plain.pin(staged()))
	for _, test := range []struct {
		name string
		set  func(f *fixture)
	}{
		{"mnemonicPrefix", func(f *fixture) { f.git("config", "diff.mnemonicPrefix", "true") }},
		{"noprefix", func(f *fixture) { f.git("config", "diff.noprefix", "true") }},
		{"external", func(f *fixture) { f.git("config", "diff.external", "touch pwned; true") }},
		{"context", func(f *fixture) { f.git("config", "diff.context", "0") }},
		{"renames", func(f *fixture) { f.git("config", "diff.renames", "copies") }},
		{"orderFile", func(f *fixture) { f.git("config", "diff.orderFile", "/dev/null") }},
		{"quotePath", func(f *fixture) { f.git("config", "core.quotePath", "false") }},
		{"fsmonitor", func(f *fixture) { f.git("config", "core.fsmonitor", "touch pwned; true") }},
		{"valueless key", func(f *fixture) { f.appendTo(".git/config", "[core]\n\tfilemode\n") }},
		{"textconv", func(f *fixture) {
			f.git("config", "diff.go.textconv", "touch pwned; true")
			f.write(".git/info/attributes", "*.go diff=go\n")
		}},
		{"driver", func(f *fixture) {
			f.git("config", "diff.go.command", "touch pwned; true")
			f.git("config", "diff.go.binary", "true")
			f.write(".git/info/attributes", "*.go diff=go\n")
		}},
		{"-diff", func(f *fixture) { f.write(".git/info/attributes", "*.go -diff -text binary\n") }},
		{"filter", func(f *fixture) {
			f.git("config", "filter.x.clean", "touch pwned; true")
			f.git("config", "filter.x.required", "true")
			f.write(".git/info/attributes", "*.go filter=x\n")
		}},
		{"attr.tree", func(f *fixture) { f.git("config", "attr.tree", "HEAD") }},
		{"worktree config", func(f *fixture) {
			f.git("config", "extensions.worktreeConfig", "true")
			f.git("config", "--worktree", "diff.external", "touch pwned; true")
		}},
		{"include", func(f *fixture) {
			f.write(".git/more", "[diff]\n\tnoprefix = true\n")
			f.git("config", "include.path", "more")
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			f := newFixture(t)
			f.commit("a.go", "one\n", "b.go", "x\n")
			f.write("a.go", "one\ntwo\n", "b.go", "y\n", "c.go", "new\n").add()
			test.set(f)
			got := files(t, f.pin(staged()))
			want(t, show(got), show(reference))
			for i := range got {
				want(t, text(got[i]), text(reference[i]))
			}
			f.git("reset", "-q")
			f.remove("pwned") // git itself obeys
			want(t, show(files(t, f.pin(unstaged()))), show(reference))
			if _, err := os.Lstat(f.path("pwned")); err == nil {
				t.Error("a command of the configuration ran")
			}
		})
	}
}

func (f *fixture) appendTo(name, text string) {
	f.t.Helper()
	old, err := os.ReadFile(f.path(name))
	if err != nil {
		f.t.Fatal(err)
	}
	f.write(name, string(old)+text)
}

func TestAttributesInTheChangeHideNothing(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.commit(".gitattributes", "*.go -diff\n*.js binary\n*.py diff=x\n", "a.go", "1\n", "b.js", "1\n", "c.py", "1\n")
	f.write("a.go", "2\n", "b.js", "2\n", "c.py", "2\n")
	const all = "M a.go +1 -1\nM b.js +1 -1\nM c.py +1 -1\n"
	want(t, show(files(t, f.pin(unstaged()))), all)
	want(t, show(files(t, f.add().pin(staged()))), all)
}

func TestReplaceRefsAndGraftsPlayNoRole(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	good := f.commit("a", "good\n")
	evil := f.git("hash-object", "-w", "--stdin")
	f.commit("a", "old\n")
	f.write("a", "evil\n").add()
	id := f.git("rev-parse", ":a")
	f.git("replace", id, f.git("rev-parse", "HEAD:a"))
	f.git("replace", f.git("rev-parse", "HEAD^{tree}"), f.git("rev-parse", good+"^{tree}"))
	f.write(".git/info/grafts", f.git("rev-parse", "HEAD")+"\n")
	_ = evil
	got := files(t, f.pin(staged()))
	want(t, text(got[0]), "@@ 1,1 1,1\n-old\n+evil\n")
	want(t, show(files(t, f.pin(revs("HEAD~1", "HEAD")))), "M a +1 -1\n")
}

func TestUnmerged(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.commit("a", "base\n", "b", "base\n", "gone", "x\n", "keep", "x\n")
	f.git("checkout", "-q", "-b", "side")
	f.commit("a", "side\n", "gone", "changed\n", "fine", "new\n")
	f.git("checkout", "-q", "main")
	f.git("rm", "-q", "gone")
	f.commit("a", "main\n", "b", "main\n")
	if out, err := f.tryGit("", "merge", "side"); err == nil {
		t.Fatal("no conflict: " + out)
	}
	c := f.pin(staged())
	want(t, show(files(t, c)), "M a unreadable\nA fine +1 -0\nM gone unreadable\n")
	if c.unread[0].Skip.Detail != "unmerged" {
		t.Errorf("detail %q", c.unread[0].Skip.Detail)
	}
	want(t, show(files(t, f.pin(unstaged()))), "M a +4 -0\nA gone +1 -0\n")
}

func TestIntentToAdd(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.commit("a", "x\n")
	f.write("dir/new.go", "hello\n", "b", "y\n")
	f.git("add", "b")
	f.git("add", "-N", "dir/new.go")
	c := f.pin(staged())
	want(t, show(files(t, c)), "A b +1 -0\n")
	if len(c.Notes) != 1 || !strings.Contains(c.Notes[0], "dir/new.go") {
		t.Errorf("notes %q", c.Notes)
	}
	want(t, show(files(t, f.pin(unstaged()))), "A dir/new.go +1 -0\n")
}

func TestOtherIndexForms(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name string
		set  func(f *fixture)
	}{
		{"split", func(f *fixture) { f.git("update-index", "--split-index") }},
		{"untracked cache", func(f *fixture) { f.git("update-index", "--untracked-cache") }},
		{"no cached trees", func(f *fixture) { f.git("read-tree", "--empty"); f.git("add", "-A") }},
		{"sparse", func(f *fixture) {
			f.git("sparse-checkout", "init", "--cone", "--sparse-index")
			f.git("sparse-checkout", "set", "in")
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			f := newFixture(t)
			f.commit("in/a", "1\n", "out/b/c", "2\n", "out/d", "3\n", "top", "4\n")
			test.set(f)
			f.write("in/a", "one\n", "in/n", "new\n")
			f.git("add", "in")
			c := f.pin(staged())
			want(t, show(files(t, c)), "M in/a +1 -1\nA in/n +1 -0\n")
			if c.Head.Tree != f.git("write-tree") {
				t.Error("another tree than git's")
			}
			f.write("in/a", "two\n", "top", "five\n")
			want(t, show(files(t, f.pin(unstaged()))), "M in/a +1 -1\nM top +1 -1\n")
		})
	}
}

func TestAnotherIndexFile(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.commit("a", "1\n")
	f.write("a", "2\n")
	f.git("read-tree", "HEAD", "--index-output=.git/next-index")
	f.env = append(f.env, "GIT_INDEX_FILE="+f.path(".git/next-index"))
	f.git("add", "a")
	f.env = f.env[:len(f.env)-1]
	want(t, show(files(t, f.pin(staged()))), "")
	scope := staged()
	scope.Index = ".git/next-index"
	want(t, show(files(t, f.pin(scope))), "M a +1 -1\n")
}

func TestMalformedIndex(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.commit("a", "1\n")
	f.write(".git/index", "DIRC half of an index")
	if _, err := f.open().Pin(t.Context(), staged()); class(err) != gavel.RunFailed {
		t.Errorf("got %v", err)
	}
}
