package mcpserver

import "syscall"

// Linux has no dup2 on newer architectures.
func redirect(from, to int) error { return syscall.Dup3(from, to, 0) }
