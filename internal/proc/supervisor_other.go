//go:build !linux && !darwin

package proc

import (
	"context"
	"io"
)

type supervision struct{}

// Supervise refuses: where there are no sessions and process groups nothing could be promised.
func Supervise(context.Context, SupervisorOptions) (*Supervisor, error) { return nil, ErrUnsupported }

// Run refuses.
func (s *Supervisor) Run(context.Context, Task) (Exit, error) { return Exit{}, ErrUnsupported }

// Close does nothing.
func (s *Supervisor) Close() error { return nil }

// Reap refuses.
func Reap(io.Reader, io.Writer) int { return 64 }
