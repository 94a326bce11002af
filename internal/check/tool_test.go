package check

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/gavel-review/gavel/internal/proc"
)

func program(t *testing.T, root, name string) string {
	t.Helper()
	put(t, root, name, "#!/bin/sh\n")
	p := filepath.Join(root, name)
	if err := os.Chmod(p, 0o755); err != nil {
		t.Fatal(err)
	}
	return p
}

func TestLocate(t *testing.T) {
	t.Parallel()
	checkout, other := t.TempDir(), t.TempDir()
	near := program(t, checkout, "web/node_modules/.bin/eslint")
	top := program(t, checkout, "node_modules/.bin/eslint")
	program(t, checkout, "bin/eslint")
	global := program(t, other, "eslint")
	ruff := program(t, checkout, ".venv/bin/ruff")
	put(t, other, "ruff", "not executable")
	path := func(dirs ...string) []string {
		return []string{"PATH=" + strings.Join(dirs, string(filepath.ListSeparator))}
	}
	node, python := ToolSpec{Name: "eslint", Local: localNode}, ToolSpec{Name: "ruff", Local: localPython}
	tests := []struct {
		name     string
		spec     ToolSpec
		path     []string
		checkout string
		dir      string
		want     string
	}{
		{"the project's own", node, path(other), checkout, "web", near},
		{"hoisted to the top", node, path(other), checkout, "api/x", top},
		{"no project tool", ToolSpec{Name: "eslint"}, path(other), checkout, "web", global},
		{"not from the checkout by way of the PATH", ToolSpec{Name: "eslint"}, path(filepath.Join(checkout, "bin"), checkout, "bin", "."), checkout, "", ""},
		{"then from elsewhere", ToolSpec{Name: "eslint"}, path(filepath.Join(checkout, "bin"), other), checkout, "", global},
		{"a virtual environment", python, path(other), checkout, "a/b", ruff},
		{"nothing that can be executed", ToolSpec{Name: "ruff"}, path(other), checkout, "", ""},
		{"no PATH", node, nil, other, "", ""},
	}
	for _, tt := range tests {
		got, ok := locate(tt.spec, tt.path, tt.checkout, "", tt.dir)
		if got.Path != tt.want || ok != (tt.want != "") || got.Local != strings.HasPrefix(got.Path, checkout) && ok {
			t.Errorf("%s: %+v, want %s", tt.name, got, tt.want)
		}
	}
}

func TestWrappedGradle(t *testing.T) {
	t.Parallel()
	tree, home := t.TempDir(), t.TempDir()
	put(t, tree, "gradle/wrapper/gradle-wrapper.properties", "# x\ndistributionUrl=https\\://services.gradle.org/distributions/gradle-8.5-bin.zip\n")
	env := []string{"HOME=" + home}
	spec := ToolSpec{Name: "gradle", Local: localGradle}
	if _, ok := locate(spec, env, tree, tree, "app"); ok {
		t.Error("a distribution that nobody fetched was found")
	}
	want := program(t, home, ".gradle/wrapper/dists/gradle-8.5-bin/abc/gradle-8.5/bin/gradle")
	if got, ok := locate(spec, env, tree, tree, "app"); !ok || got.Path != want {
		t.Errorf("%+v", got)
	}
}

func TestVersions(t *testing.T) {
	t.Parallel()
	var asked atomic.Int64
	answer := "linter version v1.2.3\n"
	exit := proc.Exit{}
	env, _ := world(t, nil)
	env.Runner = runnerFunc(func(task proc.Task) (proc.Exit, error) {
		asked.Add(1)
		return exit, errors.Join(os.WriteFile(task.Stdout, []byte("\n-----\n"+answer), 0o600), os.WriteFile(task.Stderr, nil, 0o600))
	})
	f := NewFinder()
	for range 3 {
		tool, reason, detail := f.find(context.Background(), ToolSpec{Name: "linter"}, &env, "")
		if reason != "" || tool.Version != "linter version v1.2.3" {
			t.Errorf("%+v %s %s", tool, reason, detail)
		}
	}
	if asked.Load() != 1 {
		t.Errorf("asked %d times", asked.Load())
	}
	exit.Code = 1
	if _, reason, _ := NewFinder().find(context.Background(), ToolSpec{Name: "linter"}, &env, ""); reason != ReasonToolBroken {
		t.Errorf("%q", reason)
	}
	exit.Code, answer = 0, "no idea"
	if _, reason, _ := NewFinder().find(context.Background(), ToolSpec{Name: "linter"}, &env, ""); reason != ReasonToolBroken {
		t.Errorf("%q", reason)
	}
	if _, reason, _ := NewFinder().find(context.Background(), ToolSpec{Name: "linter", Unversioned: true}, &env, ""); reason != "" {
		t.Errorf("%q", reason)
	}
	if _, reason, detail := NewFinder().find(context.Background(), ToolSpec{Name: "gone", Install: "get it"}, &env, ""); reason != ReasonToolMissing || detail != "gone was not found: get it" {
		t.Errorf("%q %q", reason, detail)
	}
	program(t, env.Checkout, "node_modules/.bin/tsc")
	put(t, env.Checkout, "node_modules/typescript/package.json", `{"version":"5.9.9"}`)
	before := asked.Load()
	tool, _, _ := NewFinder().find(context.Background(), ToolSpec{Name: "tsc", Local: localNode, Package: "typescript"}, &env, "")
	if tool.Version != "5.9.9" || !tool.Local || asked.Load() != before {
		t.Errorf("%+v", tool)
	}
}

type runnerFunc func(t proc.Task) (proc.Exit, error)

func (f runnerFunc) Run(_ context.Context, t proc.Task) (proc.Exit, error) { return f(t) }

func TestTools(t *testing.T) {
	t.Parallel()
	dir, checkout := t.TempDir(), t.TempDir()
	program(t, dir, "go")
	program(t, checkout, "node_modules/.bin/eslint")
	got := Tools([]string{"go", "node"}, []string{"PATH=" + dir}, checkout)
	for name, want := range map[string]bool{"go": true, "staticcheck": false, "eslint": true, "tsc": false, "shellcheck": false} {
		if there, ok := got[name]; !ok || there != want {
			t.Errorf("%s: %v, %v", name, there, ok)
		}
	}
	if _, ok := got["cargo"]; ok {
		t.Error("a tool of another stack")
	}
}
