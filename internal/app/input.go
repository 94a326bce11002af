package app

import (
	"context"
	"errors"
	"io"
	"os"

	"github.com/gavel-review/gavel"
)

// input opens what the user named, "-" for standard input. See [openInput].
func (e *Env) input(ctx context.Context, name string) (io.ReadCloser, error) {
	if name == "-" {
		return newInput(ctx, io.NopCloser(e.Stdin)), nil
	}
	return openInput(ctx, e.path(name))
}

// openInput opens a file, which may be a pipe as the shell's <(command) is. Both opening and reading end with the
// context: a pipe whose other end is never written would otherwise keep the process.
func openInput(ctx context.Context, path string) (io.ReadCloser, error) {
	info, err := os.Stat(path)
	if err == nil && info.Mode().IsRegular() {
		return os.Open(path)
	}
	type opened struct {
		file *os.File
		err  error
	}
	done := make(chan opened, 1)
	go func() { // it stays behind where nobody ever opens the other end
		f, err := os.Open(path)
		done <- opened{f, err}
	}()
	select {
	case o := <-done:
		if o.err != nil {
			return nil, o.err
		}
		return newInput(ctx, o.file), nil
	case <-ctx.Done():
		return nil, interrupted(ctx)
	}
}

// interrupted is the error of what the context ended.
func interrupted(ctx context.Context) error {
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return gavel.Errorf(gavel.RunTimeout, "waiting for the input took too long: %w", ctx.Err())
	}
	return gavel.Errorf(gavel.Cancelled, "cancelled: %w", ctx.Err())
}

// input reads from a source that may block for ever, one block ahead. It has one reader.
type input struct {
	ctx    context.Context
	source io.ReadCloser
	blocks chan block
	closed chan struct{}
	rest   block
}

// block is what one read of the source gave.
type block struct {
	data []byte
	err  error
}

const inputBlock = 64 << 10

func newInput(ctx context.Context, source io.ReadCloser) *input {
	in := &input{ctx: ctx, source: source, blocks: make(chan block), closed: make(chan struct{})}
	go in.pump()
	return in
}

func (in *input) pump() {
	for idle := 0; ; {
		data := make([]byte, inputBlock)
		n, err := in.source.Read(data)
		if n == 0 && err == nil {
			if idle++; idle > 100 {
				err = io.ErrNoProgress
			} else {
				continue
			}
		}
		select {
		case in.blocks <- block{data[:n], err}:
		case <-in.closed:
			return
		case <-in.ctx.Done():
			return
		}
		if err != nil {
			return
		}
		idle = 0
	}
}

// Read implements io.Reader. Its error is of class Cancelled or RunTimeout where the context ended it.
func (in *input) Read(p []byte) (int, error) {
	if len(p) == 0 {
		return 0, nil
	}
	for len(in.rest.data) == 0 {
		if in.rest.err != nil {
			return 0, in.rest.err
		}
		select {
		case in.rest = <-in.blocks:
		case <-in.ctx.Done():
			in.rest.err = interrupted(in.ctx)
		}
	}
	n := copy(p, in.rest.data)
	in.rest.data = in.rest.data[n:]
	return n, nil
}

// Close implements io.Closer. A read that still waits is left behind.
func (in *input) Close() error {
	close(in.closed)
	return in.source.Close()
}
