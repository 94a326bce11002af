package check

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"github.com/gavel-review/gavel"
	"github.com/gavel-review/gavel/internal/code"
)

// PlanInput is everything that decides which checks run.
type PlanInput struct {
	Manifest *Manifest // nil = what is built in
	Files    []string  // every path of the tree that is judged, slash-separated
	Changed  []string  // paths that differ from the base; those that Files lacks are gone
	// Renames leads from the path of a changed file to the one that it had on the base.
	Renames  map[string]string
	Read     func(path string) ([]byte, bool) // text of a file of that tree
	Projects []Project                        // nil = found in Files
	Profile  gavel.Profile
	Required []string // ids that the policy requires: of a check, or of a check in one project
	Disabled []string // ids that the user turned off
}

// PlanResult says which checks run, and why the others do not.
type PlanResult struct {
	Checks  []Planned // sorted by id
	Skipped []Skipped // sorted by id: what the stack knows and the repository does not use
	LeftOut []string  // families that apply and that the profile does not ask for
}

// Skipped is a check that does not run.
type Skipped struct {
	ID      string `json:"id"`
	Project string `json:"project"`
	Family  string `json:"family"`
	Reason  Reason `json:"reason"`
	Why     string `json:"why"`
}

// Planned is one check in one folder.
type Planned struct {
	ID       string // "eslint@packages/web"
	Check    *Check
	Project  string // the folder that it runs in, "" = top
	Required bool
	Why      string   // what makes it apply
	Serial   string   // never at the same time as another one of this name; "" = with any
	Files    []string // paths from the top: what a check of changed files looks at
	// Configs are the files that configure it, as paths from the top.
	Configs []string

	tools   []ToolSpec
	members []string          // folders of the projects that are built with this one
	paths   []string          // what {paths} stands for
	renames map[string]string // of Files, to the path on the base
	deps    bool              // the project asks for packages that have to be installed
	listed  []string          // tools that the project's package.json asks for
	absent  bool              // there is nothing to look at on the tree that it was moved to
}

// planner is a plan in the making.
type planner struct {
	PlanInput
	config  *configuration
	out     PlanResult
	leftOut map[string]bool
}

// Plan decides which checks run where. It is a function of its input alone. An id in Required or Disabled that no check
// has is an error of class invalid_args.
func Plan(in PlanInput) (*PlanResult, error) {
	if in.Manifest == nil {
		in.Manifest = Builtin()
	}
	if err := in.Manifest.knows(in.Required, in.Disabled); err != nil {
		return nil, err
	}
	if !slices.IsSorted(in.Files) {
		in.Files = slices.Sorted(slices.Values(in.Files))
	}
	if in.Projects == nil {
		in.Projects = Projects(in.Files, in.Read)
	}
	p := planner{PlanInput: in, config: newConfiguration(in.Files, in.Read), leftOut: make(map[string]bool)}
	p.Changed = slices.Compact(slices.Sorted(slices.Values(in.Changed)))
	for i := range in.Manifest.Checks {
		p.check(&in.Manifest.Checks[i])
	}
	slices.SortFunc(p.out.Checks, func(a, b Planned) int { return cmp.Compare(a.ID, b.ID) })
	slices.SortFunc(p.out.Skipped, func(a, b Skipped) int { return cmp.Compare(a.ID, b.ID) })
	for _, f := range Families {
		if p.leftOut[f] {
			p.out.LeftOut = append(p.out.LeftOut, f)
		}
	}
	return &p.out, nil
}

// knows makes sure that every id is one of a check.
func (m *Manifest) knows(lists ...[]string) error {
	for _, list := range lists {
		for _, id := range list {
			name, _, _ := strings.Cut(id, "@")
			if m.Check(name) == nil {
				return gavel.Errorf(gavel.InvalidArgs, "no check has the id %q", id).WithHint("see the list: docs/reference/checks.md")
			}
		}
	}
	return nil
}

// Check returns the check of an id, nil where there is none.
func (m *Manifest) Check(id string) *Check {
	for i := range m.Checks {
		if m.Checks[i].ID == id {
			return &m.Checks[i]
		}
	}
	return nil
}

func (m *Manifest) tool(name string) ToolSpec {
	for i := range m.Tools {
		if m.Tools[i].Name == name {
			return m.Tools[i]
		}
	}
	return ToolSpec{Name: name}
}

func names(list []string, check, id string) bool {
	return slices.Contains(list, check) || slices.Contains(list, id)
}

// IDOf is the id of a check in a folder.
func IDOf(check, dir string) string {
	if dir == "" {
		return check
	}
	return check + "@" + dir
}

// check plans one check in every folder that the change touches.
func (p *planner) check(c *Check) {
	for _, dir := range p.folders(c) {
		e, ok := p.applies(c, dir)
		at := dir
		if ok && c.Place == placeConfig && e.settled {
			at = e.dir
		}
		id := IDOf(c.ID, at)
		if slices.ContainsFunc(p.out.Checks, func(q Planned) bool { return q.ID == id }) {
			continue // two folders with one configuration
		}
		switch {
		case !ok:
			p.skip(c, id, at, ReasonNotConfigured, "nothing in the repository configures it")
		case names(p.Disabled, c.ID, id):
			p.skip(c, id, at, ReasonNotConfigured, "turned off")
		case c.Profile == gavel.ProfileDeep && p.Profile != gavel.ProfileDeep:
			p.leftOut[c.Family] = true
		default:
			p.add(c, id, at, e)
		}
	}
}

func (p *planner) skip(c *Check, id, dir string, reason Reason, why string) {
	if slices.ContainsFunc(p.out.Skipped, func(s Skipped) bool { return s.ID == id }) {
		return
	}
	p.out.Skipped = append(p.out.Skipped, Skipped{ID: id, Project: dir, Family: c.Family, Reason: reason, Why: why})
}

// folders are those in which the check could have something to do: of projects that own a changed file, or the top.
// Where nothing changed, checks of whole projects run in all of them.
func (p *planner) folders(c *Check) []string {
	changed := p.Changed
	if len(changed) == 0 && c.Scope != ScopeChangedFiles {
		changed = p.Files
	}
	seen := make(map[string]bool)
	for _, f := range changed {
		if code.Vendored(f) || (c.Scope != ScopeProject && !c.looksAt(f)) {
			continue
		}
		dir, ok := p.folderOf(c, f)
		if ok {
			seen[dir] = true
		}
	}
	return sortedKeys(seen)
}

// folderOf is the folder whose check would look at a file.
func (p *planner) folderOf(c *Check, file string) (string, bool) {
	switch {
	case c.Scope == ScopeRepo:
		return "", true
	case c.Place == placeConfig:
		e, ok := p.config.find(&c.Applies, dirOf(file))
		if ok && e.settled {
			return e.dir, true
		}
	}
	if c.Stack == StackAny {
		return "", true
	}
	owner := ownerOf(p.Projects, c.Stack, file)
	if owner == nil {
		return "", false
	}
	return owner.Dir, true
}

// looksAt reports whether the check looks at files of this name.
func (c *Check) looksAt(file string) bool {
	a := &c.Applies
	if len(a.Extensions)+len(a.Names) == 0 {
		return true
	}
	if slices.Contains(a.Extensions, path.Ext(file)) {
		return true
	}
	for _, pattern := range a.Names {
		subject := path.Base(file)
		if strings.Contains(pattern, "/") {
			subject = file
		}
		if ok, _ := path.Match(pattern, subject); ok {
			return true
		}
	}
	return false
}

// applies says whether the repository uses the check in a folder. What a policy requires is used.
func (p *planner) applies(c *Check, dir string) (evidence, bool) {
	e, ok := p.config.find(&c.Applies, dir)
	switch {
	case ok:
		return e, true
	case !c.Applies.configurable() || c.Applies.Ecosystem:
		return evidence{why: "every " + c.Stack + " project"}, true
	case names(p.Required, c.ID, IDOf(c.ID, dir)):
		return evidence{why: "required by policy"}, true
	}
	return e, false
}

func (p *planner) add(c *Check, id, dir string, e evidence) {
	q := Planned{ID: id, Check: c, Project: dir, Why: e.why, Serial: c.Serial}
	q.Required = names(p.Required, c.ID, id) || c.Required == RequiredEcosystem || c.Required == RequiredConfigured && e.settled
	for _, name := range c.Requires.Tools {
		spec := p.Manifest.tool(name)
		q.tools = append(q.tools, spec)
		if spec.Local == localNode && p.asksFor(dir, cmp.Or(spec.Package, spec.Name)) {
			q.listed = append(q.listed, name)
		}
	}
	q.deps = c.Requires.Dependencies && p.hasDependencies(c.Stack, dir)
	q.Configs = p.configs(c, dir, e)
	q.paths = p.targets(c, dir)
	for i := range p.Projects {
		if o := &p.Projects[i]; o.Stack == c.Stack && o.Dir == dir {
			q.members = o.Members
		}
	}
	if c.Scope == ScopeChangedFiles {
		q.Files = p.filesOf(c, dir)
		if len(q.Files) == 0 {
			p.skip(c, id, dir, ReasonNothingToDo, "the change leaves no file for it to look at")
			return
		}
		q.renames = make(map[string]string)
		for _, f := range q.Files {
			if old, ok := p.Renames[f]; ok {
				q.renames[f] = old
			}
		}
	}
	p.out.Checks = append(p.out.Checks, q)
}

// filesOf are the changed files that are there and that the check of this folder looks at.
func (p *planner) filesOf(c *Check, dir string) []string {
	var files []string
	for _, f := range p.Changed {
		if !p.config.has(f) || code.Vendored(f) || code.LockFile(f) || !c.looksAt(f) || !within(dirOf(f), dir) {
			continue
		}
		if of, ok := p.folderOf(c, f); ok && of == dir {
			files = append(files, f)
		}
	}
	return files
}

// asksFor reports whether a package.json of the folder or above it names a package.
func (p *planner) asksFor(dir, name string) bool {
	_, ok := p.config.find(&Applies{Dependencies: []string{name}}, dir)
	return ok
}

// hasDependencies reports whether a project needs packages that are not of its stack's standard library. Only where it
// can be told: for node.
func (p *planner) hasDependencies(stack, dir string) bool {
	if stack != "node" {
		return true
	}
	for d := dir; ; d = dirOf(d) {
		if m := path.Join(d, "package.json"); p.config.has(m) && p.config.hasDependencies(m) {
			return true
		}
		if d == "" {
			return false
		}
	}
}

// configs are the files that {config} stands for.
func (p *planner) configs(c *Check, dir string, e evidence) []string {
	if e.file == "" {
		return nil
	}
	if path.Base(e.file) == "tsconfig.json" {
		return p.config.tsconfigs(e.file)
	}
	return []string{e.file}
}

// targets is what {paths} stands for: everything, unless the configuration says what to look at.
func (p *planner) targets(c *Check, dir string) []string {
	for _, k := range c.Applies.Keys {
		file, dotted, _ := strings.Cut(k, "#")
		m := path.Join(dir, file)
		for _, word := range [...]string{"files", "packages", "modules", "include"} {
			if p.config.has(m) && p.config.hasKey(m, dotted+"."+word) {
				return nil
			}
		}
	}
	return []string{"."}
}

func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}
