//go:build !unix

package git

const openFlags = 0
