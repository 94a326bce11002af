//go:build linux || darwin

package proc

import (
	"bytes"
	"os"
	"os/exec"
	"os/signal"
	"strconv"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// hostile is what a tool may do to get away. Its last argument is a word to be found by.
func hostile(args []string) {
	time.AfterFunc(5*time.Minute, func() { os.Exit(9) }) // nobody is to be left even where the tests fail
	switch args[0] {
	case "reap":
		os.Exit(Reap(os.Stdin, os.Stdout))
	case "runner":
		os.Exit(runner(args[1], args[2]))
	case "deaf":
		signal.Ignore(unix.SIGTERM, unix.SIGHUP, unix.SIGINT)
	case "stop":
		_ = unix.Kill(os.Getpid(), unix.SIGSTOP)
	case "mute":
		for fd := range 3 {
			_ = unix.Close(fd)
		}
	case "stop-parent":
		_ = unix.Kill(os.Getppid(), unix.SIGSTOP)
	case "suicide":
		_ = unix.Kill(os.Getpid(), unix.SIGKILL)
	case "flood":
		flood()
	case "tree":
		tree(args, nil)
	case "tree-groups":
		tree(args, &syscall.SysProcAttr{Setpgid: true})
	case "tree-sessions":
		tree(args, &syscall.SysProcAttr{Setsid: true})
	case "daemon": // forks twice, in a session of its own, and its parents are gone
		start(append([]string{"orphan"}, args[1:]...), &syscall.SysProcAttr{Setsid: true}, true)
		return
	case "daemon-beside":
		start(append([]string{"orphan"}, args[1:]...), &syscall.SysProcAttr{Setsid: true}, true)
	case "orphan":
		start(args[1:], &syscall.SysProcAttr{Setsid: true}, false)
		return
	case "unmark":
		unmark()
		hostile(args[1:])
		return
	}
	time.Sleep(time.Hour)
}

// start starts another one, with no file and no variable of this one.
func start(args []string, attr *syscall.SysProcAttr, wait bool) {
	cmd := exec.Command(os.Args[0], append([]string{"child"}, args...)...)
	cmd.Env, cmd.SysProcAttr = []string{}, attr
	if cmd.Start() == nil && wait {
		_ = cmd.Wait()
	}
}

// tree starts itself below itself, so deep; the lowest does what comes after the depth.
func tree(args []string, attr *syscall.SysProcAttr) {
	depth, _ := strconv.Atoi(args[1])
	switch {
	case depth > 1:
		start(append([]string{args[0], strconv.Itoa(depth - 1)}, args[2:]...), attr, false)
	case len(args) > 3:
		start(args[2:], attr, false)
	}
}

func flood() {
	chunk := bytes.Repeat([]byte("all work and no play\n"), 3000)
	go func() {
		for {
			_, _ = os.Stderr.Write(chunk)
		}
	}()
	for {
		_, _ = os.Stdout.Write(chunk)
	}
}
