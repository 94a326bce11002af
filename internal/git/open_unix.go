//go:build unix

package git

import "syscall"

// openNoWait keeps open from waiting for the other end of a pipe.
const openNoWait = syscall.O_NONBLOCK

// openFlags keep open from following a symlink and from waiting for the other end of a pipe.
const openFlags = syscall.O_NOFOLLOW | syscall.O_NONBLOCK
