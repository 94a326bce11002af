package store

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"hash"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"github.com/gavel-review/gavel"
)

const (
	artifactLines    = 200
	maxArtifactLines = 5000
	// artifactBytes is where a page ends early, and artifactJSON the same for what it becomes as a JSON string: what fits
	// into one answer to an agent.
	artifactBytes = 24 << 10
	artifactJSON  = 36 << 10
)

// ArtifactPage is a piece of a file of a run.
type ArtifactPage struct {
	Content     string `json:"content"`                // as it stands in the file, line ends too; pages put together are the file
	TotalLines  int    `json:"total_lines"`            // of the whole file
	NextCursor  string `json:"next_cursor,omitempty"`  // "" on the last page
	PartialLine bool   `json:"partial_line,omitempty"` // the last line goes on at the cursor
}

// Artifact returns up to limit lines of a file of a run, from the cursor on: 0 is 200 lines, and 5000 is the most. A
// page ends early at 24 KiB, or 36 KiB escaped as JSON; a line that is longer than that is cut at a character boundary.
//
// The logs can be read at any time, and in a failed run the files below [PackQuality]. Everything else needs a completed
// run, else it is stale_run or run_failed. Whatever is no text file of the run, and every path that leads out of it, is
// artifact_missing. A file that differs from what the manifest says of it is storage_corrupt.
func (s *Store) Artifact(repo RunRepo, id, name, cursor string, limit int) (ArtifactPage, error) {
	at, err := s.find(repo, id)
	if err != nil {
		return ArtifactPage{}, err
	}
	f, want, err := s.openArtifact(at, name)
	if err != nil {
		return ArtifactPage{}, err
	}
	defer f.Close()
	offset, err := readCursor(cursor, "artifact", id, name)
	if err != nil {
		return ArtifactPage{}, err
	}
	r := newArtifactReader(int64(offset), clampLimit(limit, artifactLines, maxArtifactLines))
	if _, err := io.Copy(r, f); err != nil {
		return ArtifactPage{}, ioError("read", f.Name(), err)
	}
	if want != nil && (r.size != want.Size || hex.EncodeToString(r.hash.Sum(nil)) != want.SHA256) {
		return ArtifactPage{}, changedFile(at, name)
	}
	page, next, ok := r.page(want == nil)
	if !ok {
		return ArtifactPage{}, noArtifact(id, name)
	}
	if next > 0 {
		page.NextCursor = makeCursor(uint64(next), "artifact", id, name)
	}
	return page, nil
}

// openArtifact opens the file. want is what the manifest says of it, nil where there is none.
func (s *Store) openArtifact(at place, name string) (f *os.File, want *packFile, err error) {
	if !packName(name) && name != manifestName {
		return nil, nil, noArtifact(at.id, name)
	}
	m, exists, err := readManifest(at.dir)
	switch {
	case err != nil:
		return nil, nil, err
	case !exists:
		if err := s.readableEarly(at, name); err != nil {
			return nil, nil, err
		}
	case name != manifestName:
		file, listed := m.Files[name]
		if !listed {
			return nil, nil, noArtifact(at.id, name)
		}
		want = &file
	}
	root, err := os.OpenRoot(at.dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil, noRun(at.id)
	}
	if err != nil {
		return nil, nil, ioError("open", at.dir, err)
	}
	defer root.Close()
	if f, err = openRegular(root, filepath.FromSlash(name)); err != nil {
		return nil, nil, noArtifact(at.id, name)
	}
	return f, want, nil
}

// readableEarly says why a file of a run without a pack cannot be read; nil when it can.
func (s *Store) readableEarly(at place, name string) error {
	row, err := s.row(at)
	if err != nil {
		return err
	}
	if name == RunLog || name == RunErrors || row.State == gavel.StateFailed && strings.HasPrefix(name, PackQuality+"/") {
		return nil
	}
	return notCompleted(row)
}

// openRegular opens a regular file of the user's own, without waiting for the other end of a pipe.
func openRegular(root *os.Root, name string) (*os.File, error) {
	if info, err := root.Lstat(name); err != nil || !info.Mode().IsRegular() {
		return nil, errors.Join(err, fs.ErrInvalid)
	}
	f, err := root.Open(name)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = fs.ErrInvalid
	}
	if err == nil {
		err = checkInfo(f.Name(), info)
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// artifactReader looks at every byte of a file once: its hash, its lines, whether it is text, and the page.
type artifactReader struct {
	offset int64 // where the page begins
	limit  int   // lines of the page

	hash  hash.Hash
	size  int64
	lines int
	last  byte
	bad   bool   // not UTF-8
	rest  []byte // the beginning of a character that the last block ended in
	taken []byte // from offset on, up to a little more than a page
}

func newArtifactReader(offset int64, limit int) *artifactReader {
	return &artifactReader{offset: offset, limit: limit, hash: sha256.New()}
}

func (r *artifactReader) Write(p []byte) (int, error) {
	n := len(p)
	if n == 0 {
		return 0, nil
	}
	r.hash.Write(p)
	r.lines += bytes.Count(p, []byte{'\n'})
	r.last = p[n-1]
	if from, room := r.offset-r.size, artifactBytes+utf8.UTFMax-len(r.taken); room > 0 && from < int64(n) {
		piece := p[max(from, 0):]
		r.taken = append(r.taken, piece[:min(room, len(piece))]...)
	}
	r.size += int64(n)
	r.check(p)
	return n, nil
}

// check reads the block as UTF-8.
func (r *artifactReader) check(p []byte) {
	for len(r.rest) > 0 && len(p) > 0 && !utf8.FullRune(r.rest) {
		r.rest, p = append(r.rest, p[0]), p[1:]
	}
	if len(r.rest) > 0 {
		if !utf8.FullRune(r.rest) {
			return
		}
		r.bad = r.bad || !utf8.Valid(r.rest)
		r.rest = r.rest[:0]
	}
	end := len(p)
	for back := 1; back < utf8.UTFMax && back <= len(p); back++ {
		if c := p[len(p)-back]; utf8.RuneStart(c) {
			if !utf8.FullRune(p[len(p)-back:]) {
				end = len(p) - back
			}
			break
		}
	}
	r.rest = append(r.rest, p[end:]...)
	r.bad = r.bad || !utf8.Valid(p[:end])
}

// page returns the page and where the next one begins, 0 on the last. ok is false when the file is no text, or has
// become shorter than the cursor says. A file that grows may end in half a character.
func (r *artifactReader) page(grows bool) (page ArtifactPage, next int64, ok bool) {
	if r.bad || len(r.rest) > 0 && !grows || r.offset > r.size {
		return ArtifactPage{}, 0, false
	}
	page.TotalLines = r.lines
	if r.size > 0 && r.last != '\n' {
		page.TotalLines++
	}
	content, whole := r.cut()
	page.Content = string(content)
	next = r.offset + int64(len(content))
	page.PartialLine = !whole
	if next >= r.size || len(content) == 0 {
		next = 0
	}
	return page, next, true
}

// cut ends the page: after so many lines, else at the last line end below the byte cap, else inside the line. whole is
// false in the last case.
func (r *artifactReader) cut() (content []byte, whole bool) {
	end, lines, room := 0, 0, r.room()
	for lines < r.limit {
		i := bytes.IndexByte(r.taken[end:], '\n')
		if i < 0 || end+i+1 > room {
			break
		}
		end += i + 1
		lines++
	}
	rest := r.taken[end:]
	switch {
	case lines == r.limit || len(rest) == 0:
		return r.taken[:end], true
	case r.offset+int64(len(r.taken)) == r.size && len(r.taken)-len(r.rest) <= room:
		return r.taken[:len(r.taken)-len(r.rest)], true // the last line has no line end
	case end > 0:
		return r.taken[:end], true
	}
	return r.taken[:room], false
}

// room is how many of the taken bytes one page has room for. It is the end of a character.
func (r *artifactReader) room() int {
	end, encoded := 0, 0
	for utf8.FullRune(r.taken[end:]) {
		c, size := utf8.DecodeRune(r.taken[end:])
		encoded += encodedSize(c, size)
		if end+size > artifactBytes || encoded > artifactJSON {
			break
		}
		end += size
	}
	return end
}

// encodedSize is how many bytes a character takes inside a JSON string as encoding/json writes it.
func encodedSize(c rune, size int) int {
	switch {
	case c == '"', c == '\\', c == '\n', c == '\r', c == '\t', c == '\b', c == '\f':
		return len(`\n`)
	case c < ' ', c == '\u2028', c == '\u2029', c == utf8.RuneError:
		return len(`\u0000`)
	}
	return size
}
