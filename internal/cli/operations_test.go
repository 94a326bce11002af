package cli

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/gavel-review/gavel/internal/app"
)

// The real operations fit the command line: every field becomes a flag, and none hides a global one.
func TestRealOperations(t *testing.T) {
	t.Parallel()
	p := &program{doors: Doors{Operations: app.Operations}}
	p.grow()
	if err := p.bindAll(); err != nil {
		t.Fatal(err)
	}
	shorts := map[string]string{}
	p.root.PersistentFlags().VisitAll(func(f *pflag.Flag) { shorts[f.Shorthand] = f.Name })
	for cmd, l := range p.leaves {
		name := cmd.CommandPath()
		if l.op.Doc == "" || len(l.op.Doc) > 200 {
			t.Errorf("%s: the doc has %d bytes", name, len(l.op.Doc))
		}
		fields := positionals(l)
		if len(fields) != len(strings.Fields(l.op.Positional)) {
			t.Errorf("%s: not all of the fields %q are there", name, l.op.Positional)
		}
		for i, f := range fields {
			if f.Type.Kind() == reflect.Slice && i < len(fields)-1 {
				t.Errorf("%s: the list %s is not last", name, f.Name)
			}
		}
		if all := formats(l); len(slices.Compact(slices.Sorted(slices.Values(all)))) != len(all) {
			t.Errorf("%s: a format twice: %q", name, all)
		}
		cmd.Flags().VisitAll(func(f *pflag.Flag) { checkOwnFlag(t, p.root, name, f, shorts) })
	}
}

func checkOwnFlag(t *testing.T, root *cobra.Command, command string, f *pflag.Flag, shorts map[string]string) {
	t.Helper()
	if _, own := f.Value.(*fieldValue); !own {
		return // a global one that completion merged in
	}
	if f.Usage == "" || len(f.Usage) > 40 {
		t.Errorf("%s --%s: the doc has %d bytes", command, f.Name, len(f.Usage))
	}
	if root.PersistentFlags().Lookup(f.Name) != nil || f.Name == "version" {
		t.Errorf("%s --%s hides a global flag", command, f.Name)
	}
	if other := shorts[f.Shorthand]; f.Shorthand != "" && other != "" {
		t.Errorf("%s --%s: -%s stands for --%s", command, f.Name, f.Shorthand, other)
	}
}
