package git

import (
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/gavel-review/gavel"
)

// Filter says which paths of a change are looked at. The zero value lets everything through.
type Filter struct {
	include, exclude []pattern
}

// pattern is one word of a filter.
type pattern struct {
	text     string
	folder   bool // it names folders, and stands for everything below them
	glob     bool
	anchored bool // it is matched from the top; else at any depth
}

// NewFilter makes a filter. A word without * ? [ is an exact path (file) or a folder (dir); with one it is a glob as
// in .gitignore: matched at any depth without a slash, from the top with one. Backslashes count as slashes. Exclusion
// wins. An empty word or an unterminated [ is an error of class InvalidArgs.
func NewFilter(file, dir, excludeFile, excludeDir []string) (Filter, error) {
	var f Filter
	for _, group := range [...]struct {
		name   string
		words  []string
		folder bool
		into   *[]pattern
	}{
		{"file", file, false, &f.include}, {"dir", dir, true, &f.include},
		{"exclude_file", excludeFile, false, &f.exclude}, {"exclude_dir", excludeDir, true, &f.exclude},
	} {
		for _, word := range group.words {
			p, err := newPattern(word, group.folder)
			if err != nil {
				return Filter{}, gavel.Errorf(gavel.InvalidArgs, "%s: %w", group.name, err)
			}
			*group.into = append(*group.into, p)
		}
	}
	return f, nil
}

// literalBraces: they mean nothing in .gitignore.
var literalBraces = strings.NewReplacer("{", `\{`, "}", `\}`)

func newPattern(word string, folder bool) (pattern, error) {
	text := strings.ReplaceAll(word, `\`, "/")
	for strings.HasPrefix(text, "./") {
		text = text[2:]
	}
	p := pattern{folder: folder || strings.HasSuffix(text, "/"), glob: strings.ContainsAny(text, "*?[")}
	trimmed := strings.TrimRight(text, "/")
	p.anchored = !p.glob || strings.Contains(trimmed, "/")
	p.text = strings.TrimLeft(trimmed, "/")
	if p.text == "." || text != "" && p.text == "" {
		p.folder, p.text = true, "" // the top: everything
		return p, nil
	}
	if strings.TrimSpace(text) == "" {
		return p, gavel.Errorf(gavel.InvalidArgs, "a path is empty")
	}
	if p.glob {
		p.text = literalBraces.Replace(p.text)
		if !doublestar.ValidatePattern(p.text) {
			return p, gavel.Errorf(gavel.InvalidArgs, "the pattern %q is malformed", word).WithHint("a [ needs its ]")
		}
	}
	return p, nil
}

// Match reports whether the filter lets a path through. The path that it had before a rename, "" where there is none,
// counts for inclusion and never for exclusion.
func (f Filter) Match(path, oldPath string) bool {
	for i := range f.exclude {
		if f.exclude[i].match(path) {
			return false
		}
	}
	if len(f.include) == 0 {
		return true
	}
	for i := range f.include {
		if f.include[i].match(path) || oldPath != "" && f.include[i].match(oldPath) {
			return true
		}
	}
	return false
}

func (p *pattern) match(path string) bool {
	switch {
	case p.folder:
		return p.text == "" || p.matchFolder(path)
	case !p.glob:
		return p.text == path
	case p.anchored:
		return globMatch(p.text, path)
	}
	return globMatch(p.text, path[strings.LastIndexByte(path, '/')+1:])
}

// matchFolder looks at every folder above the path.
func (p *pattern) matchFolder(path string) bool {
	if !p.glob {
		return len(path) > len(p.text) && path[len(p.text)] == '/' && path[:len(p.text)] == p.text
	}
	start := 0
	for i := range len(path) {
		if path[i] != '/' {
			continue
		}
		if p.anchored && globMatch(p.text, path[:i]) || !p.anchored && globMatch(p.text, path[start:i]) {
			return true
		}
		start = i + 1
	}
	return false
}

func globMatch(pattern, path string) bool {
	ok, err := doublestar.Match(pattern, path)
	return ok && err == nil
}
