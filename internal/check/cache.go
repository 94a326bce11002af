package check

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"
)

// cacheFormat is part of every key: it changes when a parser or an outcome does, so that no old result is taken for a
// new one.
const cacheFormat = "gavel check 1"

// CacheKey identifies the result of the check on a tree, by everything that the result depends on: the tree, the check,
// its arguments and files, the tools with their versions, the environment, and the state of what is installed. tree is
// the object id of the whole tree. cacheable is false where the result depends on something that no key can hold: a
// network, say, or a tool that is missing.
func (p Planned) CacheKey(ctx context.Context, env RunEnv, tree string) (key string, cacheable bool) {
	if p.absent || tree == "" || p.Check.Egress.Any() || len(p.Check.Requires.Services) > 0 {
		return "", false
	}
	if env.Tools == nil {
		env.Tools = NewFinder()
	}
	k := cacheKey{
		Format: cacheFormat, Tree: tree, ID: p.ID, Check: p.Check, Files: p.Files, Configs: p.Configs, Paths: p.paths,
		Environ: p.cachedEnviron(env.Environ), Base: env.Base, InPlace: env.Root == env.Checkout,
	}
	if !slices.ContainsFunc(p.Check.Argv, func(line []string) bool { return slices.Contains(line, "{base}") }) {
		k.Base = ""
	}
	for _, spec := range p.tools {
		t, reason, _ := env.Tools.find(ctx, spec, &env, p.Project)
		if reason != "" {
			return "", false
		}
		k.Tools = append(k.Tools, t, Tool{Name: "file", Version: fileState(t.Path)})
	}
	if p.deps {
		k.Installed = p.installed(env.Checkout)
	}
	data, err := json.Marshal(k)
	if err != nil {
		return "", false
	}
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:]), true
}

type cacheKey struct {
	Format, Tree, ID string
	Check            *Check
	Files            []string
	Configs          []string
	Paths            []string
	Tools            []Tool
	Environ          []string
	Installed        []string
	Base             string
	InPlace          bool
}

// cachedEnviron is the part of the environment that a result may depend on, sorted.
func (p *Planned) cachedEnviron(all []string) []string {
	env := slices.DeleteFunc(p.environ(all, nil), func(kv string) bool {
		name, _, _ := strings.Cut(kv, "=")
		return slices.Contains(volatile[:], name)
	})
	slices.Sort(env)
	return env
}

// installed is the state of what is installed beside the project: where each package manager leaves its mark, and the
// lock files of the checkout.
func (p *Planned) installed(checkout string) []string {
	var marks []string
	for _, d := range upwards(p.Project) {
		for _, name := range [...]string{
			"node_modules", "node_modules/.package-lock.json", "node_modules/.modules.yaml", "node_modules/.yarn-integrity",
			".venv", ".venv/pyvenv.cfg", "venv", "venv/pyvenv.cfg",
		} {
			rel := path.Join(d, name)
			if state := fileState(join(checkout, rel)); state != "" {
				marks = append(marks, rel+" "+state)
			}
		}
	}
	return marks
}

// fileState changes whenever a file is replaced.
func fileState(name string) string {
	info, err := os.Stat(name)
	if err != nil {
		return ""
	}
	return strconv.FormatInt(info.Size(), 10) + " " + info.ModTime().UTC().Format(time.RFC3339Nano)
}
