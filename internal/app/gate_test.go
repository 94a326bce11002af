package app

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gavel-review/gavel"
)

// TestGateFollowsVerdict: without fail_on, "passed" is never true where the exit code says stop.
func TestGateFollowsVerdict(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		verdict gavel.Verdict
		passed  bool
		reason  string
	}{
		{gavel.Verdict{Decision: gavel.Pass}, true, "no gate was asked for"},
		{gavel.Verdict{Decision: gavel.Conditional}, true, "no gate was asked for"},
		{gavel.Verdict{Decision: gavel.Block}, false, "the verdict is BLOCK"},
		{gavel.Verdict{Decision: gavel.Conditional, Pending: true}, false, "the verdict is CONDITIONAL"},
		{gavel.Verdict{Decision: gavel.Conditional, Incomplete: true}, false, "not everything"},
		{gavel.Verdict{}, false, "not everything"},
	} {
		a := gateAnswer(nil, gavel.Unset, tt.verdict)
		if a.FailOn != nil || a.Passed != tt.passed || !strings.Contains(a.Reason, tt.reason) {
			t.Errorf("%+v: %+v", tt.verdict, a)
		}
		if exit := tt.verdict.Exit(gavel.ExitOptions{Mode: gavel.ModeBlock}); (exit == gavel.ExitPass) != a.Passed {
			t.Errorf("%+v: passed %v, exit %d", tt.verdict, a.Passed, exit)
		}
	}
}

// TestGuardLastCommit: a review of the index holds after it was committed unchanged, however the default scope is spelled.
func TestGuardLastCommit(t *testing.T) {
	t.Parallel()
	c := newCheckout(t)
	env := c.env()
	c.write("a.go", "package a\n")
	c.git("add", "-A")
	c.git("commit", "-qm", "one")
	c.write("b.go", "package a\n")
	c.git("add", "-A")
	out, err := Review.Run(t.Context(), env, ReviewInput{})
	if err != nil {
		t.Fatal(err)
	}
	c.git("commit", "-qm", "two")
	yes, no := true, false
	for name, in := range map[string]GuardInput{
		"default": {}, "--staged": {Staged: &yes}, "--unstaged=false": {Unstaged: &no}, "both": {Staged: &yes, Unstaged: &no},
	} {
		in.Run = out.RunID
		if got, err := Guard.Run(t.Context(), env, in); err != nil || !got.Passed {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
	}
}

// TestGuardTruncated: a document that was cut for an agent is refused for being cut, and the refusal names the whole one.
func TestGuardTruncated(t *testing.T) {
	t.Parallel()
	env := testEnv(t, nil)
	d := goodDocument()
	d.SchemaVersion, d.RunID, d.Settled, d.Meta.Repo.Filters, d.Meta.Notes = gavel.WireVersion, "20260101-000000-0123456789ab", []gavel.Finding{}, []string{}, []string{}
	d.Findings = []gavel.Finding{}
	d.Truncated = &gavel.Truncation{Returned: 0, Total: 1}
	d.Meta.Lang, d.Meta.Provider = "en", "none"
	d.Meta.Coverage = gavel.Coverage{Files: 7, Reviewed: 4, Skipped: []gavel.Skip{{Path: "a.bin", Reason: gavel.SkipBinary}}, Unlisted: 2, Model: gavel.ModelNone}
	data, err := json.Marshal(d)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(env.Dir, "review.json")
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	_, err = Guard.Run(t.Context(), env, GuardInput{FromJSON: path})
	wantClass(t, err, gavel.Refused, "truncated")
	if hint := gavel.AsError(err).Hint; !strings.Contains(hint, "gavel guard --run "+d.RunID) {
		t.Errorf("hint %q", hint)
	}
}

// TestUnfitConfig: what stands in the place of a configuration and is none is an error on the trusted base, and is
// ignored and reported in the change.
func TestUnfitConfig(t *testing.T) {
	t.Parallel()
	for name, err := range map[string]error{
		"a folder":   gavel.Errorf(gavel.InvalidArgs, `".gavel.toml" is not a file`),
		"oversized":  gavel.Errorf(gavel.BudgetExceeded, "object x has 99999999 bytes, more than 67108864"),
		"a big text": nil,
	} {
		files := unfitTrees{err}
		_, failed := repoPolicy(t.Context(), testEnv(t, nil), files, policyTrees{Base: "bad", BaseName: "main"})
		wantClass(t, failed, gavel.InvalidArgs, "main:.gavel.toml")
		for _, trees := range []policyTrees{{Base: "good", BaseName: "main", Subject: "bad"}, {Subject: "bad"}, {Base: "good", BaseName: "main", Head: "bad"}} {
			s, err := repoPolicy(t.Context(), testEnv(t, nil), files, trees)
			if err != nil || len(s.Notes) == 0 || !strings.Contains(s.Notes[0], "ignored, invalid policy") {
				t.Errorf("%s in %+v: %v", name, trees, err)
			}
		}
	}
	broken := unfitTrees{gavel.Errorf(gavel.NotFound, "object is missing")}
	if _, err := repoPolicy(t.Context(), testEnv(t, nil), broken, policyTrees{Subject: "bad"}); err == nil {
		t.Error("what is missing is taken for a bad policy")
	}
}

// unfitTrees has a good configuration in the tree "good" and in "bad" one that is none: an error, or too long a text.
type unfitTrees struct{ err error }

func (u unfitTrees) File(_ context.Context, tree, _ string) ([]byte, bool, error) {
	switch {
	case tree != "bad":
		return []byte("version = 1\n"), true, nil
	case u.err != nil:
		return nil, false, u.err
	}
	return []byte("version = 1\n#" + strings.Repeat("x", maxConfig)), true, nil
}

// TestUnknownIDs: what no rule and no check is called points at its line on a trusted layer, and is ignored and reported
// in the change.
func TestUnknownIDs(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]string{
		"[policy.severities]\n\"secret/github-tokin\" = \"low\"\n":                                                       `line 4: policy.severities: no rule is called "secret/github-tokin"`,
		"# hygiene/nothing\n[policy.guard.rules]\n\"hygiene/nothing\" = 1\n":                                             `line 5: policy.guard.rules`,
		"required = [\"go vet\"]\n":                                                                                      `line 3: policy.required: no check is called "go vet"`,
		"[policy.severities]\n\"check/\" = \"low\"\n":                                                                    `no rule is called "check/"`,
		"[policy.severities]\n\"secret/github-token\" = \"low\"\n\"check/eslint/no-eval\" = \"low\"\neslint = \"low\"\n": "",
	} {
		files := trees{"base:.gavel.toml": policyFile(body), "change:.gavel.toml": policyFile(body)}
		_, err := repoPolicy(t.Context(), testEnv(t, nil), files, policyTrees{Base: "base", BaseName: "main"})
		s, changed := repoPolicy(t.Context(), testEnv(t, nil), files, policyTrees{Subject: "change"})
		if changed != nil {
			t.Fatal(changed)
		}
		_, user := ParseUserConfig("config.toml", []byte(policyFile(body)))
		_, floor := ParseUserConfig("config.toml", []byte(strings.ReplaceAll(policyFile(body), "[policy", "[floor")))
		if want == "" {
			if err != nil || user != nil || floor != nil || len(s.Notes) != 0 {
				t.Errorf("%q: %v, %v, %v, notes %q", body, err, user, floor, s.Notes)
			}
			continue
		}
		wantClass(t, err, gavel.InvalidArgs, "main:.gavel.toml", want)
		wantClass(t, user, gavel.InvalidArgs, want)
		if floor == nil || len(s.Notes) == 0 || !strings.Contains(s.Notes[0], "ignored, invalid policy") || !strings.Contains(s.Notes[0], "no ") {
			t.Errorf("%q: %v, notes %q", body, floor, s.Notes)
		}
	}
}

// TestAcceptanceNamesTheChange: the command that a report offers finds the same change again, and is not offered where
// there is nothing that it could be bound to.
func TestAcceptanceNamesTheChange(t *testing.T) {
	t.Parallel()
	c := newCheckout(t)
	env := c.env()
	c.write("a.txt", "one\n")
	c.git("add", "-A")
	c.git("commit", "-qm", "one")
	c.write("a.go", "package a\n\n// gavel:ignore hygiene/merge-marker until 2026-12-24 -- the parser's own test\n<<<<<<< ours\n")
	shown := func(in ReviewInput) string {
		t.Helper()
		out, err := Review.Run(t.Context(), env, in)
		if err != nil {
			t.Fatal(err)
		}
		var b strings.Builder
		if err := Review.Render(&b, out, RenderOptions{Format: "text", Width: 120}); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	yes := true
	if text := shown(ReviewInput{Unstaged: &yes}); !strings.Contains(text, "--why REASON --unstaged\n") {
		t.Errorf("unstaged:\n%s", text)
	}
	c.git("add", "-A")
	if text := shown(ReviewInput{}); !strings.Contains(text, "--why REASON\n") {
		t.Errorf("staged:\n%s", text)
	}
	c.git("checkout", "-q", "-b", "feature")
	c.git("commit", "-qm", "two")
	if text := shown(ReviewInput{Diff: []string{"HEAD~1..HEAD"}}); !strings.Contains(text, "--why REASON HEAD~1..HEAD\n") {
		t.Errorf("range:\n%s", text)
	}
	out, err := Scan.Run(t.Context(), env, ScanInput{})
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	if err := Scan.Render(&b, out, RenderOptions{Format: "text"}); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(b.String(), "gavel acknowledge g1") {
		t.Errorf("a scan offers what cannot be done:\n%s", &b)
	}
	if got := shellWord("it's"); got != `'it'\''s'` {
		t.Error(got)
	}
}

// TestHintOfNothing: what is wrong with a filter that leaves nothing is said with the document, too.
func TestHintOfNothing(t *testing.T) {
	t.Parallel()
	c := newCheckout(t)
	c.write("a.go", "package a\n")
	c.git("add", "-A")
	out, err := Review.Run(t.Context(), c.env(), ReviewInput{File: []string{"b.go"}})
	if err != nil || !strings.Contains(out.Notice(), "file=b.go") || !strings.Contains(out.Hint(), "spelling") {
		t.Errorf("%v: notice %q, hint %q", err, out.Notice(), out.Hint())
	}
	if got := selectionNote(nil); got != "no commit was reviewed" {
		t.Error(got)
	}
}
