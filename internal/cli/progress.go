package cli

import (
	"fmt"
	"sync"
	"time"

	"github.com/gavel-review/gavel/internal/untrusted"
)

// Work that is done sooner than progressDelay shows nothing.
const (
	progressDelay = time.Second
	progressPace  = 120 * time.Millisecond
)

// progress is one line on standard error that says what is going on, and that is gone when the work is done. Only a
// terminal sees it.
type progress struct {
	mu      sync.Mutex
	to      stream
	quiet   bool
	timer   *time.Timer // nil: nothing is ever shown
	message string
	frame   int
	shown   bool
}

func (p *program) startProgress() *progress {
	g := &progress{to: p.stderr, quiet: p.global.quiet}
	if !p.global.quiet && !p.global.verbose && p.getenv("TERM") != "dumb" && p.stderr.terminal() {
		g.mu.Lock() // draw reads the timer that is only being assigned
		defer g.mu.Unlock()
		g.timer = time.AfterFunc(progressDelay, g.draw)
	}
	return g
}

// report changes the message. It may be called from any goroutine, also after stop.
func (g *progress) report(message string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.message = message
}

// say writes a line that stays, above the one that moves. Without a terminal it is a plain line.
func (g *progress) say(line string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.quiet {
		return
	}
	if g.shown {
		fmt.Fprint(g.to, "\r\x1b[K")
	}
	fmt.Fprintf(g.to, "%s\n", untrusted.Visible(line))
}

func (g *progress) draw() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.timer == nil {
		return
	}
	message := untrusted.Visible(g.message)
	if message == "" {
		message = "working"
	}
	if width, _ := g.to.columns(); width > 4 {
		message = cut(message, width-3)
	}
	fmt.Fprintf(g.to, "\r\x1b[K%c %s", `|/-\`[g.frame%4], message)
	g.frame++
	g.shown = true
	g.timer.Reset(progressPace)
}

// stop clears the line. Nothing is drawn afterwards.
func (g *progress) stop() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.timer == nil {
		return
	}
	g.timer.Stop()
	g.timer = nil
	if g.shown {
		fmt.Fprint(g.to, "\r\x1b[K")
	}
}

// cut shortens text to a number of characters.
func cut(s string, n int) string {
	for i := range s {
		if n--; n < 0 {
			return s[:i]
		}
	}
	return s
}
