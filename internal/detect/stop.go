package detect

import "errors"

// ErrStopped says that a file was left before the detectors were through with it, because the caller asked for that.
var ErrStopped = errors.New("stopped before the file was judged")

// stopped unwinds a detector from whatever depth it is at; [protect] turns it into [ErrStopped].
type stopped struct{}

// tickBytes is about how much text is looked at between two questions whether to go on. At the speed of the slowest
// detectors that is a few milliseconds.
const tickBytes = 4 << 10

// tick is called for every step of a long walk, with about how many bytes it looks at. It does not return when the
// caller wants the file left.
func (p *Pass) tick(bytes int) {
	if p.stop == nil {
		return
	}
	if p.unasked += bytes + 16; p.unasked >= tickBytes {
		p.unasked = 0
		if p.stop() {
			panic(stopped{})
		}
	}
}
