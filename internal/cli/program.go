// Package cli is the command line: it translates words into the input of an operation and an output into text, and
// decides nothing. Commands, flags and help come from the list of operations.
package cli

import (
	"context"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/gavel-review/gavel"
	"github.com/gavel-review/gavel/internal/app"
)

// Doors is what the command line opens onto.
type Doors struct {
	// Operations lists what becomes commands. It is called only when a command has to be found.
	Operations func() []app.Operation
	// MCP serves the operations over standard input and output until the input ends or ctx is done. No toolsets means
	// all. Without it there is no command "mcp".
	MCP func(ctx context.Context, env *app.Env, toolsets []string) error
}

// Main runs one command line, without the program's name, and returns the exit code of the process.
func Main(args []string, doors Doors) int {
	// A reader that went away is an error of the write, not a signal that ends the process half-way.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
	p := &program{
		doors:  doors,
		args:   args,
		stdin:  os.Stdin,
		stdout: newStream(os.Stdout),
		stderr: newStream(os.Stderr),
		getenv: os.Getenv,
		getwd:  os.Getwd,
	}
	if p.versionOnly() {
		return p.run(context.Background())
	}
	p.level.Set(slog.LevelWarn)
	slog.SetDefault(slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: &p.level})))
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop) // the second signal ends the process at once
	return p.run(ctx)
}

// program is one invocation: what it was given, and what it has found out so far.
type program struct {
	doors          Doors
	args           []string
	stdin          io.Reader
	stdout, stderr stream
	getenv         func(string) string
	getwd          func() (string, error)
	level          slog.LevelVar

	global globals
	root   *cobra.Command
	leaves map[*cobra.Command]*leaf
	order  []*cobra.Command // commands in the order of the help
	exit   int
	// json is true when an error has to be a document on standard output as well.
	json bool
}

// run executes the command line. A panic becomes an error of class internal: nothing has been written by then, since
// results are written whole.
func (p *program) run(ctx context.Context) (code int) {
	p.json = asksForJSON(p.args)
	defer func() {
		if v := recover(); v != nil {
			code = p.fail(panicError(v, debug.Stack()))
		}
	}()
	var err error
	if p.versionOnly() {
		err = p.printVersion()
	} else {
		err = p.execute(ctx)
	}
	if err != nil {
		return p.fail(err)
	}
	return p.exit
}

// execute finds the command, gives it its flags, and runs it.
func (p *program) execute(ctx context.Context) error {
	p.grow()
	args := p.args
	if args == nil {
		args = []string{} // nil would make cobra read the arguments of the process
	}
	if len(args) > 0 && (args[0] == cobra.ShellCompRequestCmd || args[0] == cobra.ShellCompNoDescRequestCmd) {
		if err := p.bindAll(); err != nil {
			return err
		}
	} else {
		cmd, rest, _ := p.root.Find(args)
		if word := p.firstWord(rest); p.leaves[cmd] == nil && word != "" {
			return unknownCommand(cmd, word)
		}
		if err := p.bind(cmd); err != nil {
			return err
		}
	}
	p.root.SetArgs(args)
	return p.root.ExecuteContext(ctx)
}

// env is the world as the operations see it.
func (p *program) env(progress *progress) (*app.Env, error) {
	dir, err := p.getwd()
	if err != nil {
		return nil, gavel.Errorf(gavel.InvalidArgs, "the working directory cannot be determined: %w", err)
	}
	repo, err := p.repo(dir)
	if err != nil {
		return nil, err
	}
	return &app.Env{
		Version:     Version(),
		Dir:         dir,
		Getenv:      p.getenv,
		Stdin:       p.stdin,
		Now:         now,
		Progress:    progress.report,
		Say:         progress.say,
		DefaultRepo: repo,
		Door:        app.CLI,
	}, nil
}
