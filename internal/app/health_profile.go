package app

import (
	"iter"
	"path"
	"strings"

	"github.com/gavel-review/gavel/internal/code"
)

// The profiles that are no single stack.
const (
	ProfileMixed   = "mixed"   // several stacks
	ProfileGeneric = "generic" // none
)

// Stack is a language's ecosystem and the manifests that tell it.
type Stack struct {
	Name      string
	Manifests []string // base names
}

// Stacks is the table by which a profile is detected. The manifests nearest to the top decide: those in deeper folders
// (examples, documentation, test data) are not looked at where a higher folder has one.
var Stacks = [...]Stack{
	{"go", []string{"go.mod", "go.work"}},
	{"node", []string{"package.json"}},
	{"python", []string{"pyproject.toml", "setup.py", "setup.cfg", "requirements.txt", "Pipfile"}},
	{"rust", []string{"Cargo.toml"}},
	{"java", []string{"pom.xml", "build.gradle", "build.gradle.kts", "settings.gradle", "settings.gradle.kts"}},
}

func stackOf(manifest string) int {
	for i, s := range Stacks {
		for _, m := range s.Manifests {
			if m == manifest {
				return i
			}
		}
	}
	return -1
}

// profileOf names the stack of a repository from its files' slash-separated paths.
func profileOf(paths iter.Seq2[string, error]) (string, error) {
	var found [len(Stacks)]bool
	nearest := -1
	for p, err := range paths {
		if err != nil {
			return "", err
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
	profile := ProfileGeneric
	for i, here := range found {
		switch {
		case here && profile != ProfileGeneric:
			return ProfileMixed, nil
		case here:
			profile = Stacks[i].Name
		}
	}
	return profile, nil
}
