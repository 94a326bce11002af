package check

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

func TestNodeModules(t *testing.T) {
	t.Parallel()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, at := range []string{"checkout", "tree"} {
		put(t, dir, at+"/package-lock.json", "{}")
		put(t, dir, at+"/package.json", `{"dependencies":{"left":"1"}}`)
		put(t, dir, at+"/packages/lib/package.json", "{}")
		put(t, dir, at+"/packages/lib/index.js", at)
		put(t, dir, at+"/packages/web/package.json", "{}")
	}
	checkout, tree := filepath.Join(dir, "checkout"), filepath.Join(dir, "tree")
	put(t, checkout, "node_modules/left/index.js", "left")
	put(t, checkout, "node_modules/.cache/x", "")
	put(t, checkout, "node_modules/@types/node/index.d.ts", "")
	put(t, checkout, "node_modules/.bin/left", "")
	for name, target := range map[string]string{"@shop/lib": "../../packages/lib", "gone": "../nowhere", "outside": "/usr"} {
		link := filepath.Join(checkout, "node_modules", name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(link), 0o755), os.Symlink(target, link)); err != nil {
			t.Fatal(err)
		}
	}
	env := &RunEnv{Root: tree, Checkout: checkout}
	p := &Planned{Check: &Check{Stack: "node"}, Project: "packages/web", deps: true}
	var wait sync.WaitGroup
	for range 8 {
		wait.Go(func() {
			if err := p.dependencies(env); err != nil {
				t.Error(err)
			}
		})
	}
	wait.Wait()
	for name, want := range map[string]string{
		"left/index.js": "left", "@shop/lib/index.js": "tree", "@types/node/index.d.ts": "", ".bin/left": "", ".cache": "gone", "gone": "gone",
	} {
		data, err := os.ReadFile(filepath.Join(tree, "node_modules", name))
		if got := string(data); err == nil && got != want || (err != nil) != (want == "gone") {
			t.Errorf("%s: %q, %v; want %q", name, got, err, want)
		}
	}
	if entries, _ := os.ReadDir(tree); len(entries) != 4 {
		t.Errorf("%v", entries)
	}
	put(t, checkout, "package-lock.json", "{ }")
	if err := p.dependencies(env); err == nil || !strings.Contains(err.Error(), "package-lock.json") {
		t.Errorf("packages of another lock file were used: %v", err)
	}
	if err := p.dependencies(&RunEnv{Root: checkout, Checkout: checkout}); err != nil {
		t.Errorf("in place: %v", err)
	}
	err = p.dependencies(&RunEnv{Root: tree, Checkout: tree + "2"})
	if err == nil || !strings.Contains(err.Error(), "node_modules is not there") {
		t.Errorf("%v", err)
	}
	p.deps = false
	if err := p.dependencies(&RunEnv{}); err != nil {
		t.Errorf("%v", err)
	}
}

func TestSameLocksWithoutOne(t *testing.T) {
	t.Parallel()
	tree, checkout := t.TempDir(), t.TempDir()
	env := &RunEnv{Root: tree, Checkout: checkout}
	put(t, tree, "package.json", `{"version":"2","dependencies":{"a":"1"}}`)
	put(t, checkout, "package.json", `{"version":"1", "dependencies":{"a":"1"}}`)
	if err := sameLocks("node", env, ""); err != nil {
		t.Error(err)
	}
	put(t, checkout, "package.json", `{"version":"2","dependencies":{"a":"2"}}`)
	if err := sameLocks("node", env, ""); err == nil {
		t.Error("other dependencies are the same")
	}
	put(t, checkout, "package.json", `{`)
	if err := sameLocks("node", env, ""); err == nil {
		t.Error("a broken package.json is the same")
	}
}

func TestVirtualEnv(t *testing.T) {
	t.Parallel()
	tree, checkout := t.TempDir(), t.TempDir()
	env := &RunEnv{Root: tree, Checkout: checkout}
	p := &Planned{Check: &Check{Stack: "python"}, deps: true}
	if err := p.dependencies(env); err != nil {
		t.Errorf("no virtual environment, so nothing of it is used: %v", err)
	}
	put(t, checkout, ".venv/pyvenv.cfg", "")
	put(t, checkout, ".venv/lib/python3.12/site-packages/distutils-precedence.pth", "import os")
	if err := p.dependencies(env); err != nil {
		t.Error(err)
	}
	put(t, checkout, ".venv/lib/python3.12/site-packages/shop.pth", checkout+"/src\n")
	if err := p.dependencies(env); err == nil || !strings.Contains(err.Error(), "shop.pth") {
		t.Errorf("%v", err)
	}
	if err := p.dependencies(&RunEnv{Root: checkout, Checkout: checkout}); err != nil {
		t.Errorf("in place: %v", err)
	}
	_ = os.Remove(filepath.Join(checkout, ".venv/lib/python3.12/site-packages/shop.pth"))
	put(t, tree, "requirements.txt", "a==1")
	put(t, checkout, "requirements.txt", "a==2")
	if err := p.dependencies(env); err == nil || !strings.Contains(err.Error(), "requirements.txt") {
		t.Errorf("%v", err)
	}
}
