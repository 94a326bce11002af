package test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const module = "github.com/gavel-review/gavel"

// room is a row of the table of rooms in docs/ARCHITECTURE.md: what its non-test files may import.
type room struct {
	rooms []string
	third []string // module paths or prefixes of them
	pure  bool     // no file, process, network, clock or random number
	tool  bool     // no part of the product: may import everything and start processes
}

// root is the name of the root package's room.
const root = "."

var rooms = map[string]room{
	root:                 {pure: true},
	"internal/code":      {rooms: []string{root}, pure: true},
	"internal/untrusted": {rooms: []string{root}, third: []string{"golang.org/x/text"}, pure: true},
	"internal/evidence":  {rooms: []string{root}, pure: true},
	"internal/detect": {
		rooms: []string{root, "internal/code", "internal/untrusted"},
		third: []string{"github.com/pelletier/go-toml/v2"}, pure: true,
	},
	"internal/report": {
		rooms: []string{root, "internal/untrusted"},
		third: []string{"github.com/clipperhouse/displaywidth", "github.com/yuin/goldmark"}, pure: true,
	},
	"internal/proc": {third: []string{"golang.org/x/sys"}},
	"internal/git": {
		rooms: []string{root, "internal/proc"},
		third: []string{"github.com/bluekeyes/go-gitdiff", "github.com/bmatcuk/doublestar/v4"},
	},
	"internal/check": {
		rooms: []string{root, "internal/code", "internal/proc", "internal/untrusted"},
		third: []string{"github.com/pelletier/go-toml/v2"},
	},
	"internal/llm": {rooms: []string{"internal/proc"}, third: []string{"github.com/anthropics", "github.com/openai"}},
	"internal/mcpclient": {
		rooms: []string{root, "internal/untrusted", "internal/proc"},
		third: []string{"github.com/modelcontextprotocol/go-sdk", "github.com/coder/websocket"},
	},
	"internal/review": {rooms: []string{root, "internal/code", "internal/untrusted", "internal/llm", "internal/mcpclient"}},
	"internal/store":  {rooms: []string{root}, third: []string{"modernc.org/sqlite"}},
	"internal/app": {
		rooms: []string{
			root, "internal/code", "internal/untrusted", "internal/evidence", "internal/detect", "internal/report",
			"internal/proc", "internal/git", "internal/check", "internal/llm", "internal/mcpclient", "internal/review",
			"internal/store",
		},
		third: []string{"github.com/pelletier/go-toml/v2", "golang.org/x/sync"},
	},
	"internal/cli": {
		rooms: []string{root, "internal/app", "internal/report", "internal/untrusted"},
		third: []string{"github.com/spf13/cobra", "github.com/spf13/pflag", "golang.org/x/sys"},
	},
	"internal/mcpserver": {
		rooms: []string{root, "internal/app", "internal/report", "internal/untrusted"},
		third: []string{"github.com/modelcontextprotocol/go-sdk"},
	},
	"internal/web": {rooms: []string{root, "internal/app", "internal/report", "internal/untrusted"}},
	"cmd/gavel":    {rooms: []string{root, "internal/app", "internal/cli", "internal/mcpserver", "internal/web"}},
	"test":         {tool: true},
	"docs":         {tool: true},
}

// maxDepth bounds the longest chain of imports from the program to a room.
const maxDepth = 6

// effects are packages of the standard library that touch the world.
var effects = []string{"os", "os/exec", "os/signal", "os/user", "net", "net/http", "syscall", "log", "log/slog", "math/rand", "math/rand/v2", "crypto/rand"}

// clock are the functions of package time that read the clock or wait for it.
var clock = []string{"Now", "Since", "Until", "Sleep", "After", "AfterFunc", "Tick", "NewTimer", "NewTicker"}

// sourceFile is one parsed non-test file.
type sourceFile struct {
	name string
	room string
	tree *ast.File
}

func roomOf(dir string) string {
	parts := strings.Split(dir, "/")
	switch {
	case parts[0] == "test", parts[0] == "docs":
		return parts[0]
	case len(parts) > 2:
		parts = parts[:2] // internal/llm/fake belongs to internal/llm
	}
	return strings.Join(parts, "/")
}

// sources parses every non-test file of the module, whatever its build constraints say.
func sources(t *testing.T) (*token.FileSet, []sourceFile) {
	t.Helper()
	fset := token.NewFileSet()
	var files []sourceFile
	err := filepath.WalkDir("..", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		base := d.Name()
		if d.IsDir() {
			if name != ".." && (strings.HasPrefix(base, ".") || strings.HasPrefix(base, "_") || base == "testdata") {
				return filepath.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(base, ".go") || strings.HasSuffix(base, "_test.go") {
			return nil
		}
		tree, err := parser.ParseFile(fset, name, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		rel, err := filepath.Rel("..", filepath.Dir(name))
		files = append(files, sourceFile{name, roomOf(filepath.ToSlash(rel)), tree})
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return fset, files
}

func imports(f *ast.File) []string {
	var paths []string
	for _, spec := range f.Imports {
		if p, err := strconv.Unquote(spec.Path.Value); err == nil {
			paths = append(paths, p)
		}
	}
	return paths
}

// within reports whether an import path is the package or lies below it.
func within(importPath, of string) bool {
	return importPath == of || strings.HasPrefix(importPath, of+"/")
}

// fault says why a room may not import a path, "" when it may.
func fault(name, importPath string) string {
	r, known := rooms[name]
	if !known {
		return "the room is not in the table"
	}
	if r.tool {
		return ""
	}
	first, _, _ := strings.Cut(importPath, "/")
	switch {
	case within(importPath, module):
		target := roomOf(path.Join(".", strings.TrimPrefix(strings.TrimPrefix(importPath, module), "/")))
		if target != name && !slices.Contains(r.rooms, target) {
			return "no edge between these rooms is allowed"
		}
	case strings.Contains(first, "."):
		if !slices.ContainsFunc(r.third, func(m string) bool { return within(importPath, m) }) {
			return "this module is not the room's"
		}
	case importPath == "os/exec" && name != "internal/proc":
		return "only internal/proc starts processes"
	case r.pure && slices.Contains(effects, importPath):
		return "the room has no effects"
	}
	return ""
}

func TestImports(t *testing.T) {
	t.Parallel()
	_, files := sources(t)
	if len(files) < 10 {
		t.Fatalf("only %d source files were found", len(files))
	}
	for _, f := range files {
		for _, p := range imports(f.tree) {
			if why := fault(f.room, p); why != "" {
				t.Errorf("%s (%s) imports %s: %s", f.name, f.room, p, why)
			}
		}
	}
}

func TestImportDepth(t *testing.T) {
	t.Parallel()
	_, files := sources(t)
	edges := map[string][]string{}
	for _, f := range files {
		from := path.Join(module, path.Dir(strings.TrimPrefix(filepath.ToSlash(f.name), "../")))
		for _, p := range imports(f.tree) {
			if within(p, module) {
				edges[from] = append(edges[from], p)
			}
		}
	}
	if chain := longest(edges, module+"/cmd/gavel", map[string][]string{}); len(chain)-1 > maxDepth {
		t.Errorf("%d edges, more than %d:\n%s", len(chain)-1, maxDepth, strings.Join(chain, "\n"))
	}
}

// longest returns the longest chain of imports that begins with a package. Go has no import cycles.
func longest(edges map[string][]string, from string, known map[string][]string) []string {
	if chain, ok := known[from]; ok {
		return chain
	}
	var tail []string
	for _, to := range edges[from] {
		if chain := longest(edges, to, known); len(chain) > len(tail) {
			tail = chain
		}
	}
	known[from] = append([]string{from}, tail...)
	return known[from]
}

// TestPureRooms finds clocks in rooms without effects, and work that runs before main anywhere.
func TestPureRooms(t *testing.T) {
	t.Parallel()
	fset, files := sources(t)
	for _, f := range files {
		ast.Inspect(f.tree, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.SelectorExpr:
				if x, ok := n.X.(*ast.Ident); ok && x.Name == "time" && rooms[f.room].pure && slices.Contains(clock, n.Sel.Name) {
					t.Errorf("%s: time.%s in a room without a clock: the time is an argument", fset.Position(n.Pos()), n.Sel.Name)
				}
			case *ast.FuncDecl:
				if n.Recv == nil && n.Name.Name == "init" {
					t.Errorf("%s: func init: lists are explicit, and nothing happens before main", fset.Position(n.Pos()))
				}
			}
			return true
		})
	}
}

// TestRooms checks the table itself: every room that it names is in the table, and no two rooms import each other.
func TestRooms(t *testing.T) {
	t.Parallel()
	edges := map[string][]string{}
	for _, name := range slices.Sorted(maps.Keys(rooms)) {
		for _, to := range rooms[name].rooms {
			if _, ok := rooms[to]; !ok {
				t.Errorf("%s names a room that is not in the table: %s", name, to)
			}
			if slices.Contains(rooms[to].rooms, name) {
				t.Errorf("%s and %s may import each other", name, to)
			}
			edges[name] = append(edges[name], to)
		}
	}
	if chain := longest(edges, "cmd/gavel", map[string][]string{}); len(chain)-1 > maxDepth {
		t.Errorf("the table allows a chain of %d: %v", len(chain)-1, chain)
	}
	for _, tt := range []struct {
		room, path string
		ok         bool
	}{
		{root, "strings", true},
		{root, "os", false},
		{root, "golang.org/x/text", false},
		{root, module + "/internal/code", false},
		{"internal/untrusted", "golang.org/x/text/unicode/norm", true},
		{"internal/untrusted", "golang.org/x/textual", false},
		{"internal/git", "os/exec", false},
		{"internal/proc", "os/exec", true},
		{"internal/cli", module + "/internal/mcpserver", false},
		{"internal/cli", module, true},
		{"internal/app", module + "/internal/llm/fake", true},
		{"internal/nowhere", "strings", false},
	} {
		if why := fault(tt.room, tt.path); (why == "") != tt.ok {
			t.Errorf("%s imports %s: %q", tt.room, tt.path, why)
		}
	}
}
