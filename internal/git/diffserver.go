package git

import (
	"bufio"
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"io"

	"github.com/gavel-review/gavel"
	"github.com/gavel-review/gavel/internal/proc"
)

// diffServer is one lasting git process that writes one difference after the other: starting a process for each would
// cost more than the differences of a history. It is started at the first, and again after a failure. It is not safe
// for concurrent use.
type diffServer struct {
	repo    *Repo
	process *proc.Process
	out     *bufio.Reader // of the process
	in      *bufio.Reader // of one turn
	mark    string        // the line that git repeats at the end of each turn
	turns   int           // of this process
}

// maxTurns bounds the memory of the process, which keeps every tree that it was given.
const maxTurns = 256

// startDiff has the text of a comparison written.
func (c *Comparison) startDiff(ctx context.Context, base, head string) (*diffText, error) {
	if c.texts != nil {
		return c.texts.startDiff(ctx, base, head)
	}
	return c.repo.startDiff(ctx, base, head)
}

func (s *diffServer) startDiff(ctx context.Context, base, head string) (*diffText, error) {
	if s.turns++; s.turns > maxTurns {
		s.close()
	}
	if err := s.start(ctx); err != nil {
		return nil, err
	}
	t := &turn{server: s, process: s.process, lineStart: true}
	s.in.Reset(t)
	header := base + " " + head + "\n"
	_, err := io.WriteString(s.process.Stdin, header+s.mark)
	if err == nil {
		var line string
		if line, err = s.in.ReadString('\n'); err == nil && line != header {
			t.Kill()
			err = gavel.Errorf(gavel.Internal, "git writes %q where %q was expected", clipped(line), header)
		}
	} else {
		err = io.ErrUnexpectedEOF // it is gone
	}
	if err != nil {
		return nil, (&diffText{process: t}).fail(ctx, err)
	}
	return readDiff(ctx, t, s.in, s.repo.hash)
}

// start starts git, which reads pairs of trees. Any other line it repeats, and only then nothing is left in its
// buffers: that is how the end of a turn is known. No path can hold the line, because nobody knows it.
func (s *diffServer) start(ctx context.Context) error {
	if s.process != nil {
		return nil
	}
	var nonce [16]byte
	_, _ = rand.Read(nonce[:]) // it never fails
	s.mark = "=" + hex.EncodeToString(nonce[:]) + "\n"
	c := s.repo.diffCommand("--stdin")
	c.Argv = append([]string{"git", "-c", "core.deltaBaseCacheLimit=24m"}, c.Argv[1:]...) // of 96m, for as little time
	c.PipeStdin = true
	process, err := c.Start(ctx)
	if err != nil {
		return toolError(err)
	}
	s.process, s.turns = process, 1
	if s.out == nil {
		s.out, s.in = bufio.NewReaderSize(nil, 64<<10), bufio.NewReaderSize(nil, 64<<10)
	}
	s.out.Reset(process.Stdout)
	return nil
}

// close ends the process.
func (s *diffServer) close() {
	if s.process == nil {
		return
	}
	t := turn{server: s, process: s.process}
	t.Kill()
	_ = t.Wait()
}

// turn is one difference of the server: it reads up to the mark, and is a writer.
type turn struct {
	server    *diffServer
	process   *proc.Process
	rest      []byte // of a line that did not fit
	lineStart bool
	ended     bool // the mark was seen
}

// Read implements io.Reader. An end of the process before the mark is io.ErrUnexpectedEOF.
func (t *turn) Read(p []byte) (n int, err error) {
	for n < len(p) && !t.ended {
		if len(t.rest) == 0 {
			if n > 0 && t.server.out.Buffered() == 0 {
				break // rather than wait for more
			}
			if err := t.line(); err != nil {
				return n, err
			}
		}
		moved := copy(p[n:], t.rest)
		n, t.rest = n+moved, t.rest[moved:]
	}
	if n == 0 && t.ended {
		return 0, io.EOF
	}
	return n, nil
}

// line reads a line, or a part of a long one, into rest.
func (t *turn) line() error {
	piece, err := t.server.out.ReadSlice('\n')
	switch {
	case t.lineStart && string(piece) == t.server.mark:
		t.ended = true
		return nil
	case err == nil, errors.Is(err, bufio.ErrBufferFull):
		t.rest, t.lineStart = piece, err == nil
		return nil
	case errors.Is(err, io.EOF):
		return io.ErrUnexpectedEOF
	}
	return err
}

// Wait implements writer. After the mark there is nothing to wait for.
func (t *turn) Wait() error {
	if t.ended {
		return nil
	}
	t.leave()
	t.process.Stdin.Close()
	t.process.Stdout.Close()
	return t.process.Wait()
}

// Kill implements writer. What is at its end already is not worth a process.
func (t *turn) Kill() {
	if t.ended {
		return
	}
	t.leave()
	t.process.Kill()
}

// leave makes the server start another process.
func (t *turn) leave() {
	if t.server.process == t.process {
		t.server.process = nil
	}
}
