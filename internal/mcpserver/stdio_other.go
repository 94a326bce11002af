//go:build !unix

package mcpserver

import "os"

// claimStdio keeps this process from writing to the protocol's stream; children get their streams from whoever starts
// them.
func claimStdio() (in, out *os.File, err error) {
	in, out = os.Stdin, os.Stdout
	os.Stdout = os.Stderr
	return in, out, nil
}
