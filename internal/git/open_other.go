//go:build !unix

package git

const (
	openNoWait = 0
	openFlags  = 0
)
