package test

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// TestScripts runs testdata/script/*.txtar. Beside testscript's own commands (exec, stdin, stdout, stderr, cmp, grep,
// ttyin, …) a script has
//
//	exits N CMD [ARG...]          the command ends with exactly this exit code
//	gitinit [DIR]                 an empty repository with a branch main
//	gitcommit DIR MESSAGE         everything in DIR becomes a commit
//	snapshot NAME DIR             remember every file, mode and time below DIR, .git too
//	[!] same NAME DIR             … and compare
//	[!] jsonpath FILE PATH [JSON] the value at .a.b[0] is that, or exists; see query
//	mcp FILE [ARG...]             the lines of FILE are sent to `gavel mcp`; its answers are stdout
//	feed FILE CMD [ARG...]        the same for any command
//	closedpipe CMD [ARG...]       nobody reads the command's standard output
//	edit, cut, fingerprint, acknowledge, hostile-names: see gate_test.go
//
// HOME and the XDG folders are empty, git reads no configuration but the script's own, its identity and dates are fixed,
// and the zone is UTC. What a script needs and does not find it skips: [!exec:zsh] skip 'needs zsh'.
func TestScripts(t *testing.T) {
	bin := filepath.Dir(gavel(t))
	p := testscript.Params{
		Dir:                "testdata/script",
		Setup:              func(env *testscript.Env) error { return setup(env, bin) },
		Cmds:               commands,
		Condition:          condition,
		RequireUniqueNames: true,
		UpdateScripts:      os.Getenv("GAVEL_TEST_UPDATE") != "",
	}
	if deadline, ok := t.Deadline(); ok {
		p.Deadline = deadline
	}
	testscript.RunT(scriptT{t}, p)
}

// condition knows [root]: the script runs with root's privileges.
func condition(name string) (bool, error) {
	if name == "root" {
		return os.Geteuid() == 0, nil
	}
	return false, fmt.Errorf("unknown condition %q", name)
}

// scriptT counts skips.
type scriptT struct{ *testing.T }

func (t scriptT) Skip(reason ...any) { skip(t.T, strings.TrimSpace(fmt.Sprintln(reason...))) }

func (t scriptT) Run(name string, f func(testscript.T)) {
	t.T.Run(name, func(t *testing.T) { f(scriptT{t}) })
}

func (t scriptT) Verbose() bool { return testing.Verbose() }

// gitconfig is all the configuration that git reads in a script.
const gitconfig = `[init]
	defaultBranch = main
[core]
	autocrlf = false
[commit]
	gpgSign = false
[gc]
	auto = 0
[maintenance]
	auto = false
[protocol "file"]
	allow = always
[advice]
	detachedHead = false
	addEmbeddedRepo = false
`

func setup(env *testscript.Env, bin string) error {
	home := filepath.Join(env.WorkDir, ".home")
	for _, dir := range []string{"config", "state", "cache"} {
		if err := os.MkdirAll(filepath.Join(home, dir), 0o700); err != nil {
			return err
		}
	}
	config := filepath.Join(env.WorkDir, ".tmp", "gitconfig")
	if err := os.WriteFile(config, []byte(gitconfig), 0o600); err != nil {
		return err
	}
	if runtime.GOOS == "windows" {
		env.Setenv("USERPROFILE", home)
		env.Setenv("SystemRoot", os.Getenv("SystemRoot"))
	}
	const date = "2026-01-02T03:04:05Z"
	for _, kv := range [][2]string{
		{"PATH", bin + string(os.PathListSeparator) + env.Getenv("PATH")},
		{"HOME", home},
		{"XDG_CONFIG_HOME", filepath.Join(home, "config")},
		{"XDG_STATE_HOME", filepath.Join(home, "state")},
		{"XDG_CACHE_HOME", filepath.Join(home, "cache")},
		{"GIT_CONFIG_NOSYSTEM", "1"},
		{"GIT_CONFIG_GLOBAL", config},
		{"GIT_CEILING_DIRECTORIES", filepath.Dir(env.WorkDir)},
		{"GIT_TERMINAL_PROMPT", "0"},
		{"GIT_AUTHOR_NAME", "A. Author"},
		{"GIT_AUTHOR_EMAIL", "author@example.com"},
		{"GIT_AUTHOR_DATE", date},
		{"GIT_COMMITTER_NAME", "C. Committer"},
		{"GIT_COMMITTER_EMAIL", "committer@example.com"},
		{"GIT_COMMITTER_DATE", date},
		{"LC_ALL", "C"},
		{"TZ", "UTC"},
		{"TERM", "xterm"},
	} {
		env.Setenv(kv[0], kv[1])
	}
	env.Values[snapshotsKey{}] = snapshots{}
	return nil
}
