package proc

import (
	"errors"
	"fmt"
	"os"
	"time"
)

// capture takes one stream of a task from a pipe into a file, no more than limit bytes of it, and throws the rest away
// as it comes, so that the tool is never held up.
type capture struct {
	pipe   *os.File // the end that is read
	file   *os.File
	limit  int64
	capped bool
	err    error // of the file
	done   chan struct{}
}

// newCapture creates the file and returns the end of the pipe that the tool gets.
func newCapture(name string, limit int64) (c *capture, tool *os.File, err error) {
	if err := os.Remove(name); err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, nil, err
	}
	file, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return nil, nil, err
	}
	pipe, tool, err := os.Pipe()
	if err != nil {
		file.Close()
		return nil, nil, err
	}
	return &capture{pipe: pipe, file: file, limit: limit, done: make(chan struct{})}, tool, nil
}

// pump copies until nobody holds the other end any more.
func (c *capture) pump() {
	defer close(c.done)
	buf := make([]byte, 64<<10) // a pipe holds no more
	for {
		n, err := c.pipe.Read(buf)
		c.keep(buf[:n])
		if err != nil {
			return
		}
	}
}

func (c *capture) keep(data []byte) {
	if int64(len(data)) > c.limit {
		data, c.capped = data[:c.limit], true
	}
	if len(data) == 0 || c.err != nil {
		return
	}
	n, err := c.file.Write(data)
	c.limit -= int64(n)
	c.err = err
}

// close ends the capture: what is still in the pipe is taken along, but for a holder of its other end that could not be
// ended nobody waits longer than patience.
func (c *capture) close(patience time.Duration) error {
	timer := time.AfterFunc(patience, func() { _ = c.pipe.SetReadDeadline(time.Now()) })
	<-c.done
	timer.Stop()
	c.pipe.Close()
	err := errors.Join(c.err, c.file.Close())
	if err != nil {
		return fmt.Errorf("the output could not be kept: %w", err)
	}
	return nil
}

// abandon gives a capture up whose tool never started.
func (c *capture) abandon() {
	c.pipe.Close()
	c.file.Close()
}
