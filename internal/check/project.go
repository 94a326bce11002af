package check

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"

	"github.com/gavel-review/gavel/internal/code"
)

// Project is a folder with a manifest of a stack.
type Project struct {
	Stack string
	Dir   string // slash-separated, "" = the repository's top
	// Members are the folders of a workspace that this project builds as one, itself left out.
	Members []string
}

// Projects finds the projects among a repository's files, sorted by stack and folder. read returns the text of a file,
// and false where there is none. Vendored code, test data and what stands among tests are no projects: their files
// belong to the project around them. The members of a cargo workspace and the modules of a Maven or Gradle build are
// part of it; a go.work without a go.mod beside it is no project.
func Projects(files []string, read func(path string) ([]byte, bool)) []Project {
	var found []Project
	for _, f := range files {
		stack := stackOf(path.Base(f))
		if stack < 0 || path.Base(f) == "go.work" || code.Vendored(f) || code.IsFixture(f) || ignoredByGo(f) {
			continue
		}
		dir := dirOf(f)
		if dir != "" && code.IsTest(dir+"/x.py") && Stacks[stack].Name == "go" {
			continue
		}
		found = append(found, Project{Stack: Stacks[stack].Name, Dir: dir})
	}
	slices.SortFunc(found, compareProjects)
	found = slices.CompactFunc(found, func(a, b Project) bool { return compareProjects(a, b) == 0 })
	return foldWorkspaces(found, files, read)
}

func compareProjects(a, b Project) int {
	return cmp.Or(cmp.Compare(a.Stack, b.Stack), cmp.Compare(a.Dir, b.Dir))
}

// ignoredByGo reports whether the path lies in a folder that the go command passes over.
func ignoredByGo(file string) bool {
	for part := range strings.SplitSeq(file, "/") {
		if part == "testdata" || strings.HasPrefix(part, "_") {
			return true
		}
	}
	return false
}

// dirOf is the folder of a path, "" for the top.
func dirOf(file string) string {
	if dir := path.Dir(file); dir != "." {
		return dir
	}
	return ""
}

// foldWorkspaces makes one project of a build that knows its members. found is sorted, so that a folder comes before
// what lies in it.
func foldWorkspaces(found []Project, files []string, read func(string) ([]byte, bool)) []Project {
	var kept []Project
	for _, p := range found {
		if root := workspaceOf(kept, p, files, read); root >= 0 {
			kept[root].Members = append(kept[root].Members, p.Dir)
			continue
		}
		kept = append(kept, p)
	}
	return kept
}

// workspaceOf returns the project whose workspace the project belongs to, -1 where it stands alone.
func workspaceOf(kept []Project, p Project, files []string, read func(string) ([]byte, bool)) int {
	for i := len(kept) - 1; i >= 0; i-- {
		k := &kept[i]
		if k.Stack != p.Stack || !within(p.Dir, k.Dir) {
			continue
		}
		switch p.Stack {
		case "rust":
			if cargoMember(k.Dir, p.Dir, read) {
				return i
			}
		case "java":
			if javaMember(k.Dir, p.Dir, files) {
				return i
			}
		}
	}
	return -1
}

// within reports whether a folder is another one or lies in it.
func within(dir, of string) bool {
	return of == "" || dir == of || strings.HasPrefix(dir, of+"/")
}

// cargoMember reports whether the Cargo.toml of root makes dir a member. A workspace's manifest that cannot be read is
// taken for one that does, so that a broken one is not passed over.
func cargoMember(root, dir string, read func(string) ([]byte, bool)) bool {
	data, ok := read(path.Join(root, "Cargo.toml"))
	if !ok {
		return false
	}
	var manifest struct {
		Workspace *struct {
			Members []string `toml:"members"`
			Exclude []string `toml:"exclude"`
		} `toml:"workspace"`
	}
	if toml.Unmarshal(data, &manifest) != nil {
		return true
	}
	if manifest.Workspace == nil {
		return false
	}
	rel := strings.TrimPrefix(strings.TrimPrefix(dir, root), "/")
	for _, e := range manifest.Workspace.Exclude {
		if within(rel, path.Clean(e)) {
			return false
		}
	}
	for _, m := range manifest.Workspace.Members {
		if ok, err := path.Match(path.Clean(m), rel); ok && err == nil {
			return true
		}
	}
	// A path dependency below the root is a member without being listed.
	return slices.Contains(manifest.Workspace.Members, ".") || len(manifest.Workspace.Members) == 0
}

// javaMember reports whether a folder is a module of the build above it: of the same tool, and without a settings file
// of its own.
func javaMember(root, dir string, files []string) bool {
	has := func(dir string, names ...string) bool {
		return slices.ContainsFunc(names, func(n string) bool { return hasFile(files, path.Join(dir, n)) })
	}
	if has(dir, "settings.gradle", "settings.gradle.kts") {
		return false
	}
	if has(dir, "pom.xml") {
		return has(root, "pom.xml")
	}
	return has(root, "settings.gradle", "settings.gradle.kts")
}

// hasFile reports whether a sorted list of files has a path.
func hasFile(files []string, p string) bool {
	_, ok := slices.BinarySearch(files, p)
	return ok
}

// ownerOf returns the nearest project of a stack around a file, nil where there is none.
func ownerOf(projects []Project, stack, file string) *Project {
	var owner *Project
	for i := range projects {
		p := &projects[i]
		if p.Stack != stack || !within(dirOf(file), p.Dir) {
			continue
		}
		if owner == nil || len(p.Dir) > len(owner.Dir) {
			owner = p
		}
	}
	return owner
}
