package git

import (
	"bytes"
	"compress/zlib"
	"io"
	"strconv"
	"strings"

	"github.com/gavel-review/gavel"
)

// binaryPatch is what stands below "GIT binary patch".
type binaryPatch struct {
	literal bool   // it holds the new content whole, and not only how it differs
	size    int64  // of the new content, as it is announced
	packed  []byte // the new content, deflated
	broken  bool
}

// readBinary reads "GIT binary patch" and its blocks, nil where there is none. A block is a line with its kind and size
// and lines of base 85, and ends with an empty line. The first leads to the new content, the second back.
func (p *Patch) readBinary() *binaryPatch {
	line, err := p.in.peek()
	if err != nil || strings.TrimSuffix(line, "\r") != "GIT binary patch" {
		return nil
	}
	p.in.skip()
	b := &binaryPatch{}
	for n := 0; ; n++ {
		line, err := p.in.peek()
		size, literal := strings.CutPrefix(line, "literal ")
		if err != nil || !literal && !strings.HasPrefix(line, "delta ") {
			return b
		}
		if n == 0 && literal {
			b.literal = true
			b.size, err = strconv.ParseInt(strings.TrimSuffix(size, "\r"), 10, 64)
			b.broken = err != nil || b.size < 0
		}
		p.in.skip()
		for line, err = p.in.peek(); err == nil && strings.TrimSuffix(line, "\r") != ""; line, err = p.in.peek() {
			if n == 0 && literal {
				b.add(strings.TrimSuffix(line, "\r"))
			}
			p.in.skip()
		}
		p.in.skip()
	}
}

// add decodes a line of base 85: a letter for the number of bytes, and five digits for every four of them.
func (b *binaryPatch) add(line string) {
	n := 0
	switch c := line[0]; {
	case c >= 'A' && c <= 'Z':
		n = int(c-'A') + 1
	case c >= 'a' && c <= 'z':
		n = int(c-'a') + 27
	}
	digits := line[1:]
	if n == 0 || len(digits) != (n+3)/4*5 || len(b.packed) > 2*MaxText {
		b.broken = true
		return
	}
	for ; len(digits) > 0; digits = digits[5:] {
		var word uint64
		for i := range 5 {
			word = word*85 + uint64(max(0, strings.IndexByte(digits85, digits[i])))
		}
		four := [4]byte{byte(word >> 24), byte(word >> 16), byte(word >> 8), byte(word)}
		b.packed = append(b.packed, four[:min(n, 4)]...)
		n -= 4
	}
}

const digits85 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz!#$%&()*+-;<=>?@^_`{|}~"

// maxBinaryLines is how many lines of binary content are searched; beyond it is no text of anybody's.
const maxBinaryLines = 1_000_000

// show gives the file the content as added lines, to be searched for secrets, or the reason why it cannot.
func (b *binaryPatch) show(f *gavel.File) *gavel.Skip {
	skip := func(reason gavel.SkipReason, detail string) *gavel.Skip {
		return &gavel.Skip{Path: f.Path, Reason: reason, Detail: detail}
	}
	switch {
	case f.Status == gavel.Deleted:
		return skip(gavel.SkipBinary, "")
	case !b.literal:
		return skip(gavel.SkipUnreadable, notHeld)
	case b.size > MaxText:
		return skip(gavel.SkipTooLarge, "its content is larger than what is reviewed")
	}
	content, err := b.inflate()
	if err != nil {
		return skip(gavel.SkipUnreadable, "its content cannot be decoded")
	}
	lines := strings.Split(strings.TrimSuffix(content, "\n"), "\n")
	if len(lines) > maxBinaryLines {
		return skip(gavel.SkipTooLarge, "more than a million lines")
	}
	if content != "" {
		h := gavel.Hunk{NewStart: 1, NewLines: len(lines)}
		for i, text := range lines {
			h.Lines = append(h.Lines, gavel.Line{Op: gavel.Add, New: i + 1, Text: withoutNUL(text), NoEOL: i == len(lines)-1 && !strings.HasSuffix(content, "\n")})
		}
		f.Hunks = []gavel.Hunk{h}
	}
	return skip(gavel.SkipBinary, searchedOnly)
}

// searchedOnly is said of a binary file whose content was looked at for secrets.
const searchedOnly = "searched for secrets only"

func (b *binaryPatch) inflate() (string, error) {
	in, err := zlib.NewReader(bytes.NewReader(b.packed))
	if err != nil {
		return "", err
	}
	data, err := io.ReadAll(io.LimitReader(in, b.size+1))
	if err == nil && (b.broken || int64(len(data)) != b.size) {
		err = errHeader
	}
	return string(data), err
}

// withoutNUL makes a line with NUL bytes one that can be searched: wide characters lose them, so that ASCII in UTF-16
// and UTF-32 is found, and elsewhere they separate words as blanks do.
func withoutNUL(line string) string {
	switch n := strings.Count(line, "\x00"); {
	case n == 0:
		return line
	case n > len(line)/3:
		return strings.ReplaceAll(line, "\x00", "")
	}
	return strings.ReplaceAll(line, "\x00", " ")
}

// binaryFile reads "Binary files OLD and NEW differ", which diff -r writes without a header. A name that cannot be
// told apart from the words around it is taken whole.
func (p *Patch) binaryFile(line string) *gavel.File {
	names, ok := strings.CutPrefix(strings.TrimSuffix(line, "\r"), "Binary files ")
	names, ok2 := strings.CutSuffix(names, " differ")
	if !ok || !ok2 {
		return nil // prose
	}
	old, new := names, names
	if a, b, ok := strings.Cut(names, " and "); ok && !strings.Contains(b, " and ") {
		old, new = stripPrefixes(a, b)
	}
	f := &gavel.File{Path: new, Status: gavel.Modified, OldMode: gavel.ModeRegular, NewMode: gavel.ModeRegular, Size: -1, Binary: true}
	switch {
	case old == devNull:
		f.Status, f.OldMode = gavel.Added, 0
	case new == devNull:
		f.Status, f.NewMode, f.Path = gavel.Deleted, 0, old
	}
	f.Skip = notShown(f)
	return f
}

// notShown is the skip of a binary file without content. One that goes away brings nothing.
func notShown(f *gavel.File) *gavel.Skip {
	if f.Status == gavel.Deleted {
		return &gavel.Skip{Path: f.Path, Reason: gavel.SkipBinary}
	}
	return &gavel.Skip{Path: f.Path, Reason: gavel.SkipUnreadable, Detail: notHeld}
}
