// Command generate writes docs/reference out of the program: its operations, rules, errors, configuration and document.
// The pages are never edited by hand; a test fails while they are stale.
//
//	go run ./docs/generate
package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

func main() {
	root, err := moduleRoot()
	if err == nil {
		err = write(root)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "generate:", err)
		os.Exit(1)
	}
}

// page is one file of the reference.
type page struct {
	file, title string
	text        func(s *source) (string, error)
}

var pages = []page{
	{"commands.md", "Commands", commandsPage},
	{"tools.md", "Tools for agents", toolsPage},
	{"config.md", "Configuration", configPage},
	{"rules.md", "Rules", rulesPage},
	{"errors.md", "Exit codes and error classes", errorsPage},
	{"document.md", "The review document", documentPage},
	{"stacks.md", "Stacks", stacksPage},
	{"checks.md", "Checks", checksPage},
}

const generated = "<!-- Written by `go run ./docs/generate`; do not edit. -->\n\n"

// render returns the text of every page by file name.
func render(root string) (map[string]string, error) {
	s, err := parseSource(root)
	if err != nil {
		return nil, err
	}
	texts := make(map[string]string, len(pages)+1)
	var index strings.Builder
	index.WriteString(generated + "# Reference\n\n")
	for _, p := range pages {
		text, err := p.text(s)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", p.file, err)
		}
		texts[p.file] = generated + "# " + p.title + "\n\n" + strings.TrimSpace(text) + "\n"
		fmt.Fprintf(&index, "- [%s](%s)\n", p.title, p.file)
	}
	index.WriteString("- [JSON Schema of the review document](review.schema.json)\n")
	index.WriteString("- [Precision of the rules, as measured](precision.json)\n")
	texts["README.md"] = index.String()
	return texts, nil
}

// write brings docs/reference up to date. A page that is no longer generated is removed.
func write(root string) error {
	texts, err := render(root)
	if err != nil {
		return err
	}
	dir := filepath.Join(root, "docs", "reference")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	stale, err := leftovers(dir, texts)
	if err != nil {
		return err
	}
	for _, path := range stale {
		if err := os.Remove(path); err != nil {
			return err
		}
	}
	for name, text := range texts {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			return err
		}
	}
	return nil
}

// leftovers are the pages that nothing generates any more.
func leftovers(dir string, texts map[string]string) ([]string, error) {
	files, err := filepath.Glob(filepath.Join(dir, "*.md"))
	if err != nil {
		return nil, err
	}
	var stale []string
	for _, path := range files {
		if _, ok := texts[filepath.Base(path)]; !ok {
			stale = append(stale, path)
		}
	}
	return stale, nil
}

// moduleRoot is the folder of go.mod, at or above the working directory.
func moduleRoot() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir, nil
		} else if !errors.Is(err, fs.ErrNotExist) {
			return "", err
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return "", errors.New("no go.mod here or above")
		}
		dir = parent
	}
}
