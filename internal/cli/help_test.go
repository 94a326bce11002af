package cli

import (
	"context"
	"strings"
	"testing"

	"github.com/gavel-review/gavel/internal/app"
)

func TestHelpOfEverything(t *testing.T) {
	t.Parallel()
	want := run(t, "help")
	if want.code != 0 || want.stderr != "" {
		t.Fatalf("%+v", want)
	}
	for _, args := range []string{"--help", "-h", "--json --help"} {
		if r := run(t, strings.Fields(args)...); r != want {
			t.Errorf("%s: %+v", args, r)
		}
	}
	for _, line := range []string{"\n  demo          Show what arrived\n", "\n  rule explain  Explain one rule\n", "Exit codes", "--color"} {
		if !strings.Contains(want.stdout, line) {
			t.Errorf("%q is missing in:\n%s", line, want.stdout)
		}
	}
	if strings.Contains(want.stdout, "agent only") {
		t.Error("an operation without this door is listed")
	}
}

func TestHelpOfACommand(t *testing.T) {
	t.Parallel()
	want := run(t, "help", "demo")
	if r := run(t, "demo", "--help"); r != want {
		t.Errorf("%+v", r)
	}
	if r := run(t, "demo", "-n", "3", "-h", "x"); r != want {
		t.Errorf("%+v", r)
	}
	const start = `Show what arrived. And more.

Longer.

Usage
  gavel demo [flags] [PATH...]

Arguments
  PATH  what to look at

Flags
      --fail-on VALUE  gate: critical, high, any
  -a, --all            everything
      --staged         the index
  -n, --count N        how many
      --file VALUE     only these; repeatable
      --pick VALUE     some of: x, y; repeatable
      --most N         at most
      --code N         exit code
      --remark VALUE   notice

Flags of every command
`
	const end = `
Formats
  text, json, markdown

Examples
  gavel demo .
`
	if !strings.HasPrefix(want.stdout, start) || !strings.HasSuffix(want.stdout, end) {
		t.Errorf("%s", want.stdout)
	}
	if r := run(t, "rule", "explain", "--help"); !strings.Contains(r.stdout, "gavel rule explain [flags] RULE\n") {
		t.Errorf("%s", r.stdout)
	}
}

func TestHelpOfAGroup(t *testing.T) {
	t.Parallel()
	want := result{0, "Usage\n  gavel rule COMMAND [flags] [arguments]\n\nCommands\n  explain  Explain one rule\n", ""}
	if r := run(t, "help", "rule"); r != want {
		t.Errorf("%+v", r)
	}
	if r := run(t, "rule", "--help"); r != want {
		t.Errorf("%+v", r)
	}
}

func TestFlagsAreBoundOnlyWhereTheyAreNeeded(t *testing.T) {
	t.Parallel()
	made := map[string]int{}
	count := func(op app.Operation) app.Operation {
		make := op.NewInput
		op.NewInput = func() any { made[op.Name]++; return make() }
		return op
	}
	doors := Doors{Operations: func() []app.Operation {
		return []app.Operation{count(app.Erase(demoOperation)), count(app.Erase(oneOperation))}
	}}
	call{args: []string{"rule", "explain", "x"}, doors: &doors}.run(t)
	if made["demo"] != 0 || made["rule explain"] == 0 {
		t.Error(made)
	}
}

func TestFieldOfAnUnknownType(t *testing.T) {
	t.Parallel()
	type input struct {
		When map[string]int `json:"when"`
	}
	op := app.Op[input, string]{Name: "x", Doors: app.CLI, Run: func(context.Context, *app.Env, input) (string, error) { return "", nil }}
	doors := Doors{Operations: func() []app.Operation { return []app.Operation{app.Erase(op)} }}
	for _, args := range [][]string{{"x"}, {"help", "x"}, {"__complete", "x", ""}} {
		if r := (call{args: args, doors: &doors}).run(t); r.code != 3 || !strings.Contains(r.stderr, "field when") {
			t.Errorf("%q: %+v", args, r)
		}
	}
}

func TestCompletion(t *testing.T) {
	t.Parallel()
	for _, shell := range []string{"bash", "zsh", "fish", "powershell"} {
		if r := run(t, "completion", shell); r.code != 0 || !strings.Contains(r.stdout, "gavel") || r.stderr != "" {
			t.Errorf("%s: %d %s", shell, r.code, r.stderr)
		}
	}
	tests := []struct{ args, want string }{
		{"demo --fail-on :", "critical\nhigh\nany\n:4\n"},
		{"demo --pick x --pick :", "x\ny\n:4\n"},
		{"demo --format :", "text\njson\nmarkdown\n:4\n"},
		{"--format :", ":4\n"},
		{"demo --color :", "auto\nalways\nnever\n:4\n"},
		{"demo --repo :", ":16\n"},
		{"demo :", ":0\n"},
		{"wait :", ":4\n"},
		{"completion :", "bash\nzsh\nfish\npowershell\n:4\n"},
		{"rule :", "explain\tExplain one rule\n:4\n"},
		{"demo --staged :", ":0\n"},
		{"demo --sta:", "--staged\tthe index\n:4\n"},
	}
	for _, tt := range tests {
		args := append([]string{"__complete"}, strings.Fields(strings.TrimSuffix(tt.args, ":"))...)
		if strings.HasSuffix(tt.args, " :") || tt.args == ":" {
			args = append(args, "")
		}
		if r := run(t, args...); r.code != 0 || r.stdout != tt.want {
			t.Errorf("%s: %d %q, want %q", tt.args, r.code, r.stdout, tt.want)
		}
	}
}

func TestNearest(t *testing.T) {
	t.Parallel()
	list := []string{"review", "scan", "rules", "explain", "config", "fail-on"}
	for word, want := range map[string]string{
		"reveiw": "review", "rewiev": "review", "rule": "rules", "scna": "scan", "explian": "explain", "conf": "config",
		"zzzz": "", "": "", "fail-no": "fail-on", "failon": "fail-on", "r": "",
	} {
		if got := nearest(word, list); got != want {
			t.Errorf("nearest(%q) = %q, want %q", word, got, want)
		}
	}
}

// FuzzArguments throws arguments at the parser: whatever comes, the exit code is one of the table.
func FuzzArguments(f *testing.F) {
	for _, seed := range []string{"demo\n--json", "--\ndemo", "-o\n", "help\ndemo", "__complete\n", "demo\n--fail-on\nhigh", "-q-h\n=", "completion\nbash", "mcp"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, line string) {
		args := strings.Split(line, "\n")
		for _, a := range args {
			if strings.Contains(a, "o") && strings.HasPrefix(a, "-") || a == "wait" || strings.HasPrefix(a, "__") {
				return // writes files, waits, or is the shell's
			}
		}
		switch r := run(t, args...); r.code {
		case 0, 3, 64:
		default:
			if !strings.Contains(line, "code") {
				t.Errorf("%q: exit %d %s", args, r.code, r.stderr)
			}
		}
	})
}
