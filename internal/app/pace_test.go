package app

import (
	"testing"
	"time"
)

func TestPace(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	var said []string
	p := pace{env: &Env{Now: func() time.Time { return now }, Progress: func(m string) { said = append(said, m) }}}
	for i := range 10 {
		p.progress("%d", i)
		now = now.Add(100 * time.Millisecond)
	}
	if len(said) != 4 || said[0] != "0" || said[1] != "3" {
		t.Errorf("said %q", said)
	}
}
