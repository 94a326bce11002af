package main

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/gavel-review/gavel"
	"github.com/gavel-review/gavel/internal/store"
)

// linters are tools that cost nothing, so that what is left is gavel: eslint writes a report that lies ready.
const (
	eslint = `#!/bin/sh
while [ $# -gt 0 ]; do
	[ "$1" = --output-file ] && report=$2
	shift
done
cat "${0%/*}/report" >"$report"
`
	prettier = "#!/bin/sh\nexit 0\n"
)

// runRows makes what runs are measured on.
func runRows(binary, dir string, files int, env []string) ([]row, error) {
	repo := filepath.Join(dir, "run")
	if err := makeRunRepo(repo, files, env); err != nil {
		return nil, err
	}
	run := []string{binary, "run", "--json"}
	fresh := func() error { return commitLine(repo, env) }
	away := func() error { return stageLine(repo, env) }
	page, err := findingsRow(binary, filepath.Join(dir, "findings"), env)
	if err != nil {
		return nil, err
	}
	home := filepath.Join(dir, "packs")
	if err := packsInAnotherProcess(home); err != nil {
		return nil, err
	}
	rebuild := []string{"env", "GAVEL_HOME=" + home, binary, "runs", "--all", "--rebuild", "--json"}
	return []row{
		{"quick run, gavel itself", []command{{name: "gavel", argv: run, dir: repo, own: true, before: fresh}}},
		{"quick run, all processes", []command{{name: "gavel", argv: run, dir: repo, before: fresh}}},
		{"the same, tree put on disk", []command{{name: "gavel", argv: append(run, "--staged"), dir: repo, own: true, before: away}}},
		page,
		{"index of 1000 packs anew", []command{{name: "gavel", argv: rebuild, dir: repo}}},
	}, nil
}

// makeRunRepo is a repository on a branch of its own, with two linters that find nothing and a hundred new lines.
func makeRunRepo(dir string, files int, env []string) error {
	for name, text := range map[string]string{
		"package.json": `{"private": true, "devDependencies": {"eslint": "9", "prettier": "3"}, "prettier": {}}`, "eslint.config.js": "export default []\n",
		".gitignore": "node_modules\n", "a.js": "export const a = 1\n",
		"node_modules/eslint/package.json": `{"version": "9.0.0"}`, "node_modules/prettier/package.json": `{"version": "3.0.0"}`,
		"node_modules/.bin/eslint": eslint, "node_modules/.bin/prettier": prettier, "node_modules/.bin/report": "[]",
	} {
		if err := put(filepath.Join(dir, name), text); err != nil {
			return err
		}
	}
	if err := makeRepo(dir, files, 100, env); err != nil {
		return err
	}
	return gitIn(dir, env, []string{"checkout", "-q", "-b", "change"}, []string{"commit", "-qm", "change"})
}

func put(path, text string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return os.WriteFile(path, []byte(text), 0o755)
}

func gitIn(dir string, env []string, commands ...[]string) error {
	for _, args := range commands {
		cmd := exec.Command("git", append([]string{"-c", "user.name=bench", "-c", "user.email=bench@example.com", "-c", "gc.auto=0"}, args...)...)
		cmd.Dir, cmd.Env = dir, env
		if out, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("git %v: %s", args, out)
		}
	}
	return nil
}

// newLine makes a tree that no result is kept of.
func newLine(repo string) error {
	return put(filepath.Join(repo, "a.js"), fmt.Sprintf("export const a = %d\n", time.Now().UnixNano()))
}

func commitLine(repo string, env []string) error {
	if err := newLine(repo); err != nil {
		return err
	}
	return gitIn(repo, env, []string{"commit", "-qam", "a line"})
}

func stageLine(repo string, env []string) error {
	if err := newLine(repo); err != nil {
		return err
	}
	return gitIn(repo, env, []string{"add", "a.js"})
}

// findingsRow is a page out of a run whose linter said a hundred thousand things.
func findingsRow(binary, repo string, env []string) (row, error) {
	if err := makeRunRepo(repo, 10, env); err != nil {
		return row{}, err
	}
	if err := writeMuch(repo, 100_000); err != nil {
		return row{}, err
	}
	if err := gitIn(repo, env, []string{"commit", "-qam", "much"}); err != nil {
		return row{}, err
	}
	run := command{name: "gavel", argv: []string{binary, "run", "--json"}, dir: repo}
	s, err := run.run(env)
	if err != nil {
		return row{}, err
	}
	fmt.Printf("%-28s %-9s cpu %8.1f ms  wall %8.1f ms  peak %6.1f MiB\n", "a run with 100000 findings", "gavel", ms(s.cpu), ms(s.wall), float64(s.peak)/1024)
	page := []string{binary, "findings", "--limit", "100", "--json"}
	return row{"100 of 100000 findings", []command{{name: "gavel", argv: page, dir: repo}}}, nil
}

// writeMuch writes a file of n lines, and a report that says something of each. Nothing is held in memory: the peak of a
// child is never told smaller than this process is when it starts it.
func writeMuch(repo string, n int) error {
	code, err := os.Create(filepath.Join(repo, "a.js"))
	if err != nil {
		return err
	}
	defer code.Close()
	report, err := os.Create(filepath.Join(repo, "node_modules/.bin/report"))
	if err != nil {
		return err
	}
	defer report.Close()
	lines, messages := bufio.NewWriter(code), bufio.NewWriter(report)
	fmt.Fprintf(messages, `[{"filePath": %q, "errorCount": 0, "warningCount": %d, "messages": [`, code.Name(), n)
	for i := range n {
		fmt.Fprintf(lines, "use(%d)\n", i)
		if i > 0 {
			messages.WriteByte(',')
		}
		fmt.Fprintf(messages, `{"ruleId": "no-use", "severity": 1, "message": "%d is not to be used", "line": %d, "column": 1}`, i, i+1)
	}
	messages.WriteString("]}]")
	return errors.Join(lines.Flush(), messages.Flush())
}

// packsFlag has the process make packs and nothing else.
const packsFlag = "-make-packs"

// packsInAnotherProcess keeps this one small, see writeMuch.
func packsInAnotherProcess(home string) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	if out, err := exec.Command(self, packsFlag, home).CombinedOutput(); err != nil {
		return fmt.Errorf("making packs: %w: %s", err, out)
	}
	return nil
}

// makePacks keeps a thousand runs: of five repositories, ten branches each, twenty runs a branch.
func makePacks(home string) error {
	s := store.Open(func(name string) string {
		if name == "GAVEL_HOME" {
			return home
		}
		return ""
	})
	now := time.Date(2026, 3, 10, 12, 0, 0, 0, time.UTC)
	for i := range 1000 {
		repo := store.RunRepo{CommonDir: fmt.Sprintf("/srv/repo%d/.git", i%5)}
		run, err := s.StartRun(repo, gavel.RunRecord{
			Kind: gavel.RunOfChange, Profile: gavel.ProfileQuick, Subject: gavel.SubjectCommit, Commit: strings.Repeat("a1", 20),
			Tree: strings.Repeat("b2", 20), Branch: fmt.Sprintf("branch-%d", i/5%10), BaseUsed: []string{"origin/main"},
		}, now.Add(time.Duration(i)*time.Second))
		if err != nil {
			return err
		}
		run.Log("began")
		for _, name := range []string{store.PackMergeGate, store.PackSummary, store.PackReport, store.PackIndex} {
			if err := run.Write(name, fmt.Appendf(nil, "{\"run_id\": %q}\n", run.Record().ID)); err != nil {
				return err
			}
		}
		if err := run.Finish(store.RunRow{Verdict: gavel.Pass, GeneratedAt: now, ChecksPassed: 4}); err != nil {
			return err
		}
	}
	return nil
}
