//go:build !linux

package git

func memoryFolder() string { return "" }
