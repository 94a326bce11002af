package cli

import (
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/gavel-review/gavel"
	"github.com/gavel-review/gavel/internal/app"
)

// bind gives a leaf its input and its flags, once.
func (p *program) bind(cmd *cobra.Command) error {
	l := p.leaves[cmd]
	if l == nil || l.in != nil {
		return nil
	}
	l.in = l.op.NewInput()
	flags := cmd.Flags()
	flags.SortFlags = false
	v := reflect.ValueOf(l.in).Elem()
	for _, f := range app.Fields(l.in) {
		if f.Doors&app.CLI == 0 || slices.Contains(strings.Fields(l.op.Positional), f.Name) {
			continue
		}
		value := &fieldValue{v.Field(f.Index), f.Enum}
		if value.Type() == "" {
			return gavel.Errorf(gavel.Internal, "%s: field %s has a type that no flag can carry: %s", l.op.Name, f.Name, f.Type)
		}
		flag := flags.VarPF(value, f.Flag(), f.Short, f.Doc)
		if value.Type() == "bool" {
			flag.NoOptDefVal = "true"
		}
	}
	return nil
}

// bindAll binds every leaf and tells the shell what may follow each flag. Only completion needs that.
func (p *program) bindAll() error {
	for _, cmd := range p.order {
		if err := p.bind(cmd); err != nil {
			return err
		}
		if err := p.complete(cmd); err != nil {
			return err
		}
	}
	return p.completeGlobals()
}

// fieldValue is a flag over one field of an input.
type fieldValue struct {
	v    reflect.Value // settable
	enum []string
}

// Type implements pflag.Value, in pflag's words; "" is a type that no flag can carry.
func (f *fieldValue) Type() string {
	t := f.v.Type()
	if t.Kind() == reflect.Pointer {
		t = t.Elem() // nil is "not given"
	}
	switch {
	case t.Kind() == reflect.Bool:
		return "bool"
	case t.Kind() == reflect.String:
		return "string"
	case t.Kind() == reflect.Int:
		return "int"
	case t.Kind() == reflect.Slice && t.Elem().Kind() == reflect.String:
		return "stringArray"
	}
	return ""
}

// String implements pflag.Value. Defaults are zero values and nobody reads them.
func (f *fieldValue) String() string { return "" }

// Set implements pflag.Value. A list grows by one element a flag; commas are part of the element.
func (f *fieldValue) Set(s string) error {
	if len(f.enum) > 0 && !slices.Contains(f.enum, s) {
		return &notInEnum{s, f.enum}
	}
	v := f.v
	if v.Kind() == reflect.Pointer {
		v = reflect.New(v.Type().Elem()).Elem()
	}
	if err := set(v, s); err != nil {
		return err
	}
	if f.v.Kind() == reflect.Pointer {
		f.v.Set(v.Addr())
	}
	return nil
}

func set(v reflect.Value, s string) error {
	switch v.Kind() {
	case reflect.String:
		v.SetString(s)
	case reflect.Slice:
		v.Set(reflect.Append(v, reflect.ValueOf(s).Convert(v.Type().Elem())))
	case reflect.Int:
		n, err := strconv.Atoi(s)
		if err != nil {
			return fmt.Errorf("%q is not a whole number", s)
		}
		v.SetInt(int64(n))
	default:
		b, err := strconv.ParseBool(s)
		if err != nil {
			return fmt.Errorf("%q is neither true nor false", s)
		}
		v.SetBool(b)
	}
	return nil
}

// notInEnum is a word that is none of the allowed ones.
type notInEnum struct {
	value   string
	allowed []string
}

func (e *notInEnum) Error() string {
	return fmt.Sprintf("%q is none of %s", e.value, strings.Join(e.allowed, ", "))
}

// positionals are the fields that take the arguments, in their order.
func positionals(l *leaf) []app.Field {
	if l == nil || l.op.Positional == "" {
		return nil
	}
	var out []app.Field
	fields := app.Fields(l.op.NewInput())
	for _, name := range strings.Fields(l.op.Positional) {
		for _, f := range fields {
			if f.Name == name {
				out = append(out, f)
			}
		}
	}
	return out
}

// fill writes the arguments of the command line into the positional fields.
func fill(cmd *cobra.Command, l *leaf, args []string) error {
	fields := positionals(l)
	list := len(fields) > 0 && fields[len(fields)-1].Type.Kind() == reflect.Slice
	switch {
	case len(args) == 0:
		return nil
	case len(fields) == 0:
		return usagef(cmd, "%sno arguments are taken, but there is %q", at(cmd), args[0])
	case !list && len(args) > len(fields):
		return usagef(cmd, "%sone %s is taken, but there are %d: %q", at(cmd), upper(fields[len(fields)-1].Name), len(args)-len(fields)+1, args)
	}
	for i, a := range args {
		f := fields[min(i, len(fields)-1)]
		value := &fieldValue{reflect.ValueOf(l.in).Elem().Field(f.Index), f.Enum}
		if err := value.Set(a); err != nil {
			return valueError(cmd, upper(f.Name), err)
		}
	}
	return nil
}

// upper is how help and messages spell a positional argument.
func upper(name string) string { return strings.ToUpper(strings.ReplaceAll(name, "_", "-")) }
