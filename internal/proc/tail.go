package proc

import "sync"

// tail keeps the last bytes that are written to it, and never fails: a program that talks too much is not stopped.
type tail struct {
	mu    sync.Mutex
	limit int
	data  []byte
	lost  bool
}

func newTail(limit int) *tail {
	if limit <= 0 {
		limit = DefaultMaxStderr
	}
	return &tail{limit: limit}
}

// Write implements io.Writer.
func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	n := len(p)
	if len(p) > t.limit {
		p, t.lost = p[len(p)-t.limit:], true
	}
	t.data = append(t.data, p...)
	if len(t.data) > 2*t.limit {
		t.trim()
	}
	return n, nil
}

// trim is called at twice the limit, so that each byte is moved at most once on average.
func (t *tail) trim() {
	if over := len(t.data) - t.limit; over > 0 {
		t.data, t.lost = append(t.data[:0], t.data[over:]...), true
	}
}

// String returns what is kept, with a mark where earlier bytes are lost.
func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.trim()
	if t.lost {
		return "[...] " + string(t.data)
	}
	return string(t.data)
}
