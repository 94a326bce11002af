package mcpserver

import (
	"context"
	"sync"
	"time"

	"github.com/gavel-review/gavel"
)

const (
	maxWaiting      = 4096     // calls
	maxWaitingBytes = 64 << 20 // of their arguments
)

// gate lets a bounded number of calls run and a bounded number wait.
type gate struct {
	slots   chan struct{}
	mu      sync.Mutex
	waiting int
	bytes   int
}

func newGate(n int) *gate { return &gate{slots: make(chan struct{}, n)} }

// enter waits for a slot and returns the function that gives it back. size is the memory the call holds meanwhile.
func (g *gate) enter(ctx context.Context, size int) (leave func(), err error) {
	leave = func() { <-g.slots }
	select {
	case g.slots <- struct{}{}:
		return leave, nil
	default:
	}
	if !g.queue(1, size) {
		return nil, queueFull("too many calls are waiting")
	}
	defer g.queue(-1, -size)
	select {
	case g.slots <- struct{}{}:
		return leave, nil
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

func (g *gate) queue(calls, size int) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if calls > 0 && (g.waiting >= maxWaiting || g.bytes+size > maxWaitingBytes) {
		return false
	}
	g.waiting += calls
	g.bytes += size
	return true
}

func queueFull(message string) *gavel.Error {
	return &gavel.Error{Class: gavel.QueueFull, Message: message, RetryAfter: time.Second,
		Hint: "wait for the answers of earlier calls"}
}
