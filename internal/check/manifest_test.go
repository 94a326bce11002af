package check

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gavel-review/gavel"
)

const smallManifest = `version = 1
name = "small"
[groups]
all = ["lint"]
[[check]]
id = "lint"
argv = [["linter", "--out", "{report}", "{files}"]]
report = { file = "{report}", format = "sarif" }
`

func TestReadManifest(t *testing.T) {
	t.Parallel()
	m, err := ReadManifest("small.toml", []byte(smallManifest))
	if err != nil {
		t.Fatal(err)
	}
	c := m.Check("lint")
	if c == nil || c.Title != "lint" || c.Stack != StackAny || c.Scope != ScopeProject || c.Comparison != CompareNone ||
		time.Duration(c.Timeout) != 5*time.Minute || c.Profile != gavel.ProfileQuick || !slices.Equal(c.Requires.Tools, []string{"linter"}) {
		t.Errorf("%+v", c)
	}
	if m.Check("other") != nil {
		t.Error("a check that nobody declared")
	}
}

func TestManifestFaults(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, old, new, want string }{
		{"no version", "version = 1\n", "", "version: it is missing"},
		{"newer version", "version = 1", "version = 2", "line 1: version: 2 is not understood"},
		{"no name", `name = "small"`, "", `name: "" is not`},
		{"bad name", `"small"`, `"Small"`, "line 2: name"},
		{"unknown key", "[groups]", "colour = 1\n[groups]", `line 3: unknown key "colour"`},
		{"unknown key of a check", `id = "lint"`, "id = \"lint\"\nshell = \"rm\"", `line 7: unknown key "check.shell"`},
		{"unknown key of a report", `format = "sarif"`, `format = "sarif", tail = 1`, "line 8: unknown key"},
		{"a group without its check", `all = ["lint"]`, `all = ["lint", "gone"]`, `line 4: groups.all: no check has the id "gone"`},
		{"bad id", `id = "lint"`, `id = "-lint"`, "line 6: check.0.id"},
		{"no argv", `argv = [["linter", "--out", "{report}", "{files}"]]`, "", "line 5: check.0.argv: it is empty"},
		{"an empty line", `[["linter"`, `[[], ["linter"`, "line 7: check.0.argv: a line is empty"},
		{"a shell line", `[["linter", "--out", "{report}", "{files}"]]`, `"linter {report}"`, "line 7"},
		{"a part of an argument", `"--out", "{report}"`, `"--out={report}"`, "line 7: check.0.argv: {report} stands for a whole argument"},
		{"a format nobody reads", `"sarif"`, `"sarfi"`, `line 8: check.0.report.format: "sarfi" is none of`},
		{"no report", `file = "{report}", `, "", "either a file or stdout"},
		{"two reports", `file = "{report}"`, `stdout = true, file = "{report}"`, "either a file or stdout"},
		{"a report elsewhere", `"{report}", format`, `"../x", format`, `"../x" is not a pattern`},
		{"a report that no argument names", `"--out", "{report}"`, `"--out"`, "exactly if file is {report}"},
		{"a timeout that is none", `id = "lint"`, "id = \"lint\"\ntimeout = \"soon\"", "line 7"},
		{"a timeout below zero", `id = "lint"`, "id = \"lint\"\ntimeout = \"-5s\"", "line 7: check.0.timeout: -5s"},
		{"a timeout without end", `id = "lint"`, "id = \"lint\"\ntimeout = \"1000h\"", "line 7: check.0.timeout"},
		{"an unknown scope", `id = "lint"`, "id = \"lint\"\nscope = \"world\"", "line 7: check.0.scope"},
		{"an unknown stack", `id = "lint"`, "id = \"lint\"\nstack = \"cobol\"", "line 7: check.0.stack"},
		{"an unknown family", `id = "lint"`, "id = \"lint\"\nfamily = \"misc\"", "line 7: check.0.family"},
		{"egress", `id = "lint"`, "id = \"lint\"\negress = \"all\"", "line 7: check.0.egress"},
		{"egress to nowhere", `id = "lint"`, "id = \"lint\"\negress = { hosts = [] }", "line 7: check.0.egress"},
		{"a bad pattern", `id = "lint"`, "id = \"lint\"\ncoverage_signals = [{ pattern = \"(\", label = \"x\" }]", `pattern "(" is no regular expression`},
		{"a signal without a reason", `id = "lint"`, "id = \"lint\"\nsignals = [{ pattern = \"x\" }]", "line 7: check.0.signals.0"},
		{"a module without a group", `id = "lint"`, "id = \"lint\"\nsignals = [{ pattern = \"x\", reason = \"offline\", module = true }]", "exactly one group"},
		{"a key that is none", `id = "lint"`, "id = \"lint\"\napplies = { keys = [\"package.json\"] }", "line 7: check.0.applies.keys"},
		{"a file outside", `id = "lint"`, "id = \"lint\"\napplies = { files = [\"/etc/passwd\"] }", "line 7: check.0.applies.files"},
		{"an extension that is none", `id = "lint"`, "id = \"lint\"\napplies = { extensions = [\"go\"] }", "line 7: check.0.applies.extensions"},
		{"an empty word", `id = "lint"`, "id = \"lint\"\napplies = { mentions = [\"\"] }", "line 7: check.0.applies: a name is empty"},
		{"an exit code that is none", `id = "lint"`, "id = \"lint\"\nfindings_exit = [0]", "line 7: check.0.findings_exit"},
		{"a tool that is not required", `id = "lint"`, "id = \"lint\"\nrequires = { tools = [\"other\"] }", `"linter" is not among requires.tools`},
		{"a tool with a path", "[[check]]", "[[tool]]\nname = \"./linter\"\n[[check]]", "line 6: tool.0.name"},
		{"no TOML", "version = 1", "version = ", "line 1"},
		{"twice", "[[check]]", "[[check]]\nid = \"lint\"\nargv = [[\"x\"]]\nreport = { stdout = true, format = \"sarif\" }\n[[check]]", `line 10: check.1.id: "lint" is taken`},
	}
	for _, tt := range tests {
		text := strings.Replace(smallManifest, tt.old, tt.new, 1)
		if text == smallManifest {
			t.Fatalf("%s: nothing was replaced", tt.name)
		}
		_, err := ReadManifest("small.toml", []byte(text))
		if err == nil || !strings.Contains(err.Error(), tt.want) || !strings.Contains(err.Error(), "small.toml") {
			t.Errorf("%s: %v, want %q", tt.name, err, tt.want)
		} else if gavel.AsError(err).Class != gavel.InvalidArgs {
			t.Errorf("%s: class %s", tt.name, gavel.AsError(err).Class)
		}
	}
	if _, err := ReadManifest("big.toml", make([]byte, maxManifest+1)); err == nil {
		t.Error("a manifest without end was read")
	}
}

func TestEgress(t *testing.T) {
	t.Parallel()
	for value, want := range map[string]string{
		`"none"`: "none", `"registry"`: "registry", `{ hosts = ["a.example", "b.example"] }`: "a.example, b.example",
	} {
		m, err := ReadManifest("m", []byte(strings.Replace(smallManifest, `id = "lint"`, "id = \"lint\"\negress = "+value, 1)))
		if err != nil {
			t.Errorf("%s: %v", value, err)
			continue
		}
		if e := m.Checks[0].Egress; e.String() != want || e.Any() != (want != "none") {
			t.Errorf("%s: %s", value, e)
		}
	}
}

func FuzzReadManifest(f *testing.F) {
	f.Add([]byte(smallManifest))
	f.Add([]byte("[[check]]\nid=1\n[check.x]\n[groups]\na=[1]\n"))
	f.Add([]byte("\"a.b\".'c' = {}\n[[x.y]]\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		m, err := ReadManifest("fuzz", data)
		if err != nil {
			return
		}
		for i := range m.Checks {
			c := &m.Checks[i]
			if len(c.Argv) == 0 || len(c.Requires.Tools) == 0 || c.Timeout <= 0 || c.Title == "" {
				t.Errorf("a check that cannot run: %+v", c)
			}
		}
		if _, err := Plan(PlanInput{Manifest: m, Files: []string{"a.go", "go.mod"}, Profile: gavel.ProfileDeep, Read: func(string) ([]byte, bool) { return data, true }}); err != nil {
			t.Errorf("no plan: %v", err)
		}
	})
}
