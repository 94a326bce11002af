package proc

import "errors"

// Supervisor starts tools as children of the reaper, a second process of this program that is joined to this one by
// pipes: whichever of the two dies, the other ends everything that was started. On Linux no process escapes, whatever
// groups and sessions it makes for itself; on macOS what leaves its process group and loses its parent does. It is safe
// for concurrent use.
type Supervisor struct{ supervision }

// SupervisorOptions says how the reaper is started.
type SupervisorOptions struct {
	Self     string   // the program; "" = this one
	ReapArgs []string // its arguments; it must then call Reap and nothing else
}

// ErrSupervisorLost is in the chain of the error of Run when the reaper died or was stopped: nothing of the task is left
// running, but how it would have ended is not known.
var ErrSupervisorLost = errors.New("supervisor lost")

// ErrClosed is in the chain of the error of Run after Close.
var ErrClosed = errors.New("the supervisor is closed")

// errAlive says that processes could not be ended: they wait for a device, or belong to another user.
var errAlive = errors.New("processes of the task could not be ended")

// ErrUnsupported is the error of Supervise on a platform that it does not know how to end all processes of a task on.
var ErrUnsupported = errors.New("running tools is not supported on this platform")
