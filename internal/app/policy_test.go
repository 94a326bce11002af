package app

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/gavel-review/gavel"
)

// trees is a treeReader over a map of "tree:path".
type trees map[string]string

func (t trees) File(_ context.Context, tree, path string) ([]byte, bool, error) {
	if tree == "broken" {
		return nil, false, errors.New("object is corrupt")
	}
	data, ok := t[tree+":"+path]
	return []byte(data), ok, nil
}

func testEnv(t *testing.T, vars map[string]string) *Env {
	t.Helper()
	home := t.TempDir()
	return &Env{
		Version: "test", Dir: home, Door: CLI, Progress: func(string) {}, Now: func() time.Time { return time.Unix(1796083200, 0) },
		Getenv: func(name string) string {
			if v, ok := vars[name]; ok {
				return v
			}
			switch name {
			case "HOME":
				return home
			case "GAVEL_HOME":
				return filepath.Join(home, "state")
			}
			return ""
		},
	}
}

func policyFile(body string) string { return "version = 1\n[policy]\n" + body }

func TestRepoPolicyLayers(t *testing.T) {
	all := policyTrees{Base: "base", BaseName: "origin/main", Head: "head", Subject: "subject"}
	tests := []struct {
		name     string
		files    trees
		user     string
		vars     map[string]string
		mode     gavel.EnforcementMode
		failOn   gavel.Threshold
		notes    []string
		baseline bool
	}{
		{name: "nobody says anything", mode: "block", failOn: "high", baseline: true},
		{name: "the trusted base may loosen the defaults", files: trees{"base:.gavel.toml": policyFile(`mode = "shadow"` + "\n" + `fail_on = "critical"`),
			"head:.gavel.toml": policyFile(`mode = "shadow"` + "\n" + `fail_on = "critical"`), "subject:.gavel.toml": policyFile(`mode = "shadow"` + "\n" + `fail_on = "critical"`)},
			mode: "shadow", failOn: "critical", baseline: true},
		{name: "but not below the user's floor", files: trees{"base:.gavel.toml": policyFile(`mode = "shadow"` + "\n" + `fail_on = "none"`)},
			user: "version = 1\n[floor]\nfail_on = \"high\"\nmode = \"warn\"\n", mode: "warn", failOn: "high", baseline: true,
			notes: []string{"HEAD:.gavel.toml does not exist", "the change:.gavel.toml does not exist"}},
		{name: "HEAD only tightens", files: trees{"base:.gavel.toml": policyFile(`fail_on = "medium"`), "head:.gavel.toml": policyFile(`fail_on = "critical"`),
			"subject:.gavel.toml": policyFile(`fail_on = "critical"`)}, mode: "block", failOn: "medium", baseline: true,
			notes: []string{`HEAD:.gavel.toml: would loosen fail_on "critical"`}},
		{name: "the change may tighten", files: trees{"base:.gavel.toml": policyFile(`fail_on = "high"`), "head:.gavel.toml": policyFile(`fail_on = "high"`),
			"subject:.gavel.toml": policyFile(`fail_on = "low"` + "\nbaseline = false")}, mode: "block", failOn: "low"},
		{name: "the change may not leave a key out", files: trees{"base:.gavel.toml": policyFile(`fail_on = "low"`), "head:.gavel.toml": policyFile(`fail_on = "low"`),
			"subject:.gavel.toml": policyFile("")}, mode: "block", failOn: "low", baseline: true, notes: []string{"no longer sets fail_on"}},
		{name: "an invalid policy in the change is ignored", files: trees{"subject:.gavel.toml": "version = 1\nnonsense = 1\n"},
			mode: "block", failOn: "high", baseline: true, notes: []string{"ignored, invalid policy"}},
		{name: "environment comes after the base", files: trees{"base:.gavel.toml": policyFile(`fail_on = "low"`)}, vars: map[string]string{"GAVEL_FAIL_ON": "medium"},
			mode: "block", failOn: "medium", baseline: true, notes: []string{"HEAD:.gavel.toml does not exist", "the change:.gavel.toml does not exist"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			env := testEnv(t, test.vars)
			if test.user != "" {
				writeUserConfig(t, env, test.user)
			}
			s, err := repoPolicy(t.Context(), env, test.files, all)
			if err != nil {
				t.Fatal(err)
			}
			if s.Policy.Mode != test.mode || s.Policy.FailOn != test.failOn || s.Policy.Baseline != test.baseline {
				t.Errorf("mode %s, fail_on %s, baseline %v", s.Policy.Mode, s.Policy.FailOn, s.Policy.Baseline)
			}
			if got := strings.Join(s.Notes, "\n"); len(s.Notes) != len(test.notes) {
				t.Errorf("notes:\n%s\nwant %q", got, test.notes)
			} else {
				for i, want := range test.notes {
					if !strings.Contains(s.Notes[i], want) {
						t.Errorf("note %q, want %q", s.Notes[i], want)
					}
				}
			}
		})
	}
}

func writeUserConfig(t *testing.T, env *Env, text string) {
	t.Helper()
	path := userConfigPath(env)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestRepoPolicyFailsClosed(t *testing.T) {
	tests := []struct {
		name  string
		files trees
		trees policyTrees
		vars  map[string]string
		user  string
	}{
		{name: "invalid on the trusted base", files: trees{"base:.gavel.toml": "version = 9"}, trees: policyTrees{Base: "base", BaseName: "main"}},
		{name: "unreadable on the trusted base", trees: policyTrees{Base: "broken", BaseName: "main"}},
		{name: "unreadable in the change", trees: policyTrees{Subject: "broken"}},
		{name: "environment", vars: map[string]string{"GAVEL_MODE": "off"}},
		{name: "half-written user configuration", user: "version = 1\n[flo"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			env := testEnv(t, test.vars)
			if test.user != "" {
				writeUserConfig(t, env, test.user)
			}
			if s, err := repoPolicy(t.Context(), env, test.files, test.trees); err == nil {
				t.Errorf("no error, policy %+v", s.Policy)
			}
		})
	}
}

// A configuration below the working directory is the repository's, not the user's.
func TestUserConfigIsNeverRelative(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	for _, home := range []string{"", ".", "sub"} {
		env := testEnv(t, map[string]string{"HOME": home, "XDG_CONFIG_HOME": ""})
		path := filepath.Join(dir, home, ".config", "gavel", "config.toml")
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte("version = 1\n[policy]\nmode = \"shadow\"\nfail_on = \"none\"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		s, err := userPolicy(env)
		if err != nil || s.Policy.Mode != gavel.ModeBlock || s.Policy.FailOn != "high" {
			t.Errorf("HOME %q: %+v, %v", home, s, err)
		}
	}
}

func TestUserConfigUnreadable(t *testing.T) {
	env := testEnv(t, nil)
	if err := os.MkdirAll(userConfigPath(env), 0o700); err != nil { // a folder where the file should be
		t.Fatal(err)
	}
	if _, err := userPolicy(env); gavel.AsError(err) == nil || gavel.AsError(err).Class != gavel.InvalidArgs {
		t.Errorf("err = %v, want invalid_args", err)
	}
}
