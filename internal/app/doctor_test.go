package app

import (
	"bytes"
	"context"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gavel-review/gavel"
)

func examine(t *testing.T, env *Env) (map[string]DoctorCheck, *DoctorOutput) {
	t.Helper()
	out, err := runDoctor(context.Background(), env, DoctorInput{})
	if err != nil {
		t.Fatal(err)
	}
	checks := make(map[string]DoctorCheck)
	for _, c := range out.Checks {
		if _, twice := checks[c.ID]; twice {
			t.Errorf("check %s is there twice", c.ID)
		}
		checks[c.ID] = c
	}
	return checks, out
}

func TestDoctorOutsideARepository(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		vars   map[string]string
		config string
		check  string
		status DoctorStatus
		exit   int
		say    string
	}{
		{name: "nothing at all", check: "repository", status: DoctorOK, say: "none here"},
		{name: "no model is neutral", check: "reviewer", status: DoctorOK, say: "no model"},
		{name: "a model that cannot be used", config: "version = 1\n[review]\nprovider = \"x\"\n", check: "reviewer", status: DoctorWarn, say: `"x"`},
		{name: "broken configuration", config: "version = 1\n[policy]\nmodus = 1\n", check: "user_config", status: DoctorFail, exit: 3, say: "modus"},
		{name: "valid configuration", config: "version = 1\n", check: "user_config", status: DoctorOK, say: "config.toml"},
		{name: "wrong environment", vars: map[string]string{"GAVEL_MODE": "off"}, check: "environment", status: DoctorFail, exit: 3, say: "off"},
		{name: "fixed clock", vars: map[string]string{"SOURCE_DATE_EPOCH": "0"}, check: "clock", status: DoctorOK, say: "1970-01-01T00:00:00Z"},
		{name: "wrong clock", vars: map[string]string{"SOURCE_DATE_EPOCH": "soon"}, check: "clock", status: DoctorFail, exit: 3, say: "soon"},
		{name: "state not made", check: "state", status: DoctorOK, say: "not made yet"},
		{name: "state is relative", vars: map[string]string{"GAVEL_HOME": "x"}, check: "state", status: DoctorFail, exit: 3, say: "GAVEL_HOME"},
		{name: "state is no folder", vars: map[string]string{"GAVEL_HOME": "/dev/null"}, check: "state", status: DoctorFail, exit: 3, say: "/dev/null"},
		{name: "colours off", vars: map[string]string{"NO_COLOR": "1"}, check: "terminal", status: DoctorOK, say: "NO_COLOR"},
		{name: "a named repository", vars: map[string]string{"GAVEL_REPO": "/nowhere/at/all"}, check: "repository", status: DoctorFail, exit: 3, say: "/nowhere/at/all"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			env := testEnv(t, tt.vars)
			if tt.config != "" {
				writeUserConfig(t, env, tt.config)
			}
			checks, out := examine(t, env)
			c, ok := checks[tt.check]
			if !ok || c.Status != tt.status || !strings.Contains(c.Message, tt.say) {
				t.Errorf("%s: %+v, want %s with %q", tt.check, c, tt.status, tt.say)
			}
			if out.ExitCode() != tt.exit {
				t.Errorf("exit %d, want %d: %+v", out.ExitCode(), tt.exit, out.Checks)
			}
		})
	}
}

func TestDoctorInARepository(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name    string
		prepare func(c *checkout)
		check   string
		status  DoctorStatus
		say     string
	}{
		{"found", func(*checkout) {}, "repository", DoctorOK, "repo"},
		{"no hook", func(*checkout) {}, "hook_pre_commit", DoctorOK, "not installed"},
		{"foreign hook", func(c *checkout) { c.write(".git/hooks/pre-push", "#!/bin/sh\n") }, "hook_pre_push", DoctorOK, "another program"},
		{"own hook", func(c *checkout) {
			installHook(c.t, c, HookInput{Binary: newStandIn(c, filepath.Join(c.home, "gavel")).path})
		}, "hook_pre_commit", DoctorOK, "installed"},
		{"own hook, gavel gone", func(c *checkout) {
			s := newStandIn(c, filepath.Join(c.home, "gavel"))
			installHook(c.t, c, HookInput{Binary: s.path})
			if err := os.Remove(s.path); err != nil {
				c.t.Fatal(err)
			}
		}, "hook_pre_commit", DoctorFail, "gone"},
		{"own hook, switched off", func(c *checkout) {
			out := installHook(c.t, c, HookInput{Binary: newStandIn(c, filepath.Join(c.home, "gavel")).path})
			if err := os.Chmod(out.Path, 0o644); err != nil {
				c.t.Fatal(err)
			}
		}, "hook_pre_commit", DoctorWarn, "not executable"},
		{"own hook, edited", func(c *checkout) {
			out := installHook(c.t, c, HookInput{Binary: newStandIn(c, filepath.Join(c.home, "gavel")).path})
			c.write(out.Path, c.read(out.Path)+"# more\n")
		}, "hook_pre_commit", DoctorWarn, "edited"},
		{"broken policy", func(c *checkout) { c.commit(".gavel.toml", "version = 1\nmode = \n") }, "policy", DoctorFail, "line 2"},
		{"broken baseline", func(c *checkout) { c.commit(".gavel/baseline.json", "{") }, "baseline", DoctorFail, "baseline.json"},
		{"policy", func(c *checkout) { c.commit(".gavel.toml", "version = 1\n[policy]\nmode = \"warn\"\n") }, "policy", DoctorOK, "mode warn"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			c := newCheckout(t)
			tt.prepare(c)
			before := snapshot(t, c.dir)
			checks, out := examine(t, c.env())
			if !maps.Equal(before, snapshot(t, c.dir)) {
				t.Error("the repository is not what it was")
			}
			if got := checks[tt.check]; got.Status != tt.status || !strings.Contains(got.Message, tt.say) {
				t.Errorf("%+v, want %s with %q", got, tt.status, tt.say)
			}
			if failed := tt.status == DoctorFail; failed != (out.ExitCode() == gavel.ExitNoVerdict) {
				t.Errorf("exit %d: %+v", out.ExitCode(), out.Checks)
			}
		})
	}
}

// snapshot is every file below a folder, with its text.
func snapshot(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := make(map[string]string)
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			files[path] = "folder"
			return err
		}
		data, err := os.ReadFile(path)
		files[path] = string(data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

func TestRenderDoctor(t *testing.T) {
	t.Parallel()
	out := &DoctorOutput{Checks: []DoctorCheck{
		{"git", DoctorOK, "version 2.45.1", ""}, {"user_config", DoctorWarn, "odd", "mend it"}, {"x", DoctorFail, "bad", ""},
	}}
	var b bytes.Buffer
	if err := Doctor.Render(&b, out, RenderOptions{}); err != nil {
		t.Fatal(err)
	}
	want := `ok    git          version 2.45.1
warn  user_config  odd
                   mend it
fail  x            bad
3 checks, 1 failed, 1 warning
`
	if b.String() != want {
		t.Errorf("got:\n%s\nwant:\n%s", b.String(), want)
	}
}
