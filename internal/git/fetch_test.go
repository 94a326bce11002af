package git

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gavel-review/gavel"
)

// A fetch moves one remote-tracking branch. No hook runs, no other reference moves, nothing is pruned, no file beside
// references and objects is written.
func TestFetchMovesOneBranch(t *testing.T) {
	t.Parallel()
	origin := newFixture(t)
	origin.commit("a", "1\n")
	origin.git("branch", "other")
	f := bareFixture(t)
	f.git("clone", "-q", "file://"+origin.dir, f.dir)
	f.git("config", "fetch.prune", "true")
	f.git("update-ref", "refs/remotes/origin/gone", "HEAD")
	ran := filepath.Join(filepath.Dir(f.dir), "ran")
	for _, hook := range []string{"reference-transaction", "post-merge", "pre-auto-gc", "fsmonitor"} {
		f.write(".git/hooks/"+hook, "#!/bin/sh\ntouch "+ran+"\n")
		must(t, os.Chmod(f.path(".git/hooks/"+hook), 0o755))
	}
	f.git("config", "remote.origin.uploadpack", f.path(".git/hooks/fsmonitor"))
	f.git("config", "core.fsmonitor", f.path(".git/hooks/fsmonitor"))
	must(t, removeIfThere(ran))
	before := f.git("for-each-ref", "--format=%(objectname) %(refname)")
	moved := origin.commit("a", "2\n")
	origin.git("branch", "-f", "other", "HEAD")
	origin.git("tag", "v1")
	r := f.open()
	b, err := r.SelectBase(t.Context(), "")
	must(t, err)
	must(t, r.Fetch(t.Context(), b))
	must(t, removeIfThere(ran+"-never"))
	if _, err := os.Stat(ran); err == nil {
		t.Error("a hook or another program ran")
	}
	f.git("config", "--unset", "core.fsmonitor")
	after := f.git("for-each-ref", "--format=%(objectname) %(refname)")
	want(t, strings.ReplaceAll(after, moved, b.Commit), before)
	for _, name := range []string{".git/FETCH_HEAD", ".git/refs/tags/v1"} {
		if _, err := os.Stat(f.path(name)); err == nil {
			t.Errorf("%s was written", name)
		}
	}
	if now, err := r.SelectBase(t.Context(), ""); err != nil || now.Commit != moved {
		t.Errorf("the opened repository does not see it: %+v, %v", now, err)
	}
}

func removeIfThere(path string) error {
	if err := os.Remove(path); !os.IsNotExist(err) {
		return err
	}
	return nil
}

// A base has its name at origin, however it was written.
func TestFetchNames(t *testing.T) {
	t.Parallel()
	origin := newFixture(t)
	origin.commit("a", "1\n")
	origin.git("branch", "feature/x")
	f := bareFixture(t)
	f.git("clone", "-q", origin.dir, f.dir)
	for ref, wanted := range map[string]gavel.Class{
		"main": "", "origin/main": "", "origin/HEAD": "", "refs/heads/main": "", "refs/remotes/origin/main": "", "feature/x": "", "origin/feature/x": "",
		"absent": gavel.BaseNotFound, "HEAD": gavel.InvalidArgs, "main~1": gavel.InvalidArgs, "-x": gavel.InvalidArgs, "origin/-x": gavel.InvalidArgs,
		"+main": gavel.BaseNotFound, "main:main": gavel.InvalidArgs, "": gavel.InvalidArgs, "a b": gavel.InvalidArgs, "*": gavel.InvalidArgs,
	} {
		if err := f.open().Fetch(t.Context(), Base{Ref: ref}); class(err) != wanted {
			t.Errorf("%q: %v", ref, err)
		}
	}
	if refs := f.git("for-each-ref", "--format=%(refname)"); refs != "refs/heads/main\nrefs/remotes/origin/HEAD\nrefs/remotes/origin/feature/x\nrefs/remotes/origin/main" {
		t.Error(refs)
	}
	f.git("remote", "set-head", "origin", "-d")
	if err := f.open().Fetch(t.Context(), Base{Ref: "origin/HEAD"}); class(err) != gavel.InvalidArgs {
		t.Errorf("%v", err)
	}
	f.git("remote", "remove", "origin")
	if err := f.open().Fetch(t.Context(), Base{Ref: "main"}); class(err) != gavel.BaseNotFound || !strings.Contains(err.Error(), "no remote origin") {
		t.Errorf("%v", err)
	}
}

func TestFetchRefusedProtocol(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.commit("a", "1\n")
	ran := filepath.Join(filepath.Dir(f.dir), "ran")
	f.git("remote", "add", "origin", "ext::sh -c touch% "+ran)
	if err := f.open().Fetch(t.Context(), Base{Ref: "main"}); class(err) != gavel.BaseNotFound {
		t.Errorf("%v", err)
	}
	if _, err := os.Stat(ran); err == nil {
		t.Error("the remote's program ran")
	}
}

func TestMaskURLs(t *testing.T) {
	t.Parallel()
	for text, wanted := range map[string]string{
		"":                            "",
		"git@github.com:a/b.git":      "git@github.com:a/b.git",
		"https://host/a@b":            "https://host/a@b",
		"https://host:8443/a@b":       "https://host:8443/a@b",
		"https://user:secret@host/a":  "https://***@host/a",
		"https://secret@host":         "https://***@host",
		"https://u:a@b@host/x":        "https://***@host/x",
		"https://u:sec/ret@host/x":    "https://***@host/x",
		"https://u:%zz secret":        "https://u:%zz secret",
		"https://host/x?token=secret": "https://host/x?***",
		"at 'https://u:p@h/x': 403, see http://u:p@h/": "at 'https://***@h/x': 403, see http://***@h/",
		"://": "://",
	} {
		if got := maskURLs(text); got != wanted {
			t.Errorf("%q: %q, want %q", text, got, wanted)
		}
	}
}

func TestBaseCandidates(t *testing.T) {
	t.Parallel()
	f := newFixture(t, "-b", "work")
	first := f.commit("a", "1\n")
	second := f.commit("a", "2\n")
	check := func(ref, commit string, fallback bool) {
		t.Helper()
		before := f.snapshot()
		b, err := f.open().SelectBase(t.Context(), "")
		f.untouched(before)
		if err != nil || b.Ref != ref || b.Commit != commit || b.Fallback != fallback || (b.Caveat != "") != fallback {
			t.Errorf("%s: %+v, %v", ref, b, err)
		}
	}
	f.git("branch", "master", first)
	check("master", first, true)
	f.git("branch", "main", second)
	check("main", second, true)
	f.git("update-ref", "refs/remotes/origin/main", first)
	check("origin/main", first, true)
	f.git("branch", "develop", second)
	check("develop", second, true)
	f.git("config", "remote.origin.HEAD", "refs/heads/trunk")
	check("develop", second, true) // not there, so no candidate
	f.git("update-ref", "refs/remotes/origin/trunk", first)
	check("origin/trunk", first, false)
	f.git("symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/main")
	f.git("update-ref", "refs/remotes/origin/main", second)
	check("origin/main", second, false)
	f.git("pack-refs", "--all")
	check("origin/main", second, false)
	for _, name := range []string{"trunk\n", "a..b", "main^{tree}", ":/x", "@{-1}"} { // a configured name is a name
		f.git("symbolic-ref", "-d", "refs/remotes/origin/HEAD")
		f.git("config", "remote.origin.HEAD", name)
		check("develop", second, true)
		f.git("symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/main")
	}
}

func TestExplicitBase(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	first := f.commit("a", "1\n")
	f.commit("a", "2\n")
	f.git("tag", "-am", "m", "v1", first)
	f.git("tag", "blob", f.git("rev-parse", "HEAD:a"))
	f.git("update-ref", "refs/heads/odd", first)
	r := f.open()
	for explicit, wanted := range map[string]gavel.Class{
		"v1": "", first: "", first[:10]: "", "main~1": "", "main@{1}": "", "refs/heads/main": "", ":/message": "",
		"blob": gavel.BaseNotFound, "-h": gavel.BaseNotFound, "--all": gavel.BaseNotFound, "^main": gavel.BaseNotFound, "main..odd": gavel.BaseNotFound,
		"main\nodd": gavel.BaseNotFound, "main\x00": gavel.BaseNotFound, "main missing": gavel.BaseNotFound, strings.Repeat("ab", 20): gavel.BaseNotFound,
	} {
		b, err := r.SelectBase(t.Context(), explicit)
		if class(err) != wanted || err == nil && (b.Fallback || len(b.Commit) != 40) || err != nil && gavel.AsError(err).Hint == "" {
			t.Errorf("%q: %+v, %v", explicit, b, err)
		}
	}
	must(t, os.Remove(f.path(".git/objects/"+first[:2]+"/"+first[2:])))
	if _, err := f.open().SelectBase(t.Context(), "main~1"); class(err) != gavel.BaseNotFound {
		t.Errorf("missing: %v", err)
	}
}

func TestMergeBaseOfShallowClone(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.commit("a", "1\n")
	f.git("branch", "side")
	f.commit("a", "2\n")
	f.git("checkout", "-q", "side")
	f.commit("b", "1\n")
	f.clone("--depth=1", "--no-single-branch")
	_, err := f.open().MergeBase(t.Context(), f.git("rev-parse", "origin/main"), f.git("rev-parse", "origin/side"))
	if class(err) != gavel.BaseNotFound || !strings.Contains(gavel.AsError(err).Hint, "unshallow") {
		t.Errorf("%v", err)
	}
}

// Of several merge bases one is taken, always the same.
func TestMergeBaseOfCrissCross(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.commit("a", "1\n")
	f.git("branch", "side")
	left := f.commit("b", "1\n")
	f.git("checkout", "-q", "side")
	right := f.commit("c", "1\n")
	f.git("merge", "-q", "-m", "m", left)
	f.git("checkout", "-q", "main")
	f.git("merge", "-q", "-m", "m", right)
	got, err := f.open().MergeBase(t.Context(), f.git("rev-parse", "main"), f.git("rev-parse", "side"))
	if err != nil || got != f.git("merge-base", "main", "side") || got != left && got != right {
		t.Errorf("%q, %v", got, err)
	}
}
