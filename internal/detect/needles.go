package detect

import (
	"regexp"
	"strings"
	"sync"
)

// needles looks for any of some words in one walk over a line, in about a nanosecond a byte: three bytes at a time are
// looked up in a table of what words begin with, and only a hit is compared.
type needles struct {
	words []string // of at least three bytes
	table [1 << 10]uint64
}

func newNeedles(words ...string) *needles {
	n := &needles{words: words}
	for _, w := range words {
		slot := slotOf(uint32(w[0])<<16 | uint32(w[1])<<8 | uint32(w[2]))
		n.table[slot>>6] |= 1 << (slot & 63)
	}
	return n
}

func slotOf(three uint32) uint32 { return three * 2654435761 >> 16 }

// index returns where the first of the words begins, -1 where the line holds none.
func (n *needles) index(line string) int {
	if len(line) < 3 {
		return -1
	}
	three := uint32(line[0])<<8 | uint32(line[1])
	for i := 2; i < len(line); i++ {
		three = (three<<8 | uint32(line[i])) & 0xffffff
		if slot := slotOf(three); n.table[slot>>6]&(1<<(slot&63)) == 0 {
			continue
		}
		for _, w := range n.words {
			if strings.HasPrefix(line[i-2:], w) {
				return i - 2
			}
		}
	}
	return -1
}

// in reports whether the line holds one of the words.
func (n *needles) in(line string) bool { return n.index(line) >= 0 }

// pattern is a regular expression that is compiled when it is first asked for: a change needs few of them.
type pattern func() *regexp.Regexp

func compiled(source string) pattern {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(source) })
}
