package cli

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/gavel-review/gavel"
)

// globals are the flags of every command.
type globals struct {
	repo    string
	json    bool
	format  string
	output  string
	color   string
	quiet   bool
	verbose bool
	version bool
	help    bool
}

func (p *program) bindGlobals() {
	f := p.root.PersistentFlags()
	f.SortFlags = false
	g := &p.global
	f.StringVar(&g.repo, "repo", "", "the repository (default: GAVEL_REPO, then the working directory)")
	f.StringVar(&g.format, "format", "text", "form of the result")
	f.BoolVar(&g.json, "json", false, "the same as --format json")
	f.StringVarP(&g.output, "output", "o", "", "write the result to this file, whole or not at all")
	f.StringVar(&g.color, "color", "auto", "colours: auto, always or never")
	f.BoolVarP(&g.quiet, "quiet", "q", false, "no progress and no notices on standard error")
	f.BoolVarP(&g.verbose, "verbose", "v", false, "log to standard error, and show an error's class and cause")
	f.BoolVarP(&g.help, "help", "h", false, "describe the command")
	p.root.Flags().BoolVar(&g.version, "version", false, "print the version")
}

// checkGlobals looks at the words that no flag type checks.
func (p *program) checkGlobals(cmd *cobra.Command) error {
	if c := []string{"auto", "always", "never"}; !slices.Contains(c, p.global.color) {
		return valueError(cmd, "--color", &notInEnum{p.global.color, c})
	}
	for _, name := range []string{"repo", "output"} {
		if f := cmd.Flags().Lookup(name); f != nil && f.Changed && f.Value.String() == "" {
			return usagef(cmd, "%s--%s: the value is empty", at(cmd), name)
		}
	}
	return nil
}

// formatOf settles how the result of an operation is written: "text", "json" or one of its own formats.
func (p *program) formatOf(cmd *cobra.Command, l *leaf) (string, error) {
	format := p.global.format
	if p.global.json {
		if cmd.Flags().Changed("format") && format != "json" {
			return "", usagef(cmd, "%s--json and --format %s exclude each other", at(cmd), format)
		}
		return "json", nil
	}
	if allowed := formats(l); !slices.Contains(allowed, format) {
		return "", valueError(cmd, "--format", &notInEnum{format, allowed})
	}
	return format, nil
}

func formats(l *leaf) []string { return append([]string{"text", "json"}, l.op.Formats...) }

// repo is --repo as an absolute path, "" when it was not given.
func (p *program) repo(dir string) (string, error) {
	if p.global.repo == "" || filepath.IsAbs(p.global.repo) {
		return p.global.repo, nil
	}
	if dir == "" {
		return "", gavel.Errorf(gavel.InvalidArgs, "--repo: %q is relative, and there is no working directory", p.global.repo)
	}
	return filepath.Join(dir, p.global.repo), nil
}

// asksForJSON reads the arguments before the flags are parsed: an error in the flags has to answer in JSON too.
func asksForJSON(args []string) bool {
	for i, a := range args {
		switch {
		case a == "--":
			return false
		case a == "--json", a == "--json=true", a == "--format=json":
			return true
		case a == "--format":
			return strings.Join(args[i+1:min(i+2, len(args))], "") == "json"
		}
	}
	return false
}
