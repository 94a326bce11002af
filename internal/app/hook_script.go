package app

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/gavel-review/gavel"
)

// hookMarker begins the second line of every hook that gavel has written. The hook's name and a checksum of the other
// lines follow: a hook that somebody has edited since is theirs.
const hookMarker = "# gavel-hook 1 "

// hookScript is the whole hook: a shell that finds gavel and becomes it. All judgement is gavel's.
//
// The absolute path comes first since graphical clients start hooks with hardly any PATH; PATH comes second for the
// day when the binary has moved. With neither, nothing can be judged, and nothing passes.
func hookScript(hook, binary string) string {
	body := strings.NewReplacer("HOOK", hook, "BINARY", shellQuote(binary)).Replace(hookTemplate)
	return "#!/bin/sh\n" + hookMarker + hook + " " + hookSum(body) + "\n" + body
}

const hookTemplate = "# Written by `gavel hook install HOOK`; `gavel hook uninstall HOOK` removes it.\n" + `gavel=BINARY
if [ ! -f "$gavel" ] || [ ! -x "$gavel" ]; then
	gavel=$(command -v gavel) || {
		echo 'HOOK: gavel was not found, so nothing was judged; install it, or skip the hook once with --no-verify' >&2
		exit 3
	}
fi
exec "$gavel" hook run HOOK -- "$@"
`

func hookSum(body string) string {
	sum := sha256.Sum256([]byte(body))
	return hex.EncodeToString(sum[:8])
}

// shellQuote makes one word of POSIX shell out of any text.
func shellQuote(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }

// hookOwner is who a hook belongs to.
type hookOwner uint8

const (
	hookForeign hookOwner = iota
	hookOwn
	hookEdited // written by gavel, changed by somebody
)

// ownerOf tells whose a hook's text is.
func ownerOf(hook, text string) hookOwner {
	first, rest, _ := strings.Cut(text, "\n")
	marker, body, _ := strings.Cut(rest, "\n")
	claim, ok := strings.CutPrefix(marker, hookMarker)
	switch {
	case !ok || !strings.HasPrefix(first, "#!"):
		return hookForeign
	case claim == hook+" "+hookSum(body):
		return hookOwn
	}
	return hookEdited
}

// hookTarget returns the binary that a hook's text names, "" when it names none.
func hookTarget(text string) string {
	_, rest, _ := strings.Cut(text, "\ngavel='")
	var b strings.Builder
	for {
		part, more, closed := strings.Cut(rest, "'")
		if !closed {
			return ""
		}
		b.WriteString(part)
		if rest, closed = strings.CutPrefix(more, `\''`); !closed {
			return b.String()
		}
		b.WriteByte('\'')
	}
}

// hookBinary is the absolute path that the hook names: the one asked for, else the running program.
func hookBinary(env *Env, asked string) (string, error) {
	if asked != "" {
		path := env.path(asked)
		if !executable(path) {
			return "", gavel.Errorf(gavel.InvalidArgs, "binary: %s is not an executable file", gavel.DisplayPath(path))
		}
		return path, nil
	}
	running, err := os.Executable()
	if err != nil {
		return "", gavel.Errorf(gavel.Internal, "the path of the running gavel is not known: %w", err).WithHint("name it with --binary")
	}
	return stableName(env, running), nil
}

// stableName prefers the name under which PATH finds the same file: package managers keep the file itself in a folder
// that the next upgrade removes.
func stableName(env *Env, binary string) string {
	info, err := os.Stat(binary)
	if err != nil {
		return binary
	}
	for _, dir := range filepath.SplitList(env.Getenv("PATH")) {
		path := filepath.Join(dir, filepath.Base(binary))
		if !filepath.IsAbs(path) {
			continue
		}
		if found, err := os.Stat(path); err == nil && os.SameFile(info, found) {
			return path
		}
	}
	return binary
}

func executable(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular() && (runtime.GOOS == "windows" || info.Mode().Perm()&0o111 != 0)
}
