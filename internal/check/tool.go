package check

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Where a project keeps its own tools.
const (
	localNode   = "node_modules"
	localPython = "venv"
	localGradle = "gradle"
)

// probeTimeout is how long a tool may take to say its version.
const probeTimeout = 20 * time.Second

// maxVersion bounds what is kept of what a tool says of itself, in bytes.
const maxVersion = 200

// Finder looks for tools, and remembers what they said of themselves. It is safe for concurrent use.
type Finder struct {
	mu       sync.Mutex
	versions map[string]*probe
}

// probe is one question to one program.
type probe struct {
	once    sync.Once
	version string
	err     error
}

// NewFinder makes a finder that knows nothing yet.
func NewFinder() *Finder { return &Finder{versions: make(map[string]*probe)} }

// Tools tells for every tool that the checks of these stacks drive whether it is there for a project at the top of a
// checkout. It starts nothing.
func Tools(stacks []string, environ []string, checkout string) map[string]bool {
	m := Builtin()
	found := make(map[string]bool)
	for i := range m.Checks {
		c := &m.Checks[i]
		if c.Stack != StackAny && !slices.Contains(stacks, c.Stack) {
			continue
		}
		for _, name := range c.Requires.Tools {
			if _, known := found[name]; !known {
				_, found[name] = locate(m.tool(name), environ, checkout, "", "")
			}
		}
	}
	return found
}

// locate finds the program of a tool: in the folders of the project and those above it up to the top of the user's
// checkout, then in the PATH. Nothing that lies in the checkout or in the tree that is judged is ever taken from the
// PATH: a change must not bring its own tools.
func locate(spec ToolSpec, environ []string, checkout, tree, dir string) (Tool, bool) {
	if spec.Local == localGradle {
		if p := wrappedGradle(environ, tree, dir); p != "" {
			return Tool{Name: spec.Name, Path: p}, true
		}
	}
	for _, folder := range localFolders(spec.Local, checkout, dir) {
		p := filepath.Join(folder, spec.Name)
		if isExecutable(p) {
			return Tool{Name: spec.Name, Path: p, Local: true}, true
		}
	}
	search, _ := lookup(environ, "PATH")
	for _, folder := range filepath.SplitList(search) {
		if !filepath.IsAbs(folder) || inside(folder, checkout) || inside(folder, tree) {
			continue
		}
		p := filepath.Join(folder, spec.Name)
		if !isExecutable(p) {
			continue
		}
		if real, err := filepath.EvalSymlinks(p); err == nil && !inside(real, checkout) && !inside(real, tree) {
			return Tool{Name: spec.Name, Path: p}, true
		}
	}
	return Tool{Name: spec.Name}, false
}

// localFolders are the places of a project's own tools, the nearest first.
func localFolders(kind, checkout, dir string) []string {
	if kind != localNode && kind != localPython || checkout == "" {
		return nil
	}
	var folders []string
	for d := dir; ; d = dirOf(d) {
		at := filepath.Join(checkout, filepath.FromSlash(d))
		if kind == localNode {
			folders = append(folders, filepath.Join(at, "node_modules", ".bin"))
		} else {
			folders = append(folders, filepath.Join(at, ".venv", "bin"), filepath.Join(at, "venv", "bin"))
		}
		if d == "" {
			return folders
		}
	}
}

func isExecutable(p string) bool {
	info, err := os.Stat(p)
	return err == nil && info.Mode().IsRegular() && info.Mode()&0o111 != 0
}

func inside(p, folder string) bool {
	return folder != "" && (p == folder || strings.HasPrefix(p, folder+string(filepath.Separator)))
}

// find locates a tool and asks for its version. A tool that is there and fails when it is asked is broken.
func (f *Finder) find(ctx context.Context, spec ToolSpec, env *RunEnv, dir string) (Tool, Reason, string) {
	t, ok := locate(spec, env.Environ, env.Checkout, env.Root, dir)
	if !ok {
		return t, ReasonToolMissing, strings.TrimSuffix(spec.Name+" was not found: "+spec.Install, ": ")
	}
	if t.Local && spec.Local == localNode {
		if t.Version = packageVersion(t.Path, spec); t.Version != "" {
			return t, "", ""
		}
	}
	if spec.Unversioned {
		return t, "", ""
	}
	version, err := f.version(ctx, t, spec, env)
	if err != nil {
		return t, ReasonToolBroken, spec.Name + " does not say its version: " + err.Error()
	}
	t.Version = version
	return t, "", ""
}

// packageVersion reads the version of an npm package beside its .bin folder, which spares a start of node.
func packageVersion(program string, spec ToolSpec) string {
	name := spec.Package
	if name == "" {
		name = spec.Name
	}
	data, err := os.ReadFile(filepath.Join(filepath.Dir(filepath.Dir(program)), filepath.FromSlash(name), "package.json"))
	var p struct {
		Version string `json:"version"`
	}
	if err != nil || json.Unmarshal(data, &p) != nil {
		return ""
	}
	return p.Version
}

// version asks a program once for as long as its file stays the same.
func (f *Finder) version(ctx context.Context, t Tool, spec ToolSpec, env *RunEnv) (string, error) {
	info, err := os.Stat(t.Path)
	if err != nil {
		return "", err
	}
	key := strings.Join([]string{t.Path, strconv.FormatInt(info.Size(), 10), info.ModTime().String()}, "\x00")
	f.mu.Lock()
	p := f.versions[key]
	if p == nil {
		p = new(probe)
		f.versions[key] = p
	}
	f.mu.Unlock()
	p.once.Do(func() { p.version, p.err = ask(ctx, t, spec, env) })
	if ctx.Err() != nil && p.err != nil {
		f.mu.Lock()
		delete(f.versions, key)
		f.mu.Unlock()
	}
	return p.version, p.err
}
