package git

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// maxPacks is how many packs are looked through here; with more, git's index of all of them is quicker.
const maxPacks = 32

// packOf finds the pack that holds the object, and where.
func (s *stored) packOf(id string) (*packFile, int64) {
	if s.packs == nil {
		s.packs = openPacks(filepath.Join(s.dir, "pack"), s)
	}
	raw := rawID(id)
	for _, p := range s.packs {
		if at, ok := p.find(raw); ok {
			return p, at
		}
	}
	return nil, 0
}

// openPacks opens every pack that has an index which is understood. It never returns nil.
func openPacks(dir string, s *stored) []*packFile {
	packs := []*packFile{}
	names, err := filepath.Glob(filepath.Join(globQuote(dir), "pack-*.idx"))
	if err != nil || len(names) > maxPacks {
		return packs
	}
	for _, name := range names {
		if p := openPack(strings.TrimSuffix(name, ".idx"), s); p != nil {
			packs = append(packs, p)
		}
	}
	return packs
}

// globQuote makes a path a pattern that matches itself alone.
func globQuote(path string) string {
	if os.PathSeparator != '/' {
		return path
	}
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(path)
}

// packFile is a pack with its index, version 2: gitformat-pack(5).
type packFile struct {
	store       *stored
	index, pack io.ReaderAt
	files       []*os.File // the two, to be closed
	idSize      int64
	fanout      [256]uint32
	objects     int64
	end         int64 // of the objects in the pack
	room        *bufio.Reader
}

const indexHeader = 8 + 256*4

func openPack(stem string, s *stored) *packFile {
	index, err := openRegular(stem + ".idx")
	if err != nil {
		return nil
	}
	pack, err := openRegular(stem + ".pack")
	if err != nil {
		index.Close()
		return nil
	}
	p := &packFile{store: s, index: index, pack: pack, files: []*os.File{index, pack}, idSize: int64(s.hash.size)}
	info, err := pack.Stat()
	if err != nil || !p.readHeader(info.Size()) {
		p.close()
		return nil
	}
	return p
}

func (p *packFile) close() {
	for _, f := range p.files {
		f.Close()
	}
}

// readHeader reads the heads of both files; size is the pack's.
func (p *packFile) readHeader(size int64) bool {
	var head [indexHeader]byte
	if _, err := p.index.ReadAt(head[:], 0); err != nil || string(head[:8]) != "\xfftOc\x00\x00\x00\x02" {
		return false
	}
	last := uint32(0)
	for i := range p.fanout {
		p.fanout[i] = binary.BigEndian.Uint32(head[8+4*i:])
		if p.fanout[i] < last {
			return false
		}
		last = p.fanout[i]
	}
	p.objects = int64(last)
	var pack [12]byte
	if _, err := p.pack.ReadAt(pack[:], 0); err != nil || string(pack[:4]) != "PACK" || binary.BigEndian.Uint32(pack[4:]) != 2 ||
		int64(binary.BigEndian.Uint32(pack[8:])) != p.objects {
		return false
	}
	p.end = size - p.idSize
	return p.end >= 12
}

// find looks an object up by its raw id.
func (p *packFile) find(raw string) (at int64, ok bool) {
	from, to := int64(0), int64(p.fanout[raw[0]])
	if raw[0] > 0 {
		from = int64(p.fanout[raw[0]-1])
	}
	id := make([]byte, p.idSize)
	for from < to {
		middle := (from + to) / 2
		if _, err := p.index.ReadAt(id, indexHeader+middle*p.idSize); err != nil {
			return 0, false
		}
		switch c := strings.Compare(string(id), raw); {
		case c == 0:
			return p.offset(middle)
		case c < 0:
			from = middle + 1
		default:
			to = middle
		}
	}
	return 0, false
}

// offset is where the object with the number lies.
func (p *packFile) offset(number int64) (at int64, ok bool) {
	table := indexHeader + p.objects*(p.idSize+4)
	var word [8]byte
	if _, err := p.index.ReadAt(word[:4], table+4*number); err != nil {
		return 0, false
	}
	small := binary.BigEndian.Uint32(word[:4])
	if small&(1<<31) == 0 {
		return int64(small), true
	}
	if _, err := p.index.ReadAt(word[:], table+4*p.objects+8*int64(small&^(1<<31))); err != nil {
		return 0, false
	}
	large := binary.BigEndian.Uint64(word[:])
	return int64(large), large < 1<<62
}

// The types of a pack's entries that are no objects themselves.
const (
	packOffsetDelta = 6
	packRefDelta    = 7
)

var packKinds = [8]string{1: "commit", 2: "tree", 3: "blob", 4: "tag"}

// packEntry is the head of an entry.
type packEntry struct {
	kind byte
	size int64 // of the object, or of the delta
	base int64 // of an offset delta: where its base lies
	ref  string
}

// entry reads the head of the entry at the offset; p.room then stands at its data.
func (p *packFile) entry(at int64) (e packEntry, err error) {
	if at < 12 || at >= p.end {
		return e, errNotHere
	}
	from := io.NewSectionReader(p.pack, at, p.end-at)
	if p.room == nil {
		p.room = bufio.NewReaderSize(from, 4<<10)
	} else {
		p.room.Reset(from)
	}
	c, err := p.room.ReadByte()
	e.kind, e.size = c>>4&7, int64(c&15)
	for shift := 4; err == nil && c&0x80 != 0; shift += 7 {
		if shift > 55 {
			return e, errNotHere
		}
		c, err = p.room.ReadByte()
		e.size |= int64(c&0x7f) << shift
	}
	switch {
	case err != nil:
		return e, errNotHere
	case e.kind == packOffsetDelta:
		back, err := p.backwards()
		if err != nil || back <= 0 || back >= at {
			return e, errNotHere
		}
		e.base = at - back
	case e.kind == packRefDelta:
		id := make([]byte, p.idSize)
		if _, err := io.ReadFull(p.room, id); err != nil {
			return e, errNotHere
		}
		e.ref = string(id)
	case packKinds[e.kind] == "":
		return e, errNotHere
	}
	return e, nil
}

// backwards reads how far in front of a delta its base lies.
func (p *packFile) backwards() (int64, error) {
	back := int64(0)
	for i := 0; ; i++ {
		c, err := p.room.ReadByte()
		if err != nil || i > 7 {
			return 0, errNotHere
		}
		back = back<<7 | int64(c&0x7f)
		if c&0x80 == 0 {
			return back, nil
		}
		back++
	}
}

// baseOf is where the base of a delta lies. A base outside of the pack is left to git.
func (p *packFile) baseOf(e packEntry) (int64, error) {
	if e.kind == packOffsetDelta {
		return e.base, nil
	}
	if at, ok := p.find(e.ref); ok {
		return at, nil
	}
	return 0, errNotHere
}

// maxDeltas is the longest chain of deltas that is followed.
const maxDeltas = 256

// head is kind and size of the object at the offset.
func (p *packFile) head(at int64) (kind string, size int64, err error) {
	e, err := p.entry(at)
	if err != nil {
		return "", 0, err
	}
	if size = e.size; e.kind >= packOffsetDelta {
		if size, err = p.deltaTarget(); err != nil {
			return "", 0, err
		}
	}
	for range maxDeltas {
		if e.kind < packOffsetDelta {
			return packKinds[e.kind], size, nil
		}
		base, err := p.baseOf(e)
		if err != nil {
			return "", 0, err
		}
		if e, err = p.entry(base); err != nil {
			return "", 0, err
		}
	}
	return "", 0, errNotHere
}

// deltaTarget is the size of what the delta at hand makes.
func (p *packFile) deltaTarget() (int64, error) {
	if err := p.store.inflate(p.room); err != nil {
		return 0, errNotHere
	}
	head := make([]byte, 20)
	n, _ := io.ReadFull(p.store.inner, head)
	_, rest, ok := deltaSize(head[:n])
	target, _, ok2 := deltaSize(rest)
	if !ok || !ok2 {
		return 0, errNotHere
	}
	return target, nil
}

// read is the object at the offset.
func (p *packFile) read(at int64, depth int) (kind string, data []byte, err error) {
	e, err := p.entry(at)
	if err != nil || e.size > maxStored || depth > maxDeltas {
		return "", nil, errNotHere
	}
	if err := p.store.inflate(p.room); err != nil {
		return "", nil, errNotHere
	}
	if data, err = readExactly(p.store.inner, e.size); err != nil || e.kind < packOffsetDelta {
		return packKinds[e.kind&7], data, err
	}
	base, err := p.baseOf(e)
	if err != nil {
		return "", nil, err
	}
	kind, old, err := p.read(base, depth+1)
	if err != nil {
		return "", nil, err
	}
	data, ok := applyDelta(old, data)
	if !ok {
		return "", nil, errNotHere
	}
	return kind, data, nil
}

// deltaSize reads one of the two sizes that begin a delta.
func deltaSize(delta []byte) (size int64, rest []byte, ok bool) {
	for i, shift := 0, 0; i < len(delta) && shift <= 56; i, shift = i+1, shift+7 {
		size |= int64(delta[i]&0x7f) << shift
		if delta[i]&0x80 == 0 {
			return size, delta[i+1:], true
		}
	}
	return 0, nil, false
}

// applyDelta makes an object from its base: gitformat-pack(5), "Deltified representation".
func applyDelta(base, delta []byte) (made []byte, ok bool) {
	from, delta, ok := deltaSize(delta)
	size, delta, ok2 := deltaSize(delta)
	if !ok || !ok2 || from != int64(len(base)) || size > maxStored {
		return nil, false
	}
	var out bytes.Buffer
	out.Grow(int(size))
	for len(delta) > 0 {
		op := delta[0]
		delta = delta[1:]
		if op&0x80 == 0 {
			if op == 0 || int(op) > len(delta) {
				return nil, false
			}
			out.Write(delta[:op])
			delta = delta[op:]
			continue
		}
		var offset, length uint32
		for bit := range 7 {
			if op&(1<<bit) == 0 {
				continue
			}
			if len(delta) == 0 {
				return nil, false
			}
			if bit < 4 {
				offset |= uint32(delta[0]) << (8 * bit)
			} else {
				length |= uint32(delta[0]) << (8 * (bit - 4))
			}
			delta = delta[1:]
		}
		if length == 0 {
			length = 0x10000
		}
		if uint64(offset)+uint64(length) > uint64(len(base)) || int64(out.Len())+int64(length) > size {
			return nil, false
		}
		out.Write(base[offset : offset+length])
	}
	return out.Bytes(), int64(out.Len()) == size
}
