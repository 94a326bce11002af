package git

import (
	"strings"
	"testing"

	"github.com/gavel-review/gavel"
)

func TestSelectBase(t *testing.T) {
	t.Parallel()
	origin := newFixture(t)
	first := origin.commit("a", "1\n")
	origin.git("branch", "develop")
	f := bareFixture(t)
	f.git("clone", "-q", origin.dir, f.dir)
	f.git("update-ref", "refs/heads/develop", first)
	ahead := f.commit("a", "2\n")
	r := f.open()
	for _, tt := range []struct {
		explicit, ref, commit string
		class                 gavel.Class
	}{
		{"", "origin/main", first, ""},
		{"HEAD", "HEAD", ahead, ""},
		{"HEAD~1", "HEAD~1", first, ""},
		{"origin/develop", "origin/develop", first, ""},
		{"nothing", "", "", gavel.BaseNotFound},
		{"--upload-pack=x", "", "", gavel.BaseNotFound},
		{"HEAD^{tree}", "", "", gavel.BaseNotFound},
		{"HEAD:a", "", "", gavel.BaseNotFound},
		{" ", "", "", gavel.BaseNotFound},
	} {
		b, err := r.SelectBase(t.Context(), tt.explicit)
		if b.Ref != tt.ref || b.Commit != tt.commit || b.Fallback || (err != nil) != (tt.class != "") || err != nil && gavel.AsError(err).Class != tt.class {
			t.Errorf("%q: %+v, %v", tt.explicit, b, err)
		}
	}
	f.git("remote", "set-head", "origin", "-d")
	if b, err := f.open().SelectBase(t.Context(), ""); err != nil || b.Ref != "origin/develop" || !b.Fallback || !strings.HasPrefix(b.Caveat, "base_fallback:") {
		t.Errorf("%+v, %v", b, err)
	}
}

func TestSelectBaseOfNothing(t *testing.T) {
	t.Parallel()
	f := newFixture(t, "-b", "odd")
	for range 2 {
		if _, err := f.open().SelectBase(t.Context(), ""); err == nil || gavel.AsError(err).Class != gavel.BaseNotFound {
			t.Errorf("%v", err)
		}
		f.commit("a", "1\n")
	}
}

func TestFetch(t *testing.T) {
	t.Parallel()
	origin := newFixture(t)
	origin.commit("a", "1\n")
	f := bareFixture(t)
	f.git("clone", "-q", origin.dir, f.dir)
	moved := origin.commit("a", "2\n")
	r := f.open()
	b, err := r.SelectBase(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Fetch(t.Context(), b); err != nil {
		t.Fatal(err)
	}
	if b, err = f.open().SelectBase(t.Context(), ""); err != nil || b.Commit != moved {
		t.Errorf("%+v, %v", b, err)
	}
	f.git("remote", "set-url", "origin", "https://user:hunter2@127.0.0.1:1/x.git")
	err = f.open().Fetch(t.Context(), b)
	if err == nil || strings.Contains(err.Error(), "hunter2") || gavel.AsError(err).Class != gavel.BaseNotFound {
		t.Errorf("%v", err)
	}
	for _, ref := range []string{"HEAD~1", "--upload-pack=x", ""} {
		if err := f.open().Fetch(t.Context(), Base{Ref: ref}); err == nil || gavel.AsError(err).Class != gavel.InvalidArgs {
			t.Errorf("%q: %v", ref, err)
		}
	}
}

func TestMergeBase(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	root := f.commit("a", "1\n")
	left := f.commit("a", "2\n")
	f.git("checkout", "-q", "-b", "side", root)
	right := f.commit("b", "3\n")
	f.git("checkout", "-q", "--orphan", "other")
	other := f.commit("c", "4\n")
	r := f.open()
	for _, tt := range [][3]string{{left, right, root}, {left, left, left}, {left, other, ""}} {
		if got, err := r.MergeBase(t.Context(), tt[0], tt[1]); got != tt[2] || err != nil {
			t.Errorf("%v: %q, %v", tt, got, err)
		}
	}
	if _, err := r.MergeBase(t.Context(), left, strings.Repeat("12", 20)); err == nil {
		t.Error("a commit that is not there has a merge base")
	}
}

func TestState(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	state := func() State {
		s, err := f.open().State(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	if s := state(); s != (State{Branch: "main"}) {
		t.Errorf("before the first commit: %+v", s)
	}
	commit := f.commit("a", "1\n", ".gitignore", "out\n")
	f.write("out", "x")
	if s := state(); s != (State{"main", commit, false}) {
		t.Errorf("clean: %+v", s)
	}
	f.write("new", "x")
	if s := state(); !s.Dirty {
		t.Errorf("untracked: %+v", s)
	}
	f.remove("new").write("a", "2\n").add().write("a", "1\n")
	if s := state(); !s.Dirty {
		t.Errorf("index only: %+v", s)
	}
	f.git("reset", "-q", "--hard")
	f.git("checkout", "-q", "--detach")
	if s := state(); s != (State{"", commit, false}) {
		t.Errorf("detached: %+v", s)
	}
}

func TestTreeFiles(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.commit("a", "1\n", "d/e/f", "2\n", "d/g", "3\n")
	r := f.open()
	tree := f.git("rev-parse", "HEAD^{tree}")
	files, err := r.TreeFiles(t.Context(), tree)
	if err != nil || len(files) != 3 || files[1].Path != "d/e/f" || files[1].ID != f.git("rev-parse", "HEAD:d/e/f") || files[1].Mode != gavel.ModeRegular {
		t.Errorf("%+v, %v", files, err)
	}
	for folder, want := range map[string]string{"": tree, "d": f.git("rev-parse", "HEAD:d"), "d/e": f.git("rev-parse", "HEAD:d/e"), "x": "", "d/g": "", "a/b": ""} {
		if got, err := r.Subtree(t.Context(), tree, folder); got != want || err != nil {
			t.Errorf("%q: %q, %v", folder, got, err)
		}
	}
}
