package check

import (
	_ "embed"
	"sync"
)

//go:embed stacks.toml
var stacksManifest []byte

// Builtin is the manifest of all stacks that gavel brings. It is parsed once, and must not be changed.
func Builtin() *Manifest { return builtin() }

var builtin = sync.OnceValue(func() *Manifest {
	m, err := ReadManifest("stacks.toml", stacksManifest)
	if err != nil {
		panic(err) // what is built in is tested
	}
	return m
})
