// Package untrusted handles text that nobody vouches for: what a repository, a tool or a server says. [Fence] wraps it
// for a reader that might take it for instructions, [Visible] and [VisibleText] make it safe to print.
package untrusted
