package git

import (
	"context"
	"encoding/json"
	"errors"
	"strings"

	"github.com/gavel-review/gavel"
	"github.com/gavel-review/gavel/internal/proc"
)

// configKeys are the keys that are read from the effective configuration: how files are written into the work tree,
// what is ignored, and what names like @{upstream} need. None of them can run anything.
var configKeys = [...]string{
	"core.autocrlf", "core.eol", "core.filemode", "core.symlinks", "core.ignorecase", "core.precomposeunicode",
	"core.excludesfile", "core.attributesfile", "core.trustctime", "core.checkstat",
	"extensions.refstorage", "remote.origin.url", "remote.origin.head", "remote.*.fetch", "branch.*.remote", "branch.*.merge",
}

type setting struct{ key, value string }

// settings are configuration entries, least important first.
type settings []setting

// last returns the value in force, or "".
func (s settings) last(key string) string {
	for i := len(s) - 1; i >= 0; i-- {
		if s[i].key == key {
			return s[i].value
		}
	}
	return ""
}

// place is what git says about where a path lies.
type place struct {
	root, gitDir, commonDir string
	format                  string // object format: sha1 or sha256
	head                    string // commit id, "" when it does not resolve
	bare, shallow           bool
	config                  settings
}

// Unknown words come back as they are: that separates paths, which may hold newlines.
const mark = "--gavel-next"

// discover asks git about a folder, with the user's own configuration: safe.directory is the user's decision. One
// process answers everything; its version and configuration come as trace events.
func discover(ctx context.Context, dir string) (*place, error) {
	out, stderr, err := revParse(ctx, dir, "GIT_TRACE2_EVENT=2", "GIT_TRACE2_EVENT_BRIEF=1",
		"GIT_TRACE2_CONFIG_PARAMS="+strings.Join(configKeys[:], ","))
	version, config, messages := readTrace(stderr)
	var exit *proc.ExitError
	died := errors.As(err, &exit) && exit.Code < 0
	if version == "" || died || isLate(err) { // no trace, or a git that fails over a key without a value while tracing
		if err := checkInstalled(ctx, err); err != nil {
			return nil, err
		}
		if out, messages, err = revParse(ctx, dir); err == nil || errors.As(err, &exit) {
			config, _ = listConfig(ctx, dir)
		}
	} else if err := checkVersion(version); err != nil {
		return nil, err
	}
	if err != nil && !errors.As(err, &exit) {
		return nil, toolError(err)
	}
	p, complete := readPlace(string(out))
	if !complete {
		return nil, placeError(dir, p, messages)
	}
	p.config = config
	return p, nil
}

func checkInstalled(ctx context.Context, err error) error {
	if errors.Is(err, proc.ErrNotFound) || isLate(err) || ctx.Err() != nil {
		return toolError(err)
	}
	_, err = Version(ctx)
	return err
}

func revParse(ctx context.Context, dir string, env ...string) (out []byte, stderr string, err error) {
	c := proc.Command{
		Argv: []string{"git", "-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null", "rev-parse",
			"--is-bare-repository", "--is-shallow-repository", "--show-object-format", "--path-format=absolute",
			"--git-dir", mark, "--git-common-dir", mark, "--show-toplevel", mark, "HEAD"},
		Dir: dir, Env: environment(env...), MaxStderr: 4 << 20, Idle: listingDeadline,
	}
	return c.Output(ctx)
}

// readPlace reads what revParse printed. It is complete when the work tree is known; HEAD need not exist.
func readPlace(out string) (*place, bool) {
	p := &place{}
	words := strings.SplitN(out, "\n", 4)
	if len(words) < 4 {
		return p, false
	}
	p.bare, p.shallow, p.format = words[0] == "true", words[1] == "true", words[2]
	paths := strings.SplitN(words[3], "\n"+mark+"\n", 4)
	if len(paths) < 4 {
		return p, false
	}
	p.gitDir, p.commonDir, p.root = paths[0], paths[1], paths[2]
	p.head = strings.TrimSuffix(paths[3], "\n")
	if !isID(p.head) {
		p.head = ""
	}
	return p, true
}

func placeError(dir string, p *place, messages string) error {
	hint := "give a folder inside a work tree"
	switch {
	case strings.Contains(messages, "dubious ownership"):
		return gavel.Errorf(gavel.Refused, "%s belongs to another user, so git does not trust it", quoted(dir)).
			WithHint("if you trust it: git config --global --add safe.directory %s", safeDirectory(dir, messages))
	case p.bare:
		return gavel.Errorf(gavel.NotAGitRepo, "%s is a bare repository: it has no index and no work tree to review", quoted(dir)).
			WithHint("review a clone of it, or add a work tree with git worktree add")
	case strings.Contains(messages, "must be run in a work tree"):
		return gavel.Errorf(gavel.NotAGitRepo, "%s lies inside a git directory, not in a work tree", quoted(dir)).WithHint("%s", hint)
	case strings.Contains(messages, "not a git repository"):
		return gavel.Errorf(gavel.NotAGitRepo, "%s is not in a git work tree", quoted(dir))
	}
	return gavel.Errorf(gavel.NotAGitRepo, "%s cannot be opened as a git repository: %s", quoted(dir), said(messages)).WithHint("%s", hint)
}

// safeDirectory takes the folder out of git's own message: the one that must be named is the repository's top.
func safeDirectory(dir, messages string) string {
	_, rest, _ := strings.Cut(messages, "repository at '")
	if top, _, ok := strings.Cut(rest, "'"); ok && top != "" {
		return top
	}
	return dir
}

// readTrace separates trace events, one JSON object a line, from messages for people.
func readTrace(stderr string) (version string, config settings, messages string) {
	var said strings.Builder
	for line := range strings.Lines(stderr) {
		if !strings.HasPrefix(line, `{"event":`) {
			said.WriteString(line)
			continue
		}
		var e struct{ Event, Exe, Param, Value string }
		if json.Unmarshal([]byte(line), &e) != nil {
			continue
		}
		switch e.Event {
		case "version":
			version = e.Exe
		case "def_param":
			config = append(config, setting{lowerKey(e.Param), e.Value})
		}
	}
	return version, config, said.String()
}

// lowerKey lowers section and variable; the part between them is a name and keeps its case.
func lowerKey(key string) string {
	first, last := strings.IndexByte(key, '.'), strings.LastIndexByte(key, '.')
	if first < 0 {
		return strings.ToLower(key)
	}
	return strings.ToLower(key[:first]) + key[first:last] + strings.ToLower(key[last:])
}

// listConfig is the slow way to the same settings.
func listConfig(ctx context.Context, dir string) (settings, error) {
	out, _, err := proc.Command{Argv: []string{"git", "config", "--list", "-z"}, Dir: dir, Env: environment(), Idle: listingDeadline}.Output(ctx)
	if err != nil {
		return nil, toolError(err)
	}
	var all settings
	for entry := range strings.SplitSeq(string(out), "\x00") {
		key, value, hasValue := strings.Cut(entry, "\n")
		if !hasValue {
			value = "true"
		}
		if wantedKey(key) {
			all = append(all, setting{key, value})
		}
	}
	return all, nil
}

func wantedKey(key string) bool {
	for _, want := range configKeys {
		before, after, any := strings.Cut(want, "*")
		if key == want || any && len(key) >= len(before)+len(after) && strings.HasPrefix(key, before) && strings.HasSuffix(key, after) {
			return true
		}
	}
	return false
}

// isID reports whether s is a full object id in hex.
func isID(s string) bool {
	if len(s) != 40 && len(s) != 64 {
		return false
	}
	for i := range len(s) {
		if c := s[i]; (c < '0' || c > '9') && (c < 'a' || c > 'f') {
			return false
		}
	}
	return true
}
