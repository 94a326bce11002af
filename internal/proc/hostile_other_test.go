//go:build !linux && !darwin

package proc

func hostile([]string) {}
