package git

import (
	"crypto/sha1"
	"crypto/sha256"
	"encoding/hex"
	"hash"
	"strconv"
	"strings"

	"github.com/gavel-review/gavel"
)

// objectHash is how a repository names its objects. An id is raw bytes inside of trees and hex elsewhere.
type objectHash struct {
	size      int // bytes of a raw id
	make      func() hash.Hash
	emptyTree string // hex; git knows it without an object
	zero      string // hex; stands for "no object"
}

func hashOf(format string) (objectHash, error) {
	switch format {
	case "sha1":
		return newObjectHash(sha1.Size, sha1.New), nil
	case "sha256":
		return newObjectHash(sha256.Size, sha256.New), nil
	}
	return objectHash{}, gavel.Errorf(gavel.NotAGitRepo, "the object format %q is not known", format)
}

func newObjectHash(size int, make func() hash.Hash) objectHash {
	h := objectHash{size: size, make: make, zero: strings.Repeat("0", 2*size)}
	h.emptyTree = hex.EncodeToString(h.sum("tree", nil))
	return h
}

// sum returns the raw id of an object.
func (h objectHash) sum(kind string, data []byte) []byte {
	sum := h.begin(kind, int64(len(data)))
	sum.Write(data)
	return sum.Sum(nil)
}

// begin starts the hash of an object whose bytes follow.
func (h objectHash) begin(kind string, size int64) hash.Hash {
	sum := h.make()
	sum.Write([]byte(kind + " " + strconv.FormatInt(size, 10) + "\x00"))
	return sum
}

// rawID turns hex into raw bytes; a text that is not hex gives "".
func rawID(id string) string {
	raw, err := hex.DecodeString(id)
	if err != nil {
		return ""
	}
	return string(raw)
}
