package test

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
)

var commands = map[string]func(ts *testscript.TestScript, neg bool, args []string){
	"exits":     exits,
	"gitinit":   gitInit,
	"gitcommit": gitCommit,
	"snapshot":  snapshotCommand,
	"same":      sameCommand,
	"jsonpath":  jsonPath,
	"mcp":       mcp,

	"edit":          editFile,
	"cut":           cutFile,
	"fingerprint":   fingerprint,
	"acknowledge":   acknowledge,
	"hostile-names": hostileNames,
}

func usage(ts *testscript.TestScript, bad bool, text string) {
	if bad {
		ts.Fatalf("usage: %s", text)
	}
}

func exits(ts *testscript.TestScript, neg bool, args []string) {
	usage(ts, neg || len(args) < 2, "exits N CMD [ARG...]")
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	got := 0
	if err := ts.Exec(args[1], args[2:]...); err != nil {
		var exit *exec.ExitError
		if !errors.As(err, &exit) || exit.ExitCode() < 0 {
			ts.Fatalf("%s did not exit by itself: %v", args[1], err)
		}
		got = exit.ExitCode()
	}
	if got != want {
		ts.Fatalf("exit code %d, want %d", got, want)
	}
}

func gitInit(ts *testscript.TestScript, neg bool, args []string) {
	usage(ts, neg || len(args) > 1, "gitinit [DIR]")
	ts.Check(ts.Exec("git", append([]string{"init", "-q", "-b", "main"}, args...)...))
}

func gitCommit(ts *testscript.TestScript, neg bool, args []string) {
	usage(ts, neg || len(args) != 2, "gitcommit DIR MESSAGE")
	ts.Check(ts.Exec("git", "-C", args[0], "add", "-A"))
	ts.Check(ts.Exec("git", "-C", args[0], "commit", "-q", "--allow-empty", "-m", args[1]))
}

func mcp(ts *testscript.TestScript, neg bool, args []string) {
	usage(ts, neg || len(args) < 1, "mcp FILE [ARG...]")
	ts.Check(ts.Exec("feed", append([]string{args[0], "gavel", "mcp"}, args[1:]...)...))
}

// feed runs a command with a file as its standard input, through a pipe as a client would have it.
func feed() {
	in, err := os.Open(os.Args[1])
	if err != nil {
		exitWith(err)
	}
	cmd := exec.Command(os.Args[2], os.Args[3:]...)
	cmd.Stdin = io.MultiReader(in) // no *os.File: the command gets a pipe
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	exitWith(cmd.Run())
}

// closedPipe runs a command whose standard output has no reader.
func closedPipe() {
	r, w, err := os.Pipe()
	if err != nil {
		exitWith(err)
	}
	r.Close()
	cmd := exec.Command(os.Args[1], os.Args[2:]...)
	cmd.Stdout, cmd.Stderr = w, os.Stderr
	exitWith(cmd.Run())
}

// exitWith ends the process as the command did that it ran.
func exitWith(err error) {
	var exit *exec.ExitError
	switch {
	case err == nil:
		os.Exit(0)
	case errors.As(err, &exit) && exit.ExitCode() >= 0:
		os.Exit(exit.ExitCode())
	}
	fmt.Fprintln(os.Stderr, strings.TrimSpace(err.Error()))
	os.Exit(125)
}
