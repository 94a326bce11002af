package git

import (
	"cmp"
	"encoding/binary"
	"hash/adler32"
	"hash/crc32"
	"os"
	"path/filepath"
	"slices"
	"sync"
)

// packer collects the objects that are written for a comparison. They go into the private store as one pack: a file for
// each would cost more than everything else.
type packer struct {
	mu      sync.Mutex
	objects []newObject
	bytes   int
	trees   map[string]string // by raw id: trees that need not be asked for
}

type newObject struct {
	kind string
	id   string // raw
	data []byte
	at   uint32 // offset in the pack
	crc  uint32
}

// maxPending bounds what is held before it is written, in bytes.
const maxPending = 16 << 20

// store adds an object to what flush will write, and returns its raw id.
func (r *Repo) store(kind string, data []byte) (string, error) {
	id := string(r.hash.sum(kind, data))
	p := &r.packer
	p.mu.Lock()
	defer p.mu.Unlock()
	p.objects = append(p.objects, newObject{kind: kind, id: id, data: data})
	p.bytes += len(data)
	if kind == "tree" {
		if p.trees == nil {
			p.trees = map[string]string{}
		}
		p.trees[id] = string(data)
	}
	if p.bytes > maxPending {
		return id, r.writePack()
	}
	return id, nil
}

// flush makes the objects that were stored visible to git.
func (r *Repo) flush() error {
	p := &r.packer
	p.mu.Lock()
	defer p.mu.Unlock()
	return r.writePack()
}

// writePack needs the lock.
func (r *Repo) writePack() error {
	p := &r.packer
	if len(p.objects) == 0 {
		return nil
	}
	byID := func(a, b newObject) int { return cmp.Compare(a.id, b.id) }
	slices.SortFunc(p.objects, byID)
	p.objects = slices.CompactFunc(p.objects, func(a, b newObject) bool { return a.id == b.id })
	pack := encodePack(p.objects, r.hash)
	name := filepath.Join(r.private, "objects", "pack")
	if err := os.Mkdir(name, 0o700); err != nil && !os.IsExist(err) {
		return storeError(err)
	}
	name = filepath.Join(name, "pack-"+hexID(string(pack[len(pack)-r.hash.size:])))
	err := r.writePackFile(name+".pack", pack)
	if err == nil {
		err = os.WriteFile(name+".idx", encodePackIndex(p.objects, pack, r.hash), 0o600)
	}
	if err != nil {
		return storeError(err)
	}
	p.objects, p.bytes = nil, 0
	return nil
}

// maxInMemory is the largest pack that is kept in memory, in bytes.
const maxInMemory = 1 << 20

// writePackFile writes a pack, or a link to it where it is too large for a private directory that lies in memory.
func (r *Repo) writePackFile(name string, pack []byte) (err error) {
	if !r.inMemory || len(pack) <= maxInMemory {
		return os.WriteFile(name, pack, 0o600)
	}
	if r.spill == "" {
		if r.spill, err = os.MkdirTemp("", "gavel-git-"); err != nil {
			return err
		}
	}
	target := filepath.Join(r.spill, filepath.Base(name))
	if err := os.WriteFile(target, pack, 0o600); err != nil {
		return err
	}
	return os.Symlink(target, name)
}

// writtenTree returns a tree that was stored here.
func (r *Repo) writtenTree(id string) (data string, ok bool) {
	r.packer.mu.Lock()
	defer r.packer.mu.Unlock()
	data, ok = r.packer.trees[id]
	return data, ok
}

// encodePack writes a pack: gitformat-pack(5). It notes where each object lies.
func encodePack(objects []newObject, hash objectHash) []byte {
	pack := []byte("PACK\x00\x00\x00\x02")
	pack = binary.BigEndian.AppendUint32(pack, uint32(len(objects)))
	for i := range objects {
		o := &objects[i]
		o.at = uint32(len(pack))
		kind := byte(3) // a blob
		if o.kind == "tree" {
			kind = 2
		}
		size := len(o.data)
		c := kind<<4 | byte(size&15)
		for size >>= 4; size > 0; size >>= 7 {
			pack = append(pack, c|0x80)
			c = byte(size & 0x7f)
		}
		pack = zlibStored(append(pack, c), o.data)
		o.crc = crc32.ChecksumIEEE(pack[o.at:])
	}
	return appendSum(pack, hash)
}

// encodePackIndex writes the index, version 2, of a pack whose objects are sorted by id.
func encodePackIndex(objects []newObject, pack []byte, hash objectHash) []byte {
	index := []byte("\xfftOc\x00\x00\x00\x02")
	n := 0
	for first := range 256 {
		for n < len(objects) && int(objects[n].id[0]) <= first {
			n++
		}
		index = binary.BigEndian.AppendUint32(index, uint32(n))
	}
	for i := range objects {
		index = append(index, objects[i].id...)
	}
	for i := range objects {
		index = binary.BigEndian.AppendUint32(index, objects[i].crc)
	}
	for i := range objects {
		index = binary.BigEndian.AppendUint32(index, objects[i].at)
	}
	return appendSum(append(index, pack[len(pack)-hash.size:]...), hash)
}

func appendSum(data []byte, hash objectHash) []byte {
	sum := hash.make()
	sum.Write(data)
	return sum.Sum(data)
}

// zlibStored appends data as a zlib stream without compressing it: the object lives for seconds, and a compressor would
// cost more (RFC 1950, RFC 1951 section 3.2.4).
func zlibStored(out, data []byte) []byte {
	const most = 65535
	out = append(out, 0x78, 0x01)
	for rest := data; ; {
		n, final := len(rest), byte(1)
		if n > most {
			n, final = most, 0
		}
		out = append(out, final)
		out = binary.LittleEndian.AppendUint16(out, uint16(n))
		out = binary.LittleEndian.AppendUint16(out, ^uint16(n))
		out = append(out, rest[:n]...)
		if rest = rest[n:]; final == 1 {
			return binary.BigEndian.AppendUint32(out, adler32.Checksum(data))
		}
	}
}
