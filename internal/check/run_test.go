package check

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gavel-review/gavel"
	"github.com/gavel-review/gavel/internal/proc"
)

// script is a runner that plays what a tool would do.
type script struct {
	mu    sync.Mutex
	tasks []proc.Task
	play  func(t proc.Task) (stdout, stderr string, exit proc.Exit, err error)
}

func (s *script) Run(ctx context.Context, t proc.Task) (proc.Exit, error) {
	s.mu.Lock()
	s.tasks = append(s.tasks, t)
	s.mu.Unlock()
	if len(t.Argv) == 2 && t.Argv[1] == "--version" {
		return proc.Exit{}, os.WriteFile(t.Stdout, []byte("linter 1.2.3\n"), 0o600)
	}
	stdout, stderr, exit, err := s.play(t)
	if err == nil {
		err = os.WriteFile(t.Stdout, []byte(stdout), 0o600)
	}
	if err == nil {
		err = os.WriteFile(t.Stderr, []byte(stderr), 0o600)
	}
	return exit, err
}

// sarif is a report with so many results.
func sarif(n int) string {
	results := make([]string, n)
	for i := range results {
		results[i] = fmt.Sprintf(`{"ruleId":"r%d","level":"error","message":{"text":"wrong %d"},"locations":[{"physicalLocation":{"artifactLocation":{"uri":"a.js"},"region":{"startLine":%d}}}]}`, i, i, i+1)
	}
	return `{"version":"2.1.0","runs":[{"tool":{"driver":{"name":"linter"}},"results":[` + strings.Join(results, ",") + `]}]}`
}

// world is a folder with a tree and a program named linter.
func world(t *testing.T, play func(proc.Task) (string, string, proc.Exit, error)) (RunEnv, *script) {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	put(t, dir, "tree/a.js", "")
	put(t, dir, "bin/linter", "#!/bin/sh\n")
	if err := os.Chmod(filepath.Join(dir, "bin/linter"), 0o755); err != nil {
		t.Fatal(err)
	}
	s := &script{play: play}
	root := filepath.Join(dir, "tree")
	return RunEnv{
		Runner: s, Root: root, Checkout: root, Scratch: filepath.Join(dir, "scratch"), Now: func() time.Time { return time.Unix(1, 0) },
		Environ: []string{"PATH=" + filepath.Join(dir, "bin"), "HTTPS_PROXY=http://user:word@proxy"},
	}, s
}

func put(t *testing.T, root, name, text string) {
	t.Helper()
	p := filepath.Join(root, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(p, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// linter is a planned check of one line.
func linter(t *testing.T, change func(c *Check)) Planned {
	t.Helper()
	m, err := ReadManifest("t", []byte(strings.Replace(smallManifest, "id = \"lint\"", "id = \"lint\"\nfindings_exit = [1]", 1)))
	if err != nil {
		t.Fatal(err)
	}
	c := &m.Checks[0]
	if change != nil {
		change(c)
	}
	p := Planned{ID: c.ID, Check: c, Files: []string{"a.js"}, Configs: []string{"a.js", "b.js"}, paths: []string{"."}}
	for _, name := range c.Requires.Tools {
		p.tools = append(p.tools, m.tool(name))
	}
	return p
}

// reports makes a tool that writes a report and exits.
func reports(text string, code int) func(proc.Task) (string, string, proc.Exit, error) {
	return func(t proc.Task) (string, string, proc.Exit, error) {
		if i := slices.Index(t.Argv, "--out"); i >= 0 && text != "" {
			if err := os.WriteFile(t.Argv[i+1], []byte(text), 0o600); err != nil {
				return "", "", proc.Exit{}, err
			}
		}
		return "said", "error: also said", proc.Exit{Code: code}, nil
	}
}

func ended(e proc.Exit, err error) func(proc.Task) (string, string, proc.Exit, error) {
	return func(proc.Task) (string, string, proc.Exit, error) { return "out", "error: out of luck", e, err }
}

func TestRun(t *testing.T) {
	t.Parallel()
	signal := func(s Signal) func(*Check) { return func(c *Check) { c.Signals = []Signal{s} } }
	tests := []struct {
		name     string
		play     func(proc.Task) (string, string, proc.Exit, error)
		change   func(c *Check)
		status   gavel.CheckStatus
		reason   Reason
		detail   string
		findings int
		coverage gavel.CheckCoverage
	}{
		{name: "clean", play: reports(sarif(0), 0), status: gavel.CheckPass, coverage: gavel.CoverageFull},
		{name: "findings", play: reports(sarif(2), 1), status: gavel.CheckFail, findings: 2, coverage: gavel.CoverageFull},
		{name: "findings, and the tool is content", play: reports(sarif(1), 0), status: gavel.CheckFail, findings: 1, coverage: gavel.CoverageFull},
		{name: "it fails and reports nothing", play: reports(sarif(0), 1), status: gavel.CheckError, detail: "nothing"},
		{name: "an unknown exit code", play: reports(sarif(1), 3), status: gavel.CheckError, reason: ReasonCrashed, detail: "exit code 3: error: also said"},
		{name: "no report", play: reports("", 0), status: gavel.CheckNoScan, reason: ReasonReportMissing},
		{name: "a report that is none", play: reports("hello", 1), status: gavel.CheckError, reason: ReasonReportUnreadable},
		{name: "half a report", play: reports(sarif(3)[:200], 1), status: gavel.CheckError, reason: ReasonReportUnreadable},
		{name: "a signal", play: ended(proc.Exit{Code: -1, Signal: "SIGSEGV"}, nil), status: gavel.CheckError, reason: ReasonCrashed, detail: "SIGSEGV"},
		{name: "too long", play: ended(proc.Exit{Code: -1, Signal: "SIGKILL", TimedOut: true}, nil), status: gavel.CheckNoScan, reason: ReasonTimedOut},
		{name: "cancelled", play: ended(proc.Exit{Code: -1, Cancelled: true}, nil), status: gavel.CheckNoScan, reason: ReasonCancelled},
		{name: "gone when it is started", play: ended(proc.Exit{}, fmt.Errorf("x: %w", proc.ErrNotFound)), status: gavel.CheckNoScan, reason: ReasonToolMissing},
		{name: "supervisor lost", play: ended(proc.Exit{}, proc.ErrSupervisorLost), status: gavel.CheckError, reason: ReasonCrashed},
		{name: "no tool", change: func(c *Check) { c.Requires.Tools = []string{"linter", "other"} }, status: gavel.CheckNoScan, reason: ReasonToolMissing, detail: "other"},
		{name: "no variable", change: func(c *Check) { c.Requires.Env = []string{"DB"} }, status: gavel.CheckNoScan, reason: ReasonEnvMissing, detail: "DB"},
		{name: "it would write", change: func(c *Check) { c.WritesTree = true }, status: gavel.CheckNoScan, reason: ReasonWouldWrite},
		{name: "a signal of missing packages", play: reports("", 1), change: signal(Signal{Pattern: "also (said)", Reason: ReasonDepsMissing, Hint: "install"}),
			status: gavel.CheckNoScan, reason: ReasonDepsMissing, detail: "error: also said: install"},
		{name: "the same with exit 0", play: reports(sarif(0), 0), change: signal(Signal{Pattern: "also said", Reason: ReasonDepsMissing}), status: gavel.CheckPass, coverage: gavel.CoverageFull},
		{name: "nothing to do", play: reports("", 1), change: signal(Signal{Pattern: "said", Reason: ReasonNothingToDo}), status: gavel.CheckSkip, reason: ReasonNothingToDo},
		{name: "nothing to do in one batch of two", play: func(task proc.Task) (string, string, proc.Exit, error) {
			if slices.Contains(task.Argv, "./a.js") {
				return "", "said", proc.Exit{Code: 1}, nil
			}
			return sarif(1), "", proc.Exit{Code: 1}, nil
		}, change: func(c *Check) {
			onStdout(c)
			c.Argv[0] = append(c.Argv[0], "{config}")
			c.Signals = []Signal{{Pattern: "said", Reason: ReasonNothingToDo}}
		}, status: gavel.CheckFail, findings: 1, coverage: gavel.CoverageFull},
		{name: "with another exit code", play: reports("", 1), change: signal(Signal{Pattern: "said", Exit: []int{5}, Reason: ReasonNothingToDo}), status: gavel.CheckNoScan, reason: ReasonReportMissing},
		{name: "a module that the tree has", play: reports(sarif(1), 1), change: func(c *Check) {
			c.Signals = []Signal{{Pattern: "also (a.js)", Module: true, Reason: ReasonDepsMissing}, {Pattern: "error: (also)", Module: true, Reason: ReasonOffline}}
		}, status: gavel.CheckNoScan, reason: ReasonOffline},
		{name: "reduced", play: reports(sarif(0), 0), change: func(c *Check) { c.CoverageSignals = []CoverageSignal{{"also", "half of it"}} },
			status: gavel.CheckPass, coverage: gavel.CoverageReduced},
		{name: "stdout", play: func(proc.Task) (string, string, proc.Exit, error) { return sarif(1), "", proc.Exit{Code: 1}, nil }, change: onStdout,
			status: gavel.CheckFail, findings: 1, coverage: gavel.CoverageFull},
		{name: "stdout that was cut", play: func(proc.Task) (string, string, proc.Exit, error) {
			return sarif(1), "", proc.Exit{Code: 1, Capped: true}, nil
		}, change: onStdout,
			status: gavel.CheckError, reason: ReasonOutputCapped},
		{name: "preparing fails", play: reports(sarif(0), 1), change: func(c *Check) { c.Argv = [][]string{{"linter", "--prepare"}, c.Argv[0]} },
			status: gavel.CheckError, reason: ReasonCrashed, detail: "preparing"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			env, _ := world(t, tt.play)
			o := linter(t, tt.change).Run(context.Background(), env)
			want := tt.coverage
			if want == "" {
				want = gavel.CoverageUnknown
			}
			if o.Status != tt.status || o.Reason != tt.reason && tt.reason != "" || !strings.Contains(o.Detail, tt.detail) || len(o.Findings) != tt.findings || o.Coverage != want {
				t.Errorf("%s %s %q, %d findings, coverage %s", o.Status, o.Reason, o.Detail, len(o.Findings), o.Coverage)
			}
			if o.Complete() != (want == gavel.CoverageFull) {
				t.Errorf("complete: %v", o.Complete())
			}
			if o.Findings == nil || o.Command == nil || o.Tools == nil || o.Isolation == "" || o.ID != "lint" {
				t.Errorf("%+v", o)
			}
			for i := range o.Findings {
				if o.Findings[i].Source != gavel.SourceCheck || o.Findings[i].Rule == "" {
					t.Errorf("%+v", o.Findings[i])
				}
			}
		})
	}
}

func onStdout(c *Check) {
	c.Argv, c.Report.File, c.Report.Stdout = [][]string{{"linter"}}, "", true
}

func TestRunIsCancelled(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		ctx    func() (context.Context, context.CancelFunc)
		reason Reason
	}{
		{func() (context.Context, context.CancelFunc) {
			ctx, cancel := context.WithCancel(context.Background())
			cancel()
			return ctx, cancel
		}, ReasonCancelled},
		{func() (context.Context, context.CancelFunc) {
			return context.WithDeadline(context.Background(), time.Unix(1, 0))
		}, ReasonBudget},
	} {
		env, _ := world(t, ended(proc.Exit{Code: -1, Cancelled: true}, nil))
		ctx, cancel := tt.ctx()
		defer cancel()
		if o := linter(t, nil).Run(ctx, env); o.Status != gavel.CheckNoScan || o.Reason != tt.reason {
			t.Errorf("%s %s, want %s", o.Status, o.Reason, tt.reason)
		}
	}
}

// TestRunSeveralReports makes one outcome of the files that a pattern names, and takes none that was there before.
func TestRunSeveralReports(t *testing.T) {
	t.Parallel()
	play := func(task proc.Task) (string, string, proc.Exit, error) {
		for i, name := range []string{"one", "two"} {
			_ = os.WriteFile(filepath.Join(task.Dir, "out", name+".sarif"), []byte(sarif(i+1)), 0o600)
		}
		return "nothing in one of them", "", proc.Exit{Code: 1}, nil
	}
	env, _ := world(t, play)
	put(t, env.Root, "out/old.sarif", sarif(50))
	p := linter(t, func(c *Check) { c.Argv, c.Report.File = [][]string{{"linter"}}, "out/*.sarif" })
	p.Check.Signals = []Signal{{Pattern: "nothing", Exit: []int{0, 1}, Reason: ReasonNothingToDo}}
	o := p.Run(context.Background(), env)
	if o.Status != gavel.CheckFail || len(o.Findings) != 3 {
		t.Errorf("%s %s %q, %d findings", o.Status, o.Reason, o.Detail, len(o.Findings))
	}
	env, _ = world(t, func(proc.Task) (string, string, proc.Exit, error) { return "nothing here", "", proc.Exit{}, nil })
	put(t, env.Root, "out/old.sarif", sarif(50))
	if o := p.Run(context.Background(), env); o.Status != gavel.CheckSkip || o.Reason != ReasonNothingToDo {
		t.Errorf("an old report was taken: %s %s %q", o.Status, o.Reason, o.Detail)
	}
	p.Check.Signals = nil
	if o := p.Run(context.Background(), env); o.Status != gavel.CheckNoScan || o.Reason != ReasonReportMissing {
		t.Errorf("an old report was taken: %s %s %q", o.Status, o.Reason, o.Detail)
	}
}

func TestRunEnvironment(t *testing.T) {
	t.Parallel()
	env, s := world(t, reports(sarif(0), 0))
	env.Environ = Environ(func(name string) string {
		return map[string]string{"PATH": env.Environ[0][5:], "ANTHROPIC_API_KEY": "secret", "GITHUB_TOKEN": "secret", "HTTPS_PROXY": "http://proxy", "HOME": "/home/x", "GOFLAGS": "-mod=mod"}[name]
	})
	p := linter(t, func(c *Check) { c.Env = map[string]string{"HOME": "{cache}/home", "GOFLAGS": "-x"} })
	if o := p.Run(context.Background(), env); o.Status != gavel.CheckPass {
		t.Fatalf("%s %s", o.Reason, o.Detail)
	}
	got := s.tasks[len(s.tasks)-1].Env
	for _, kv := range got {
		name, value, _ := strings.Cut(kv, "=")
		switch {
		case value == "secret", name == "HTTPS_PROXY", value == "-mod=mod":
			t.Errorf("the tool sees %s", kv)
		case name == "HOME" && value != filepath.Join(env.Scratch, "cache", "lint", "home"):
			t.Errorf("%s", kv)
		}
	}
	slices.Sort(got)
	names := make([]string, len(got))
	for i, kv := range got {
		names[i], _, _ = strings.Cut(kv, "=")
	}
	if len(slices.Compact(slices.Clone(names))) != len(names) {
		t.Errorf("a name twice: %v", names)
	}
}

func TestEnvironIsAnAllowList(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"OPENAI_API_KEY", "ANTHROPIC_API_KEY", "AWS_SECRET_ACCESS_KEY", "GITHUB_TOKEN", "NPM_TOKEN", "SSH_AUTH_SOCK", "CARGO_REGISTRY_TOKEN", "NODE_OPTIONS", "GOFLAGS", "PYTHONPATH", "LD_PRELOAD", "GIT_DIR"} {
		if v, ok := lookup(Environ(func(string) string { return "secret" }), name); ok && v == "secret" {
			t.Errorf("%s reaches the tools", name)
		}
	}
}
