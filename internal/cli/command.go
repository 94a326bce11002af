package cli

import (
	"context"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/gavel-review/gavel"
	"github.com/gavel-review/gavel/internal/app"
)

// leaf is a command that does something. Its flags are bound when it is about to run or to be described, not before.
type leaf struct {
	op app.Operation
	in any // the input that the flags write to; nil until bound
	// run replaces op.Run and op.Render for the commands whose result is no value: help and mcp.
	run func(ctx context.Context, in any) error
	// valued reports whether this input asks for a value after all. nil = never.
	valued func(in any) bool
}

// grow builds the tree of commands, without the flags of the leaves.
func (p *program) grow() {
	p.leaves = make(map[*cobra.Command]*leaf)
	p.root = &cobra.Command{
		Use:           "gavel",
		Args:          cobra.ArbitraryArgs,
		RunE:          func(*cobra.Command, []string) error { return p.bare() },
		SilenceErrors: true,
		SilenceUsage:  true,
	}
	p.root.SetOut(p.stdout)
	p.root.SetErr(p.stderr)
	p.root.CompletionOptions.DisableDefaultCmd = true
	p.root.SetFlagErrorFunc(p.flagError)
	p.root.SetHelpFunc(func(cmd *cobra.Command, _ []string) { p.exit = p.showHelp(cmd) })
	p.bindGlobals()
	for _, op := range p.doors.Operations() {
		if op.Doors&app.CLI != 0 {
			p.add(&leaf{op: op})
		}
	}
	if p.doors.MCP != nil {
		p.add(p.mcpLeaf())
	}
	p.add(&leaf{op: versionOperation()})
	p.add(&leaf{op: p.completionOperation()})
	help := p.add(p.helpLeaf())
	p.root.SetHelpCommand(help)
}

// add hangs a leaf into the tree; the words of its name become nested commands.
func (p *program) add(l *leaf) *cobra.Command {
	parent := p.root
	words := strings.Fields(l.op.Name)
	for _, word := range words[:len(words)-1] {
		parent = p.group(parent, word)
	}
	cmd := &cobra.Command{
		Use:   words[len(words)-1],
		Short: firstSentence(l.op.Doc),
		Args:  cobra.ArbitraryArgs,
		RunE:  func(cmd *cobra.Command, args []string) error { return p.operate(cmd, l, args) },
	}
	parent.AddCommand(cmd)
	p.leaves[cmd] = l
	p.order = append(p.order, cmd)
	return cmd
}

// group returns the command that holds the commands of one first word.
func (p *program) group(parent *cobra.Command, word string) *cobra.Command {
	for _, c := range parent.Commands() {
		if c.Name() == word {
			return c
		}
	}
	g := &cobra.Command{
		Use:   word,
		Short: "Commands of " + word,
		Args:  cobra.ArbitraryArgs,
		RunE:  func(cmd *cobra.Command, _ []string) error { return missingCommand(cmd) },
	}
	parent.AddCommand(g)
	return g
}

// bare is `gavel` without a command. It is no success: a gate whose command got lost must not pass.
func (p *program) bare() error {
	if p.global.version {
		return p.printVersion()
	}
	if p.json {
		return missingCommand(p.root)
	}
	if _, err := p.stderr.Write(p.rootHelp()); err != nil {
		return nil
	}
	p.exit = gavel.ExitUsage
	return nil
}

// firstWord returns the first argument that is neither a flag nor the value of a global flag.
func (p *program) firstWord(args []string) string {
	for i := 0; i < len(args); i++ {
		switch a := args[i]; {
		case a == "--":
			return strings.Join(args[i+1:min(i+2, len(args))], "")
		case !strings.HasPrefix(a, "-") || a == "-":
			return a
		case p.takesValue(a):
			i++
		}
	}
	return ""
}

// takesValue reports whether the argument is a global flag whose value is the next argument.
func (p *program) takesValue(arg string) bool {
	name, long := strings.CutPrefix(arg, "--")
	flags := p.root.PersistentFlags()
	f := flags.Lookup(name)
	if !long && len(arg) == 2 {
		f = flags.ShorthandLookup(arg[1:])
	}
	return f != nil && f.NoOptDefVal == ""
}

// subcommands lists the names of a command's children in the order of the help.
func subcommands(cmd *cobra.Command) []string {
	var names []string
	for _, c := range cmd.Commands() {
		if !c.Hidden {
			names = append(names, c.Name())
		}
	}
	slices.Sort(names)
	return names
}

func firstSentence(doc string) string {
	if i := strings.Index(doc, ". "); i >= 0 {
		doc = doc[:i]
	}
	return strings.TrimSuffix(doc, ".")
}
