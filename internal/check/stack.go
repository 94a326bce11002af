package check

import (
	"iter"
	"path"
	"slices"
	"strings"

	"github.com/gavel-review/gavel/internal/code"
)

// The profiles of a repository that are no single stack.
const (
	StackMixed   = "mixed"   // several stacks
	StackGeneric = "generic" // none
)

// Stack is a language's ecosystem and the files that tell it.
type Stack struct {
	Name      string
	Manifests []string // base names
	Locks     []string // base names of what pins the dependencies
}

// Stacks is the table by which stacks and projects are detected. The manifests nearest to the top decide the profile of
// a repository: those in deeper folders (examples, documentation, test data) are not looked at where a higher folder has
// one. Each of them is a project of its own all the same.
var Stacks = [...]Stack{
	{"go", []string{"go.mod", "go.work"}, []string{"go.sum", "go.work.sum"}},
	{
		"node", []string{"package.json"},
		[]string{"package-lock.json", "npm-shrinkwrap.json", "pnpm-lock.yaml", "yarn.lock", "bun.lock", "bun.lockb"},
	},
	{
		"python", []string{"pyproject.toml", "setup.py", "setup.cfg", "requirements.txt", "Pipfile"},
		[]string{"uv.lock", "poetry.lock", "pdm.lock", "Pipfile.lock", "requirements.txt", "requirements-dev.txt"},
	},
	{"rust", []string{"Cargo.toml"}, []string{"Cargo.lock"}},
	{
		"java", []string{"pom.xml", "build.gradle", "build.gradle.kts", "settings.gradle", "settings.gradle.kts"},
		[]string{"gradle.lockfile"},
	},
}

func stackNames() []string {
	names := make([]string, len(Stacks))
	for i := range Stacks {
		names[i] = Stacks[i].Name
	}
	return names
}

// stackNamed returns the row of a stack, nil where there is none.
func stackNamed(name string) *Stack {
	for i := range Stacks {
		if Stacks[i].Name == name {
			return &Stacks[i]
		}
	}
	return nil
}

func stackOf(manifest string) int {
	return slices.IndexFunc(Stacks[:], func(s Stack) bool { return slices.Contains(s.Manifests, manifest) })
}

// StacksOf names the stacks of a repository from its files' slash-separated paths, in the order of the table.
func StacksOf(paths iter.Seq2[string, error]) ([]string, error) {
	var found [len(Stacks)]bool
	nearest := -1
	for p, err := range paths {
		if err != nil {
			return nil, err
		}
		stack := stackOf(path.Base(p))
		depth := strings.Count(p, "/")
		if stack < 0 || nearest >= 0 && depth > nearest || code.Vendored(p) || code.IsTest(p) {
			continue
		}
		if depth < nearest {
			found = [len(Stacks)]bool{}
		}
		nearest = depth
		found[stack] = true
	}
	var names []string
	for i, here := range found {
		if here {
			names = append(names, Stacks[i].Name)
		}
	}
	return names, nil
}

// ProfileOf is the one word for a repository's stacks.
func ProfileOf(stacks []string) string {
	switch len(stacks) {
	case 0:
		return StackGeneric
	case 1:
		return stacks[0]
	}
	return StackMixed
}
