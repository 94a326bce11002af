// Package git turns a repository into a change. It is the only room that runs git, and it trusts nothing but objects:
// every command that reads content runs in a private git directory with a configuration of our own, whose object store
// borrows the repository's. The repository's configuration, hooks, filters, attributes, replace refs, grafts, commit
// graph and promisor remotes therefore play no role, and nothing is ever written into the repository.
//
// A change is the difference of two trees. [Repo.Pin] pins them first (index and work tree are written as trees into
// the private store), and compares them itself, tree by tree: that list is the account of the change. [Comparison.Files]
// then yields the text file by file, holding one file's hunks at a time: made here where there is one way to show the
// difference, else written by one git process. Objects are read here too, and asked of git where that is not enough.
package git

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/gavel-review/gavel"
	"github.com/gavel-review/gavel/internal/proc"
)

// MaxText is the largest blob whose text is reviewed, in bytes. A larger one is skipped as too large, or as binary
// where it holds a NUL byte.
const MaxText = 32 << 20

// The oldest git that has everything that is used here.
const minMajor, minMinor = 2, 39

// How long git may say nothing before it counts as stuck, as on a pipe that stands where a file should. Listing waits for
// the work tree alone; a walk over all of history may be silent for long. Only tests change them.
var (
	listingDeadline = 2 * time.Minute
	objectDeadline  = 10 * time.Minute
)

// inherited are the variables of this process that git needs: to be found, and to find what the user configured.
// Every GIT_* variable is left out.
var inherited = [...]string{"PATH", "HOME", "XDG_CONFIG_HOME", "TMPDIR", "SUDO_UID", "USERPROFILE", "SYSTEMROOT"}

// environment is what every git process gets.
func environment(more ...string) []string {
	env := make([]string, 0, len(inherited)+8+len(more))
	for _, key := range inherited {
		if v, ok := os.LookupEnv(key); ok {
			env = append(env, key+"="+v)
		}
	}
	return append(append(env,
		"LC_ALL=C",
		"GIT_TERMINAL_PROMPT=0",
		"GIT_OPTIONAL_LOCKS=0",
		"GIT_NO_REPLACE_OBJECTS=1",
		"GIT_NO_LAZY_FETCH=1",
		"GIT_ALLOW_PROTOCOL=", // no protocol at all: a partial clone does not fetch
	), more...)
}

// Version returns the version of git, or an error of class ToolMissing where there is none that can be used.
func Version(ctx context.Context) (string, error) {
	out, _, err := proc.Command{Argv: []string{"git", "version"}, Env: environment(), Idle: listingDeadline}.Output(ctx)
	if err != nil {
		return "", toolError(err)
	}
	version := strings.TrimPrefix(strings.TrimSpace(string(out)), "git version ")
	return version, checkVersion(version)
}

func checkVersion(version string) error {
	major, rest, _ := strings.Cut(version, ".")
	minor, _, _ := strings.Cut(rest, ".")
	if i := strings.IndexFunc(minor, func(r rune) bool { return r < '0' || r > '9' }); i >= 0 {
		minor = minor[:i]
	}
	a, errA := strconv.Atoi(major)
	b, errB := strconv.Atoi(minor)
	if errA == nil && errB == nil && (a > minMajor || a == minMajor && b >= minMinor) {
		return nil
	}
	e := gavel.Errorf(gavel.ToolMissing, "git %d.%d or later is needed, this is %q", minMajor, minMinor, version)
	e.Extra = map[string]any{"tool": "git"}
	return e.WithHint("install a newer git, or put it first in PATH")
}

// toolError gives an error of running git its class.
func toolError(err error) error {
	switch {
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return cancelled(err)
	case errors.Is(err, proc.ErrNotFound):
		e := gavel.Errorf(gavel.ToolMissing, "git was not found: %w", err).WithHint("install git %d.%d or later", minMajor, minMinor)
		e.Extra = map[string]any{"tool": "git"}
		return e
	}
	return gavel.Errorf(gavel.RunFailed, "git failed: %w", err)
}

func cancelled(err error) error {
	if errors.Is(err, proc.ErrIdle) {
		return stuck("")
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return gavel.Errorf(gavel.RunTimeout, "reading the repository took too long: %w", err)
	}
	return gavel.Errorf(gavel.Cancelled, "cancelled: %w", err)
}

// stuck says that git was ended because it did not go on.
func stuck(root string) *gavel.Error {
	e := gavel.Errorf(gavel.RunTimeout, "git did not go on and was ended").
		WithHint("look for a pipe or a device among the .gitignore and .gitattributes files and in .git: find . -not -type f -not -type d -not -type l")
	if root == "" {
		return e
	}
	if found := gavel.AsError(waitingFile(root)); found != nil {
		e.Message += ": " + found.Message
		return e.WithHint("move it away")
	}
	return e
}

// isLate reports whether a program was ended because it took too long.
func isLate(err error) bool { return errors.Is(err, context.DeadlineExceeded) }

// said returns the last line of what git said, without its severity: what a person wants to see.
func said(stderr string) string {
	stderr = strings.TrimSpace(stderr)
	if i := strings.LastIndexByte(stderr, '\n'); i >= 0 {
		stderr = stderr[i+1:]
	}
	for _, prefix := range [...]string{"fatal: ", "error: "} {
		stderr = strings.TrimPrefix(stderr, prefix)
	}
	return stderr
}

// quoted shows a path in a message.
func quoted(path string) string { return fmt.Sprintf("%q", gavel.DisplayPath(path)) }
