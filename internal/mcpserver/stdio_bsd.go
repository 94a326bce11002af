//go:build unix && !linux

package mcpserver

import "syscall"

func redirect(from, to int) error { return syscall.Dup2(from, to) }
