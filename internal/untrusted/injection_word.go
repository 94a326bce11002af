package untrusted

import "strings"

// words finds which of some words, of three bytes at least and in lower case, a text holds. Three bytes at a time are looked up
// in a table of what words begin with, and only a hit is compared.
type words struct {
	list  []string
	by    map[uint32][]int // the words by their first three bytes
	table [1 << 10]uint64
}

func newWords(list []string) *words {
	w := &words{list: list, by: make(map[uint32][]int)}
	for i, s := range list {
		three := uint32(s[0])<<16 | uint32(s[1])<<8 | uint32(s[2])
		w.by[three] = append(w.by[three], i)
		slot := wordSlot(three)
		w.table[slot>>6] |= 1 << (slot & 63)
	}
	return w
}

func wordSlot(three uint32) uint32 { return three * 2654435761 >> 16 }

func (w *words) starts(three uint32) bool {
	slot := wordSlot(three)
	return w.table[slot>>6]&(1<<(slot&63)) != 0
}

// startsAt reports whether a word begins at i of an ASCII text in any case, of which three bytes are left at least and before which
// no letter stands.
func (w *words) startsAt(text string, i int) bool {
	three := uint32(lowered[text[i]])<<16 | uint32(lowered[text[i+1]])<<8 | uint32(lowered[text[i+2]])
	if !w.starts(three) {
		return false
	}
	for _, n := range w.by[three] {
		if s := w.list[n]; len(text)-i >= len(s) && strings.EqualFold(text[i:i+len(s)], s) {
			return true
		}
	}
	return false
}

// each calls yield for every word of a folded text, in the order of the places.
func (w *words) each(text string, yield func(word, at int)) {
	three := uint32(0)
	for i := 0; i < len(text); i++ {
		three = (three<<8 | uint32(text[i])) & 0xffffff
		if i < 2 || !w.starts(three) {
			continue
		}
		for _, n := range w.by[three] {
			if strings.HasPrefix(text[i-2:], w.list[n]) && startsWord(text, i-2, w.list[n]) {
				yield(n, i-2)
			}
		}
	}
}

// startsWord reports whether no letter stands before the word; scripts without blanks have no such border.
func startsWord(text string, i int, word string) bool {
	return i == 0 || word[0] >= 0x80 || !asciiWord(text[i-1])
}

func asciiWord(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'z'
}

// lowered is each ASCII byte in lower case; 0 stands for a byte that needs folding: not ASCII, "&" and "\".
var lowered = func() (t [256]byte) {
	for c := range t {
		switch {
		case c == 0:
			t[c] = 1
		case c == '&' || c == '\\' || c >= 0x80:
		case c >= 'A' && c <= 'Z':
			t[c] = byte(c) | 0x20
		case c == '\t' || c == '\n' || c == '\r':
			t[c] = ' '
		default:
			t[c] = byte(c)
		}
	}
	return t
}()

// The classes of bytes for [MayInject].
const (
	classOther byte = iota
	classWord
	classEncoded // no letter or digit, but of base64
	classOpen    // words begin with it
	classFold    // the line needs folding before words can be looked for
)

var classes = func() (t [256]byte) {
	for c := range t {
		switch b := byte(c); {
		case lowered[b] == 0:
			t[c] = classFold
		case asciiWord(b):
			t[c] = classWord
		case b == '+' || b == '/' || b == '-':
			t[c] = classEncoded
		case b == '<' || b == '[':
			t[c] = classOpen
		}
	}
	return t
}()

func encodedByte(c byte) bool {
	return classes[c] == classWord || classes[c] == classEncoded
}
