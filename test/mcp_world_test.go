//go:build unix

package test

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gavel-review/gavel/internal/store"
)

// world is a place of its own for one test: a state folder, an environment and repositories.
type world struct {
	t   *testing.T
	dir string
	env map[string]string
}

// goCache is the build cache of whoever runs the tests: an own one would be filled anew for every test.
var goCache = sync.OnceValue(func() string {
	out, _ := exec.Command("go", "env", "GOCACHE").Output()
	return strings.TrimSpace(string(out))
})

func newWorld(t *testing.T) *world {
	t.Helper()
	dir, err := filepath.EvalSymlinks(lastingFolder(t))
	if err != nil {
		t.Fatal(err)
	}
	w := &world{t: t, dir: dir}
	for _, name := range []string{"home", "state"} {
		if err := os.Mkdir(filepath.Join(dir, name), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	w.env = map[string]string{
		"PATH": os.Getenv("PATH"), "HOME": filepath.Join(dir, "home"), "GAVEL_HOME": filepath.Join(dir, "state"),
		"GOCACHE": goCache(), "GOTOOLCHAIN": "local", "GOPROXY": "off", "GOFLAGS": "-mod=mod",
		"GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": os.DevNull, "GIT_CEILING_DIRECTORIES": filepath.Dir(dir),
		"GIT_AUTHOR_NAME": "A. Author", "GIT_AUTHOR_EMAIL": "author@example.com",
		"GIT_COMMITTER_NAME": "C. Committer", "GIT_COMMITTER_EMAIL": "committer@example.com", "LC_ALL": "C",
	}
	if cover := os.Getenv("GOCOVERDIR"); cover != "" {
		w.env["GOCOVERDIR"] = cover
	}
	return w
}

// command is a program in this world.
func (w *world) command(dir, name string, args ...string) *exec.Cmd {
	cmd := exec.Command(name, args...)
	cmd.Dir = dir
	for _, k := range slices.Sorted(maps.Keys(w.env)) {
		cmd.Env = append(cmd.Env, k+"="+w.env[k])
	}
	return cmd
}

// serve begins a session with a server that was started somewhere else.
func (w *world) serve(args ...string) *session {
	w.t.Helper()
	return begin(w.t, w.command(w.dir, gavel(w.t), append([]string{"mcp"}, args...)...))
}

func (w *world) git(repo string, args ...string) string {
	w.t.Helper()
	out, err := w.command(repo, "git", append([]string{"-c", "gc.auto=0"}, args...)...).CombinedOutput()
	if err != nil {
		w.t.Fatalf("git %v: %v\n%s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

func (w *world) write(repo string, files map[string]string) {
	w.t.Helper()
	for name, text := range files {
		path := filepath.Join(repo, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			w.t.Fatal(err)
		}
		mode := os.FileMode(0o644)
		if strings.HasPrefix(text, "#!") {
			mode = 0o755
		}
		if err := os.WriteFile(path, []byte(text), mode); err != nil {
			w.t.Fatal(err)
		}
	}
}

func (w *world) commit(repo string, files map[string]string) {
	w.t.Helper()
	w.write(repo, files)
	w.git(repo, "add", "-A")
	w.git(repo, "commit", "-q", "--allow-empty", "-m", "commit")
}

// repository has a branch main with some files and a branch feature, checked out, that changes some.
func (w *world) repository(name string, main, feature map[string]string) string {
	w.t.Helper()
	repo := filepath.Join(w.dir, name)
	if err := os.Mkdir(repo, 0o755); err != nil {
		w.t.Fatal(err)
	}
	w.git(repo, "init", "-q", "-b", "main")
	w.commit(repo, main)
	w.git(repo, "checkout", "-q", "-b", "feature")
	w.commit(repo, feature)
	return repo
}

// plain is a repository that no check has anything to say of.
func (w *world) plain() string {
	w.t.Helper()
	return w.repository("plain", map[string]string{"a.txt": "a\n"}, map[string]string{"b.txt": "b\n"})
}

var shop = map[string]string{
	"go.mod":       "module example.com/shop\n\ngo 1.24\n",
	"shop.go":      "// Package shop is a shop.\npackage shop\n\n// Answer is the answer.\nfunc Answer() int { return 42 }\n",
	"shop_test.go": "package shop\n\nimport \"testing\"\n\nfunc TestAnswer(t *testing.T) {\n\tif Answer() != 42 {\n\t\tt.Fatal(Answer())\n\t}\n}\n",
}

// goProject is a Go module; the change adds a function.
func (w *world) goProject() string {
	w.t.Helper()
	return w.repository("shop", shop, map[string]string{"price.go": "package shop\n\n// Price is a price.\nfunc Price() int { return Answer() }\n"})
}

// linter finds out where its report is wanted, and has a folder beside itself to meet a test in.
const linter = `#!/bin/sh
while [ $# -gt 0 ]; do
	[ "$1" = --output-file ] && report=$2
	shift
done
meet=${0%/*}
`

// linted is a repository whose only check is a shell script of our own. $report is where it has to write its report,
// $meet is the folder that meet looks into.
func (w *world) linted(script string, main map[string]string) string {
	w.t.Helper()
	files := map[string]string{
		"package.json":                     `{"private": true, "devDependencies": {"eslint": "9"}}` + "\n",
		"eslint.config.js":                 "export default []\n",
		".gitignore":                       "node_modules\n",
		"a.js":                             "export const a = 1\n",
		"node_modules/eslint/package.json": `{"version": "9.0.0"}`,
		"node_modules/.bin/eslint":         linter + script + "\n",
	}
	maps.Copy(files, main)
	return w.repository("linted", files, map[string]string{"a.js": "export const a = 2\n"})
}

// meet is a file through which a test and the linter of its repository tell each other how far they are.
func meet(repo, name string) string { return filepath.Join(repo, "node_modules", ".bin", name) }

// await waits until a file is there.
func await(t *testing.T, path string) {
	t.Helper()
	for began := time.Now(); ; time.Sleep(10 * time.Millisecond) {
		if _, err := os.Stat(path); err == nil {
			return
		}
		if time.Since(began) > patience {
			t.Fatalf("%s does not come to be", path)
		}
	}
}

// lastingFolder is a temporary folder that is removed once nothing writes there any more: a detached run has its verdict
// before its process has tidied up.
func lastingFolder(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "gavel-mcp-*")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		for range 100 {
			if err = os.RemoveAll(dir); err == nil {
				if _, err = os.Lstat(dir); os.IsNotExist(err) {
					return
				}
			}
			time.Sleep(100 * time.Millisecond)
		}
		t.Errorf("%s is still in use: %v", dir, err)
	})
	return dir
}

// state is the state folder as this process sees it.
func (w *world) state() *store.Store {
	return store.Open(func(name string) string { return w.env[name] })
}

// damage puts other bytes into a file of a pack. The manifest knows nothing of it.
func (w *world) damage(pack, name string, data []byte) {
	w.t.Helper()
	if err := os.WriteFile(filepath.Join(pack, name), data, 0o600); err != nil {
		w.t.Fatal(err)
	}
}

// plant puts other bytes into a file of a pack and makes the manifest agree.
func (w *world) plant(pack, name string, data []byte) {
	w.t.Helper()
	w.damage(pack, name, data)
	path := filepath.Join(pack, "MANIFEST.json")
	text, err := os.ReadFile(path)
	if err != nil {
		w.t.Fatal(err)
	}
	var m map[string]any
	if err := json.Unmarshal(text, &m); err != nil {
		w.t.Fatal(err)
	}
	m["files"].(map[string]any)[name] = map[string]any{"sha256": fmt.Sprintf("%x", sha256.Sum256(data)), "size": len(data)}
	if text, err = json.Marshal(m); err != nil {
		w.t.Fatal(err)
	}
	w.damage(pack, "MANIFEST.json", text)
}
