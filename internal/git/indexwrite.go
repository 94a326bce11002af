package git

import "encoding/binary"

// encode writes the entries as an index file of version 3, without extensions and with no file hidden by
// assume-unchanged. Entries are sorted.
func (x *index) encode(hash objectHash) []byte {
	size := 12 + hash.size
	for i := range x.entries {
		size += entryHead + hash.size + 4 + len(x.entries[i].path) + 8
	}
	out := make([]byte, 0, size)
	out = append(out, "DIRC\x00\x00\x00\x03"...)
	out = binary.BigEndian.AppendUint32(out, uint32(len(x.entries)))
	for i := range x.entries {
		stat := ""
		if at := x.entries[i].at; at > 0 {
			stat = x.data[at : at+entryHead]
		}
		out = x.entries[i].encode(out, stat)
	}
	sum := hash.make()
	sum.Write(out)
	return sum.Sum(out)
}

func (e *leaf) encode(out []byte, stat string) []byte {
	start := len(out)
	if stat != "" {
		out = append(out, stat...)
	} else {
		var head [entryHead]byte
		binary.BigEndian.PutUint32(head[24:], uint32(e.mode))
		out = append(out, head[:]...)
	}
	out = append(out, e.id...)
	flags, more := uint16(e.stage)<<12|uint16(min(len(e.path), 0xfff)), uint16(0)
	if e.skipped {
		more |= flagSkipped
	}
	if e.intent {
		more |= flagIntent
	}
	if more != 0 {
		flags |= flagExtended
	}
	out = binary.BigEndian.AppendUint16(out, flags)
	if more != 0 {
		out = binary.BigEndian.AppendUint16(out, more)
	}
	out = append(out, e.path...)
	for n := 8 - (len(out)-start)%8; n > 0; n-- {
		out = append(out, 0)
	}
	return out
}

// flatten replaces folders of a sparse index by their files, which are not in the work tree.
func (x *index) flatten(list func(tree string) ([]entry, error)) error {
	if !x.sparse {
		return nil
	}
	flat := make([]leaf, 0, 2*len(x.entries))
	for _, e := range x.entries {
		if e.mode != modeTree {
			flat = append(flat, e)
			continue
		}
		files, err := list(hexID(e.id))
		if err != nil {
			return err
		}
		for _, f := range files {
			flat = append(flat, leaf{path: e.path + f.path, id: f.newID, mode: f.newMode, skipped: true})
		}
	}
	x.entries, x.sparse, x.cache = flat, false, nil
	return nil
}
