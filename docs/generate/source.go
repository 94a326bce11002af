package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
)

// source is what only the source text tells: the comments behind the configuration keys, and the flags of every
// command.
type source struct {
	root    string
	structs map[string]structType
	globals []globalFlag
}

// structType is a struct of the configuration.
type structType struct{ fields []structField }

// structField is one key: its Go name, its name in the file, its Go type and the comment at it.
type structField struct{ name, key, typ, comment string }

// globalFlag is a flag of every command.
type globalFlag struct{ name, short, doc string }

func parseSource(root string) (*source, error) {
	s := &source{root: root, structs: make(map[string]structType)}
	for _, name := range []string{"policy.go", "internal/app/config.go"} {
		file, err := parseFile(root, name)
		if err != nil {
			return nil, err
		}
		ast.Inspect(file, s.structOf)
	}
	file, err := parseFile(root, "internal/cli/global.go")
	if err != nil {
		return nil, err
	}
	ast.Inspect(file, s.flagOf)
	if len(s.globals) == 0 {
		return nil, fmt.Errorf("internal/cli/global.go declares no flag")
	}
	return s, nil
}

func parseFile(root, name string) (*ast.File, error) {
	return parser.ParseFile(token.NewFileSet(), filepath.Join(root, filepath.FromSlash(name)), nil, parser.ParseComments)
}

// structOf collects the structs whose fields have names in a configuration file.
func (s *source) structOf(n ast.Node) bool {
	decl, ok := n.(*ast.GenDecl)
	if !ok {
		return true
	}
	for _, spec := range decl.Specs {
		typ, ok := spec.(*ast.TypeSpec)
		if !ok {
			continue
		}
		body, ok := typ.Type.(*ast.StructType)
		if !ok {
			continue
		}
		var st structType
		for _, f := range body.Fields.List {
			if key := tomlKey(f); key != "" && len(f.Names) == 1 {
				st.fields = append(st.fields, structField{f.Names[0].Name, key, typeName(f.Type), f.Doc.Text() + f.Comment.Text()})
			}
		}
		if len(st.fields) > 0 {
			s.structs[typ.Name.Name] = st
		}
	}
	return true
}

func tomlKey(f *ast.Field) string {
	if f.Tag == nil {
		return ""
	}
	tag, err := strconv.Unquote(f.Tag.Value)
	if err != nil {
		return ""
	}
	key, _, _ := strings.Cut(reflect.StructTag(tag).Get("toml"), ",")
	return key
}

// typeName is a type's name without pointers and packages.
func typeName(e ast.Expr) string {
	switch t := e.(type) {
	case *ast.Ident:
		return t.Name
	case *ast.StarExpr:
		return typeName(t.X)
	case *ast.SelectorExpr:
		return t.Sel.Name
	case *ast.ArrayType:
		return "[]" + typeName(t.Elt)
	case *ast.MapType:
		return "map[" + typeName(t.Key) + "]" + typeName(t.Value)
	}
	return fmt.Sprintf("%T", e)
}

// flagOf collects the calls that bind a global flag: f.StringVarP(&target, "name", "n", default, "doc").
func (s *source) flagOf(n ast.Node) bool {
	call, ok := n.(*ast.CallExpr)
	if !ok {
		return true
	}
	method, ok := call.Fun.(*ast.SelectorExpr)
	if !ok || !strings.Contains(method.Sel.Name, "Var") || len(call.Args) < 4 {
		return true
	}
	flag := globalFlag{name: text(call.Args[1]), doc: text(call.Args[len(call.Args)-1])}
	if strings.HasSuffix(method.Sel.Name, "P") {
		flag.short = text(call.Args[2])
	}
	if flag.name != "" {
		s.globals = append(s.globals, flag)
	}
	return true
}

// text is the value of a string literal, "" for anything else.
func text(e ast.Expr) string {
	literal, ok := e.(*ast.BasicLit)
	if !ok || literal.Kind != token.STRING {
		return ""
	}
	s, err := strconv.Unquote(literal.Value)
	if err != nil {
		return ""
	}
	return s
}
