package store

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/gavel-review/gavel"
)

// RunRepo names the repository whose runs are meant. Every linked worktree of a repository is the same one.
type RunRepo struct {
	CommonDir string // path of git's common directory, absolute
}

const (
	runsFolder   = "runs"
	maxKeyPrefix = 64
)

// key is the name of the repository's folder below runs: the base name, for people, and a hash of the canonical common
// directory, so that two clones of the same name never mix.
func (r RunRepo) key() (string, error) {
	if !filepath.IsAbs(r.CommonDir) {
		return "", gavel.Errorf(gavel.Internal, "the common git directory %q is not an absolute path", r.CommonDir)
	}
	dir, err := filepath.EvalSymlinks(r.CommonDir)
	if err != nil {
		dir = filepath.Clean(r.CommonDir) // what no longer exists keeps its name
	}
	name := filepath.Base(dir)
	if name == ".git" {
		name = filepath.Base(filepath.Dir(dir))
	}
	name = percentEncoded(strings.TrimSuffix(name, ".git"))
	return cutKey(name, maxKeyPrefix) + "-" + shortHash(dir), nil
}

// branchKey is the name of a branch's folder. A detached HEAD has one per commit; its mark can be in no encoded name.
func branchKey(branch, commit string) string {
	const mark = "@"
	if branch == "" {
		return mark + percentEncoded(gavel.ShortCommit(commit))
	}
	key := percentEncoded(branch)
	if len(key) > maxNameLength {
		key = cutKey(key, maxKeyPrefix) + mark + shortHash(branch)
	}
	return key
}

// detached reports whether a branch key stands for a commit without a branch.
func detached(key string) bool { return strings.HasPrefix(key, "@") }

// percentEncoded writes every byte outside [A-Za-z0-9._-] as %XX, and a leading dot too: names that begin with one are
// not state.
func percentEncoded(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if c := s[i]; plainByte(c) && (c != '.' || i > 0) {
			b.WriteByte(c)
		} else {
			fmt.Fprintf(&b, "%%%02X", c)
		}
	}
	return b.String()
}

// cutKey shortens an encoded name without leaving half an escape.
func cutKey(key string, size int) string {
	if len(key) <= size {
		return key
	}
	key = key[:size]
	if i := strings.LastIndexByte(key, '%'); i > size-3 {
		key = key[:i]
	}
	return key
}

func shortHash(s string) string {
	sum := sha256.Sum256([]byte(s))
	return hex.EncodeToString(sum[:10])
}

// runStem is the wished run id: the second, in UTC, and the commit. Before the first commit there are only zeros.
func runStem(commit string, now time.Time) string {
	short := gavel.ShortCommit(strings.ToLower(commit))
	if len(short) < 12 || strings.Trim(short, "0123456789abcdef") != "" {
		short = "000000000000"
	}
	return now.UTC().Format("20060102-150405-") + short
}

// runIDFrom is the n-th id that a run may get.
func runIDFrom(stem string, n int) string {
	if n == 1 {
		return stem
	}
	return fmt.Sprintf("%s-%d", stem, n)
}

func noRun(id string) *gavel.Error {
	return gavel.Errorf(gavel.RunNotFound, "no run %q is kept", id).WithHint("`gavel runs` lists those that are")
}
