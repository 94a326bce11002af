//go:build !linux && !darwin

package store

func onNetwork(string) bool { return false }

func bootID() string { return "" }

func processStart() string { return "" }
