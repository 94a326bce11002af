package git

import (
	"errors"
	"io/fs"
	"strings"
	"time"

	"github.com/gavel-review/gavel"
)

// leaf is a file on its way into a tree, and an entry of the index.
type leaf struct {
	path string
	id   string // raw
	mode gavel.Mode
	at   int32 // where the entry begins in the index file, 0 for one that is not there
	// 0, or 1 to 3 while a merge is unresolved.
	stage uint8
	// What users set to keep git from looking at a file, and what marks a path that is only announced.
	assumed, skipped, intent bool
}

// plain reports whether a tree holds the entry as it is.
func (e *leaf) plain() bool { return e.stage == 0 && !e.intent }

// index is a parsed index file: gitformat-index(5), versions 2 to 4. It is read here and not by git because that costs
// a tenth, and because git's own writer of trees rewrites the whole index first.
type index struct {
	data    string
	written time.Time // when the file was written: what changed at that time or later may differ unseen
	entries []leaf
	cache   *cachedTree // nil when there is none
	shared  string      // hex id of the file that this one extends, or "": git must rewrite them into one
	sparse  bool        // some entries are folders, given as trees; their paths end in a slash
}

var errIndex = errors.New("the index is malformed")

// The bits of an entry's flags.
const (
	flagAssumed  = 0x8000
	flagExtended = 0x4000
	flagSkipped  = 0x4000 // in the extended flags
	flagIntent   = 0x2000 // in the extended flags
	entryHead    = 40     // bytes of stat data before the id
)

// readIndex reads an index file. One that does not exist is empty.
func readIndex(path string, idSize int) (*index, error) {
	data, written, err := readRegular(path, maxIndex)
	if errors.Is(err, fs.ErrNotExist) {
		return &index{}, nil
	}
	if err != nil {
		return nil, err
	}
	x, err := parseIndex(data, idSize)
	if err == nil {
		x.written = written
	}
	return x, err
}

func parseIndex(data string, idSize int) (*index, error) {
	if len(data) < 12+idSize || data[:4] != "DIRC" {
		return nil, errIndex
	}
	version, count := be32(data[4:]), int(be32(data[8:]))
	end := len(data) - idSize
	if version < 2 || version > 4 || count > (end-12)/(entryHead+idSize+2) || len(data) > maxIndex {
		return nil, errIndex
	}
	x := &index{data: data, entries: make([]leaf, 0, count)}
	at, previous := 12, ""
	for range count {
		e, next, err := parseEntry(data[:end], at, idSize, version, previous)
		if err != nil {
			return nil, err
		}
		if e.mode == modeTree {
			x.sparse = true
		}
		x.entries, at, previous = append(x.entries, e), next, e.path
	}
	if err := x.parseExtensions(data[at:end], idSize); err != nil {
		return nil, err
	}
	for i := range x.entries {
		if x.entries[i].path == "" && x.shared == "" { // in a split index it stands for a path of the shared part
			return nil, errIndex
		}
	}
	return x, nil
}

func parseEntry(data string, at, idSize int, version uint32, previous string) (e leaf, next int, err error) {
	flagsAt := at + entryHead + idSize
	if flagsAt+2 > len(data) {
		return e, 0, errIndex
	}
	e.mode = canonicalMode(gavel.Mode(be32(data[at+24:])))
	e.id = data[at+entryHead : flagsAt]
	e.at = int32(at)
	flags := be16(data[flagsAt:])
	e.assumed, e.stage = flags&flagAssumed != 0, uint8(flags>>12&3)
	nameAt := flagsAt + 2
	if flags&flagExtended != 0 {
		if version < 3 || nameAt+2 > len(data) {
			return e, 0, errIndex
		}
		more := be16(data[nameAt:])
		e.skipped, e.intent = more&flagSkipped != 0, more&flagIntent != 0
		nameAt += 2
	}
	kept := ""
	if version == 4 {
		cut, n := varint(data[nameAt:])
		if n == 0 || cut > len(previous) {
			return e, 0, errIndex
		}
		kept, nameAt = previous[:len(previous)-cut], nameAt+n
	}
	length := strings.IndexByte(data[nameAt:], 0)
	if length < 0 {
		return e, 0, errIndex
	}
	e.path = data[nameAt : nameAt+length]
	if version == 4 {
		e.path = kept + e.path
		return e, nameAt + length + 1, nil
	}
	next = at + (nameAt+length-at+8)&^7 // one to eight NULs, up to a multiple of eight
	if next > len(data) {
		return e, 0, errIndex
	}
	return e, next, nil
}

func (x *index) parseExtensions(data string, idSize int) error {
	for len(data) >= 8 {
		name, size := data[:4], int(be32(data[4:]))
		if size > len(data)-8 {
			return errIndex
		}
		body := data[8 : 8+size]
		data = data[8+size:]
		switch {
		case name == "TREE":
			x.cache = parseCachedTree(body, idSize)
		case name == "link":
			if len(body) < idSize {
				return errIndex
			}
			x.shared = hexID(body[:idSize])
		case name == "sdir": // entries say for themselves that they are folders
		case name[0] < 'A' || name[0] > 'Z': // one that must be understood
			return errIndex
		}
	}
	return nil
}

// varint reads the offset encoding of version 4: big-endian, seven bits a byte, with a bias that makes it unique.
func varint(s string) (value, n int) {
	for n < len(s) && n < 5 {
		c := s[n]
		n++
		value = value<<7 | int(c&0x7f)
		if c < 0x80 {
			return value, n
		}
		value++
	}
	return 0, 0
}

func be32(s string) uint32 { return uint32(be16(s))<<16 | uint32(be16(s[2:])) }

func be16(s string) uint16 { return uint16(s[0])<<8 | uint16(s[1]) }

// leaves are the entries as a tree would hold them. An unresolved path stands with our side of the merge, or not at
// all where we have none, and is named in unmerged; a path that is only announced is left out and named in intents.
func (x *index) leaves() (leaves []leaf, unmerged, intents []string) {
	i := 0
	for i < len(x.entries) && x.entries[i].plain() {
		i++
	}
	if i == len(x.entries) {
		return x.entries, nil, nil
	}
	leaves = append(make([]leaf, 0, len(x.entries)), x.entries[:i]...)
	for ; i < len(x.entries); i++ {
		e := x.entries[i]
		if !e.plain() {
			x.cache.forget(e.path)
		}
		if e.stage != 0 && (len(unmerged) == 0 || unmerged[len(unmerged)-1] != e.path) {
			unmerged = append(unmerged, e.path)
		}
		switch {
		case e.intent:
			intents = append(intents, e.path)
		case e.stage == 0, e.stage == 2:
			leaves = append(leaves, e)
		}
	}
	return leaves, unmerged, intents
}
