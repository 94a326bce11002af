package detect

import (
	"fmt"
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/gavel-review/gavel"
)

var lockstep = Detector{Name: "lockstep", Rules: []*gavel.Rule{ruleLockStale, ruleLockAlone}, Run: runLockstep, Finish: finishLockstep}

var ruleLockStale = &gavel.Rule{
	ID:    "hygiene/lock-not-updated",
	Title: "Dependencies change and the lock file does not",
	Text: "A manifest that asks for something else than what is locked makes the next build fail, or install what nobody has looked at. The rule fires where " +
		"dependencies in go.mod, package.json, Cargo.toml, Gemfile, composer.json or a Poetry project change and no lock file beside or above the manifest does. It " +
		"is low for go.mod, which always has one; elsewhere the change does not tell whether a lock file is kept at all, and it is info.",
	Fix:      "Update the lock file and commit it with the manifest.",
	Before:   "  go.mod: + require example.org/queue v1.4.0",
	After:    "  go.mod: + require example.org/queue v1.4.0\n  go.sum: + example.org/queue v1.4.0 h1:…",
	Severity: gavel.Low, Category: gavel.CategoryHygiene, Confidence: gavel.ConfidenceMedium, CWE: "CWE-1357",
}

var ruleLockAlone = &gavel.Rule{
	ID:    "hygiene/lock-changed-alone",
	Title: "Lock file changes and no manifest does",
	Text: "Updates of what dependencies depend on change the lock file alone, and so does who wants another package installed than the manifest " +
		"says. Lock files are seldom read in a review.",
	Fix:      "Say in the commit which update it is, and look at the addresses and checksums that changed.",
	Before:   "  package-lock.json: 12 lines changed",
	After:    "  package.json: the version that is wanted\n  package-lock.json: 12 lines changed",
	Severity: gavel.Info, Category: gavel.CategoryHygiene, Confidence: gavel.ConfidenceLow, CWE: "CWE-1357",
}

// ecosystem is a manifest and the lock files that go with it.
type ecosystem struct {
	manifest string
	locks    []string
	always   bool // a manifest with dependencies always has a lock file
	depends  pattern
}

// Names of facts.
const (
	factDepends     = "depends"      // lines of dependencies that the change adds
	factDependsLine = "depends-line" // the first of them
)

var ecosystems = sync.OnceValue(func() []ecosystem {
	return []ecosystem{
		{"go.mod", []string{"go.sum", "go.work.sum"}, true, compiled(`^\s*(?:require )?\s*[\w.-]+\.[a-z]+/\S+ v\d+\.\S+`)},
		{"package.json", []string{"package-lock.json", "npm-shrinkwrap.json", "yarn.lock", "pnpm-lock.yaml", "bun.lock", "bun.lockb"}, false,
			compiled(`^\s*"(?:@[\w.-]+/)?[\w.-]+"\s*:\s*"(?:[~^<>=v ]*\d+\.(?:\d|x|\*)[^"]*|npm:[^"]+|git\+[^"]+|github:[^"]+)",?\s*$`)},
		{"Cargo.toml", []string{"Cargo.lock"}, false, compiled(`^\s*[\w-]+\s*=\s*(?:"[~^=<>]*\d+(?:\.\d+)*[^"]*"|\{.*(?:version|git)\s*=.*\})\s*$`)},
		{"Gemfile", []string{"Gemfile.lock"}, false, compiled(`^\s*gem ["']`)},
		{"composer.json", []string{"composer.lock"}, false, compiled(`^\s*"[\w.-]+/[\w.-]+"\s*:\s*"[~^<>=v ]*\d[^"]*",?\s*$`)},
		{"pyproject.toml", []string{"poetry.lock", "uv.lock", "pdm.lock"}, false, compiled(`^\s*[\w-]+\s*=\s*(?:"[~^]\d[^"]*"|\{.*version\s*=\s*"[~^].*\})\s*$`)},
	}
})

// ownKeys are keys whose values look like versions of something that is depended on and are not.
var ownKeys = []string{"version", "edition", "rust-version", "node", "npm", "pnpm", "yarn", "engines", "python", "resolver", "packageManager", "target-version", "line-length"}

func ecosystemOf(file string) *ecosystem {
	base := path.Base(file)
	all := ecosystems()
	i := slices.IndexFunc(all, func(e ecosystem) bool { return e.manifest == base })
	if i < 0 {
		return nil
	}
	return &all[i]
}

func runLockstep(p *Pass) {
	if p.Whole {
		return
	}
	e := ecosystemOf(p.File.Path)
	if e == nil || p.File.Status == gavel.Deleted {
		return
	}
	gone := make(map[string]bool)
	p.Lines(gavel.Remove, func(l *gavel.Line) { gone[dependency(l.Text)] = true })
	p.Lines(gavel.Add, func(l *gavel.Line) {
		dep := dependency(l.Text)
		if len(l.Text) > nearBytes || !e.depends().MatchString(l.Text) || gone[dep] || slices.Contains(ownKeys, keyOf(dep)) {
			return
		}
		p.Count(factDepends, 1)
		if p.facts[factDependsLine] == 0 {
			p.Count(factDependsLine, l.New)
		}
	})
}

// dependency is the line without what does not change what is asked for: the place, a comma, a comment, the word require.
func dependency(line string) string {
	line, _, _ = strings.Cut(line, " //")
	line = strings.TrimSuffix(strings.TrimSpace(line), ",")
	return strings.TrimSpace(strings.TrimPrefix(line, "require "))
}

func keyOf(line string) string {
	key, _, _ := strings.Cut(line, "=")
	if strings.HasPrefix(line, `"`) {
		key, _, _ = strings.Cut(line[1:], `"`)
	}
	return strings.TrimSpace(key)
}

func finishLockstep(s *Summary) {
	if s.Whole {
		return
	}
	for i := range s.Files {
		f := &s.Files[i]
		if e := ecosystemOf(f.Path); e != nil && f.Facts[factDepends] > 0 && !touches(s, f.Path, e.locks, above) {
			finding := s.Report(ruleLockStale, f, Span{Line: f.Facts[factDependsLine]},
				fmt.Sprintf("The change adds or moves %s and leaves %s as it is.", count(f.Facts[factDepends], "dependency", "dependencies"), strings.Join(e.locks, ", ")))
			if !e.always {
				finding.Severity = gavel.Info
			}
			continue
		}
		if e := lockedBy(f); e != nil && !touches(s, f.Path, []string{e.manifest}, below) {
			s.Report(ruleLockAlone, f, Span{}, "The change updates the lock file and no "+e.manifest+" that it locks.")
		}
	}
}

// lockedBy returns what the lock file belongs to; one that is new or deleted is no update.
func lockedBy(f *FileSummary) *ecosystem {
	if f.Status != gavel.Modified {
		return nil
	}
	base := path.Base(f.Path)
	all := ecosystems()
	i := slices.IndexFunc(all, func(e ecosystem) bool { return slices.Contains(e.locks, base) })
	if i < 0 {
		return nil
	}
	return &all[i]
}

// touches reports whether the change holds a file of one of the names in a folder that stands in the relation to the file's.
func touches(s *Summary, file string, names []string, related func(dir, other string) bool) bool {
	dir := path.Dir(file)
	return slices.ContainsFunc(s.Files, func(o FileSummary) bool {
		return slices.Contains(names, path.Base(o.Path)) && related(dir, path.Dir(o.Path))
	})
}

// above reports whether other is the folder or one that holds it.
func above(dir, other string) bool {
	return other == "." || other == dir || strings.HasPrefix(dir, other+"/")
}

func below(dir, other string) bool { return above(other, dir) }
