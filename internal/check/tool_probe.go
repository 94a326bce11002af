package check

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/gavel-review/gavel/internal/proc"
)

// ask has a program say its version. It runs in the private folder, so that no file of the tree configures it.
func ask(ctx context.Context, t Tool, spec ToolSpec, env *RunEnv) (string, error) {
	dir, err := makeScratch(env.Scratch, "version")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(dir)
	args := spec.Version
	if len(args) == 0 {
		args = []string{"--version"}
	}
	stdout, stderr := filepath.Join(dir, "out"), filepath.Join(dir, "err")
	exit, err := env.Runner.Run(ctx, proc.Task{
		Argv: append([]string{t.Path}, args...), Dir: dir, Env: env.probeEnviron(t), Stdout: stdout, Stderr: stderr,
		MaxOutput: 64 << 10, Timeout: probeTimeout,
	})
	switch {
	case err != nil:
		return "", err
	case ctx.Err() != nil:
		return "", context.Cause(ctx)
	case exit.TimedOut:
		return "", fmt.Errorf("it took more than %s", probeTimeout)
	}
	out, _ := os.ReadFile(stdout)
	said, _ := os.ReadFile(stderr)
	if exit.Code != 0 {
		return "", fmt.Errorf("exit code %d: %s", exit.Code, firstLine(string(said)+"\n"+string(out)))
	}
	text := cleanText(out) + "\n" + cleanText(said)
	for line := range strings.Lines(text) {
		if strings.ContainsAny(line, "0123456789") {
			return firstLine(line), nil // others draw a frame around it first
		}
	}
	return "", errors.New("it said nothing that looks like a version")
}

// probeEnviron is the environment for a question that must neither load nor fetch anything.
func (env *RunEnv) probeEnviron(t Tool) []string {
	list := append([]string{}, env.Environ...)
	list = append(list, "GOTOOLCHAIN=local", "GOPROXY=off", "RUSTUP_AUTO_INSTALL=0")
	if t.Local {
		search, _ := lookup(env.Environ, "PATH")
		list = append(list, "PATH="+filepath.Dir(t.Path)+string(filepath.ListSeparator)+search)
	}
	return list
}

// firstLine is the first line of a text that says something, cut to what fits.
func firstLine(text string) string {
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(strings.ToValidUTF8(line, "\ufffd")); line != "" {
			if len(line) > maxVersion {
				line = strings.ToValidUTF8(line[:maxVersion], "")
			}
			return line
		}
	}
	return ""
}
