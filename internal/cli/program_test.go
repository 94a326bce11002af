package cli

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/gavel-review/gavel"
	"github.com/gavel-review/gavel/internal/app"
)

func demo(t *testing.T, r result) demoOutput {
	t.Helper()
	var out demoOutput
	if err := json.Unmarshal([]byte(r.stdout), &out); err != nil {
		t.Fatalf("%v in %+v", err, r)
	}
	return out
}

func TestFlagsFillTheInput(t *testing.T) {
	t.Parallel()
	yes, no, none := true, false, 0
	tests := []struct {
		args string
		want demoInput
	}{
		{"demo", demoInput{}},
		{"demo a b", demoInput{Path: []string{"a", "b"}}},
		{"demo a --all b", demoInput{Path: []string{"a", "b"}, All: true}},
		{"demo -a", demoInput{All: true}},
		{"demo --all=false", demoInput{}},
		{"demo --staged", demoInput{Staged: &yes}},
		{"demo --staged=false", demoInput{Staged: &no}},
		{"demo --staged true", demoInput{Staged: &yes, Path: []string{"true"}}},
		{"demo -n 3", demoInput{Count: 3}},
		{"demo -n3 -a", demoInput{Count: 3, All: true}},
		{"demo --count=-3", demoInput{Count: -3}},
		{"demo --most 0", demoInput{Most: &none}},
		{"demo --fail-on high", demoInput{Level: "high"}},
		{"demo --file a,b --file c", demoInput{File: []string{"a,b", "c"}}},
		{"demo --pick x --pick y", demoInput{Pick: []string{"x", "y"}}},
		{"demo -- --all -x", demoInput{Path: []string{"--all", "-x"}}},
		{"demo -", demoInput{Path: []string{"-"}}},
	}
	for _, tt := range tests {
		t.Run(tt.args, func(t *testing.T) {
			t.Parallel()
			r := run(t, append([]string{"--json"}, strings.Fields(tt.args)...)...)
			got, want := mustJSON(t, demo(t, r).Input), mustJSON(t, tt.want)
			if r.code != 0 || got != want {
				t.Errorf("got %d %s, want %s\n%s", r.code, got, want, r.stderr)
			}
		})
	}
}

func mustJSON(t *testing.T, v any) string {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func TestMistakesOnTheCommandLine(t *testing.T) {
	t.Parallel()
	tests := []struct{ args, message, hint string }{
		{"dmo", `unknown command "dmo"`, "did you mean `gavel demo`?"},
		{"zzz", `unknown command "zzz"`, "see `gavel help`"},
		{"--repo x dmo", `unknown command "dmo"`, "did you mean `gavel demo`?"},
		{"-o x dmo --all", `unknown command "dmo"`, "did you mean `gavel demo`?"},
		{"rule explan x", `rule: unknown command "explan"`, "did you mean `gavel rule explain`?"},
		{"rule", "rule: a command is missing: explain", "see `gavel help rule`"},
		{"agent only", `unknown command "agent"`, ""},
		{"help dmo", `unknown command "dmo"`, "did you mean `gavel demo`?"},
		{"demo --fail", `demo: unknown flag "--fail"`, "did you mean --fail-on?"},
		{"demo --jsno", `demo: unknown flag "--jsno"`, "did you mean --json?"},
		{"demo --hidden x", `demo: unknown flag "--hidden"`, "see `gavel help demo`"},
		{"demo --path x", `demo: unknown flag "--path"`, "PATH is given without a flag"},
		{"demo -x", `demo: unknown flag "-x"`, "see `gavel help demo`"},
		{"demo -5", `demo: unknown flag "-5"`, "see `gavel help demo`"},
		{"demo --fail-on hihg", `demo: --fail-on: "hihg" is none of critical, high, any`, `did you mean "high"?`},
		{"demo --fail-on HIGH", `demo: --fail-on: "HIGH" is none of critical, high, any`, `did you mean "high"?`},
		{"demo --fail-on=", `demo: --fail-on: "" is none of critical, high, any`, "see `gavel help demo`"},
		{"demo --fail-on", "demo: --fail-on needs a value", "see `gavel help demo`"},
		{"demo -n", "demo: --count needs a value", "see `gavel help demo`"},
		{"demo -n many", `demo: --count: "many" is not a whole number`, "see `gavel help demo`"},
		{"demo -n 1.5", `demo: --count: "1.5" is not a whole number`, ""},
		{"demo -n 99999999999999999999", `demo: --count: "99999999999999999999" is not a whole number`, ""},
		{"demo --all=maybe", `demo: --all: "maybe" is neither true nor false`, ""},
		{"demo --staged=maybe", `demo: --staged: "maybe" is neither true nor false`, ""},
		{"demo --json=maybe", `demo: --json: "maybe" is neither true nor false`, ""},
		{"demo --pick z", `demo: --pick: "z" is none of x, y`, ""},
		{"demo --format sarif", `demo: --format: "sarif" is none of text, json, markdown`, ""},
		{"demo --json --format markdown", "demo: --json and --format markdown exclude each other", ""},
		{"demo --color blue", `demo: --color: "blue" is none of auto, always, never`, ""},
		{"demo --repo=", "demo: --repo: the value is empty", ""},
		{"demo --output=", "demo: --output: the value is empty", ""},
		{"demo --=x", "demo: bad flag syntax: --=x", ""},
		{"demo -o .", "demo: --output: . is a folder", ""},
		{"demo -o none/x", "demo: --output: there is no folder none", ""},
		{"rule explain a b", `rule explain: one RULE is taken, but there are 2: ["a" "b"]`, "see `gavel help rule explain`"},
		{"wait x", `wait: no arguments are taken, but there is "x"`, ""},
		{"version x", `version: no arguments are taken, but there is "x"`, ""},
		{"completion ksh", `completion: SHELL: "ksh" is none of bash, zsh, fish, powershell`, ""},
		{"completion", "completion needs a shell: bash, zsh, fish or powershell", ""},
	}
	for _, tt := range tests {
		t.Run(tt.args, func(t *testing.T) {
			t.Parallel()
			r := run(t, strings.Fields(tt.args)...)
			lines := strings.SplitAfter(r.stderr, "\n")
			if r.code != 64 || r.stdout != "" && !asksForJSON(strings.Fields(tt.args)) || lines[0] != "gavel: "+tt.message+"\n" {
				t.Errorf("%d %q %q, want %q", r.code, r.stdout, r.stderr, tt.message)
			}
			if tt.hint != "" && !strings.Contains(lines[1], tt.hint) {
				t.Errorf("hint is %q, want %q", lines[1], tt.hint)
			}
			if len(lines) > 3 {
				t.Errorf("more than a message and a hint: %q", r.stderr)
			}
		})
	}
}

func TestBareCallIsNoSuccess(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{nil, {}, {"-q"}, {"--"}} {
		r := run(t, args...)
		if r.code != 64 || r.stdout != "" || !strings.Contains(r.stderr, "Usage") {
			t.Errorf("%q: %+v", args, r)
		}
	}
	if r := run(t, "--json"); r.code != 64 || !strings.Contains(r.stdout, `"error_class": "invalid_args"`) {
		t.Errorf("%+v", r)
	}
}

func TestJSONIsIndentedAndUnescaped(t *testing.T) {
	t.Parallel()
	for _, args := range []string{"demo --json", "demo --format json", "--json demo", "demo --json --format=json"} {
		r := run(t, strings.Fields(args)...)
		if !strings.HasPrefix(r.stdout, "{\n  \"input\": {") || !strings.Contains(r.stdout, `"<&>"`) || !strings.HasSuffix(r.stdout, "}\n") {
			t.Errorf("%s: %q", args, r.stdout)
		}
	}
}

func TestEmbeddedOutputIsMarshalledItself(t *testing.T) {
	t.Parallel()
	type output struct {
		*gavel.Document
		Verdict gavel.Verdict `json:"-"`
	}
	op := app.Op[struct{}, *output]{
		Name: "x", Doors: app.CLI,
		Run: func(context.Context, *app.Env, struct{}) (*output, error) {
			return &output{Document: &gavel.Document{Schema: 1, Findings: []gavel.Finding{}}}, nil
		},
	}
	doors := Doors{Operations: func() []app.Operation { return []app.Operation{app.Erase(op)} }}
	r := call{args: []string{"x", "--json"}, doors: &doors}.run(t)
	if !strings.HasPrefix(r.stdout, "{\n  \"schema\": 1,") {
		t.Errorf("%+v", r)
	}
}

func TestExitCodeAndNotice(t *testing.T) {
	t.Parallel()
	r := run(t, "demo", "--code", "3", "--remark", "nothing is\nstaged\x1b[2J")
	if r.code != 3 || r.stderr != `nothing is\nstaged\x1b[2J`+"\n" || r.stdout == "" {
		t.Errorf("%+v", r)
	}
	if r := run(t, "demo", "--code", "1", "--remark", "x", "-q"); r.code != 1 || r.stderr != "" {
		t.Errorf("%+v", r)
	}
}

func TestRepoIsMadeAbsolute(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for arg, want := range map[string]string{".": dir, "a/../b": filepath.Join(dir, "b"), dir: dir} {
		r := call{args: []string{"demo", "--json", "--repo", arg}, dir: dir}.run(t)
		if got := demo(t, r); got.Repo != want || got.Door != app.CLI {
			t.Errorf("%s: %+v", arg, got)
		}
	}
	if r := (call{args: []string{"demo", "--repo", "x"}}).run(t); r.code != 64 {
		t.Errorf("without a working directory: %+v", r)
	}
}

func TestWorkingDirectoryIsGone(t *testing.T) {
	t.Parallel()
	p := &program{getwd: func() (string, error) { return "", os.ErrNotExist }}
	if _, err := p.env(&progress{}); gavel.AsError(err).Class != gavel.InvalidArgs {
		t.Error(err)
	}
}

func TestResultThatNobodyReads(t *testing.T) {
	t.Parallel()
	broken := &os.PathError{Op: "write", Path: "|1", Err: syscall.EPIPE}
	if r := (call{args: []string{"demo", "--code", "1"}, failing: broken}).run(t); r.code != 1 || r.stderr != "" {
		t.Errorf("closed pipe: %+v", r)
	}
	if r := (call{args: []string{"fail", "--class", "conflict", "--json"}, failing: broken}).run(t); r.code != 3 {
		t.Errorf("closed pipe, error: %+v", r)
	}
	for _, args := range []string{"demo", "version", "help", "help demo", "version -o -"} {
		r := call{args: strings.Fields(args), failing: syscall.ENOSPC}.run(t)
		if r.code != 3 || !strings.Contains(r.stderr, "standard output") {
			t.Errorf("%s on a full disk: %+v", args, r)
		}
	}
}

func TestInterruptedWorkHasNoResult(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	out := filepath.Join(t.TempDir(), "out")
	r := call{args: []string{"wait", "-o", out, "--json"}, ctx: ctx}.run(t)
	if r.code != 130 || !strings.Contains(r.stdout, `"error_class": "cancelled"`) {
		t.Errorf("%+v", r)
	}
	if _, err := os.Stat(out); !errors.Is(err, os.ErrNotExist) {
		t.Error("a file was written")
	}
}

func TestMCP(t *testing.T) {
	t.Parallel()
	if got := toolsets([]string{"a, b,,", "c"}); !slices.Equal(got, []string{"a", "b", "c"}) {
		t.Error(got)
	}
	if r := run(t, "mcp", "--tools", "review,runs", "--repo", "/x"); r.code != 0 || r.stdout != "" {
		t.Errorf("%+v", r)
	}
	r := run(t, "mcp", "--tools", "bad", "--json")
	if r.code != 64 || r.stdout != "" || !strings.Contains(r.stderr, "no toolset bad") {
		t.Errorf("standard output is the protocol's: %+v", r)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if r := (call{args: []string{"mcp"}, ctx: ctx}).run(t); r.code != 130 {
		t.Errorf("%+v", r)
	}
	doors := fakeDoors()
	doors.MCP = nil
	if r := (call{args: []string{"mcp"}, doors: &doors}).run(t); r.code != 64 {
		t.Errorf("%+v", r)
	}
}
