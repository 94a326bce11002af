package app

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/pelletier/go-toml/v2"

	"github.com/gavel-review/gavel"
)

func showStack(t *testing.T, env *Env, files trees) map[string]string {
	t.Helper()
	stack, err := repoPolicy(context.Background(), env, files, policyTrees{Base: "base", BaseName: "origin/main", Head: "head", Subject: "subject"})
	if err != nil {
		t.Fatal(err)
	}
	got := make(map[string]string)
	for _, s := range settingsOf(stack.Steps) {
		if _, twice := got[s.Key]; twice {
			t.Errorf("key %s is listed twice", s.Key)
		}
		got[s.Key] = s.Value + " from " + s.Origin
	}
	return got
}

func TestSettingsNameTheirOrigin(t *testing.T) {
	env := testEnv(t, map[string]string{"GAVEL_WARN_ON": "low"})
	writeUserConfig(t, env, "version = 1\n[policy]\nmode = \"warn\"\nrequired = [\"a\"]\n[floor]\nfail_on = \"medium\"\n")
	user := userConfigPath(env)
	got := showStack(t, env, trees{
		"base:" + RepoConfigPath: policyFile("mode = \"shadow\"\nexclude = [\"docs/**\", \"x\\ty\"]\n[policy.guard]\ntotal = 3\n" +
			"[policy.guard.paths]\n\"a b/*\" = 2\n[policy.severities]\n\"secret/github-token\" = \"high\"\n"),
		"head:" + RepoConfigPath: policyFile("mode = \"block\"\nexclude = [\"docs/**\"]\n[policy.guard]\ntotal = 2\n" +
			"[policy.guard.paths]\n\"a b/*\" = 2\n[policy.severities]\n\"secret/github-token\" = \"high\"\n\"hygiene/homoglyph\" = \"low\"\n"),
		"subject:" + RepoConfigPath: policyFile("mode = \"warn\"\nfail_on = \"none\"\n"),
	})
	want := map[string]string{
		"policy.mode":                             `"block" from HEAD:.gavel.toml`,
		"policy.fail_on":                          `"medium" from floor of ` + user,
		"policy.warn_on":                          `"low" from environment`,
		"policy.required":                         `["a"] from ` + user,
		"policy.exclude":                          `["docs/**"] from HEAD:.gavel.toml`,
		"policy.baseline":                         `true from default`,
		"policy.suppressions":                     `true from default`,
		`policy.severities."secret/github-token"`: `"high" from origin/main:.gavel.toml`,
		`policy.severities."hygiene/homoglyph"`:   `">= low" from HEAD:.gavel.toml`,
		"policy.guard.total":                      `2 from HEAD:.gavel.toml`,
		`policy.guard.paths."a b/*"`:              `2 from origin/main:.gavel.toml`,
		"policy.guard.new_only":                   `false from default`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestConfigShowOutsideARepository(t *testing.T) {
	env := testEnv(t, nil)
	writeUserConfig(t, env, "version = 1\n[policy]\nfail_on = \"low\"\n[review]\nprovider = \"x\"\nmodel = \"m\"\n")
	out, err := runConfigShow(context.Background(), env, ConfigShowInput{Origin: true})
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := ConfigShow.Render(&b, out, RenderOptions{}); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		`policy.fail_on = "low"`, "# " + userConfigPath(env), `review.provider = "x"`, `review.model = "m"`, "# not in a repository",
	} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("%q is missing in:\n%s", want, b.String())
		}
	}
	if out.Repo != "" || out.TrustedBase != "" {
		t.Errorf("repo %q, base %q", out.Repo, out.TrustedBase)
	}
}

func TestConfigShowInARepository(t *testing.T) {
	t.Parallel()
	c := newCheckout(t)
	if text, code := c.commit(RepoConfigPath, policyFile("mode = \"warn\"\nfail_on = \"medium\"\n")); code != 0 {
		t.Fatal(text)
	}
	c.write(RepoConfigPath, policyFile("mode = \"block\"\nfail_on = \"none\"\n"))
	c.git("add", ".")
	before := snapshot(t, c.dir)
	out, err := runConfigShow(context.Background(), c.env(), ConfigShowInput{})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(before, snapshot(t, c.dir)); diff != "" {
		t.Errorf("the repository was written to:\n%s", diff)
	}
	got := make(map[string]string)
	for _, s := range out.Settings {
		got[s.Key] = s.Value + " from " + s.Origin
	}
	for key, want := range map[string]string{
		"policy.mode": `"block" from the change:.gavel.toml`, "policy.fail_on": `"medium" from main:.gavel.toml`, "review.provider": `"none" from default`,
	} {
		if got[key] != want {
			t.Errorf("%s = %s, want %s", key, got[key], want)
		}
	}
	if out.Repo != c.dir || out.TrustedBase != "main" || !strings.Contains(strings.Join(out.Notes, "\n"), `would loosen fail_on "none"`) {
		t.Errorf("repo %q, base %q, notes %q", out.Repo, out.TrustedBase, out.Notes)
	}
	var b bytes.Buffer
	if err := ConfigShow.Render(&b, out, RenderOptions{}); err != nil || strings.Contains(b.String(), "# main") {
		t.Errorf("without --origin: %v\n%s", err, b.String())
	}
}

func TestConfigShowNamedRepositoryMustExist(t *testing.T) {
	env := testEnv(t, nil)
	env.DefaultRepo = env.Dir
	if _, err := runConfigShow(context.Background(), env, ConfigShowInput{}); gavel.AsError(err) == nil || gavel.AsError(err).Class != gavel.NotAGitRepo {
		t.Errorf("error %v, want class %s", err, gavel.NotAGitRepo)
	}
}

// TestTomlWords reads back what is shown: it has to be TOML for exactly that text.
func TestTomlWords(t *testing.T) {
	t.Parallel()
	for _, s := range []string{"", "plain", "a b", `q"uo\te`, "line\nbreak\ttab\r", "\x1b[31m", "\u202e", "é", "\U000e0041", "a.b", "-_Az09"} {
		var back map[string]string
		text := tomlKey(s) + " = " + tomlString(s)
		if err := toml.Unmarshal([]byte(text), &back); err != nil || back[s] != s {
			t.Errorf("%q is shown as %s, which reads back as %q, %v", s, text, back, err)
		}
		if strings.ContainsAny(text, "\x1b\n\u202e") {
			t.Errorf("%q is shown with a character that a terminal acts on", s)
		}
	}
}
