package git

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gavel-review/gavel"
)

func TestOpenPlaces(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	head := f.commit("sub/dir/a", "1\n")
	link := filepath.Join(filepath.Dir(f.dir), "link")
	must(t, os.Symlink(f.dir, link))
	for _, path := range []string{f.dir, f.path("sub/dir"), link, filepath.Join(link, "sub")} {
		r, err := Open(t.Context(), path)
		if err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		if r.Root != f.dir || r.GitDir != f.path(".git") || r.CommonDir != r.GitDir || r.Head != head || r.HeadRef != "refs/heads/main" || r.ObjectFormat != "sha1" {
			t.Errorf("%s: %+v", path, r)
		}
		must(t, r.Close())
	}
	f.git("checkout", "-q", "--detach")
	if r := f.open(); r.Head != head || r.HeadRef != "" {
		t.Errorf("detached: %q %q", r.Head, r.HeadRef)
	}
	f.commit("a", "2\n")
	if c := f.write("a", "3\n").add().pin(staged()); c.Len() != 1 {
		t.Error("detached: no change")
	}
}

func TestOpenFailures(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.commit("file", "1\n")
	bare := filepath.Join(filepath.Dir(f.dir), "bare.git")
	f.git("init", "-q", "--bare", bare)
	plain := t.TempDir()
	broken := newFixture(t)
	broken.commit("a", "1\n")
	broken.write(".git/refs/heads/main", "nonsense\n")
	future := newFixture(t)
	future.git("config", "core.repositoryFormatVersion", "99")
	for _, test := range []struct {
		name, path string
		class      gavel.Class
		words      string
	}{
		{"empty", "", gavel.RepoNotFound, "absolute"},
		{"relative", "some/where", gavel.RepoNotFound, "absolute"},
		{"absent", filepath.Join(plain, "nothing"), gavel.RepoNotFound, "does not exist"},
		{"file", f.path("file"), gavel.RepoNotFound, "not a folder"},
		{"no repository", plain, gavel.NotAGitRepo, "not in a git work tree"},
		{"bare", bare, gavel.NotAGitRepo, "bare"},
		{"git directory", f.path(".git"), gavel.NotAGitRepo, "inside a git directory"},
		{"broken HEAD", broken.dir, gavel.NotAGitRepo, "HEAD"},
		{"future", future.dir, gavel.NotAGitRepo, "99"},
	} {
		r, err := Open(t.Context(), test.path)
		if class(err) != test.class || !strings.Contains(err.Error(), test.words) {
			t.Errorf("%s: got %v", test.name, err)
		}
		if r != nil {
			t.Errorf("%s: a repository beside an error", test.name)
		}
	}
}

func TestAnothersRepository(t *testing.T) {
	t.Parallel()
	if os.Getuid() != 0 {
		t.Skip("only root can give a folder away")
	}
	f := newFixture(t)
	f.commit("sub/a", "1\n")
	must(t, filepath.WalkDir(f.dir, func(path string, _ os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		return os.Lchown(path, 4242, 4242)
	}))
	_, err := Open(t.Context(), f.path("sub"))
	e := gavel.AsError(err)
	if class(err) != gavel.Refused || !strings.Contains(e.Hint, "safe.directory "+f.dir) {
		t.Errorf("got %v, hint %q", err, e.Hint)
	}
}

func TestLinkedWorktree(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.commit("a", "1\n")
	linked := filepath.Join(filepath.Dir(f.dir), "linked")
	f.git("worktree", "add", "-q", "-b", "other", linked)
	other := *f
	other.dir = linked
	other.commit("a", "2\n")
	other.write("a", "3\n").add()
	other.write("a", "4\n")
	before := f.snapshot()
	want(t, text(files(t, other.pin(staged()))[0]), "@@ 1,1 1,1\n-2\n+3\n")
	want(t, text(files(t, other.pin(unstaged()))[0]), "@@ 1,1 1,1\n-3\n+4\n")
	want(t, text(files(t, other.pin(revs("main...HEAD")))[0]), "@@ 1,1 1,1\n-1\n+2\n")
	want(t, text(files(t, other.pin(revs("HEAD@{1}", "HEAD")))[0]), "@@ 1,1 1,1\n-1\n+2\n")
	f.untouched(before)
	r := other.open()
	if r.CommonDir != f.path(".git") || r.HeadRef != "refs/heads/other" || r.ID != f.open().ID {
		t.Errorf("%+v", r)
	}
}

func TestVersions(t *testing.T) {
	t.Parallel()
	for version, ok := range map[string]bool{
		"2.39.5": true, "2.39": true, "2.50.0-rc1": true, "2.39.3 (Apple Git-146)": true, "2.40.0.windows.1": true, "3.0": true,
		"2.38.9": false, "1.9": false, "": false, "x.y": false,
	} {
		err := checkVersion(version)
		if (err == nil) != ok {
			t.Errorf("%q: %v", version, err)
		}
		if err != nil && (class(err) != gavel.ToolMissing || gavel.AsError(err).Extra["tool"] != "git") {
			t.Errorf("%q: %v", version, err)
		}
	}
	if v, err := Version(t.Context()); err != nil || !strings.HasPrefix(v, "2.") {
		t.Errorf("version %q, %v", v, err)
	}
}

// Not parallel: it changes PATH.
func TestOldOrNoGit(t *testing.T) {
	f := newFixture(t)
	f.commit("a", "1\n")
	dir := t.TempDir()
	t.Setenv("PATH", dir)
	if _, err := Open(t.Context(), f.dir); class(err) != gavel.ToolMissing {
		t.Errorf("no git: %v", err)
	}
	must(t, os.WriteFile(filepath.Join(dir, "git"), []byte("#!/bin/sh\necho git version 2.20.1\n"), 0o755))
	if _, err := Open(t.Context(), f.dir); class(err) != gavel.ToolMissing || !strings.Contains(err.Error(), "2.20.1") {
		t.Errorf("old git: %v", err)
	}
}

// Not parallel: it changes the environment. Inherited variables of git must not move anything.
func TestInheritedVariables(t *testing.T) {
	f, other := newFixture(t), newFixture(t)
	f.commit("a", "1\n")
	f.write("a", "2\n").add()
	other.commit("b", "1\n")
	for _, key := range []string{"GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_OBJECT_DIRECTORY"} {
		t.Setenv(key, filepath.Join(other.dir, ".git"))
	}
	t.Setenv("GIT_EXTERNAL_DIFF", "/bin/false")
	t.Setenv("GIT_CONFIG_COUNT", "1")
	t.Setenv("GIT_CONFIG_KEY_0", "core.quotePath")
	t.Setenv("GIT_CONFIG_VALUE_0", "nonsense")
	want(t, show(files(t, f.pin(staged()))), "M a +1 -1\n")
}

func TestTemporaryFolderInsideTheRepository(t *testing.T) {
	f := newFixture(t)
	f.commit("a", "1\n")
	t.Setenv("TMPDIR", f.dir)
	if _, err := Open(t.Context(), f.dir); class(err) != gavel.Refused {
		t.Errorf("got %v", err)
	}
	want(t, f.git("status", "--porcelain"), "")
}

func TestIdentity(t *testing.T) {
	t.Parallel()
	for _, same := range [][]string{
		{"https://github.com/a/b", "https://github.com/a/b.git", "https://user:pass@GitHub.com/a/b/", "git@github.com:a/b.git", "ssh://git@github.com:22/a/b", "http://github.com:80/a/b"},
		{"https://host:8443/x", "https://me@host:8443/x.git"},
		{"/srv/repo.git", "/srv/repo"},
		{"file:///srv/x", "file:///srv/x.git"},
	} {
		for _, url := range same {
			if got, want := normaliseURL(url), normaliseURL(same[0]); got != want {
				t.Errorf("%s: %q, want %q", url, got, want)
			}
		}
	}
	if normaliseURL("https://h/a/B") == normaliseURL("https://h/a/b") {
		t.Error("the path's case is lost")
	}
	f := newFixture(t)
	f.commit("a", "1\n")
	alone := f.open().ID
	clone := &fixture{t: t, dir: filepath.Join(filepath.Dir(f.dir), "clone"), env: f.env}
	f.git("clone", "-q", f.dir, clone.dir)
	f.git("config", "remote.origin.url", f.dir)
	if a, b := f.open().ID, clone.open().ID; a != b || a == alone || len(a) != 64 {
		t.Errorf("%s, %s, %s", a, b, alone)
	}
}

func TestHooksDir(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	r := f.open()
	for value, want := range map[string]string{"": f.path(".git/hooks"), "tools/hooks": f.path("tools/hooks"), "/etc/hooks": "/etc/hooks"} {
		if value != "" {
			f.git("config", "core.hooksPath", value)
		}
		if got, err := r.HooksDir(t.Context()); value != "" && got != want || err != nil {
			t.Errorf("%q: %q, %v", value, got, err)
		}
	}
}

func TestSettings(t *testing.T) {
	t.Parallel()
	trace := `{"event":"version","exe":"2.39.5"}
{"event":"def_param","param":"core.AutoCRLF","value":"input"}
{"event":"def_param","param":"branch.My.Branch.merge","value":"refs/heads/x"}
fatal: something
{"event":"def_param","param":"core.autocrlf","value":"tr\"ue\n"}
`
	version, s, messages := readTrace(trace)
	if version != "2.39.5" || messages != "fatal: something\n" || s.last("core.autocrlf") != "tr\"ue\n" || s.last("branch.My.Branch.merge") == "" {
		t.Errorf("%q %q %q", version, s, messages)
	}
	want(t, s.render(), "[core]\n\tautocrlf = \"input\"\n[branch \"My.Branch\"]\n\tmerge = \"refs/heads/x\"\n[core]\n\tautocrlf = \"tr\\\"ue\\n\"\n")
	for key, ok := range map[string]bool{"core.eol": true, "remote.x.fetch": true, "remote.fetch": false, "core.fsmonitor": false, "remote.x.url": false} {
		if wantedKey(key) != ok {
			t.Errorf("%s: wanted is %v", key, !ok)
		}
	}
}
