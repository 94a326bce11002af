package check

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
)

func TestExpand(t *testing.T) {
	t.Parallel()
	env := &RunEnv{Root: t.TempDir(), Base: "abc"}
	tools := map[string]Tool{"tool": {Path: "/bin/tool"}}
	tests := []struct {
		name    string
		project string
		line    string
		files   []string
		configs []string
		want    []string
	}{
		{"nothing", "", "tool run", nil, nil, []string{"/bin/tool run"}},
		{"places", "", "tool {repo} {base}", nil, nil, []string{"/bin/tool " + env.Root + " abc"}},
		{"files", "", "tool -- {files} end", []string{"a.js", "-rf", "ü b/\xff.js"}, nil, []string{"/bin/tool -- ./a.js ./-rf ./ü b/\xff.js end"}},
		{"files of a project", "web", "tool {files}", []string{"web/a.js", "web/-x"}, nil, []string{"/bin/tool ./a.js ./-x"}},
		{"a configuration above", "web/app", "tool -c {config}", nil, []string{".semgrep.yml"}, []string{"/bin/tool -c ../../.semgrep.yml"}},
		{"several configurations", "", "tool -p {config}", nil, []string{"a/t.json", "b/t.json"}, []string{"/bin/tool -p ./a/t.json", "/bin/tool -p ./b/t.json"}},
		{"no configuration", "", "tool -p {config}", nil, nil, []string{"/bin/tool -p ."}},
		{"no lock", "", "tool {locked} x", nil, nil, []string{"/bin/tool x"}},
		{"paths", "", "tool {paths}", nil, nil, []string{"/bin/tool src"}},
	}
	for _, tt := range tests {
		p := Planned{Check: &Check{Stack: "rust", Argv: [][]string{strings.Fields(tt.line)}}, Project: tt.project, Files: tt.files, Configs: tt.configs, paths: []string{"src"}}
		var got []string
		for _, c := range p.calls(env, t.TempDir(), tools) {
			got = append(got, strings.Join(c.argv, " "))
		}
		if !slices.Equal(got, tt.want) {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
	put(t, env.Root, "Cargo.lock", "")
	p := Planned{Check: &Check{Stack: "rust", Argv: [][]string{{"tool", "{locked}"}}}}
	if got := p.calls(env, "", tools); got[0].argv[1] != "--locked" {
		t.Errorf("%v", got)
	}
}

func TestBatches(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ files, length, want int }{{0, 1, 1}, {1, 1, 1}, {1000, 10, 1}, {1001, 10, 2}, {5000, 10, 5}, {100, 4000, 5}, {2, 200_000, 2}} {
		var files []string
		for i := range tt.files {
			files = append(files, fmt.Sprintf("%0*d", tt.length, i))
		}
		got := batches(files, true)
		if len(got) != tt.want || !reflect.DeepEqual(slices.Concat(got...), files) {
			t.Errorf("%d files of %d bytes: %d batches, want %d", tt.files, tt.length, len(got), tt.want)
		}
	}
	if got := batches([]string{"a"}, false); len(got) != 1 || got[0] != nil {
		t.Errorf("%v", got)
	}
}
