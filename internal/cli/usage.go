package cli

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/gavel-review/gavel"
)

// usagef is a mistake on the command line. The hint leads to the command's help, unless something better is known.
func usagef(cmd *cobra.Command, format string, args ...any) *gavel.Error {
	return gavel.Errorf(gavel.InvalidArgs, format, args...).WithHint("%s", helpHint(cmd))
}

func helpHint(cmd *cobra.Command) string {
	if cmd.HasParent() {
		return fmt.Sprintf("see `gavel help %s`", strings.TrimPrefix(cmd.CommandPath(), "gavel "))
	}
	return "see `gavel help`"
}

// at is where a message happened, as a prefix: nothing for gavel itself, whose name the message has already.
func at(cmd *cobra.Command) string {
	if cmd.HasParent() {
		return strings.TrimPrefix(cmd.CommandPath(), "gavel ") + ": "
	}
	return ""
}

func unknownCommand(cmd *cobra.Command, word string) error {
	e := usagef(cmd, "%sunknown command %q", at(cmd), word)
	if near := nearest(word, subcommands(cmd)); near != "" {
		return e.WithHint("did you mean `%s %s`?", cmd.CommandPath(), near)
	}
	return e
}

func missingCommand(cmd *cobra.Command) error {
	return usagef(cmd, "%sa command is missing: %s", at(cmd), strings.Join(subcommands(cmd), ", "))
}

// flagError turns what the flag parser says into our words.
func (p *program) flagError(cmd *cobra.Command, err error) error {
	var (
		unknown *pflag.NotExistError
		missing *pflag.ValueRequiredError
		invalid *pflag.InvalidValueError
	)
	switch {
	case errors.As(err, &unknown):
		return p.unknownFlag(cmd, unknown)
	case errors.As(err, &missing):
		return usagef(cmd, "%s--%s needs a value", at(cmd), missing.GetFlag().Name)
	case errors.As(err, &invalid):
		cause := invalid.Unwrap()
		if flag := invalid.GetFlag(); flag.Value.Type() == "bool" {
			cause = fmt.Errorf("%q is neither true nor false", invalid.GetValue())
		}
		return valueError(cmd, "--"+invalid.GetFlag().Name, cause)
	}
	return usagef(cmd, "%s%w", at(cmd), err)
}

func (p *program) unknownFlag(cmd *cobra.Command, unknown *pflag.NotExistError) error {
	name := "--" + unknown.GetSpecifiedName()
	if s := unknown.GetSpecifiedShortnames(); s != "" {
		name = "-" + s
		return usagef(cmd, "%sunknown flag %q", at(cmd), name)
	}
	e := usagef(cmd, "%sunknown flag %q", at(cmd), name)
	fields := positionals(p.leaves[cmd])
	for _, f := range fields {
		if f.Flag() == unknown.GetSpecifiedName() {
			return e.WithHint("%s is given without a flag: %s%s", upper(f.Name), cmd.CommandPath(), argumentsUsage(p.leaves[cmd], fields))
		}
	}
	var names []string
	cmd.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
	if near := nearest(unknown.GetSpecifiedName(), names); near != "" {
		return e.WithHint("did you mean --%s?", near)
	}
	return e
}

// valueError names the flag or argument, what is wrong with its value, and the nearest value that would do.
func valueError(cmd *cobra.Command, name string, cause error) error {
	e := usagef(cmd, "%s%s: %w", at(cmd), name, cause)
	var enum *notInEnum
	if errors.As(cause, &enum) {
		if near := nearest(strings.ToLower(enum.value), enum.allowed); near != "" {
			return e.WithHint("did you mean %q?", near)
		}
	}
	return e
}

// nearest returns the candidate that a mistyped word most likely stands for, or "" when none is near: one that begins
// with the word, else the one with the fewest letters wrong, at most a third of them.
func nearest(word string, candidates []string) string {
	best, least := "", len(word)/3+1
	for _, c := range candidates {
		if len(word) > 2 && strings.HasPrefix(c, word) {
			return c
		}
		if d := gavel.EditDistance(word, c); d < least {
			best, least = c, d
		}
	}
	return best
}
