package check

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// TestCacheKey changes one thing at a time: every one of them has to make another key.
func TestCacheKey(t *testing.T) {
	t.Parallel()
	env, _ := world(t, reports(sarif(0), 0))
	ctx := context.Background()
	base := linter(t, nil)
	want, ok := base.CacheKey(ctx, env, "tree")
	if !ok || len(want) != 64 {
		t.Fatalf("%q %v", want, ok)
	}
	if again, _ := base.CacheKey(ctx, env, "tree"); again != want {
		t.Error("the same is not the same")
	}
	same := env
	same.Environ = append(slices.Clone(env.Environ), "TMPDIR=/x", "USER=x")
	if key, _ := base.CacheKey(ctx, same, "tree"); key != want {
		t.Error("a folder for temporary files is part of the result")
	}
	seen := map[string]string{want: "the check itself"}
	note := func(name, key string, ok bool) {
		if other, taken := seen[key]; !ok || taken {
			t.Errorf("%s: cacheable %v, the same key as %s", name, ok, other)
		}
		seen[key] = name
	}
	key, ok := base.CacheKey(ctx, env, "tree2")
	note("another tree", key, ok)
	p := base
	p.Files = []string{"b.js"}
	key, ok = p.CacheKey(ctx, env, "tree")
	note("other files", key, ok)
	p = base
	p.ID = "lint@web"
	key, ok = p.CacheKey(ctx, env, "tree")
	note("another project", key, ok)
	key, ok = linter(t, func(c *Check) { c.Argv[0] = append(c.Argv[0], "--strict") }).CacheKey(ctx, env, "tree")
	note("another argument", key, ok)
	key, ok = linter(t, func(c *Check) { c.Env = map[string]string{"A": "1"} }).CacheKey(ctx, env, "tree")
	note("another variable of the check", key, ok)
	other := env
	other.Environ = append(slices.Clone(env.Environ), "LANG=C")
	key, ok = base.CacheKey(ctx, other, "tree")
	note("another environment", key, ok)
	other = env
	other.Root = "/elsewhere"
	key, ok = base.CacheKey(ctx, other, "tree")
	note("not in place", key, ok)
	p = base
	p.deps = true
	put(t, env.Checkout, "node_modules/.package-lock.json", "{}")
	key, ok = p.CacheKey(ctx, env, "tree")
	note("installed packages", key, ok)
	put(t, env.Checkout, "node_modules/.package-lock.json", "{ }")
	key, ok = p.CacheKey(ctx, env, "tree")
	note("other packages", key, ok)
	tool := filepath.Join(filepath.Dir(env.Root), "bin", "linter")
	if err := os.WriteFile(tool, []byte("#!/bin/sh\n# newer\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	key, ok = base.CacheKey(ctx, env, "tree")
	note("another tool", key, ok)
}

func TestNotCacheable(t *testing.T) {
	t.Parallel()
	env, _ := world(t, nil)
	for name, change := range map[string]func(*Check){
		"a network":      func(c *Check) { c.Egress.Registry = true },
		"a service":      func(c *Check) { c.Requires.Services = []string{"postgres"} },
		"a missing tool": func(c *Check) { c.Requires.Tools = []string{"gone"} },
	} {
		if key, ok := linter(t, change).CacheKey(context.Background(), env, "tree"); ok {
			t.Errorf("%s: %s", name, key)
		}
	}
	if _, ok := linter(t, nil).CacheKey(context.Background(), env, ""); ok {
		t.Error("no tree")
	}
}
