package main

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/gavel-review/gavel/internal/app"
)

func commandsPage(s *source) (string, error) {
	var b strings.Builder
	ops := slices.DeleteFunc(app.Operations(), func(op app.Operation) bool { return op.Doors&app.CLI == 0 })
	rows := make([][]string, 0, len(ops))
	for _, op := range ops {
		rows = append(rows, []string{fmt.Sprintf("[`gavel %s`](#gavel-%s)", op.Name, anchor(op.Name)), op.Doc, doors(op)})
	}
	table(&b, []string{"command", "does", "open to"}, rows)
	b.WriteString("`gavel help COMMAND`, `gavel version`, `gavel completion SHELL` and `gavel mcp` belong to the command line itself; see `gavel help`.\n\n")
	b.WriteString("## Flags of every command\n\n")
	rows = nil
	for _, f := range s.globals {
		rows = append(rows, []string{flagName(f.name, f.short), sentence(f.doc)})
	}
	table(&b, []string{"flag", "meaning"}, rows)
	for _, op := range ops {
		command(&b, op)
	}
	return b.String(), nil
}

// doors lists the ways to an operation.
func doors(op app.Operation) string {
	var names []string
	if op.Doors&app.CLI != 0 {
		names = append(names, "command line")
	}
	if op.Doors&app.MCP != 0 {
		names = append(names, fmt.Sprintf("MCP: [`%s`](tools.md#%s)", op.Tool, anchor(op.Tool)))
	}
	return strings.Join(names, ", ")
}

func command(b *strings.Builder, op app.Operation) {
	fmt.Fprintf(b, "## gavel %s\n\n%s\n\n", op.Name, prose(op.Doc))
	if op.Long != "" {
		fmt.Fprintf(b, "%s\n\n", prose(strings.TrimSpace(op.Long)))
	}
	var flags [][]string
	usage := "gavel " + op.Name
	for _, f := range app.Fields(op.NewInput()) {
		switch {
		case f.Doors&app.CLI == 0:
		case slices.Contains(strings.Fields(op.Positional), f.Name):
			usage += " " + argument(f)
		default:
			flags = append(flags, []string{flagName(f.Flag(), f.Short), typeText(f), meaning(f)})
		}
	}
	if len(flags) > 0 {
		usage = strings.Replace(usage, op.Name, op.Name+" [flags]", 1)
	}
	fmt.Fprintf(b, "```text\n%s\n```\n\n", usage)
	table(b, []string{"flag", "value", "meaning"}, flags)
	fmt.Fprintf(b, "Formats: %s. ", quoteAll(append([]string{"text", "json"}, op.Formats...)))
	if op.ReadOnly {
		b.WriteString("Read-only.\n\n")
	} else {
		b.WriteString("Writes.\n\n")
	}
	if op.Example != "" {
		fmt.Fprintf(b, "```sh\n%s\n```\n\n", unindent(op.Example))
	}
}

func flagName(name, short string) string {
	if short != "" {
		return fmt.Sprintf("`--%s`, `-%s`", name, short)
	}
	return quote("--" + name)
}

// argument is the positional argument as a usage line shows it.
func argument(f app.Field) string {
	word := strings.ToUpper(f.Name)
	if f.Type.Kind() == reflect.Slice {
		word += "..."
	}
	return "[" + word + "]"
}

func typeText(f app.Field) string {
	t := f.Type
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch {
	case len(f.Enum) > 0:
		return quoteAll(f.Enum)
	case t.Kind() == reflect.Slice:
		return "list of strings"
	case t.Kind() == reflect.Bool:
		return "true or false"
	case t.Kind() == reflect.Int:
		return "whole number"
	}
	return t.Kind().String()
}

func meaning(f app.Field) string { return sentence(f.Doc) }

// unindent takes the two blanks away by which help texts indent their examples.
func unindent(example string) string {
	lines := strings.Split(strings.Trim(example, "\n"), "\n")
	for i, line := range lines {
		lines[i] = strings.TrimPrefix(line, "  ")
	}
	return strings.Join(lines, "\n")
}
