package git

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/gavel-review/gavel"
)

// maxPointer is what an LFS pointer file stays under, in bytes, by its specification.
const maxPointer = 1024

// lfsPointer is the text that stands for a large file: its SHA-256 in hex and its size in bytes.
type lfsPointer struct {
	oid  string
	size int64
}

const (
	lfsVersion = "version https://git-lfs.github.com/spec/v1"
	lfsOID     = "oid sha256:"
	lfsSize    = "size "
)

// parseLFSPointer reads a pointer. It takes exactly the three lines that git-lfs writes: text that only looks like a
// pointer is reviewed like any text.
func parseLFSPointer(text string) (lfsPointer, bool) {
	lines := strings.Split(text, "\n")
	if len(lines) != 4 || lines[3] != "" || lines[0] != lfsVersion {
		return lfsPointer{}, false
	}
	oid, ok := strings.CutPrefix(lines[1], lfsOID)
	size, ok2 := strings.CutPrefix(lines[2], lfsSize)
	n, err := strconv.ParseInt(size, 10, 64)
	if !ok || !ok2 || err != nil || n < 0 || len(oid) != 64 || !isID(oid) || strconv.FormatInt(n, 10) != size {
		return lfsPointer{}, false
	}
	return lfsPointer{oid, n}, true
}

func (p lfsPointer) String() string {
	return fmt.Sprintf("%s\n%s%s\n%s%d\n", lfsVersion, lfsOID, p.oid, lfsSize, p.size)
}

// lfsOf returns the pointer that the new side of a file is. A pointer is so short that its hunks show all of it.
func lfsOf(f *gavel.File) (lfsPointer, bool) {
	if len(f.Hunks) != 1 || f.Hunks[0].NewStart != 1 || f.Hunks[0].NewLines != 3 {
		return lfsPointer{}, false
	}
	var text strings.Builder
	for _, l := range f.Hunks[0].Lines {
		if l.Op == gavel.Remove {
			continue
		}
		text.WriteString(l.Text)
		if !l.NoEOL {
			text.WriteByte('\n')
		}
		if text.Len() >= maxPointer {
			return lfsPointer{}, false
		}
	}
	if f.Size >= 0 && f.Size != int64(text.Len()) {
		return lfsPointer{}, false
	}
	return parseLFSPointer(text.String())
}

// pointers returns the LFS pointers among what the index holds for the candidates: of those paths only that git-lfs
// filters by the attributes. Any other file that replaces a pointer is reviewed as what it is.
func (w *capture) pointers(ctx context.Context, candidates []string) (map[string]*lfsPointer, error) {
	var names, ids []string
	for _, name := range candidates {
		if l, ok := w.tracked(name); ok && (l.mode == gavel.ModeRegular || l.mode == gavel.ModeExec) {
			names, ids = append(names, name), append(ids, hexID(l.id))
		}
	}
	small := ids[:0:0]
	var at []int
	err := w.r.objects.ask(ctx, askInfo, ids, func(i int, obj object, _ io.Reader) error {
		if obj.kind == "blob" && obj.size > int64(len(lfsVersion)) && obj.size < maxPointer {
			small, at = append(small, ids[i]), append(at, i)
		}
		return nil
	})
	if err != nil {
		return nil, damaged(err)
	}
	found := map[string]*lfsPointer{}
	err = w.r.objects.ask(ctx, askContents, small, func(i int, obj object, body io.Reader) error {
		if obj.missing() {
			return nil
		}
		data, err := io.ReadAll(body)
		if p, ok := parseLFSPointer(string(data)); ok {
			found[names[at[i]]] = &p
		}
		return err
	})
	if err != nil || len(found) == 0 {
		return nil, damaged(err)
	}
	return found, w.keepFiltered(ctx, found)
}

// keepFiltered drops the pointers whose path git-lfs does not filter.
func (w *capture) keepFiltered(ctx context.Context, pointers map[string]*lfsPointer) error {
	var names strings.Builder
	for name := range pointers {
		names.WriteString(name + "\x00")
	}
	c := w.r.workCommand(w.index, "check-attr", "-z", "--stdin", "filter")
	c.Stdin = strings.NewReader(names.String())
	out, _, err := c.Output(ctx)
	if err != nil {
		return w.r.listingError(err)
	}
	fields := strings.Split(string(out), "\x00")
	for i := 0; i+2 < len(fields); i += 3 {
		if fields[i+2] != "lfs" {
			delete(pointers, fields[i])
		}
	}
	return nil
}

// damaged gives the end of git in the middle of an answer a class.
func damaged(err error) error {
	var died *diedError
	if errors.As(err, &died) {
		return gavel.Errorf(gavel.RunFailed, "an object cannot be read: %s", said(died.stderr)).WithHint("see what git fsck says")
	}
	return err
}

// limited keeps the first bytes that are written, one more than a pointer may have.
func limited(b *bytes.Buffer) io.Writer { return limitedWriter{b} }

type limitedWriter struct{ b *bytes.Buffer }

func (w limitedWriter) Write(p []byte) (int, error) {
	if room := maxPointer - w.b.Len(); room > 0 {
		w.b.Write(p[:min(room, len(p))])
	}
	return len(p), nil
}
