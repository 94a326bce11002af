package check

import (
	"encoding/json"
	"path"
	"slices"
	"strings"
	"unicode"

	"github.com/pelletier/go-toml/v2"

	"github.com/gavel-review/gavel/internal/code"
)

// evidence is why a check applies to a folder.
type evidence struct {
	why     string // "eslint.config.js", "pyproject.toml#tool.ruff"
	file    string // path of the file that configures the tool, "" where none does
	dir     string // folder of the evidence
	settled bool   // by a file, a key or a dependency, and not by a mention alone
}

// automation are the files in which a repository says which tools it runs.
var automation = [...]string{
	".pre-commit-config.yaml", "lefthook.yml", ".gitlab-ci.yml", ".travis.yml", "azure-pipelines.yml",
	".circleci/config.yml", "Makefile", "makefile", "GNUmakefile", "justfile", "Justfile", "Taskfile.yml", "tox.ini", "noxfile.py",
}

// configuration answers what a tree says about tools. It reads each file once.
type configuration struct {
	files []string // sorted
	read  func(path string) ([]byte, bool)
	trees map[string]any // parsed files by path; unreadable{} for one that makes no sense
	texts map[string]string
	autos []string // paths of automation, once asked for
}

// unreadable stands for a file that exists and makes no sense. Whatever asks for a key in it gets a yes: a broken file
// must not make a check disappear.
type unreadable struct{}

func newConfiguration(files []string, read func(string) ([]byte, bool)) *configuration {
	return &configuration{files: files, read: read, trees: make(map[string]any), texts: make(map[string]string)}
}

func (c *configuration) has(p string) bool { return hasFile(c.files, p) }

// find looks for what configures a check, in a folder and then in those above it.
func (c *configuration) find(a *Applies, dir string) (evidence, bool) {
	for d := dir; ; d = dirOf(d) {
		if e, ok := c.findIn(a, d); ok {
			return e, true
		}
		if d == "" {
			break
		}
	}
	for _, f := range a.Files {
		if strings.Contains(f, "/") && c.has(f) {
			return evidence{why: f, file: f, settled: true}, true
		}
	}
	for _, word := range a.Mentions {
		if f := c.mentions(word); f != "" {
			return evidence{why: word + " in " + f}, true
		}
	}
	return evidence{}, false
}

func (c *configuration) findIn(a *Applies, dir string) (evidence, bool) {
	for _, f := range a.Files {
		if p := path.Join(dir, f); !strings.Contains(f, "/") && c.has(p) {
			return evidence{why: p, file: p, dir: dir, settled: true}, true
		}
	}
	for _, k := range a.Keys {
		file, dotted, _ := strings.Cut(k, "#")
		if p := path.Join(dir, file); c.has(p) && c.hasKey(p, dotted) {
			return evidence{why: p + "#" + dotted, file: p, dir: dir, settled: true}, true
		}
	}
	for _, d := range a.Dependencies {
		p := path.Join(dir, "package.json")
		if c.has(p) && (c.callsIt(p, d) || c.asksFor(p, d) && !c.configuredBelow(a, dir)) {
			return evidence{why: d + " in " + p, dir: dir, settled: true}, true
		}
	}
	return evidence{}, false
}

// hasKey reports whether a JSON, TOML or INI file has a key. Sections of INI files are keys too; an XML file has every
// word in it.
func (c *configuration) hasKey(p, dotted string) bool {
	if strings.HasSuffix(p, ".xml") {
		data, ok := c.read(p)
		return !ok || hasWord(string(data), dotted)
	}
	node := c.tree(p)
	if _, broken := node.(unreadable); broken {
		return true
	}
	if table, ok := node.(map[string]any); ok {
		if _, ok := table[dotted]; ok {
			return true
		}
	}
	for key := range strings.SplitSeq(dotted, ".") {
		table, ok := node.(map[string]any)
		if !ok {
			return false
		}
		if node, ok = table[key]; !ok {
			return false
		}
	}
	return true
}

// callsIt reports whether a script of a package.json has the word.
func (c *configuration) callsIt(p, word string) bool {
	tree, _ := c.tree(p).(map[string]any)
	scripts, _ := tree["scripts"].(map[string]any)
	for _, s := range scripts {
		if line, ok := s.(string); ok && hasWord(line, word) {
			return true
		}
	}
	return false
}

// configuredBelow reports whether a folder further down has a configuration of its own: then the top of a workspace
// that only provides a tool to its packages does not use it itself.
func (c *configuration) configuredBelow(a *Applies, dir string) bool {
	i := 0
	if dir != "" {
		i, _ = slices.BinarySearch(c.files, dir+"/")
	}
	for ; i < len(c.files) && within(c.files[i], dir); i++ {
		f := c.files[i]
		if dirOf(f) != dir && slices.Contains(a.Files, path.Base(f)) && !code.Vendored(f) {
			return true
		}
	}
	return false
}

// asksFor reports whether a package.json names a package among its dependencies.
func (c *configuration) asksFor(p, name string) bool {
	for _, table := range dependencyTables {
		if c.hasKey(p, table) && c.tableHas(p, table, name) {
			return true
		}
	}
	return false
}

var dependencyTables = [...]string{"dependencies", "devDependencies", "optionalDependencies", "peerDependencies"}

func (c *configuration) tableHas(p, table, name string) bool {
	tree, ok := c.tree(p).(map[string]any)
	if !ok {
		return true
	}
	entries, _ := tree[table].(map[string]any)
	_, ok = entries[name]
	return ok
}

// hasDependencies reports whether a package.json asks for any package that has to be installed.
func (c *configuration) hasDependencies(p string) bool {
	tree, ok := c.tree(p).(map[string]any)
	if !ok {
		return c.has(p)
	}
	for _, table := range dependencyTables[:3] {
		if entries, _ := tree[table].(map[string]any); len(entries) > 0 {
			return true
		}
	}
	return false
}

func (c *configuration) tree(p string) any {
	if t, ok := c.trees[p]; ok {
		return t
	}
	data, ok := c.read(p)
	var t any = unreadable{}
	switch {
	case !ok:
		// The list of files has it, so it exists.
	case strings.HasSuffix(p, ".json"):
		var v map[string]any
		if json.Unmarshal(data, &v) == nil {
			t = v
		}
	case strings.HasSuffix(p, ".toml"):
		var v map[string]any
		if toml.Unmarshal(data, &v) == nil {
			t = v
		}
	default:
		t = readINI(string(data))
	}
	c.trees[p] = t
	return t
}

// readINI reads the sections and keys of a file as Python's configparser does, without their values.
func readINI(text string) map[string]any {
	sections := make(map[string]any)
	var at map[string]any
	for line := range strings.Lines(text) {
		if line[0] == '[' {
			name, _, ok := strings.Cut(line[1:], "]")
			if ok {
				at = make(map[string]any)
				sections[strings.TrimSpace(name)] = at
			}
			continue
		}
		if at == nil || unicode.IsSpace(rune(line[0])) || line[0] == '#' || line[0] == ';' {
			continue
		}
		if i := strings.IndexAny(line, "=:"); i > 0 {
			at[strings.TrimSpace(line[:i])] = true
		}
	}
	return sections
}

// mentions returns the file of automation that has a word, "" where none does.
func (c *configuration) mentions(word string) string {
	if c.autos == nil {
		c.autos = c.automation()
	}
	for _, p := range c.autos {
		text, ok := c.texts[p]
		if !ok {
			data, _ := c.read(p)
			text = string(data)
			c.texts[p] = text
		}
		if hasWord(text, word) {
			return p
		}
	}
	return ""
}

func (c *configuration) automation() []string {
	found := make([]string, 0, 4)
	for _, name := range automation {
		if c.has(name) {
			found = append(found, name)
		}
	}
	const workflows = ".github/workflows/"
	i, _ := slices.BinarySearch(c.files, workflows)
	for ; i < len(c.files) && strings.HasPrefix(c.files[i], workflows); i++ {
		if ext := path.Ext(c.files[i]); ext == ".yml" || ext == ".yaml" {
			found = append(found, c.files[i])
		}
	}
	return found
}

// hasWord reports whether a text has a word outside of lines that are comments, and not as a part of another word.
func hasWord(text, word string) bool {
	for line := range strings.Lines(text) {
		if strings.HasPrefix(strings.TrimSpace(line), "#") {
			continue
		}
		for rest := line; word != ""; {
			i := strings.Index(rest, word)
			if i < 0 {
				break
			}
			end := i + len(word)
			if (i == 0 || !isWordByte(rest[i-1])) && (end == len(rest) || !isWordByte(rest[end])) {
				return true
			}
			rest = rest[end:]
		}
	}
	return false
}

func isWordByte(b byte) bool {
	return b == '_' || b == '.' || b >= '0' && b <= '9' || b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z'
}
