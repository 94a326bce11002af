package app

import (
	"fmt"
	"time"
)

// progressGap lies between two messages: whoever watches can read no more.
const progressGap = 250 * time.Millisecond

// pace keeps the messages about long work as far apart as [Env.Progress] wants them. It is for one goroutine.
type pace struct {
	env  *Env
	next time.Time
}

func (p *pace) progress(format string, args ...any) {
	now := p.env.Now()
	if now.Before(p.next) {
		return
	}
	p.next = now.Add(progressGap)
	p.env.Progress(fmt.Sprintf(format, args...))
}
