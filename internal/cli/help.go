package cli

import (
	"bytes"
	"context"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/gavel-review/gavel"
	"github.com/gavel-review/gavel/internal/app"
)

// sections order the help; a command that none of them names comes last, under its own heading.
var sections = []struct {
	title    string
	commands []string // first words
}{
	{"Review and gate", []string{"review", "scan", "guard", "acknowledge", "baseline"}},
	{"Rules", []string{"rules", "explain"}},
	{"Set up", []string{"hook", "config", "doctor", "health"}},
	{"Agents", []string{"mcp"}},
	{"More", nil},
}

// helpInput names the command to describe.
type helpInput struct {
	Command []string `json:"command,omitempty" doc:"the command to describe"`
}

func (p *program) helpLeaf() *leaf {
	return &leaf{
		op: app.Operation{
			Name:       "help",
			Doc:        "Describe gavel or one of its commands.",
			Doors:      app.CLI,
			Positional: "command",
			NewInput:   func() any { return new(helpInput) },
		},
		run: func(_ context.Context, in any) error { return p.help(in.(*helpInput).Command) },
	}
}

func (p *program) help(words []string) error {
	cmd, rest, _ := p.root.Find(words)
	if len(rest) > 0 {
		return unknownCommand(cmd, rest[0])
	}
	p.exit = p.showHelp(cmd)
	return nil
}

// showHelp writes the help of a command and returns the exit code.
func (p *program) showHelp(cmd *cobra.Command) int {
	text := p.rootHelp
	switch {
	case p.leaves[cmd] != nil:
		if err := p.bind(cmd); err != nil {
			return p.fail(err)
		}
		text = func() []byte { return p.leafHelp(cmd) }
	case cmd.HasParent():
		text = func() []byte { return p.groupHelp(cmd) }
	}
	if err := (standardOutput{p.stdout}).write(text()); err != nil {
		return p.fail(err)
	}
	return gavel.ExitPass
}

func (p *program) rootHelp() []byte {
	var b bytes.Buffer
	fmt.Fprint(&b, "gavel judges a code change: what was found in it, and whether it may pass.\n\nUsage\n  gavel COMMAND [flags] [arguments]\n")
	left := slices.Clone(p.order)
	t := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	for _, s := range sections {
		fmt.Fprintf(t, "\n%s\n", s.title)
		left = slices.DeleteFunc(left, func(c *cobra.Command) bool {
			name := strings.TrimPrefix(c.CommandPath(), "gavel ")
			word, _, _ := strings.Cut(name, " ")
			if s.commands != nil && !slices.Contains(s.commands, word) {
				return false
			}
			fmt.Fprintf(t, "  %s\t%s\n", name, c.Short)
			return true
		})
	}
	t.Flush()
	fmt.Fprint(&b, "\nFlags of every command\n")
	writeFlags(&b, p.root.PersistentFlags())
	fmt.Fprint(&b, `
Exit codes
  0 pass; 1 block; 2 conditional, with --strict; 3 no trustworthy verdict; 64 usage; 130 cancelled

`+"`gavel help COMMAND` says more about one of them.\n")
	return b.Bytes()
}

func (p *program) groupHelp(cmd *cobra.Command) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "Usage\n  %s COMMAND [flags] [arguments]\n\nCommands\n", cmd.CommandPath())
	t := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	for _, c := range p.order {
		if c.Parent() == cmd {
			fmt.Fprintf(t, "  %s\t%s\n", c.Name(), c.Short)
		}
	}
	t.Flush()
	return b.Bytes()
}

func (p *program) leafHelp(cmd *cobra.Command) []byte {
	var b bytes.Buffer
	l := p.leaves[cmd]
	fmt.Fprintf(&b, "%s\n", l.op.Doc)
	if l.op.Long != "" {
		fmt.Fprintf(&b, "\n%s\n", strings.TrimSpace(l.op.Long))
	}
	usage := cmd.CommandPath() + " [flags]"
	arguments := positionals(l)
	usage += argumentsUsage(l, arguments)
	fmt.Fprintf(&b, "\nUsage\n  %s\n", usage)
	if len(arguments) > 0 {
		fmt.Fprint(&b, "\nArguments\n")
	}
	for _, f := range arguments {
		fmt.Fprintf(&b, "  %s  %s%s\n", upper(f.Name), f.Doc, enumText(f.Enum))
	}
	if own := cmd.LocalNonPersistentFlags(); own.HasAvailableFlags() {
		fmt.Fprint(&b, "\nFlags\n")
		own.SortFlags = false
		writeFlags(&b, own)
	}
	fmt.Fprint(&b, "\nFlags of every command\n")
	writeFlags(&b, p.root.PersistentFlags())
	if l.run == nil {
		fmt.Fprintf(&b, "\nFormats\n  %s\n", strings.Join(formats(l), ", "))
	}
	if l.op.Example != "" {
		fmt.Fprintf(&b, "\nExamples\n%s\n", l.op.Example)
	}
	return b.Bytes()
}

// argumentsUsage is the arguments in the usage line, each after a blank.
func argumentsUsage(l *leaf, fields []app.Field) string {
	var b strings.Builder
	for _, f := range fields {
		b.WriteString(" " + argumentUsage(l, f))
	}
	return b.String()
}

// argumentUsage is the argument in the usage line: PATH, [PATH] or [PATH...].
func argumentUsage(l *leaf, f app.Field) string {
	name := upper(f.Name)
	if f.Type.Kind() == reflect.Slice {
		name += "..."
	}
	tag := reflect.TypeOf(l.op.NewInput()).Elem().Field(f.Index).Tag.Get("json")
	if strings.Contains(tag, ",omitempty") {
		return "[" + name + "]"
	}
	return name
}

func writeFlags(b *bytes.Buffer, flags *pflag.FlagSet) {
	t := tabwriter.NewWriter(b, 0, 0, 2, ' ', 0)
	flags.VisitAll(func(f *pflag.Flag) {
		if f.Hidden {
			return
		}
		short := "    "
		if f.Shorthand != "" {
			short = "-" + f.Shorthand + ", "
		}
		fmt.Fprintf(t, "  %s--%s\t%s\n", short, f.Name+placeholder(f), f.Usage+remark(f))
	})
	t.Flush()
}

func placeholder(f *pflag.Flag) string {
	switch f.Value.Type() {
	case "bool":
		return ""
	case "int":
		return " N"
	}
	switch f.Name {
	case "repo":
		return " PATH"
	case "output":
		return " FILE"
	}
	return " VALUE"
}

func remark(f *pflag.Flag) string {
	v, ok := f.Value.(*fieldValue)
	switch {
	case !ok:
		return ""
	case v.Type() == "stringArray":
		return enumText(v.enum) + "; repeatable"
	}
	return enumText(v.enum)
}

func enumText(enum []string) string {
	if len(enum) == 0 {
		return ""
	}
	return ": " + strings.Join(enum, ", ")
}
