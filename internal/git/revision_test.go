package git

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/gavel-review/gavel"
)

func TestRevisions(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.commit("a", "1\n", "dir/x", "1\n")
	f.git("tag", "-a", "-m", "t", "v1")
	f.git("checkout", "-q", "-b", "feature/x")
	f.commit("b", "feature\n")
	f.git("checkout", "-q", "main")
	f.commit("a", "2\n", "weird..name", "1\n")
	f.write("a", "3\n", "new", "x\n")
	for _, test := range []struct {
		revisions, want string
	}{
		{"v1 main", "M a +1 -1\nA weird..name +1 -0\n"},
		{"v1..main", "M a +1 -1\nA weird..name +1 -0\n"},
		{"main..v1", "M a +1 -1\nD weird..name +0 -1\n"},
		{"main..feature/x", "M a +1 -1\nA b +1 -0\nD weird..name +0 -1\n"},
		{"main...feature/x", "A b +1 -0\n"},
		{"...feature/x", "A b +1 -0\n"},
		{"feature/x..", "M a +1 -1\nD b +0 -1\nA weird..name +1 -0\n"},
		{"HEAD", "M a +1 -1\nA new +1 -0\n"},
		{"HEAD~1", "M a +1 -1\nA new +1 -0\nA weird..name +1 -0\n"},
		{"HEAD^{/mess..age|message}..HEAD", ""},
		{"HEAD@{0}..HEAD", ""},
		{"v1:dir HEAD:dir", ""},
		{"4b825dc642cb6eb9a060e54bf8d69288fbee4904 v1", "A a +1 -0\nA dir/x +1 -0\n"},
		{"@ v1^{tree}", "M a +1 -1\nD weird..name +0 -1\n"},
	} {
		c := f.pin(revs(strings.Split(test.revisions, " ")...))
		if got := show(files(t, c)); got != test.want {
			t.Errorf("%s: got\n%s\nwant\n%s", test.revisions, got, test.want)
		}
	}
}

func TestBadRevisions(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.commit("a", "1\n")
	f.git("checkout", "-q", "--orphan", "alone")
	f.commit("a", "2\n")
	r := f.open()
	for _, test := range []struct {
		revisions []string
		class     gavel.Class
	}{
		{nil, gavel.InvalidArgs},
		{[]string{""}, gavel.InvalidArgs},
		{[]string{"a", "b", "c"}, gavel.InvalidArgs},
		{[]string{"--output=/tmp/x", "HEAD"}, gavel.InvalidArgs},
		{[]string{"HEAD", "-p"}, gavel.InvalidArgs},
		{[]string{"HEAD..--stat"}, gavel.InvalidArgs},
		{[]string{"--all"}, gavel.InvalidArgs},
		{[]string{"^HEAD"}, gavel.InvalidArgs},
		{[]string{"HEAD\nflush"}, gavel.InvalidArgs},
		{[]string{"HEAD\x00flush"}, gavel.InvalidArgs},
		{[]string{"nothing"}, gavel.InvalidArgs},
		{[]string{"HEAD missing"}, gavel.InvalidArgs},
		{[]string{"HEAD:a"}, gavel.InvalidArgs},
		{[]string{":a"}, gavel.InvalidArgs},
		{[]string{"HEAD..nothing"}, gavel.InvalidArgs},
		{[]string{"main...HEAD"}, gavel.BaseNotFound},
		{[]string{"HEAD^{tree}...HEAD"}, gavel.InvalidArgs},
	} {
		_, err := r.Pin(t.Context(), revs(test.revisions...))
		if class(err) != test.class {
			t.Errorf("%q: got %v", test.revisions, err)
		}
		if e := gavel.AsError(err); e != nil && e.Hint == "" && !strings.Contains(e.Message, "needs two commits") && !strings.Contains(e.Message, "is a blob") {
			t.Errorf("%q: no hint: %v", test.revisions, err)
		}
	}
}

func TestLastCommit(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.commit("a", "1\n")
	c := f.pin(Scope{Kind: LastCommit})
	want(t, show(files(t, c)), "A a +1 -0\n")
	f.commit("a", "2\n")
	want(t, show(files(t, f.pin(Scope{Kind: LastCommit}))), "M a +1 -1\n")
}

func TestShallow(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.commit("a", "1\n")
	f.git("branch", "old")
	f.commit("a", "2\n")
	f.commit("a", "3\n")
	clone := &fixture{t: t, dir: filepath.Join(filepath.Dir(f.dir), "clone"), env: f.env}
	f.git("clone", "-q", "--depth=1", "--no-single-branch", "file://"+f.dir, clone.dir)
	r := clone.open()
	if !r.Shallow {
		t.Error("not seen as shallow")
	}
	for _, scope := range []Scope{revs("HEAD~1"), revs("origin/old...HEAD"), {Kind: LastCommit}} {
		_, err := r.Pin(t.Context(), scope)
		if err == nil || !strings.Contains(gavel.AsError(err).Hint, "shallow") {
			t.Errorf("%v: %v", scope, err)
		}
	}
	want(t, show(files(t, clone.pin(revs("origin/old..HEAD")))), "M a +1 -1\n")
	want(t, show(files(t, clone.write("a", "4\n").add().pin(staged()))), "M a +1 -1\n")
}

func TestMissingObjects(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.commit("a", "1\n", "b", "old\n", "moved", "content\n", "z", "1\n")
	blob := f.git("rev-parse", "HEAD:b")
	f.commit("a", "2\n", "b", "new\n", "z", "2\n")
	f.remove(".git/objects/" + blob[:2] + "/" + blob[2:])
	got := files(t, f.pin(revs("HEAD~1", "HEAD")))
	want(t, show(got), "M a +1 -1\nM b object_missing\nM z +1 -1\n")
	if !strings.Contains(got[1].Skip.Detail, blob) {
		t.Errorf("detail %q", got[1].Skip.Detail)
	}
	c := f.pin(revs("HEAD~1", "HEAD"))
	if _, err := c.Blob(t.Context(), blob, 0); class(err) != gavel.NotFound {
		t.Errorf("blob: %v", err)
	}
	if data, err := c.Blob(t.Context(), got[0].NewID, 0); string(data) != "2\n" || err != nil {
		t.Errorf("blob after a missing one: %q, %v", data, err)
	}
	if _, err := c.Blob(t.Context(), got[0].NewID, 1); class(err) != gavel.BudgetExceeded {
		t.Errorf("large blob: %v", err)
	}
	tree := f.git("rev-parse", "HEAD^{tree}")
	f.remove(".git/objects/" + tree[:2] + "/" + tree[2:])
	if _, err := f.open().Pin(t.Context(), staged()); class(err) != gavel.RunFailed {
		t.Errorf("missing tree: %v", err)
	}
}

func TestDamagedObject(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.commit("a", "1\n", "b", strings.Repeat("old\n", 50), "z", "1\n")
	blob := f.git("rev-parse", "HEAD:b")
	f.commit("a", "2\n", "b", strings.Repeat("new\n", 50), "z", "2\n", "n", "x\n")
	name := ".git/objects/" + blob[:2] + "/" + blob[2:]
	f.remove(name).write(name, "not an object")
	want(t, show(files(t, f.pin(revs("HEAD~1", "HEAD")))), "M a +1 -1\nM b object_missing\nA n +1 -0\nM z +1 -1\n")
	// The header is whole and the content is not: git says the size, and dies later.
	whole, err := f.tryGit(strings.Repeat("old\n", 50), "hash-object", "-w", "--stdin")
	if err != nil {
		t.Fatal(whole)
	}
}

func TestTruncatedObject(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.git("config", "core.looseCompression", "0")
	f.commit("a", "1\n", "b", strings.Repeat("a long line of old content\n", 9000), "z", "1\n")
	blob := f.git("rev-parse", "HEAD:b")
	f.commit("a", "2\n", "b", "new\n", "z", "2\n", "n", "x\n")
	name := ".git/objects/" + blob[:2] + "/" + blob[2:]
	data, _, err := readRegular(f.path(name), maxIndex)
	must(t, err)
	f.remove(name).write(name, data[:len(data)/2])
	want(t, show(files(t, f.pin(revs("HEAD~1", "HEAD")))), "M a +1 -1\nM b object_missing\nA n +1 -0\nM z +1 -1\n")
}

func TestPartialClone(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.git("config", "uploadpack.allowFilter", "true")
	f.git("config", "uploadpack.allowAnySHA1InWant", "true")
	f.commit("a", "1\n", "b", "old\n", "c/d", "1\n")
	f.commit("a", "2\n", "e", "only in the middle\n")
	f.remove("e").commit("c/d", "2\n")
	clone := &fixture{t: t, dir: filepath.Join(filepath.Dir(f.dir), "clone"), env: f.env}
	f.git("clone", "-q", "--filter=blob:none", "file://"+f.dir, clone.dir)
	want(t, show(files(t, clone.pin(revs("HEAD~2", "HEAD")))), "M a object_missing\nM c/d object_missing\n")
	want(t, show(files(t, clone.pin(revs("HEAD~1", "HEAD")))), "M c/d object_missing\nD e object_missing\n")
	want(t, show(files(t, clone.write("b", "new\n", "f", "x\n").add().pin(staged()))), "M b +1 -1\nA f +1 -0\n")
	if out := clone.git("config", "--get-regexp", "promisor"); !strings.Contains(out, "true") {
		t.Errorf("no partial clone: %s", out)
	}
}

func TestAlternates(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.commit("a", "1\n")
	for i, style := range []string{"--shared", "--reference=" + f.dir} {
		clone := &fixture{t: t, dir: filepath.Join(filepath.Dir(f.dir), "clone"+string(rune('0'+i))), env: f.env}
		f.git("clone", "-q", style, f.dir, clone.dir)
		if i == 1 {
			clone.write(".git/objects/info/alternates", "../../../repo/.git/objects\n")
		}
		before := f.snapshot()
		want(t, show(files(t, clone.write("a", "2\n", "same", "1\n").pin(unstaged()))), "M a +1 -1\nA same +1 -0\n")
		f.untouched(before)
		before = clone.add().snapshot() + f.snapshot()
		want(t, show(files(t, clone.pin(staged()))), "M a +1 -1\nA same +1 -0\n")
		if clone.snapshot()+f.snapshot() != before {
			t.Error("touched")
		}
	}
}

func TestTrustedBase(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	first := f.commit("a", "1\n")
	second := f.commit("a", "2\n")
	check := func(ref, commit string, fallback bool) {
		t.Helper()
		b, err := f.open().TrustedBase(t.Context())
		if err != nil || b.Ref != ref || b.Commit != commit || b.Fallback != fallback || (b.Caveat != "") != fallback {
			t.Errorf("got %+v, %v; want %s %s", b, err, ref, commit)
		}
	}
	check("main", second, true)
	f.git("branch", "-m", "work")
	check("HEAD", second, true)
	f.git("branch", "master", first)
	check("master", first, true)
	f.git("update-ref", "refs/remotes/origin/master", second)
	check("origin/master", second, true)
	f.git("branch", "develop", first)
	check("develop", first, true)
	f.git("update-ref", "refs/remotes/origin/trunk", second)
	f.git("config", "remote.origin.HEAD", "trunk")
	check("origin/trunk", second, false)
	f.git("config", "remote.origin.HEAD", "refs/heads/trunk")
	check("origin/trunk", second, false)
	f.git("config", "remote.origin.HEAD", "trunk^{/x}")
	check("develop", first, true)
	f.git("symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/master")
	check("origin/master", second, false)
	f.git("pack-refs", "--all")
	check("origin/master", second, false)
}

func TestFile(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	commit := f.commit(".gavel.toml", "version = 1\n", "d/e/f", "deep\n", "new\nline", "x\n")
	r := f.open()
	for _, treeish := range []string{commit, f.git("rev-parse", "HEAD^{tree}")} {
		for path, content := range map[string]string{".gavel.toml": "version = 1\n", "d/e/f": "deep\n", "new\nline": "x\n"} {
			if data, ok, err := r.File(t.Context(), treeish, path); string(data) != content || !ok || err != nil {
				t.Errorf("%q: %q, %v, %v", path, data, ok, err)
			}
		}
		for _, path := range []string{"absent", "d/absent", "d/e/f/g", ".gavel.toml/x", "d/e/", "/d", ""} {
			if _, ok, err := r.File(t.Context(), treeish, path); ok || err != nil {
				t.Errorf("%q: %v, %v", path, ok, err)
			}
		}
	}
	if _, ok, err := r.File(t.Context(), r.EmptyTree(), "x"); ok || err != nil {
		t.Errorf("empty tree: %v, %v", ok, err)
	}
	if _, _, err := r.File(t.Context(), commit, "d"); err == nil {
		t.Error("a folder is no file")
	}
	if _, _, err := r.File(t.Context(), strings.Repeat("1", 40), "x"); err == nil {
		t.Error("a missing commit has no files")
	}
	blob := f.git("rev-parse", "HEAD:d/e/f")
	f.remove(".git/objects/" + blob[:2] + "/" + blob[2:])
	if _, ok, err := r.File(t.Context(), commit, "d/e/f"); ok || err == nil {
		t.Errorf("a missing object reads as absent: %v, %v", ok, err)
	}
}

func TestWorktreeFiles(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.commit(".gitignore", "*.log\n", "a", "1\n", "gone", "1\n", "d/b", "1\n", "d[x]/c", "1\n")
	f.remove("gone").write("new", "x\n", "x.log", "x\n", "d/new", "x\n", "d2/y", "x\n")
	f.git("init", "-q", "nested")
	r := f.open()
	for below, wanted := range map[string]string{
		"": ".gitignore a d/b d/new d2/y d[x]/c nested new", "d": "d/b d/new", "d[x]": "d[x]/c", "a": "a", "absent": "",
	} {
		var got []string
		for name, err := range r.WorktreeFiles(t.Context(), f.path(below)) {
			must(t, err)
			got = append(got, name)
		}
		if strings.Join(got, " ") != wanted {
			t.Errorf("%q: got %q", below, got)
		}
	}
	for _, err := range r.WorktreeFiles(t.Context(), "/") {
		if class(err) != gavel.InvalidArgs {
			t.Errorf("outside: %v", err)
		}
	}
}
