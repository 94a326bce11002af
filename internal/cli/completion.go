package cli

import (
	"bytes"
	"context"
	"io"
	"slices"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/gavel-review/gavel"
	"github.com/gavel-review/gavel/internal/app"
)

// completionInput asks for the script of one shell.
type completionInput struct {
	Shell string `json:"shell" doc:"the shell to complete for" enum:"bash,zsh,fish,powershell"`
}

// completionOutput is a script that a shell reads.
type completionOutput struct {
	Shell  string `json:"shell"`
	Script string `json:"script"`
}

func (p *program) completionOperation() app.Operation {
	return app.Erase(app.Op[completionInput, *completionOutput]{
		Name:       "completion",
		Doc:        "Print a script that completes gavel's commands and flags in a shell.",
		Long:       "Load it where your shell reads its settings from.",
		Example:    "  source <(gavel completion bash)\n  gavel completion fish -o ~/.config/fish/completions/gavel.fish",
		Doors:      app.CLI,
		ReadOnly:   true,
		Positional: "shell",
		Run: func(_ context.Context, _ *app.Env, in completionInput) (*completionOutput, error) {
			return p.completionScript(in.Shell)
		},
		Render: func(w io.Writer, o *completionOutput, _ app.RenderOptions) error {
			_, err := io.WriteString(w, o.Script)
			return err
		},
	})
}

func (p *program) completionScript(shell string) (*completionOutput, error) {
	var b bytes.Buffer
	var err error
	switch shell {
	case "bash":
		err = p.root.GenBashCompletionV2(&b, true)
	case "zsh":
		err = p.root.GenZshCompletion(&b)
	case "fish":
		err = p.root.GenFishCompletion(&b, true)
	case "powershell":
		err = p.root.GenPowerShellCompletionWithDesc(&b)
	default:
		return nil, gavel.Errorf(gavel.InvalidArgs, "completion needs a shell: bash, zsh, fish or powershell")
	}
	return &completionOutput{shell, b.String()}, err
}

// complete tells the shell which words may follow the flags and the name of a command. A command without arguments
// offers none; everything else that is open is a path.
func (p *program) complete(cmd *cobra.Command) error {
	fields := positionals(p.leaves[cmd])
	switch {
	case len(fields) > 0 && len(fields[0].Enum) > 0:
		cmd.ValidArgsFunction = words(fields[0].Enum)
	case len(fields) == 0:
		cmd.ValidArgsFunction = words(nil)
	}
	var err error
	cmd.Flags().VisitAll(func(flag *pflag.Flag) {
		if v, ok := flag.Value.(*fieldValue); ok && len(v.enum) > 0 && err == nil {
			err = cmd.RegisterFlagCompletionFunc(flag.Name, words(v.enum))
		}
	})
	return err
}

func (p *program) completeGlobals() error {
	if err := p.root.MarkPersistentFlagDirname("repo"); err != nil {
		return err
	}
	if err := p.root.RegisterFlagCompletionFunc("color", words([]string{"auto", "always", "never"})); err != nil {
		return err
	}
	return p.root.RegisterFlagCompletionFunc("format", func(cmd *cobra.Command, args []string, word string) ([]string, cobra.ShellCompDirective) {
		if l := p.leaves[cmd]; l != nil {
			return words(formats(l))(cmd, args, word)
		}
		return nil, cobra.ShellCompDirectiveNoFileComp
	})
}

func words(list []string) cobra.CompletionFunc {
	return func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		return slices.Clone(list), cobra.ShellCompDirectiveNoFileComp
	}
}
