package git

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"hash"
	"io"
	"iter"
	"strings"

	"github.com/gavel-review/gavel"
)

// Patch is a diff from elsewhere: git's, or `diff -u`'s, alone or inside of mails and logs. It is read once, as a
// stream, and nothing in it is believed but line counts.
type Patch struct {
	in     *patchLines
	digest hash.Hash
	// encoded is the transfer encoding of a mail in the stream that would have to be decoded, "" where there is none.
	encoded string
	files   int // that were met
}

// ReadPatch makes a patch of a stream. Read its files once; the digest is known after that.
func ReadPatch(r io.Reader) *Patch {
	p := &Patch{digest: sha256.New()}
	p.in = newPatchLines(io.TeeReader(r, p.digest))
	return p
}

// Digest is "sha256:" and hex over the bytes that were read.
func (p *Patch) Digest() string { return "sha256:" + hex.EncodeToString(p.digest.Sum(nil)) }

// Files yields every file of the patch, in its order. What cannot be read is an error of class InvalidArgs that names
// the line; it ends the sequence, and nothing is passed over in silence.
func (p *Patch) Files(ctx context.Context, filter Filter) iter.Seq2[*gavel.File, error] {
	return func(yield func(*gavel.File, error) bool) {
		for {
			if err := ctx.Err(); err != nil {
				yield(nil, cancelled(err))
				return
			}
			file, err := p.nextFile()
			switch {
			case errors.Is(err, io.EOF):
				if p.encoded != "" && p.files > 0 { // what it holds is not seen
					yield(nil, p.in.fault(encodedError(p.encoded)))
				}
				return
			case err != nil && ctx.Err() != nil:
				yield(nil, cancelled(ctx.Err()))
				return
			case err != nil:
				yield(nil, p.in.fault(err))
				return
			}
			if filter.Match(file.Path, file.OldPath) && !yield(file, nil) {
				return
			}
		}
	}
}

// nextFile passes over prose until a header, and reads the file below it.
func (p *Patch) nextFile() (*gavel.File, error) {
	for {
		line, err := p.in.peek()
		if err != nil {
			return nil, err
		}
		var file *gavel.File
		switch {
		case strings.HasPrefix(line, fileStart):
			file, err = p.gitFile()
		case strings.HasPrefix(line, "--- "):
			file, err = p.plainFile()
		case strings.HasPrefix(line, "Binary files "):
			file = p.binaryFile(strings.Clone(line))
			p.in.skip()
		case strings.HasPrefix(line, "diff --cc "), strings.HasPrefix(line, "diff --combined "):
			return nil, errCombined
		case strings.HasPrefix(line, hunkStart):
			return nil, errStray
		default:
			if encoding := transferEncoding(line, p.in.peekAt(1)); encoding != "" {
				p.encoded = strings.Clone(encoding)
			}
			p.in.skip()
		}
		if file != nil && p.encoded != "" {
			return nil, encodedError(p.encoded)
		}
		if file != nil {
			p.files++
		}
		if file != nil || err != nil {
			return file, err
		}
	}
}

// What can be wrong with a patch.
var (
	errCombined = errors.New("a combined diff of a merge cannot be reviewed; write it against one parent")
	errStray    = errors.New("a hunk without a file header")
	errCounts   = errors.New("the hunk does not have the lines that its header counts")
	errBeyond   = errors.New("a changed line outside of any hunk")
	errHunk     = errors.New("a malformed hunk header")
	errNames    = errors.New("the header's names contradict each other")
	errNoName   = errors.New("the header has no name")
	errHeader   = errors.New("a malformed header line")
	errLong     = errors.New("a line is longer than what is reviewed")
)

// gitFile reads a file that begins with "diff --git". Without any line below the header it is prose.
func (p *Patch) gitFile() (*gavel.File, error) {
	first, _ := p.in.peek()
	h := patchHeader{git: strings.Clone(strings.TrimPrefix(first, fileStart))}
	p.in.skip()
	for {
		line, err := p.in.peek()
		if err != nil && !errors.Is(err, io.EOF) {
			return nil, err
		}
		used, err := h.line(strings.Clone(line)) // names outlive the block
		if err != nil {
			return nil, err
		}
		if !used {
			break
		}
		p.in.skip()
	}
	return p.finish(&h)
}

// plainFile reads a file that begins with "---" and "+++"; without a hunk below it is prose, or a mail's separator.
func (p *Patch) plainFile() (*gavel.File, error) {
	first, _ := p.in.peek()
	second, third := p.in.peekAt(1), p.in.peekAt(2)
	if !strings.HasPrefix(second, "+++ ") || !strings.HasPrefix(third, hunkStart) {
		p.in.skip()
		return nil, nil
	}
	h := patchHeader{plain: true}
	for _, line := range [...]string{first, second} {
		if _, err := h.line(strings.Clone(line)); err != nil {
			return nil, err
		}
		p.in.skip()
	}
	return p.finish(&h)
}

// finish reads the content below a header.
func (p *Patch) finish(h *patchHeader) (*gavel.File, error) {
	line, _ := p.in.peek()
	if !h.seen && !strings.HasPrefix(line, hunkStart) {
		return nil, nil
	}
	file, err := h.file()
	if err != nil {
		return nil, err
	}
	skip := func(reason gavel.SkipReason, detail string) {
		file.Hunks = nil
		file.Skip = &gavel.Skip{Path: file.Path, Reason: reason, Detail: detail}
	}
	body, err := p.readHunks()
	if err != nil {
		return nil, err
	}
	binary := p.readBinary()
	switch {
	case file.NewMode == gavel.ModeGitlink, file.NewMode == 0 && file.OldMode == gavel.ModeGitlink:
		skip(gavel.SkipSubmodule, "")
	case binary != nil:
		file.Binary = true
		file.Skip = binary.show(file)
	case h.binary && body.text == "":
		file.Binary = true
		file.Skip = notShown(file)
	case body.large:
		skip(gavel.SkipTooLarge, "its text is larger than what is reviewed")
	case body.text == "" && h.modeOnly():
		skip(gavel.SkipModeOnly, "")
	case body.text == "" && h.unshown(file):
		skip(gavel.SkipUndecodable, "the patch does not show what changed")
	case body.text != "":
		if file.Hunks, err = parseHunks(body.text); err != nil {
			return nil, err
		}
		if body.nul {
			markBinary(file)
		}
		if h.plain {
			file.Status = plainStatus(file)
		}
		if pointer, ok := lfsOf(file); ok && !file.Binary {
			skip(gavel.SkipLFS, "oid sha256:"+pointer.oid)
		}
	}
	return file, nil
}

// notHeld is why a binary file of a patch is not judged: nobody can look for secrets in it.
const notHeld = "the patch does not hold the content"

// markBinary says that the hunks are no text. They stay, to be searched for secrets.
func markBinary(f *gavel.File) {
	f.Binary = true
	f.Skip = &gavel.Skip{Path: f.Path, Reason: gavel.SkipBinary, Detail: searchedOnly}
	for _, h := range f.Hunks {
		for i := range h.Lines {
			h.Lines[i].Text = withoutNUL(h.Lines[i].Text)
		}
	}
}

// plainStatus tells added and deleted files by their only hunk, where the names do not say it.
func plainStatus(f *gavel.File) gavel.FileStatus {
	if f.Status != gavel.Modified || len(f.Hunks) != 1 {
		return f.Status
	}
	switch h := f.Hunks[0]; {
	case h.OldStart == 0 && h.OldLines == 0:
		return gavel.Added
	case h.NewStart == 0 && h.NewLines == 0:
		return gavel.Deleted
	}
	return f.Status
}

// patchBody is the hunks of one file as they stand in the patch.
type patchBody struct {
	text  string
	nul   bool // it holds a NUL byte
	large bool // it is larger than 2*MaxText; the text is then not kept
}

// readHunks reads hunks by their line counts. Directly below a hunk no changed line may follow: it would be passed
// over by whoever applies the patch, or not, and is too good a place to hide something.
func (p *Patch) readHunks() (patchBody, error) {
	var body patchBody
	var text strings.Builder
	for n := 0; ; n++ {
		line, err := p.in.peek()
		if err != nil && !errors.Is(err, io.EOF) {
			return body, err
		}
		if !strings.HasPrefix(line, hunkStart) {
			if n > 0 && p.isBeyond(line) {
				return body, errBeyond
			}
			body.text = text.String()
			return body, nil
		}
		old, new, err := hunkCounts(line)
		if err != nil {
			return body, err
		}
		if err := p.readHunk(old, new, &text, &body); err != nil {
			return body, err
		}
	}
}

func (p *Patch) isBeyond(line string) bool {
	switch {
	case line == "" || line == "-- " || line == "--": // the line above a mail's signature
		return false
	case strings.HasPrefix(line, "--- "):
		return !strings.HasPrefix(p.in.peekAt(1), "+++ ")
	}
	return line[0] == '+' || line[0] == '-' || line[0] == ' ' && strings.TrimSpace(line) != ""
}

func (p *Patch) readHunk(old, new int64, text *strings.Builder, body *patchBody) error {
	keep := func(line string) {
		switch {
		case body.large:
		case text.Len()+len(line) > 2*MaxText:
			body.large = true
			*text = strings.Builder{}
		default:
			body.nul = body.nul || strings.IndexByte(line, 0) >= 0
			text.WriteString(line)
			text.WriteByte('\n')
		}
		p.in.skip()
	}
	header, _ := p.in.peek()
	keep(header)
	for {
		line, err := p.in.peek()
		ended := errors.Is(err, io.EOF)
		if err != nil && !ended {
			return err
		}
		if strings.HasPrefix(line, `\ `) && len(line) >= 12 { // no newline at the end of the line above
			keep(line)
			continue
		}
		if old == 0 && new == 0 {
			return nil
		}
		switch op := operation(line); {
		case ended:
			return errCounts
		case op == ' ' && old > 0 && new > 0:
			old, new = old-1, new-1
			if line == "" {
				line = " " // how some programs write an empty line of context
			}
		case op == '-' && old > 0:
			old--
		case op == '+' && new > 0:
			new--
		default:
			return errCounts
		}
		keep(line)
	}
}

func operation(line string) byte {
	if line == "" {
		return ' '
	}
	return line[0]
}
