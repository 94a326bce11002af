// Package app holds the operations: what gavel does, declared once, for every door. It is the only room that wires
// the others together, and the only one that knows the clock, the environment and the configuration.
package app

import (
	"cmp"
	"context"
	"io"
	"reflect"
	"strings"
	"time"

	"github.com/gavel-review/gavel"
)

// Doors is a set of ways in.
type Doors uint8

// The doors. What grants trust (acknowledge, baseline update, hook install) never opens onto MCP.
const (
	CLI Doors = 1 << iota
	MCP
	HTTP
	AllDoors = CLI | MCP | HTTP
)

// Env is the world as an operation sees it.
type Env struct {
	Version  string
	Dir      string              // the working directory
	Getenv   func(string) string // "" = not set
	Stdin    io.Reader
	Now      func() time.Time
	Progress func(message string) // never nil; called at most a few times a second
	// Say shows a line that stays: a step of long work is done. nil = nobody listens.
	Say func(line string)
	// DefaultRepo is used where an operation is given no repository: the server's --repo. Empty = the working directory.
	DefaultRepo string
	Door        Doors // through which the call came
}

// Clock returns the time that a result is stamped with: SOURCE_DATE_EPOCH where it is set, as
// https://reproducible-builds.org/specs/source-date-epoch/ defines it, and whether it is fixed that way.
func (e *Env) Clock() (now time.Time, fixed bool, err error) {
	epoch := e.Getenv("SOURCE_DATE_EPOCH")
	if epoch == "" {
		return e.Now().UTC(), false, nil
	}
	now, err = parseEpoch(epoch)
	return now, true, err
}

func (e *Env) say(line string) {
	if e.Say != nil {
		e.Say(line)
	}
}

// hint is what to do next, in the words of whoever is at the door: a command line, or the call of a tool.
func (e *Env) hint(command, call string) string {
	if e.Door == CLI {
		return command
	}
	return call
}

// RenderOptions is how a door wants text.
type RenderOptions struct {
	Format string // "text" or one of the operation's formats
	Color  bool
	Width  int // columns; 0 = not known
}

// Op is one operation. In's fields carry their flags and schema as tags, see [Field].
type Op[In, Out any] struct {
	Name     string // words as typed: "baseline update"; MCP joins them by "_"
	Doc      string // one sentence, at most 200 bytes
	Long     string // for people, may be empty
	Example  string
	Doors    Doors
	Tool     string // name of the MCP tool, "" = Name with "_" between its words
	ReadOnly bool
	// Positional names the fields (by their JSON names) that take the arguments of the command line, in their order, with
	// blanks between; "" = none. All but the last take one argument each, and a last one that is a list takes the rest.
	Positional string
	Formats    []string // beside text and json
	Run        func(ctx context.Context, env *Env, in In) (Out, error)
	Render     func(w io.Writer, out Out, o RenderOptions) error
}

// Operation is an [Op] with its types forgotten, for the doors.
type Operation struct {
	Name, Doc, Long, Example string
	Doors                    Doors
	Tool                     string // name of the MCP tool
	ReadOnly                 bool
	Positional               string
	Formats                  []string
	// NewInput returns a pointer to a zero input.
	NewInput func() any
	// Output is the type of the result, for descriptions.
	Output reflect.Type
	// Run calls the operation with what NewInput returned and the door filled in.
	Run func(ctx context.Context, env *Env, in any) (any, error)
	// Render writes the output for people or in one of Formats.
	Render func(w io.Writer, out any, o RenderOptions) error
}

// Exiter is an output that has a say in the exit code. Other outputs exit with gavel.ExitPass.
type Exiter interface{ ExitCode() int }

// Erase forgets the types of an operation.
func Erase[In, Out any](op Op[In, Out]) Operation {
	return Operation{
		Name: op.Name, Doc: op.Doc, Long: op.Long, Example: op.Example,
		Doors: op.Doors, Tool: cmp.Or(op.Tool, strings.ReplaceAll(op.Name, " ", "_")), ReadOnly: op.ReadOnly, Positional: op.Positional, Formats: op.Formats,
		NewInput: func() any { return new(In) },
		Output:   reflect.TypeFor[Out](),
		Run: func(ctx context.Context, env *Env, in any) (any, error) {
			typed, ok := in.(*In)
			if !ok {
				return nil, gavel.Errorf(gavel.Internal, "operation %s was called with %T", op.Name, in)
			}
			return op.Run(ctx, env, *typed)
		},
		Render: func(w io.Writer, out any, o RenderOptions) error {
			typed, ok := out.(Out)
			if !ok {
				return gavel.Errorf(gavel.Internal, "operation %s was given %T to render", op.Name, out)
			}
			return op.Render(w, typed, o)
		},
	}
}
