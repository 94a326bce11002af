package git

import (
	"encoding/binary"
	"encoding/hex"
	"errors"
	"hash/adler32"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
)

// store writes an object into the private store, and returns its raw id.
func (r *Repo) store(kind string, data []byte) (string, error) {
	id := r.hash.sum(kind, data)
	name := hex.EncodeToString(id)
	dir := filepath.Join(r.private, "objects", name[:2])
	if err := os.Mkdir(dir, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return "", err
	}
	body := append([]byte(kind+" "+strconv.Itoa(len(data))+"\x00"), data...)
	err := os.WriteFile(filepath.Join(dir, name[2:]), zlibStored(body), 0o600)
	return string(id), err
}

// zlibStored wraps data in a zlib stream without compressing it: the object lives for seconds, and a compressor would
// cost more than everything else here (RFC 1950, RFC 1951 section 3.2.4).
func zlibStored(data []byte) []byte {
	const most = 65535
	out := make([]byte, 0, len(data)+5*(len(data)/most+1)+6)
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
			break
		}
	}
	return binary.BigEndian.AppendUint32(out, adler32.Checksum(data))
}
