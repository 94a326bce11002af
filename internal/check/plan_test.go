package check

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/gavel-review/gavel"
)

// files is a tree: path -> text.
type files map[string]string

func (f files) paths() []string { return slices.Sorted(maps.Keys(f)) }

func (f files) read(p string) ([]byte, bool) {
	text, ok := f[p]
	return []byte(text), ok
}

func (f files) plan(t *testing.T, profile gavel.Profile, changed ...string) *PlanResult {
	t.Helper()
	r, err := Plan(PlanInput{Files: f.paths(), Read: f.read, Changed: changed, Profile: profile})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// ids are the planned checks, with a ! after those that are required.
func (r *PlanResult) ids() string {
	var ids []string
	for _, c := range r.Checks {
		id := c.ID
		if c.Required {
			id += "!"
		}
		ids = append(ids, id)
	}
	return strings.Join(ids, " ")
}

func TestPlan(t *testing.T) {
	t.Parallel()
	goRepo := files{"go.mod": "module x", "a.go": "package a", "README.md": ""}
	shop := files{
		"package.json": `{"workspaces":["packages/*"],"devDependencies":{"eslint":"9","vitest":"3"}}`, "eslint.config.js": "",
		"packages/web/package.json": `{"dependencies":{"react":"19"}}`, "packages/web/tsconfig.json": "{}", "packages/web/a.ts": "",
		"packages/web/vitest.config.ts": "", "packages/lib/package.json": "{}", "packages/lib/eslint.config.js": "", "packages/lib/b.js": "",
		"package-lock.json": "{}", "packages/api/package.json": `{"scripts":{"test":"vitest run"}}`, "packages/api/c.js": "",
	}
	rust := files{
		"Cargo.toml": "[workspace]\nmembers=['crates/*']\nexclude=['crates/out']", "Cargo.lock": "", "crates/a/Cargo.toml": "[package]\nname='a'",
		"crates/a/src/lib.rs": "", "crates/out/Cargo.toml": "[package]\nname='out'", "crates/out/src/lib.rs": "",
	}
	tests := []struct {
		name    string
		tree    files
		profile gavel.Profile
		changed string
		want    string
		leftOut string
	}{
		{"go", goRepo, "quick", "a.go", "go-build! go-vet! gofmt", "tests audit"},
		{"go, deep", goRepo, "deep", "a.go", "go-build! go-test! go-vet! gofmt govulncheck", ""},
		{"go, another file", goRepo, "quick", "README.md", "go-build! go-vet!", "tests audit"},
		{"go, nothing changed", goRepo, "quick", "", "go-build! go-vet!", "tests audit"},
		{"go, a file that is gone", goRepo, "quick", "b.go", "go-build! go-vet!", "tests audit"},
		{"nothing known", files{"x.c": ""}, "deep", "x.c", "", ""},
		{"test data is no project", files{"go.mod": "", "testdata/x/go.mod": "", "testdata/x/x.go": ""}, "quick", "testdata/x/x.go", "go-build! go-vet! gofmt", "tests audit"},
		{"vendored code", files{"go.mod": "", "vendor/x/x.go": ""}, "quick", "vendor/x/x.go", "", ""},
		{"a module below", files{"go.mod": "", "tools/go.mod": "", "tools/x.go": ""}, "quick", "tools/x.go", "go-build@tools! go-vet@tools! gofmt@tools", "tests audit"},
		{"both modules", files{"go.mod": "", "a.go": "", "tools/go.mod": "", "tools/x.go": ""}, "quick", "a.go tools/x.go",
			"go-build! go-build@tools! go-vet! go-vet@tools! gofmt gofmt@tools", "tests audit"},
		{"the nearest configuration", shop, "quick", "packages/web/a.ts packages/lib/b.js", "eslint! eslint@packages/lib! tsc@packages/web!", "tests audit"},
		{"tests where they are configured", shop, "deep", "packages/web/a.ts", "eslint! npm-audit tsc@packages/web! vitest@packages/web!", ""},
		{"a script calls it", shop, "deep", "packages/api/c.js", "eslint! npm-audit vitest@packages/api!", ""},
		{"the top of a workspace only provides", shop, "deep", "package.json", "npm-audit", ""},
		{"a member is part of its workspace", rust, "quick", "crates/a/src/lib.rs", "cargo-check! clippy rustfmt", "tests audit"},
		{"and what is excluded is not", rust, "quick", "crates/out/src/lib.rs", "cargo-check@crates/out! clippy@crates/out rustfmt@crates/out", "tests audit"},
		{"configured in CI", files{"x.sh": "", ".github/workflows/ci.yml": "run: shellcheck x.sh"}, "quick", "x.sh", "shellcheck", ""},
		{"not in a comment", files{"x.sh": "", ".github/workflows/ci.yml": "# shellcheck x.sh"}, "quick", "x.sh", "", ""},
		{"configured by a file", files{"x.sh": "", ".shellcheckrc": ""}, "quick", "x.sh", "shellcheck!", ""},
		{"nothing of it changed", files{"x.sh": "", ".shellcheckrc": ""}, "quick", ".shellcheckrc", "", ""},
		{"a key", files{"pyproject.toml": "[tool.ruff]\n[tool.mypy]", "a.py": ""}, "quick", "a.py", "mypy! ruff!", ""},
		{"a broken file hides nothing", files{"pyproject.toml": "[tool.ruff", "a.py": ""}, "quick", "a.py", "bandit! mypy! pyright! ruff!", "tests"},
		{"a section", files{"setup.cfg": "[metadata]\nname = x\n[mypy]\nstrict = True\n", "a.py": ""}, "quick", "a.py", "mypy!", ""},
		{"lock files are not linted", files{"package.json": "{}", "package-lock.json": "{}", ".prettierrc": ""}, "quick", "package-lock.json", "", "audit"},
		{"maven", files{"pom.xml": "", "core/pom.xml": "", "core/A.java": ""}, "deep", "core/A.java", "maven-compile! maven-test!", ""},
		{"maven, quick", files{"pom.xml": "", "A.java": ""}, "quick", "A.java", "maven-compile!", "tests"},
		{"gradle", files{"settings.gradle": "", "app/build.gradle.kts": "", "app/A.java": ""}, "deep", "app/A.java", "gradle-compile! gradle-test!", ""},
	}
	for _, tt := range tests {
		r := tt.tree.plan(t, tt.profile, strings.Fields(tt.changed)...)
		if got := r.ids(); got != tt.want {
			t.Errorf("%s: planned %q, want %q", tt.name, got, tt.want)
		}
		if got := strings.Join(r.LeftOut, " "); got != tt.leftOut {
			t.Errorf("%s: left out %q, want %q", tt.name, got, tt.leftOut)
		}
	}
}

func TestPlanPolicy(t *testing.T) {
	t.Parallel()
	tree := files{"package.json": "{}", "a.js": "", "go.mod": "", "a.go": ""}
	in := PlanInput{Files: tree.paths(), Read: tree.read, Changed: []string{"a.js", "a.go"}, Profile: gavel.ProfileQuick}
	in.Required, in.Disabled = []string{"eslint"}, []string{"gofmt", "go-vet@elsewhere"}
	r, err := Plan(in)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := r.ids(), "eslint! go-build! go-vet!"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	for _, c := range r.Checks {
		if c.Why == "" || c.Check == nil {
			t.Errorf("%s says nothing", c.ID)
		}
	}
	i := slices.IndexFunc(r.Skipped, func(s Skipped) bool { return s.ID == "gofmt" })
	if i < 0 || r.Skipped[i].Why != "turned off" {
		t.Errorf("%+v", r.Skipped)
	}
	for _, id := range []string{"eslint2", "", "go-vte@x"} {
		in.Required = []string{id}
		if _, err := Plan(in); err == nil || gavel.AsError(err).Class != gavel.InvalidArgs {
			t.Errorf("%q was taken: %v", id, err)
		}
	}
}

// TestPlanIsAFunction holds that the order of its lists is no part of a plan.
func TestPlanIsAFunction(t *testing.T) {
	t.Parallel()
	tree := files{"go.mod": "", "a.go": "", "b/go.mod": "", "b/b.go": "", "package.json": `{"eslintConfig":{}}`, "c.js": "", "pyproject.toml": "[tool.ruff]", "d.py": ""}
	want := fmt.Sprint(simplify(tree.plan(t, gavel.ProfileDeep, tree.paths()...)))
	for seed := range uint64(20) {
		r := rand.New(rand.NewPCG(seed, 1))
		all, changed := tree.paths(), tree.paths()
		r.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
		r.Shuffle(len(changed), func(i, j int) { changed[i], changed[j] = changed[j], changed[i] })
		got, err := Plan(PlanInput{Files: all, Read: tree.read, Changed: append(changed, changed[0]), Profile: gavel.ProfileDeep})
		if err != nil || fmt.Sprint(simplify(got)) != want {
			t.Fatalf("seed %d: %v, %v\nwant %s", seed, simplify(got), err, want)
		}
	}
}

func simplify(r *PlanResult) []string {
	var lines []string
	for _, c := range r.Checks {
		lines = append(lines, fmt.Sprint(c.ID, c.Required, c.Why, c.Files, c.Configs))
	}
	return append(lines, fmt.Sprint(r.Skipped, r.LeftOut))
}

func TestPlannedFiles(t *testing.T) {
	t.Parallel()
	tree := files{"package.json": "{}", "eslint.config.js": "", "a.js": "", "src/b.ts": "", "c.css": "", "web/eslint.config.js": "", "web/d.js": ""}
	r := tree.plan(t, gavel.ProfileQuick, "a.js", "src/b.ts", "c.css", "web/d.js", "gone.js")
	want := map[string][]string{"eslint": {"a.js", "src/b.ts"}, "eslint@web": {"web/d.js"}}
	got := make(map[string][]string)
	for _, c := range r.Checks {
		got[c.ID] = c.Files
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	r = tree.plan(t, gavel.ProfileQuick, "gone.js")
	if len(r.Checks) != 0 || !slices.ContainsFunc(r.Skipped, func(s Skipped) bool { return s.ID == "eslint" && s.Reason == ReasonNothingToDo }) {
		t.Errorf("%+v", r)
	}
}

func TestTSConfigs(t *testing.T) {
	t.Parallel()
	tree := files{
		"tsconfig.json":       "{ // a solution\n \"files\": [], /* and */ \"references\": [{\"path\": \"./a\"}, {\"path\": \"b/tsconfig.app.json\",}, {\"path\": \"gone\"}],\n}",
		"a/tsconfig.json":     `{"include": ["src"]}`,
		"b/tsconfig.app.json": `{"files": [], "references": [{"path": "../a"}, {"path": "../"}]}`,
		"c/tsconfig.json":     `{"compilerOptions": {"paths": {"x//y": ["z"]}}}`,
		"d/tsconfig.json":     `{`,
	}
	c := newConfiguration(tree.paths(), tree.read)
	for file, want := range map[string][]string{
		"tsconfig.json": {"a/tsconfig.json"}, "c/tsconfig.json": {"c/tsconfig.json"}, "d/tsconfig.json": {"d/tsconfig.json"},
	} {
		if got := c.tsconfigs(file); !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", file, got, want)
		}
	}
}

func FuzzConfiguration(f *testing.F) {
	f.Add("[a]\nb = 1", "{ // x\n}", "a.b")
	f.Add("[", "{\"files\":[],\"references\":[{\"path\":\".\"}]}", "")
	f.Add("[a", "/*", "x")
	f.Add("\xc4[", ".\"}]l", "")
	f.Fuzz(func(_ *testing.T, ini, json, key string) {
		tree := files{"setup.cfg": ini, "tsconfig.json": json, "package.json": json, "pyproject.toml": ini, "Cargo.toml": ini, "x/Cargo.toml": "", "pom.xml": json, "Makefile": ini}
		c := newConfiguration(tree.paths(), tree.read)
		c.tsconfigs("tsconfig.json")
		for p := range tree {
			c.hasKey(p, key)
			c.asksFor(p, key)
			c.hasDependencies(p)
		}
		if key != "" {
			c.mentions(key)
		}
		Projects(tree.paths(), tree.read)
	})
}
