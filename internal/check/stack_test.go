package check

import (
	"errors"
	"iter"
	"slices"
	"testing"
)

func list(paths ...string) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		for _, p := range paths {
			if !yield(p, nil) {
				return
			}
		}
	}
}

func profileOf(paths ...string) (string, error) {
	stacks, err := StacksOf(list(paths...))
	return ProfileOf(stacks), err
}

func TestProfile(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name  string
		paths []string
		want  string
	}{
		{"nothing", nil, "generic"},
		{"no manifest", []string{"main.c", "Makefile", "src/go.mod.txt"}, "generic"},
		{"go", []string{"README.md", "go.mod", "go.sum"}, "go"},
		{"node", []string{"package.json"}, "node"},
		{"python", []string{"requirements.txt", "setup.py"}, "python"},
		{"rust", []string{"Cargo.toml"}, "rust"},
		{"java", []string{"build.gradle.kts", "settings.gradle.kts"}, "java"},
		{"two at the top", []string{"go.mod", "package.json"}, "mixed"},
		{"the top decides", []string{"docs/package.json", "go.mod", "examples/a/Cargo.toml"}, "go"},
		{"the top decides, later", []string{"go.mod", "web/package.json"}, "go"},
		{"one folder down", []string{"backend/go.mod", "backend/x/package.json"}, "go"},
		{"two folders down", []string{"services/a/go.mod", "services/b/pom.xml"}, "mixed"},
		{"vendored", []string{"node_modules/x/package.json"}, "generic"},
	}
	for _, tt := range tests {
		if got, err := profileOf(tt.paths...); err != nil || got != tt.want {
			t.Errorf("%s: %q, %v; want %q", tt.name, got, err, tt.want)
		}
		slices.Reverse(tt.paths)
		if got, err := profileOf(tt.paths...); err != nil || got != tt.want {
			t.Errorf("%s, reversed: %q, %v; want %q", tt.name, got, err, tt.want)
		}
	}
	broken := func(yield func(string, error) bool) { _ = yield("go.mod", nil) && yield("", errors.New("gone")) }
	if _, err := StacksOf(broken); err == nil {
		t.Error("a list that broke off gave a profile")
	}
}
