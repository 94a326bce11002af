package app

import (
	"os"

	"github.com/gavel-review/gavel/internal/proc"
)

// ReapWord is the only argument of this program when it is to be the reaper of another one of it. It is no command: it
// shows in no help, and nothing but the supervisor of package proc has any use for it.
const ReapWord = "__reap"

// Reap is the whole of such a process; it returns its exit code.
func Reap() int { return proc.Reap(os.Stdin, os.Stdout) }
