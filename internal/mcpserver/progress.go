package mcpserver

import (
	"context"
	"strings"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// progress keeps the latest word of a running call. However often the tool speaks, the client hears it at the server's
// pace, and it hears something even when the tool is silent: hosts take silence for a hang.
type progress struct {
	mu      sync.Mutex
	message string
}

func (p *progress) set(message string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.message = clip(strings.Join(strings.Fields(message), " "), 200)
}

func (p *progress) get() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.message
}

// start sends notes until the returned function is called, which returns only when no note can follow. Without a
// token in the request it does nothing.
func (p *progress) start(ctx context.Context, req *mcp.CallToolRequest, every time.Duration) (stop func()) {
	token := req.Params.GetProgressToken()
	if token == nil || req.Session == nil {
		return func() {}
	}
	ctx, cancel := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		p.send(ctx, every, func(elapsed time.Duration) {
			// A client that no longer listens is noticed by the call's own answer.
			_ = req.Session.NotifyProgress(ctx, &mcp.ProgressNotificationParams{
				ProgressToken: token, Message: p.get(), Progress: elapsed.Seconds(),
			})
		})
	}()
	return func() {
		cancel()
		<-done
	}
}

// send reports the seconds since the start: there is no total, but the value must grow with each note.
func (p *progress) send(ctx context.Context, every time.Duration, note func(elapsed time.Duration)) {
	ticker := time.NewTicker(every)
	defer ticker.Stop()
	started := time.Now()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
			note(time.Since(started).Round(time.Millisecond))
		}
	}
}
