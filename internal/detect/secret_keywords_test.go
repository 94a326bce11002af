package detect

import (
	"slices"
	"strings"
	"testing"
)

func hitsOf(k *keywordIndex, text string) []keywordHit {
	var hits []keywordHit
	k.scan(text, func(h keywordHit) { hits = append(hits, h) })
	slices.SortFunc(hits, compareHits)
	return hits
}

func compareHits(a, b keywordHit) int {
	if a.start != b.start {
		return a.start - b.start
	}
	return int(a.keyword - b.keyword)
}

// naiveHits is what the index must find.
func naiveHits(words []string, text string) []keywordHit {
	var hits []keywordHit
	for i := 0; i < len(text); i++ {
		for n, word := range words {
			if hasFolded(text[i:], word) {
				hits = append(hits, keywordHit{int32(n), i, i + len(word)})
			}
		}
	}
	slices.SortFunc(hits, compareHits)
	return hits
}

func TestKeywordIndex(t *testing.T) {
	t.Parallel()
	tests := []struct {
		words []string
		text  string
	}{
		{[]string{"he", "she", "his", "hers"}, "ushers HIS hers"},
		{[]string{"a", "aa", "aaa"}, "aaaaa"},
		{[]string{"github_pat_", "github", "hub_"}, "xGitHub_PAT_ github_pa github_pat_"},
		{[]string{"password", "passwo", "pass"}, "passwor password"},
		{[]string{"-----begin", "://", "~"}, "-----BEGIN ://~\xff\x00"},
		{[]string{"abcdefgh", "bcdefghi", "cdefg"}, "abcdefghi"},
		{[]string{"x"}, ""},
	}
	for _, tt := range tests {
		if got, want := hitsOf(newKeywordIndex(tt.words), tt.text), naiveHits(tt.words, tt.text); !slices.Equal(got, want) {
			t.Errorf("%q in %q: %v, want %v", tt.words, tt.text, got, want)
		}
	}
}

// TestKeywordIndexRandom compares the index with a plain search over words and texts of a small alphabet, where
// overlaps abound.
func TestKeywordIndexRandom(t *testing.T) {
	t.Parallel()
	r := newRand(11)
	random := func(n int) string {
		b := make([]byte, n)
		for i := range b {
			b[i] = "abA-"[r.IntN(4)]
		}
		return string(b)
	}
	for range 300 {
		set := make(map[string]bool)
		var words []string
		for range 1 + r.IntN(12) {
			if w := strings.ToLower(random(1 + r.IntN(9))); !set[w] {
				set[w] = true
				words = append(words, w)
			}
		}
		text := random(r.IntN(80))
		if got, want := hitsOf(newKeywordIndex(words), text), naiveHits(words, text); !slices.Equal(got, want) {
			t.Fatalf("%q in %q: %v, want %v", words, text, got, want)
		}
	}
}

func FuzzKeywordIndex(f *testing.F) {
	f.Add("he she his", "ushers")
	f.Add("aa aaa", "AaAaA")
	f.Fuzz(func(t *testing.T, list, text string) {
		words := strings.Fields(strings.ToLower(list))
		slices.Sort(words)
		words = slices.Compact(words)
		for _, w := range words {
			if w != strings.ToLower(w) || strings.ContainsFunc(w, func(r rune) bool { return r > 0x7f }) {
				return
			}
		}
		if len(words) == 0 || len(list) > 2000 || len(text) > 2000 {
			return
		}
		got, want := hitsOf(newKeywordIndex(words), text), naiveHits(words, text)
		if !slices.Equal(got, want) {
			t.Errorf("%q in %q: %v, want %v", words, text, got, want)
		}
	})
}
