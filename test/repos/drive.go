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
	"time"
)

// outcome is what a run answered.
type outcome struct {
	RunID          string   `json:"run_id"`
	Verdict        string   `json:"verdict"`
	BlockingIssues []string `json:"blocking_issues"`
	Caveats        []string `json:"caveats"`

	exit   int
	took   time.Duration
	stderr string
}

// drive runs gavel on the copy. An answer that is none has no verdict.
func (d *driver) drive(r *repository, w *work, t trial) (*outcome, error) {
	args := []string{"run", "--repo", w.dir, "--json", "--profile", t.profile}
	if t.budget != "" {
		args = append(args, "--budget", t.budget)
	}
	cmd := exec.Command(d.gavel, args...)
	cmd.Dir = d.scratch
	cmd.Env = append(os.Environ(), "GAVEL_HOME="+filepath.Join(d.scratch, r.Name+"-state"), "XDG_CONFIG_HOME="+filepath.Join(d.scratch, "config"))
	if t.path != "" {
		cmd.Env = append(cmd.Env, "PATH="+t.path)
	}
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	started := time.Now()
	err := cmd.Run()
	o := &outcome{took: time.Since(started), stderr: stderr.String()}
	var exit *exec.ExitError
	switch {
	case errors.As(err, &exit):
		o.exit = exit.ExitCode()
	case err != nil:
		return nil, err
	}
	if err := json.Unmarshal(stdout.Bytes(), o); err != nil {
		o.stderr += fmt.Sprintf("no answer: %v: %.400s", err, stdout.Bytes())
	}
	return o, nil
}

func (o *outcome) word() string {
	if o.Verdict == "" {
		return "none"
	}
	return o.Verdict
}

// everything is what was wanted, and all that was said instead.
func (o *outcome) everything(wanted string) []string {
	lines := []string{"wanted " + wanted}
	for _, line := range o.BlockingIssues {
		lines = append(lines, "issue: "+line)
	}
	for _, line := range o.Caveats {
		lines = append(lines, "caveat: "+line)
	}
	if o.Verdict == "" {
		lines = append(lines, "stderr: "+strings.TrimSpace(o.stderr))
	}
	return lines
}
