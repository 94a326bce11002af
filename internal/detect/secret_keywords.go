package detect

// keywordIndex finds every occurrence of a set of keywords in one pass over a text, whatever their number: an
// Aho-Corasick automaton over folded byte classes. ASCII letters match in either case. It is immutable once built.
type keywordIndex struct {
	class  [256]uint8 // byte -> class; 0 is every byte that no keyword holds
	shift  uint       // log2 of the row length
	next   []uint16   // state<<shift | class -> state
	first  uint16     // states from here on end at least one keyword
	ending [][]int32  // state-first -> the keywords that end there
	length []int32    // keyword -> bytes
}

// keywordHit is one occurrence: text[start:end] is the keyword, but for the case of its letters.
type keywordHit struct {
	keyword    int32
	start, end int
}

func foldByte(b byte) byte {
	if 'A' <= b && b <= 'Z' {
		return b + 'a' - 'A'
	}
	return b
}

// newKeywordIndex builds the index. The keywords are lower-case, not empty, and number fewer than 60,000 bytes in all.
func newKeywordIndex(keywords []string) *keywordIndex {
	k := &keywordIndex{length: make([]int32, len(keywords))}
	k.classify(keywords)
	width := 1 << k.shift
	trie := make([]uint16, width)
	ends := [][]int32{nil}
	for i, word := range keywords {
		k.length[i] = int32(len(word))
		state := 0
		for j := 0; j < len(word); j++ {
			at := state<<k.shift | int(k.class[word[j]])
			if trie[at] == 0 {
				trie[at] = uint16(len(ends))
				trie = append(trie, make([]uint16, width)...)
				ends = append(ends, nil)
			}
			state = int(trie[at])
		}
		ends[state] = append(ends[state], int32(i))
	}
	k.link(trie, ends)
	return k
}

func (k *keywordIndex) classify(keywords []string) {
	n := 1
	for _, word := range keywords {
		for j := 0; j < len(word); j++ {
			if b := word[j]; k.class[b] == 0 {
				k.class[b] = uint8(n)
				if 'a' <= b && b <= 'z' {
					k.class[b-'a'+'A'] = uint8(n)
				}
				n++
			}
		}
	}
	for 1<<k.shift < n {
		k.shift++
	}
}

// link turns the trie into an automaton without failure links and renumbers the states so that one comparison tells
// whether a keyword ends in one.
func (k *keywordIndex) link(trie []uint16, ends [][]int32) {
	width, n := 1<<k.shift, len(ends)
	fail := make([]uint16, n)
	queue := make([]uint16, 0, n)
	for _, s := range trie[:width] {
		if s != 0 {
			queue = append(queue, s)
		}
	}
	for head := 0; head < len(queue); head++ {
		s := int(queue[head])
		f := int(fail[s])
		ends[s] = append(ends[s][:len(ends[s]):len(ends[s])], ends[f]...)
		for c := range width {
			at := s<<k.shift | c
			if t := trie[at]; t != 0 {
				fail[t] = trie[f<<k.shift|c]
				queue = append(queue, t)
			} else {
				trie[at] = trie[f<<k.shift|c]
			}
		}
	}
	order := make([]uint16, n)
	quiet := 0
	for s := range n {
		if len(ends[s]) == 0 {
			order[s] = uint16(quiet)
			quiet++
		}
	}
	k.first = uint16(quiet)
	for s := range n {
		if len(ends[s]) > 0 {
			order[s] = uint16(quiet)
			quiet++
			k.ending = append(k.ending, ends[s])
		}
	}
	k.next = make([]uint16, len(trie))
	for s := range n {
		to := int(order[s]) << k.shift
		for c := range width {
			k.next[to|c] = order[trie[s<<k.shift|c]]
		}
	}
}

// scan calls found for every occurrence in text, in the order of their ends.
func (k *keywordIndex) scan(text string, found func(keywordHit)) {
	next, shift, first := k.next, k.shift, k.first
	state := uint16(0)
	for i := 0; i < len(text); i++ {
		state = next[int(state)<<(shift&15)|int(k.class[text[i]])]
		if state >= first {
			for _, word := range k.ending[state-first] {
				found(keywordHit{word, i + 1 - int(k.length[word]), i + 1})
			}
		}
	}
}
