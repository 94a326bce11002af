package main

import (
	"encoding/json"
	"fmt"
	"go/ast"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/gavel-review/gavel"
	"github.com/gavel-review/gavel/internal/app"
	"github.com/gavel-review/gavel/internal/mcpserver"
)

const toolsIntro = `What an agent sees of ` + "`gavel mcp`" + `. Every answer has ` + "`schema_version`" + `, as structured content and as text with the same facts.
A failure is a result with ` + "`isError`" + `: ` + "`error_class`, `message`, often `hint` and `retry_after_ms`" + `, and what else there is to tell; the
classes are in [Exit codes and error classes](errors.md#error-classes). One answer has at most 40 KiB: lists come in pages, and ` + "`next_cursor`" + `
is null on the last one.

A usual loop:

1. ` + "`state`" + `: where am I, and was this commit judged already?
2. ` + "`run_review`" + `: quick waits for the verdict. deep returns a ` + "`run_id`" + ` at once and goes on by itself, also when the server ends.
3. ` + "`verdict`" + `: what was decided. While ` + "`status` is `in_progress`, wait `retry_after_ms`" + ` and ask again.
4. ` + "`findings` with `new_only`" + `: what to mend.
5. ` + "`read_artifact`" + `: the whole story, beginning with AI_INDEX.md.

Files of finished runs are resources too: ` + "`gavel:///runs/<run_id>/<file>`" + `, fenced as the data that they are, with ` + "`injectionSignals`" + ` and
` + "`injectionCount`" + ` beside the text. ` + "`gavel:///schemas/<tool>`" + ` is the schema of a tool's arguments.

`

func toolsPage(s *source) (string, error) {
	comments, err := parseComments(s.root, ".", "internal/app", "internal/store")
	if err != nil {
		return "", err
	}
	var b strings.Builder
	b.WriteString(toolsIntro)
	var ops []app.Operation
	var rows [][]string
	for _, op := range app.Operations() {
		if op.Doors&app.MCP != 0 {
			ops = append(ops, op)
			rows = append(rows, []string{fmt.Sprintf("[`%s`](#%s)", op.Tool, anchor(op.Tool)), op.Doc})
		}
	}
	table(&b, []string{"tool", "does"}, rows)
	for _, op := range ops {
		if err := tool(&b, op, comments); err != nil {
			return "", err
		}
	}
	return b.String(), nil
}

func tool(b *strings.Builder, op app.Operation, comments fieldComments) error {
	var schema struct {
		Required []string `json:"required"`
	}
	if err := json.Unmarshal(mcpserver.Schema(op.Tool), &schema); err != nil {
		return fmt.Errorf("%s: %w", op.Tool, err)
	}
	fmt.Fprintf(b, "## %s\n\n%s ", op.Tool, prose(op.Doc))
	if op.ReadOnly {
		b.WriteString("Read-only.\n\n")
	} else {
		b.WriteString("Writes state, never into the repository.\n\n")
	}
	var rows [][]string
	for _, f := range app.Fields(op.NewInput()) {
		if f.Doors&app.MCP != 0 {
			required := ""
			if slices.Contains(schema.Required, f.Name) {
				required = "yes"
			}
			rows = append(rows, []string{quote(f.Name), typeText(f), required, meaning(f)})
		}
	}
	table(b, []string{"argument", "value", "required", "meaning"}, rows)
	a := answer{comments: comments}
	a.describe(b, op.Output)
	return nil
}

// answer describes the types of one tool's answer, each once.
type answer struct {
	comments fieldComments
	nested   []reflect.Type
}

func (a *answer) describe(b *strings.Builder, t reflect.Type) {
	t = bare(t)
	if f, ok := t.FieldByName("Document"); ok && f.Type == reflect.TypeFor[*gavel.Document]() {
		b.WriteString("Answers with [the review document](document.md), after one line that sums it up.\n\n")
		return
	}
	alternatives := alternativesOf(t)
	for _, f := range alternatives {
		fmt.Fprintf(b, "%s\n\n", sentence(a.comments.doc[typeKey(bare(f.Type))]))
		a.table(b, bare(f.Type))
	}
	if len(alternatives) == 0 {
		b.WriteString("Answer:\n\n")
		a.table(b, t)
	}
	for i := 0; i < len(a.nested); i++ {
		fmt.Fprintf(b, "%s:\n\n", a.nested[i].Name())
		a.table(b, a.nested[i])
	}
}

// alternativesOf are the fields of a type that writes one of several documents.
func alternativesOf(t reflect.Type) []reflect.StructField {
	var all []reflect.StructField
	for f := range t.Fields() {
		if f.IsExported() && f.Tag == "" && !f.Anonymous {
			all = append(all, f)
		}
	}
	return all
}

func (a *answer) table(b *strings.Builder, t reflect.Type) {
	table(b, []string{"field", "value", "always there", "meaning"}, a.rows(t, true))
}

func (a *answer) rows(t reflect.Type, always bool) [][]string {
	var rows [][]string
	for f := range t.Fields() {
		name, option, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch {
		case f.Anonymous && name == "":
			rows = append(rows, a.rows(bare(f.Type), always && f.Type.Kind() != reflect.Pointer)...)
		case name != "" && name != "-" && f.IsExported():
			there := ""
			if always && option == "" {
				there = "yes"
			}
			typ := f.Type
			if option != "" { // what is left out is never null
				typ = bare(typ)
			}
			rows = append(rows, []string{quote(name), a.value(typ), there, commentText(a.comments.fields[typeKey(t)+"."+f.Name])})
		}
	}
	return rows
}

// value says what a field holds, and remembers the structs that need a table of their own.
func (a *answer) value(t reflect.Type) string {
	null := ""
	if t.Kind() == reflect.Pointer {
		t, null = t.Elem(), " or null"
	}
	switch {
	case t == reflect.TypeFor[time.Time]():
		return "time, RFC 3339" + null
	case t.Kind() == reflect.Slice:
		return "list of " + strings.Replace(a.value(t.Elem()), "string", "strings", 1)
	case t.Kind() == reflect.Map:
		return "object of " + a.value(t.Elem())
	case t.Kind() == reflect.Struct:
		if !slices.Contains(a.nested, t) {
			a.nested = append(a.nested, t)
		}
		return t.Name() + null
	case t.Kind() == reflect.Bool:
		return "true or false" + null
	case t.Kind() == reflect.Int, t.Kind() == reflect.Int64:
		return "whole number" + null
	case t.Kind() == reflect.Float64:
		return "number" + null
	}
	return "string" + null
}

func bare(t reflect.Type) reflect.Type {
	if t.Kind() == reflect.Pointer {
		return t.Elem()
	}
	return t
}

// fieldComments are what the source says of types (package.Type) and fields (package.Type.Field).
type fieldComments struct{ doc, fields map[string]string }

func typeKey(t reflect.Type) string {
	return t.PkgPath()[strings.LastIndexByte(t.PkgPath(), '/')+1:] + "." + t.Name()
}

func parseComments(root string, folders ...string) (fieldComments, error) {
	c := fieldComments{make(map[string]string), make(map[string]string)}
	for _, folder := range folders {
		files, err := filepath.Glob(filepath.Join(root, folder, "*.go"))
		if err != nil {
			return c, err
		}
		for _, path := range files {
			if strings.HasSuffix(path, "_test.go") {
				continue
			}
			file, err := parseFile(root, filepath.ToSlash(filepath.Join(folder, filepath.Base(path))))
			if err != nil {
				return c, err
			}
			for _, d := range file.Decls {
				if decl, ok := d.(*ast.GenDecl); ok {
					c.collect(file.Name.Name, decl)
				}
			}
		}
	}
	return c, nil
}

func (c fieldComments) collect(pkg string, decl *ast.GenDecl) {
	for _, spec := range decl.Specs {
		typ, ok := spec.(*ast.TypeSpec)
		if !ok {
			continue
		}
		c.doc[pkg+"."+typ.Name.Name] = decl.Doc.Text()
		body, ok := typ.Type.(*ast.StructType)
		if !ok {
			continue
		}
		for _, f := range body.Fields.List {
			for _, name := range f.Names {
				c.fields[pkg+"."+typ.Name.Name+"."+name.Name] = f.Doc.Text() + f.Comment.Text()
			}
		}
	}
}

func commentText(comment string) string {
	if s, err := strconv.Unquote(strings.TrimSpace(comment)); err == nil {
		return quote(s)
	}
	return prose(sentence(comment))
}
