package detect

// keywordIndex finds every occurrence of a set of keywords in one pass over a text, whatever their number: an
// Aho-Corasick automaton over folded byte classes. ASCII letters match in either case. Only the first bytes of a
// keyword are states, so that the automaton is small and quick to build; the rest is compared. It is immutable once
// built.
type keywordIndex struct {
	words  []string
	fresh  []bool     // keyword -> it only counts where a word begins; nil = none
	class  [256]uint8 // byte -> class; 0 is every byte that no keyword holds
	shift  uint       // log2 of the row length
	next   []uint16   // state<<shift | class -> state, with keywordEnd where a keyword's first bytes end
	ending [][]int32  // state -> the keywords whose first bytes end there
}

// keywordHit is one occurrence: text[start:end] is the keyword, but for the case of its letters.
type keywordHit struct {
	keyword    int32
	start, end int
}

const (
	keywordEnd   = 1 << 15
	keywordDepth = 6 // bytes of a keyword that are states
)

func foldByte(b byte) byte {
	if 'A' <= b && b <= 'Z' {
		return b + 'a' - 'A'
	}
	return b
}

// newKeywordIndex builds the index. The keywords are lower-case and not empty, and their first bytes make fewer than
// 32,768 states.
func newKeywordIndex(words []string) *keywordIndex {
	k := &keywordIndex{words: words}
	k.classify()
	t := newKeywordTrie(len(words))
	for i, word := range words {
		t.insert(word[:min(len(word), keywordDepth)], int32(i))
	}
	k.link(t)
	return k
}

func (k *keywordIndex) classify() {
	n := 1
	for _, word := range k.words {
		for j := 0; j < len(word) && j < keywordDepth; j++ {
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

// keywordTrie holds the first bytes of the keywords before they become an automaton. State 0 is the root.
type keywordTrie struct {
	child, sibling, fail []uint16
	label                []byte
	ends                 [][]int32
}

func newKeywordTrie(words int) *keywordTrie {
	t := &keywordTrie{}
	for _, s := range []*[]uint16{&t.child, &t.sibling, &t.fail} {
		*s = make([]uint16, 1, words*4)
	}
	t.label, t.ends = make([]byte, 1, words*4), make([][]int32, 1, words*4)
	return t
}

func (t *keywordTrie) insert(word string, number int32) {
	state := uint16(0)
	for i := 0; i < len(word); i++ {
		to := t.child[state]
		for to != 0 && t.label[to] != word[i] {
			to = t.sibling[to]
		}
		if to == 0 {
			to = uint16(len(t.label))
			t.child, t.fail = append(t.child, 0), append(t.fail, 0)
			t.sibling = append(t.sibling, t.child[state])
			t.label, t.ends = append(t.label, word[i]), append(t.ends, nil)
			t.child[state] = to
		}
		state = to
	}
	t.ends[state] = append(t.ends[state], number)
}

// link fills the rows in breadth-first order: a state's row is that of its longest proper suffix, but for its own
// children. When a child is met, every shorter state was met before, so what ends there is known.
func (k *keywordIndex) link(t *keywordTrie) {
	width := 1 << k.shift
	k.next = make([]uint16, len(t.label)*width)
	k.ending = t.ends
	queue := make([]uint16, 1, len(t.label))
	for head := 0; head < len(queue); head++ {
		s := int(queue[head])
		row := k.next[s*width : (s+1)*width]
		suffix := k.next[int(t.fail[s])*width : (int(t.fail[s])+1)*width]
		if s != 0 {
			copy(row, suffix)
		}
		for to := t.child[s]; to != 0; to = t.sibling[to] {
			class := k.class[t.label[to]]
			if s != 0 {
				t.fail[to] = suffix[class] &^ keywordEnd
			}
			if inherited := t.ends[t.fail[to]]; len(inherited) > 0 {
				own := t.ends[to]
				t.ends[to] = append(own[:len(own):len(own)], inherited...)
			}
			row[class] = to
			if len(t.ends[to]) > 0 {
				row[class] |= keywordEnd
			}
			queue = append(queue, to)
		}
	}
}

// scan calls found for every occurrence in text, ordered by where the keywords' first bytes end.
func (k *keywordIndex) scan(text string, found func(keywordHit)) {
	next, shift := k.next, k.shift&15
	state := uint16(0)
	for i := 0; i < len(text); i++ {
		state = next[int(state)<<shift|int(k.class[text[i]])]
		if state >= keywordEnd {
			state &^= keywordEnd
			for _, number := range k.ending[state] {
				word := k.words[number]
				start := i + 1 - min(len(word), keywordDepth)
				if k.fresh != nil && k.fresh[number] && !freshStart(text, start) {
					continue
				}
				if len(word) <= keywordDepth || hasFolded(text[i+1:], word[keywordDepth:]) {
					found(keywordHit{number, start, start + len(word)})
				}
			}
		}
	}
}

// hasFolded reports whether text begins with the lower-case word in any case.
func hasFolded(text, word string) bool {
	if len(text) < len(word) {
		return false
	}
	for i := 0; i < len(word); i++ {
		if foldByte(text[i]) != word[i] {
			return false
		}
	}
	return true
}
