//go:build !unix

package proc

import "context"

// Detach is not supported here.
func (c Command) Detach(context.Context, []byte) ([]byte, error) { return nil, ErrUnsupported }

// Launch is not supported here.
func (c Command) Launch() error { return ErrUnsupported }
