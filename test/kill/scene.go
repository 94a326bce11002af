//go:build linux

package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// scene is a repository whose two linters are shell scripts beside it: eslint behaves as it is told, prettier well.
type scene struct {
	dir   string // everything that a process of this scene has to do with lies below it
	gavel string
	repo  string
	home  string // state folder
}

// linter reads how to behave from a file beside it; $report is where its report is wanted.
const linter = `#!/bin/sh
while [ $# -gt 0 ]; do
	[ "$1" = --output-file ] && report=$2
	shift
done
. "${0%/*}/behaviour"
echo '[]' >"$report"
`

func newScene(dir, gavel string) (*scene, error) {
	s := &scene{dir: dir, gavel: gavel, repo: filepath.Join(dir, "repo"), home: filepath.Join(dir, "state")}
	files := map[string]string{
		"package.json":                       `{"private": true, "devDependencies": {"eslint": "9", "prettier": "3"}, "prettier": {}}` + "\n",
		"eslint.config.js":                   "export default []\n",
		".gitignore":                         "node_modules\n",
		"a.js":                               "export const a = 1\n",
		"node_modules/eslint/package.json":   `{"version": "9.0.0"}`,
		"node_modules/prettier/package.json": `{"version": "3.0.0"}`,
		"node_modules/.bin/eslint":           linter,
		"node_modules/.bin/prettier":         "#!/bin/sh\nexit 0\n",
		"node_modules/.bin/behaviour":        "",
	}
	for name, text := range files {
		path := filepath.Join(s.repo, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return nil, err
		}
		if err := os.WriteFile(path, []byte(text), 0o755); err != nil {
			return nil, err
		}
	}
	for _, args := range [][]string{
		{"init", "-q", "-b", "main"}, {"add", "-A"}, {"commit", "-qm", "base"}, {"checkout", "-qb", "change"},
	} {
		if err := s.git(args...); err != nil {
			return nil, err
		}
	}
	if err := os.WriteFile(filepath.Join(s.repo, "a.js"), []byte("export const a = 2\n"), 0o755); err != nil {
		return nil, err
	}
	return s, s.git("commit", "-qam", "change")
}

func (s *scene) git(args ...string) error {
	cmd := exec.Command("git", append([]string{"-c", "user.name=kill", "-c", "user.email=kill@example.com", "-c", "gc.auto=0"}, args...)...)
	cmd.Dir, cmd.Env = s.repo, s.environ()
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("git %v: %s", args, out)
	}
	return nil
}

func (s *scene) environ() []string {
	return append(os.Environ(), "GAVEL_HOME="+s.home, "XDG_CONFIG_HOME="+filepath.Join(s.dir, "config"), "GIT_CONFIG_GLOBAL="+os.DevNull)
}

// behave tells the linter what to do before it writes its report. The text is new each time, so that no result of
// another run is taken for this one's.
func (s *scene) behave(script string) error {
	if err := os.WriteFile(filepath.Join(s.repo, "node_modules/.bin/behaviour"), []byte(script+"\n"), 0o644); err != nil {
		return err
	}
	text := fmt.Sprintf("export const a = %d\n", time.Now().UnixNano())
	if err := os.WriteFile(filepath.Join(s.repo, "a.js"), []byte(text), 0o755); err != nil {
		return err
	}
	return s.git("commit", "-qam", "another change")
}

// command is gavel with arguments, in a process group of its own.
func (s *scene) command(args ...string) *exec.Cmd {
	cmd := exec.Command(s.gavel, args...)
	cmd.Dir, cmd.Env = s.repo, s.environ()
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	return cmd
}

// answer is what any command of gavel says of a run.
type answer struct {
	RunID      string   `json:"run_id"`
	Status     string   `json:"status"`
	Verdict    string   `json:"verdict"`
	Cause      string   `json:"cause"`
	ErrorClass string   `json:"error_class"`
	Message    string   `json:"message"`
	ActiveRun  string   `json:"active_run_id"`
	Unfinished []string `json:"unfinished"`
	Content    string   `json:"content"`
	Caveats    []string `json:"caveats"`
	Runs       []struct {
		RunID string `json:"run_id"`
		State string `json:"state"`
		Dir   string `json:"dir"`
	} `json:"runs"`

	exit int
	text string
	took time.Duration
}

// ask runs a command to its end and reads the document that it prints.
func (s *scene) ask(args ...string) (*answer, error) {
	cmd := s.command(append(args, "--json")...)
	var out, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &stderr
	started := time.Now()
	a, err := read(cmd.Run(), &out)
	if err != nil {
		return nil, fmt.Errorf("gavel %s: %w: %s", strings.Join(args, " "), err, &stderr)
	}
	a.took = time.Since(started)
	return a, nil
}

func read(ended error, out *bytes.Buffer) (*answer, error) {
	a := &answer{text: out.String()}
	var exit *exec.ExitError
	switch {
	case errors.As(ended, &exit):
		a.exit = exit.ExitCode()
	case ended != nil:
		return nil, ended
	}
	if err := json.Unmarshal(out.Bytes(), a); err != nil {
		return nil, fmt.Errorf("exit %d, no document: %w", a.exit, err)
	}
	return a, nil
}
