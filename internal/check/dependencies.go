package check

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// missing says why a project's installed packages cannot be used for a tree.
type missing struct{ detail string }

func (m *missing) Error() string { return m.detail }

func missingf(format string, args ...any) error { return &missing{fmt.Sprintf(format, args...)} }

// dependencies makes the packages that are installed in the user's checkout usable for the tree. They may be used only
// where they provably belong to it: the lock files of both are equal, and nothing that is installed leads back into the
// checkout, because then the checkout's code would be tested in place of the tree's.
func (p *Planned) dependencies(env *RunEnv) error {
	if !p.deps {
		return nil
	}
	switch p.Check.Stack {
	case "node":
		return p.nodeModules(env)
	case "python":
		return p.virtualEnv(env)
	}
	return nil
}

// upwards lists a folder and those above it, the top ("") last.
func upwards(dir string) []string {
	dirs := []string{dir}
	for d := dir; d != ""; {
		d = dirOf(d)
		dirs = append(dirs, d)
	}
	return dirs
}

func join(root, rel string) string { return filepath.Join(root, filepath.FromSlash(rel)) }

// nodeModules finds node_modules from the project up to the top. For a tree elsewhere, each gets a twin there.
func (p *Planned) nodeModules(env *RunEnv) error {
	var here []string
	for _, d := range upwards(p.Project) {
		if info, err := os.Stat(join(env.Checkout, path.Join(d, "node_modules"))); err == nil && info.IsDir() {
			here = append(here, d)
		}
	}
	if len(here) == 0 {
		return missingf("node_modules is not there: %s", installNode(env.Checkout, p.Project))
	}
	if env.Root == env.Checkout {
		return nil
	}
	if err := sameLocks("node", env, p.Project); err != nil {
		return err
	}
	for _, d := range here {
		if err := twin(env.Checkout, env.Root, path.Join(d, "node_modules")); err != nil {
			return missingf("node_modules of the checkout cannot be used: %v", err)
		}
	}
	return nil
}

// installNode names the command that installs what the lock file says.
func installNode(root, dir string) string {
	for _, d := range upwards(dir) {
		for _, l := range [...]struct{ lock, command string }{
			{"package-lock.json", "npm ci"}, {"npm-shrinkwrap.json", "npm ci"}, {"pnpm-lock.yaml", "pnpm install --frozen-lockfile"},
			{"yarn.lock", "yarn install --immutable"}, {"bun.lock", "bun install --frozen-lockfile"}, {"bun.lockb", "bun install --frozen-lockfile"},
		} {
			if _, err := os.Lstat(join(root, path.Join(d, l.lock))); err == nil {
				return "run " + l.command
			}
		}
	}
	return "run npm install"
}

// sameLocks makes sure that tree and checkout pin the same packages. Without a lock file, what the manifests ask for has
// to be the same.
func sameLocks(stack string, env *RunEnv, dir string) error {
	row := stackNamed(stack)
	locked := false
	for _, d := range upwards(dir) {
		for _, name := range row.Locks {
			rel := path.Join(d, name)
			tree, err := readIf(join(env.Root, rel))
			if err != nil {
				return err
			}
			checkout, err := readIf(join(env.Checkout, rel))
			if err != nil {
				return err
			}
			if !bytes.Equal(tree, checkout) || (tree == nil) != (checkout == nil) {
				return missingf("what is installed belongs to another %s than the tree's", rel)
			}
			locked = locked || tree != nil
		}
	}
	if locked {
		return nil
	}
	return sameManifests(row, env, dir)
}

// readIf reads a file, nil where there is none.
func readIf(name string) ([]byte, error) {
	data, err := os.ReadFile(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil:
		return nil, missingf("%v", err)
	case data == nil:
		data = []byte{}
	}
	return data, nil
}

func sameManifests(row *Stack, env *RunEnv, dir string) error {
	for _, d := range upwards(dir) {
		for _, name := range row.Manifests {
			rel := path.Join(d, name)
			tree, err := readIf(join(env.Root, rel))
			if err != nil {
				return err
			}
			checkout, err := readIf(join(env.Checkout, rel))
			if err != nil {
				return err
			}
			if !bytes.Equal(askedFor(name, tree), askedFor(name, checkout)) {
				return missingf("no lock file pins what is installed, and %s of the tree is not the checkout's", rel)
			}
		}
	}
	return nil
}

// askedFor is the part of a manifest that says which packages to install: the tables of dependencies of a package.json,
// the whole of any other.
func askedFor(name string, data []byte) []byte {
	var p map[string]json.RawMessage
	if name != "package.json" || json.Unmarshal(data, &p) != nil {
		return data
	}
	maps.DeleteFunc(p, func(k string, _ json.RawMessage) bool {
		return k != "overrides" && k != "resolutions" && k != "workspaces" && !slices.Contains(dependencyTables[:], k)
	})
	out, _ := json.Marshal(p)
	return out
}

// virtualEnv makes sure that what is installed beside the checkout belongs to the tree.
func (p *Planned) virtualEnv(env *RunEnv) error {
	if env.Root == env.Checkout {
		return nil
	}
	for _, d := range upwards(p.Project) {
		for _, name := range [...]string{".venv", "venv"} {
			venv := join(env.Checkout, path.Join(d, name))
			if _, err := os.Stat(filepath.Join(venv, "pyvenv.cfg")); err != nil {
				continue
			}
			if err := sameLocks("python", env, p.Project); err != nil {
				return err
			}
			return noEditable(venv, env.Checkout)
		}
	}
	return nil
}

// noEditable fails where an installed package is but a link to sources in the checkout.
func noEditable(venv, checkout string) error {
	links, _ := filepath.Glob(filepath.Join(venv, "lib", "python*", "site-packages", "*"))
	for _, l := range links {
		base := filepath.Base(l)
		if !strings.HasSuffix(base, ".pth") && !strings.HasSuffix(base, ".egg-link") && !strings.HasPrefix(base, "__editable__") {
			continue
		}
		data, err := os.ReadFile(l)
		if err != nil || bytes.Contains(data, []byte(checkout)) {
			return missingf("%s in %s leads to the checkout, so that its code would be looked at in place of the tree's", base, filepath.Base(venv))
		}
	}
	return nil
}
