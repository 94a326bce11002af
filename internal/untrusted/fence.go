package untrusted

import (
	"crypto/sha256"
	"encoding/hex"
	"strconv"
	"strings"
)

// fenceVersion names the derivation of the tag. A changed derivation gets a new name, so that a reader of stored text
// can tell which one made it.
const fenceVersion = "f1"

// Fence wraps content in a labelled envelope:
//
//	[untrusted data f1-0123456789abcdef0123456789abcdef label="diff of a.go" bytes=12]
//	…
//	[end of untrusted data f1-0123456789abcdef0123456789abcdef]
//
// The tag is 128 bits of a hash of the label and the content itself: whoever writes the content would have to find a
// text that holds its own hash to close the envelope early. The content is carried byte for byte, followed by one
// newline when it does not end with one; bytes is its length without that newline. Equal input gives equal output. An
// empty content is fenced too, so that its absence can be told from its emptiness.
func Fence(label, content string) string {
	label = strconv.Quote(Visible(label))
	tag := fenceTag(label, content)
	var b strings.Builder
	b.Grow(len(content) + len(label) + 160)
	b.WriteString("[untrusted data " + tag + " label=" + label + " bytes=" + strconv.Itoa(len(content)) + "]\n")
	b.WriteString(content)
	if content != "" && !strings.HasSuffix(content, "\n") {
		b.WriteByte('\n')
	}
	b.WriteString("[end of untrusted data " + tag + "]\n")
	return b.String()
}

// fenceTag derives the tag. A content that holds its own tag is out of reach for anybody, but counting on costs nothing
// and makes the promise hold without an assumption.
func fenceTag(label, content string) string {
	for n := 0; ; n++ {
		tag := deriveTag(n, label, content)
		if !strings.Contains(content, tag) && !strings.Contains(label, tag) {
			return tag
		}
	}
}

func deriveTag(n int, label, content string) string {
	inner := sha256.Sum256([]byte(content))
	outer := sha256.Sum256([]byte("gavel fence " + fenceVersion + "\x00" + strconv.Itoa(n) + "\x00" + label + "\x00" + string(inner[:])))
	return fenceVersion + "-" + hex.EncodeToString(outer[:16])
}
