package app

import (
	"strings"
	"testing"

	"github.com/gavel-review/gavel"
)

// TestScanElsewhere: a scan happens in the repository that somebody named, and says so where there is none.
func TestScanElsewhere(t *testing.T) {
	t.Parallel()
	c := newCheckout(t)
	c.write("sub/a.go", "package a\n\n<<<<<<< ours\n")
	c.git("add", "-A")
	for name, set := range map[string]func(*Env){
		"--repo":     func(e *Env) { e.DefaultRepo = c.dir },
		"GAVEL_REPO": func(e *Env) { e.Getenv = withVariable(e.Getenv, "GAVEL_REPO", c.dir) },
	} {
		env := c.env()
		env.Dir = t.TempDir()
		set(env)
		for _, path := range [][]string{nil, {"sub"}, {"sub/a.go"}} {
			out, err := Scan.Run(t.Context(), env, ScanInput{Path: path})
			if err != nil || len(out.Findings) != 1 || out.Findings[0].File != "sub/a.go" {
				t.Errorf("%s %v: %v", name, path, err)
			}
		}
		if _, err := Scan.Run(t.Context(), env, ScanInput{Path: []string{"other"}}); gavel.AsError(err) == nil || gavel.AsError(err).Class != gavel.InvalidArgs {
			t.Errorf("%s: a path that is not there: %v", name, err)
		}
	}
	env := c.env()
	env.DefaultRepo = t.TempDir()
	if _, err := Scan.Run(t.Context(), env, ScanInput{}); gavel.AsError(err) == nil || gavel.AsError(err).Class != gavel.NotAGitRepo {
		t.Errorf("a named folder that is no repository: %v", err)
	}
}

func withVariable(getenv func(string) string, name, value string) func(string) string {
	return func(asked string) string {
		if asked == name {
			return value
		}
		return getenv(asked)
	}
}

// TestScanDigest: where the clock stands still, scans of the same content share an id and scans of different content do
// not, whatever it is that differs.
func TestScanDigest(t *testing.T) {
	t.Parallel()
	c := newCheckout(t)
	env := c.env()
	env.Getenv = withVariable(env.Getenv, "SOURCE_DATE_EPOCH", "1796083200")
	scan := func(in ScanInput) string {
		t.Helper()
		out, err := Scan.Run(t.Context(), env, in)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.HasPrefix(out.Meta.Repo.DiffDigest, "sha256:") || strings.HasSuffix(out.RunID, "-000000000000") {
			t.Errorf("digest %q, id %q", out.Meta.Repo.DiffDigest, out.RunID)
		}
		return out.RunID
	}
	ids := make(map[string]string)
	once := func(what, id string) {
		t.Helper()
		if other := ids[id]; other != "" {
			t.Errorf("%s has the id of %s", what, other)
		}
		ids[id] = what
	}
	c.write("a.txt", "one\n")
	first := scan(ScanInput{})
	once("one file", first)
	if scan(ScanInput{}) != first {
		t.Error("the same content has two ids")
	}
	c.write("a.txt", "two\n")
	once("another text", scan(ScanInput{}))
	c.write("b.txt", "two\n")
	once("another path", scan(ScanInput{}))
	once("fewer paths", scan(ScanInput{Path: []string{"b.txt"}}))
	c.git("add", "-A")
	c.git("commit", "-qm", "one")
	once("a history", scan(ScanInput{History: true}))
	c.git("commit", "-qm", "two", "--allow-empty")
	once("a longer history", scan(ScanInput{History: true}))
}
