package git

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/gavel-review/gavel"
	"github.com/gavel-review/gavel/internal/proc"
)

// pair is one path of git's own list, after it has paired renames.
type pair struct {
	entry
	oldPath string // "" where it is the same
	status  gavel.FileStatus
}

// sections is how many sections the pair has in the text: a changed type is a deletion and an addition.
func (p *pair) sections() int {
	if p.status == gavel.TypeChanged {
		return 2
	}
	return 1
}

// header is the line that must begin each section of the pair.
func (p *pair) header() string {
	return fileStart + cQuote("a/"+or(p.oldPath, p.path)) + " " + cQuote("b/"+p.path) + "\n"
}

// diffText is git writing a difference: the list first, then the text in the order of the list.
type diffText struct {
	process writer
	in      *bufio.Reader
	pairs   []pair
	header  string // first line of the next section, "" at the end
	scratch []byte // where sections of unknown length grow
}

// writer is the process that writes a difference: one of its own, or one's turn of a lasting one.
type writer interface {
	// Wait waits for the end of the difference, of which nothing more is read. The error says why it is not whole.
	Wait() error
	// Kill ends a writer of which nothing more is wanted. Wait must still be called.
	Kill()
}

// oneDiff is a process for one difference.
type oneDiff struct{ *proc.Process }

// Wait implements writer.
func (p oneDiff) Wait() error {
	p.Stdout.Close()
	return p.Process.Wait()
}

// section is one file's part of the text.
type section struct {
	text string
	nul  bool // it holds a NUL byte; the text is then not kept
}

// errDied says that git ended before it had written everything: an object is missing or damaged.
var errDied = errors.New("git ended early")

// startDiff starts git on two trees and reads its list. Everything that configuration or attributes could change is
// given, though the private git directory has neither.
func (r *Repo) startDiff(ctx context.Context, base, head string) (*diffText, error) {
	process, err := r.diffCommand(base, head).Start(ctx)
	if err != nil {
		return nil, toolError(err)
	}
	return readDiff(ctx, oneDiff{process}, bufio.NewReaderSize(process.Stdout, 64<<10), r.hash)
}

// diffCommand writes list and text of a difference; more are its last arguments.
func (r *Repo) diffCommand(more ...string) proc.Command {
	return r.command(append([]string{"-c", "attr.tree=" + r.hash.emptyTree, "diff-tree",
		"-r", "--raw", "-z", "-p", "--full-index", "-M", "--text", "--unified=3", "--inter-hunk-context=0",
		"--no-textconv", "--no-ext-diff", "--no-color", "--no-relative", "--diff-algorithm=myers",
		"--src-prefix=a/", "--dst-prefix=b/", "--submodule=short", "--ignore-submodules=none"}, more...)...)
}

// readDiff reads the list of a difference, and the first line of its text.
func readDiff(ctx context.Context, from writer, in *bufio.Reader, hash objectHash) (*diffText, error) {
	d := &diffText{process: from, in: in}
	err := d.readList(hash)
	if err == nil {
		d.header, err = d.readLine()
	}
	if err != nil {
		return nil, d.fail(ctx, err)
	}
	return d, nil
}

// fail ends the process and says why it has to: an early end is git's own, anything else is what the caller saw.
func (d *diffText) fail(ctx context.Context, err error) error {
	early := errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF)
	if !early {
		d.process.Kill()
	}
	waited := d.process.Wait()
	switch {
	case ctx.Err() != nil:
		return cancelled(ctx.Err())
	case isLate(waited):
		return toolError(waited)
	case early:
		var exit *proc.ExitError
		if errors.As(waited, &exit) && exit.Stderr != "" {
			return fmt.Errorf("%w: %s", errDied, said(exit.Stderr))
		}
		return errDied
	}
	return err
}

// close ends a process whose text is not wanted any more.
func (d *diffText) close() {
	d.process.Kill()
	_ = d.process.Wait()
}

// readList reads the raw list: records that begin with a colon, until a NUL.
func (d *diffText) readList(hash objectHash) error {
	for {
		switch c, err := d.in.ReadByte(); {
		case err != nil:
			return err
		case c == 0:
			return nil
		case c != ':':
			return fmt.Errorf("git: %q where a record was expected", c)
		}
		p, err := d.readRecord(hash)
		if err != nil {
			return err
		}
		d.pairs = append(d.pairs, p)
	}
}

// readRecord reads "oldmode newmode oldid newid status NUL path NUL", with two paths for a rename.
func (d *diffText) readRecord(hash objectHash) (p pair, err error) {
	head, err := d.readField()
	if err != nil {
		return p, err
	}
	words := strings.Split(head, " ")
	if len(words) != 5 || words[4] == "" {
		return p, fmt.Errorf("git: record %q", head)
	}
	var ok, ok2 bool
	p.oldMode, ok = parseMode(words[0])
	p.newMode, ok2 = parseMode(words[1])
	if !ok || !ok2 || !isID(words[2]) || !isID(words[3]) {
		return p, fmt.Errorf("git: record %q", head)
	}
	for i, id := range [...]*string{&p.oldID, &p.newID} {
		if words[2+i] != hash.zero {
			*id = rawID(words[2+i])
		}
	}
	p.status = gavel.FileStatus(words[4][0])
	if p.path, err = d.readField(); err == nil && p.status == gavel.Renamed {
		p.oldPath = p.path
		p.path, err = d.readField()
	}
	return p, err
}

func (d *diffText) readField() (string, error) {
	s, err := d.in.ReadString(0)
	return strings.TrimSuffix(s, "\x00"), err
}

func (d *diffText) readLine() (string, error) {
	line, err := d.in.ReadString('\n')
	if err != nil {
		return "", err
	}
	return line, nil
}

// account compares git's list with ours: no path may be lost on the way.
func (d *diffText) account(want []entry) error {
	got := make([]entry, 0, len(want))
	for _, p := range d.pairs {
		if p.status != gavel.Renamed {
			got = append(got, p.entry)
			continue
		}
		got = append(got, entry{path: p.oldPath, oldMode: p.oldMode, oldID: p.oldID}, entry{path: p.path, newMode: p.newMode, newID: p.newID})
	}
	sortEntries(got)
	if !slices.Equal(got, want) {
		return gavel.Errorf(gavel.Internal, "git lists %d changed paths where the trees differ in %d, or others", len(got), len(want))
	}
	return nil
}

// next reads the next section up to the header after it. hint is how many bytes to expect; keep false reads past it.
func (d *diffText) next(ctx context.Context, want string, hint int64, keep bool) (section, error) {
	if d.header != want {
		return section{}, gavel.Errorf(gavel.Internal, "git writes %q where %q was expected", d.header, want)
	}
	var s section
	text := sectionText{scratch: d.scratch[:0]}
	if keep {
		text.start(hint, want)
	}
	for lineStart := true; ; {
		piece, err := d.in.ReadSlice('\n')
		if lineStart && bytes.HasPrefix(piece, []byte(fileStart)) {
			d.header = string(piece)
			if errors.Is(err, bufio.ErrBufferFull) {
				rest, restErr := d.readLine()
				d.header, err = d.header+rest, restErr
			}
			if err != nil {
				return s, d.fail(ctx, io.ErrUnexpectedEOF)
			}
			break
		}
		if keep && !s.nul {
			if s.nul = bytes.IndexByte(piece, 0) >= 0; s.nul {
				text = sectionText{scratch: text.scratch[:0]}
			} else {
				text.write(piece)
			}
		}
		lineStart = err == nil
		if err == nil || errors.Is(err, bufio.ErrBufferFull) {
			continue
		}
		if !errors.Is(err, io.EOF) || len(piece) > 0 {
			return s, d.fail(ctx, io.ErrUnexpectedEOF)
		}
		if d.header, err = "", d.process.Wait(); err != nil { // the last section is whole only when git says so
			return s, d.fail(ctx, io.ErrUnexpectedEOF)
		}
		break
	}
	s.text = text.take()
	if d.scratch = text.scratch; cap(d.scratch) > maxScratch {
		d.scratch = nil
	}
	return s, nil
}

// maxScratch bounds what is kept between sections, in bytes.
const maxScratch = 1 << 20

// sectionText collects one section: at its place where its length is known, else in a buffer that is used again.
type sectionText struct {
	exact   strings.Builder
	sized   bool
	scratch []byte
}

func (t *sectionText) start(hint int64, first string) {
	if t.sized = hint > 0; t.sized {
		t.exact.Grow(int(hint) + len(first) + 256)
	}
	t.write([]byte(first))
}

func (t *sectionText) write(piece []byte) {
	if t.sized {
		t.exact.Write(piece)
		return
	}
	t.scratch = append(t.scratch, piece...)
}

func (t *sectionText) take() string {
	if t.sized {
		return t.exact.String()
	}
	return string(t.scratch)
}
