package store

import (
	"bufio"
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"os"
	"slices"
	"sort"
	"strings"

	"github.com/gavel-review/gavel"
)

// A finding index holds the findings of one SARIF file so that a page, and the count of all that match, cost little
// whatever their number. It is one file, written once:
//
//	items    each finding as JSON, in the order of the SARIF
//	flags    one byte each, in the order of file, line and rule: level, severity, new
//	refs     where each item lies: offset (8 bytes), length (4) and check sum (4), in that order
//	files    of each file its first finding (4), and where its name ends among the names (4)
//	names    the names of the files
//	footer   counts, offsets, the stamp and the hash of the SARIF, check sums
//
// Since the findings are in the order of their files, a prefix of a path is one range of them.

const (
	indexMagic  = "gavelfx1"
	footerSize  = 128
	refSize     = 16
	fileRefSize = 8
	maxFindings = 1 << 24
)

var (
	errOtherHash = errors.New("the hash is another")
	errBadIndex  = errors.New("no finding index")
)

// fileStamp is what moves when a file is written or replaced.
type fileStamp struct {
	size, modified int64 // bytes; nanoseconds
	inode          uint64
}

func stampOf(info fs.FileInfo) fileStamp {
	return fileStamp{info.Size(), info.ModTime().UnixNano(), inode(info)}
}

type indexFooter struct {
	stamp               fileStamp
	hash                [sha256.Size]byte
	count, files, names uint32
	items               uint64 // bytes
}

func (f *indexFooter) flagsAt() int64 { return int64(f.items) }
func (f *indexFooter) refsAt() int64  { return f.flagsAt() + int64(f.count) }
func (f *indexFooter) filesAt() int64 { return f.refsAt() + refSize*int64(f.count) }
func (f *indexFooter) namesAt() int64 { return f.filesAt() + fileRefSize*int64(f.files) }
func (f *indexFooter) end() int64     { return f.namesAt() + int64(f.names) }

func (f *indexFooter) bytes(columns uint32) []byte {
	b := make([]byte, 0, footerSize)
	b = append(b, indexMagic...)
	b = binary.LittleEndian.AppendUint64(b, uint64(f.stamp.size))
	b = binary.LittleEndian.AppendUint64(b, uint64(f.stamp.modified))
	b = binary.LittleEndian.AppendUint64(b, f.stamp.inode)
	b = append(b, f.hash[:]...)
	b = binary.LittleEndian.AppendUint64(b, f.items)
	for _, n := range []uint32{f.count, f.files, f.names, columns} {
		b = binary.LittleEndian.AppendUint32(b, n)
	}
	b = b[:footerSize-4]
	return binary.LittleEndian.AppendUint32(b, crc32.ChecksumIEEE(b))
}

func readFooter(r io.ReaderAt, size int64) (f indexFooter, columns uint32, err error) {
	b := make([]byte, footerSize)
	if size < footerSize {
		return f, 0, errBadIndex
	}
	if _, err := r.ReadAt(b, size-footerSize); err != nil && !errors.Is(err, io.EOF) {
		return f, 0, err
	}
	le := binary.LittleEndian
	if string(b[:8]) != indexMagic || le.Uint32(b[footerSize-4:]) != crc32.ChecksumIEEE(b[:footerSize-4]) {
		return f, 0, errBadIndex
	}
	f.stamp = fileStamp{int64(le.Uint64(b[8:])), int64(le.Uint64(b[16:])), le.Uint64(b[24:])}
	copy(f.hash[:], b[32:64])
	f.items = le.Uint64(b[64:])
	f.count, f.files, f.names, columns = le.Uint32(b[72:]), le.Uint32(b[76:]), le.Uint32(b[80:]), le.Uint32(b[84:])
	if f.items > uint64(size) || f.end() != size-footerSize {
		return f, 0, errBadIndex
	}
	return f, columns, nil
}

// findingIndex is an index that is open for reading.
type findingIndex struct {
	r    io.ReaderAt
	file *os.File // nil in memory
	name string
	foot indexFooter
}

func (x *findingIndex) close() {
	if x.file != nil {
		x.file.Close()
	}
}

func (x *findingIndex) forget() {
	if x.file != nil {
		os.Remove(x.name)
	}
}

// openFindingIndex opens the index of the SARIF with the hash, in hex.
func openFindingIndex(path, hash string) (*findingIndex, error) {
	f, err := openOwn(path, os.O_RDONLY, 0)
	if err != nil {
		return nil, err
	}
	x, err := readFindingIndex(f, hash)
	if err != nil {
		f.Close()
		return nil, err
	}
	x.file, x.name = f, path
	return x, nil
}

func readFindingIndex(f *os.File, hash string) (*findingIndex, error) {
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	foot, columns, err := readFooter(f, info.Size())
	if err != nil {
		return nil, err
	}
	if hex.EncodeToString(foot.hash[:]) != hash {
		return nil, errOtherHash
	}
	sum := crc32.NewIEEE()
	if _, err := io.Copy(sum, io.NewSectionReader(f, foot.flagsAt(), foot.end()-foot.flagsAt())); err != nil {
		return nil, err
	}
	if sum.Sum32() != columns {
		return nil, errBadIndex
	}
	return &findingIndex{r: f, foot: foot}, nil
}

// findingFilter is a query in the index's own terms.
type findingFilter struct {
	level   byte // anyLevel is every one
	min     gavel.Severity
	path    string
	newOnly bool
}

// Flags of a finding: two bits of level, three of severity, one for new.
const (
	levelBits     = 0b11
	severityShift = 2
	severityBits  = 0b111
	newFlag       = 1 << 5
	anyLevel      = 0xff
)

var levelWords = [...]string{"none", "note", "warning", "error"}

func levelNumber(word string) (byte, bool) {
	i := slices.Index(levelWords[:], word)
	return byte(max(i, 0)), i >= 0
}

func (f findingFilter) takes(flags byte) bool {
	return (f.level == anyLevel || flags&levelBits == f.level) &&
		gavel.Severity(flags>>severityShift&severityBits) >= f.min &&
		(!f.newOnly || flags&newFlag != 0)
}

// page returns up to limit findings from the position on and counts all that match; next is the position of the next
// page, 0 on the last.
func (x *findingIndex) page(want findingFilter, position, limit int) (items []FindingItem, total, next int, err error) {
	from, to, err := x.within(want.path)
	if err != nil {
		return nil, 0, 0, err
	}
	flags := make([]byte, to-from)
	if err := x.read(flags, x.foot.flagsAt()+int64(from)); err != nil {
		return nil, 0, 0, err
	}
	items = make([]FindingItem, 0, min(limit, len(flags)))
	for i, flag := range flags {
		if !want.takes(flag) {
			continue
		}
		total++
		at := from + i
		if at < position {
			continue
		}
		if len(items) == limit {
			if next == 0 {
				next = at
			}
			continue
		}
		item, err := x.item(at)
		if err != nil {
			return nil, 0, 0, err
		}
		items = append(items, item)
	}
	return items, total, next, nil
}

func (x *findingIndex) item(at int) (item FindingItem, err error) {
	var ref [refSize]byte
	if err := x.read(ref[:], x.foot.refsAt()+refSize*int64(at)); err != nil {
		return item, err
	}
	offset, size := binary.LittleEndian.Uint64(ref[:]), uint64(binary.LittleEndian.Uint32(ref[8:]))
	if offset > x.foot.items || size > x.foot.items-offset {
		return item, errBadIndex
	}
	data := make([]byte, size)
	if err := x.read(data, int64(offset)); err != nil {
		return item, err
	}
	if crc32.ChecksumIEEE(data) != binary.LittleEndian.Uint32(ref[12:]) {
		return item, errBadIndex
	}
	return item, json.Unmarshal(data, &item)
}

// within returns the range of the findings whose file begins with the prefix.
func (x *findingIndex) within(prefix string) (from, to int, err error) {
	if prefix == "" {
		return 0, int(x.foot.count), nil
	}
	refs := make([]byte, fileRefSize*int(x.foot.files))
	names := make([]byte, x.foot.names)
	if err := errors.Join(x.read(refs, x.foot.filesAt()), x.read(names, x.foot.namesAt())); err != nil {
		return 0, 0, err
	}
	count := int(x.foot.files)
	name := func(i int) string {
		begin := uint32(0)
		if i > 0 {
			begin = binary.LittleEndian.Uint32(refs[fileRefSize*(i-1)+4:])
		}
		end := min(binary.LittleEndian.Uint32(refs[fileRefSize*i+4:]), x.foot.names)
		return string(names[min(begin, end):end])
	}
	first := func(i int) int {
		if i == count {
			return int(x.foot.count)
		}
		return int(min(binary.LittleEndian.Uint32(refs[fileRefSize*i:]), x.foot.count))
	}
	begin := sort.Search(count, func(i int) bool { return name(i) >= prefix })
	end := begin + sort.Search(count-begin, func(i int) bool { return !strings.HasPrefix(name(begin+i), prefix) })
	from, to = first(begin), first(end)
	return from, max(from, to), nil
}

func (x *findingIndex) read(into []byte, at int64) error {
	if n, err := x.r.ReadAt(into, at); n < len(into) {
		return cmp.Or(err, io.ErrUnexpectedEOF)
	}
	return nil
}

// indexEntry is what the order and the columns need of a finding.
type indexEntry struct {
	file  string
	rule  string
	line  int
	at    uint64
	size  uint32
	sum   uint32
	flags byte
}

func buildInMemory(sarif io.Reader, stamp fileStamp, hash string) (*findingIndex, error) {
	var b bytes.Buffer
	index, err := buildIndex(&b, sarif, stamp, hash)
	if err == nil {
		index.r = bytes.NewReader(b.Bytes())
	}
	return index, err
}

// buildIndex reads the SARIF once, takes its hash on the way, and writes the index. out is read from afterwards where
// it can be.
func buildIndex(out io.Writer, sarif io.Reader, stamp fileStamp, wantHash string) (*findingIndex, error) {
	sum := sha256.New()
	w := bufio.NewWriterSize(out, 256<<10)
	b := indexBuilder{w: w, words: map[string]string{}}
	readErr := readResults(io.TeeReader(sarif, sum), b.add)
	if readErr == nil || errors.Is(readErr, errNoSARIF) {
		if _, err := io.Copy(sum, sarif); err != nil {
			return nil, err
		}
		if hex.EncodeToString(sum.Sum(nil)) != wantHash {
			return nil, errOtherHash
		}
	}
	if readErr != nil {
		return nil, readErr
	}
	foot := indexFooter{stamp: stamp, items: b.at, count: uint32(len(b.entries))}
	sum.Sum(foot.hash[:0])
	b.columns(&foot)
	if err := cmp.Or(b.err, w.Flush()); err != nil {
		return nil, err
	}
	r, _ := out.(io.ReaderAt)
	return &findingIndex{r: r, foot: foot}, nil
}

type indexBuilder struct {
	w       *bufio.Writer
	at      uint64
	entries []indexEntry
	words   map[string]string // files and rules, each held once
	err     error
}

func (b *indexBuilder) add(item FindingItem) error {
	data, err := json.Marshal(item)
	if err != nil {
		return err
	}
	if len(b.entries) >= maxFindings {
		return fmt.Errorf("%w: more than %d results", errNoSARIF, maxFindings)
	}
	if _, err := b.w.Write(data); err != nil {
		return err
	}
	e := indexEntry{file: b.word(item.File), rule: b.word(item.Rule), line: item.Line, at: b.at}
	e.size, e.sum = uint32(len(data)), crc32.ChecksumIEEE(data)
	level, _ := levelNumber(item.Severity)
	severity, _ := gavel.ParseSeverity(item.Level)
	e.flags = level | byte(severity)<<severityShift
	if item.Baseline == gavel.BaselineNew {
		e.flags |= newFlag
	}
	b.entries = append(b.entries, e)
	b.at += uint64(len(data))
	return nil
}

func (b *indexBuilder) word(s string) string {
	if known, ok := b.words[s]; ok {
		return known
	}
	s = strings.Clone(s)
	b.words[s] = s
	return s
}

// columns writes everything behind the items.
func (b *indexBuilder) columns(foot *indexFooter) {
	slices.SortStableFunc(b.entries, func(x, y indexEntry) int {
		return cmp.Or(cmp.Compare(x.file, y.file), cmp.Compare(x.line, y.line), cmp.Compare(x.rule, y.rule))
	})
	sum := crc32.NewIEEE()
	put := func(p []byte) {
		sum.Write(p)
		if _, err := b.w.Write(p); err != nil {
			b.err = err
		}
	}
	buf := make([]byte, 0, refSize)
	for i := range b.entries {
		put([]byte{b.entries[i].flags})
	}
	for i := range b.entries {
		buf = binary.LittleEndian.AppendUint64(buf[:0], b.entries[i].at)
		buf = binary.LittleEndian.AppendUint32(buf, b.entries[i].size)
		put(binary.LittleEndian.AppendUint32(buf, b.entries[i].sum))
	}
	var names []byte
	for i := range b.entries {
		if i > 0 && b.entries[i].file == b.entries[i-1].file {
			continue
		}
		names = append(names, b.entries[i].file...)
		buf = binary.LittleEndian.AppendUint32(buf[:0], uint32(i))
		put(binary.LittleEndian.AppendUint32(buf, uint32(len(names))))
		foot.files++
	}
	put(names)
	foot.names = uint32(len(names))
	if _, err := b.w.Write(foot.bytes(sum.Sum32())); err != nil {
		b.err = err
	}
}
