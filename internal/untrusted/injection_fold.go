package untrusted

import (
	"encoding/base64"
	"html"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// folded is a text as a model reads it: in lower case, compatibility forms and accents folded, look-alike letters of other
// alphabets inside Latin words replaced, nothing invisible, entities and escapes decoded, one blank for any run of them.
// "\n" stands only where a paragraph, a list item or a sentence begins on a new line.
type folded struct {
	text string
	at   []int32 // of each folded byte: where it begins in the original
	size int     // of the original
}

func (f *folded) offset(i int) int {
	if i < len(f.at) {
		return int(f.at[i])
	}
	return f.size
}

// end is the place behind the original of the folded byte before i.
func (f *folded) end(i int) int {
	if i == 0 || i > len(f.at) {
		return f.size
	}
	last := f.at[i-1]
	for ; i < len(f.at); i++ {
		if f.at[i] > last {
			return int(f.at[i])
		}
	}
	return f.size
}

type folder struct {
	b      []byte
	at     []int32
	last   rune // that was written
	word   int  // where in the folded text the last word begins, -1 outside words
	latin  bool // the word holds a Latin letter
	other  bool // and one of another alphabet
	breaks int  // line ends since the last character
	blank  bool // a blank is due
	gap    int  // where the blanks and line ends since the last character begin
}

func foldText(text string) *folded {
	f := folder{word: -1, breaks: 1, b: make([]byte, 0, len(text)), at: make([]int32, 0, len(text))}
	for i := 0; i < len(text); {
		r, size := decodeAt(text, i)
		f.add(r, i)
		i += size
	}
	f.endWord()
	return &folded{string(f.b), f.at, len(text)}
}

// decodeAt reads one character, an HTML entity or a backslash escape.
func decodeAt(text string, i int) (r rune, size int) {
	switch c := text[i]; {
	case c == '&':
		return decodeEntity(text, i)
	case c == '\\' && i+1 < len(text):
		return decodeEscape(text, i)
	case c < utf8.RuneSelf:
		return rune(c), 1
	}
	return utf8.DecodeRuneInString(text[i:])
}

func decodeEntity(text string, i int) (rune, int) {
	const longest = 12
	end := strings.IndexByte(text[i:min(len(text), i+longest)], ';')
	if end > 1 {
		entity := text[i : i+end+1]
		if plain := html.UnescapeString(entity); plain != entity {
			r, _ := utf8.DecodeRuneInString(plain)
			return r, len(entity)
		}
	}
	return '&', 1
}

func decodeEscape(text string, i int) (rune, int) {
	switch text[i+1] {
	case 'n', 'r':
		return '\n', 2
	case 't':
		return ' ', 2
	case 'u':
		if i+2 < len(text) && text[i+2] == '{' {
			if end := strings.IndexByte(text[i:min(len(text), i+12)], '}'); end > 3 {
				return hexRune(text[i+3:i+end], end+1)
			}
		}
		if i+6 <= len(text) {
			return hexRune(text[i+2:i+6], 6)
		}
	case 'x':
		if i+4 <= len(text) {
			return hexRune(text[i+2:i+4], 4)
		}
	case '"', '\'', '`':
		return rune(text[i+1]), 2
	}
	return '\\', 1
}

func hexRune(digits string, size int) (rune, int) {
	n, err := strconv.ParseUint(digits, 16, 21)
	if err != nil || n == 0 {
		return '\\', 1
	}
	return rune(n), size
}

func (f *folder) add(r rune, at int) {
	if !f.blank && f.breaks == 0 {
		f.gap = at
	}
	switch {
	case r < utf8.RuneSelf && asciiWord(byte(r)):
		f.write(unicode.ToLower(r), at, unicode.IsUpper(r))
		return
	case r == '\n':
		f.breaks++
		return
	case r == ' ' || r == '\t' || r == '\r' || unicode.Is(unicode.Zs, r):
		f.blank = true
		return
	case r < utf8.RuneSelf:
		if r > ' ' {
			f.write(r, at, false)
		}
		return
	case unseen(r):
		return
	case r == utf8.RuneError:
		f.write(' ', at, false)
		return
	}
	if r >= 0x400 && r < 0x530 || r >= 0x3041 && r < 0x3100 || r >= 0x4e00 && r < 0xa000 || r >= 0xac00 && r < 0xd7a4 {
		f.write(unicode.ToLower(r), at, false) // as it is in every form
		return
	}
	var buf [utf8.UTFMax]byte
	n := utf8.EncodeRune(buf[:], r)
	for _, c := range norm.NFKC.String(string(buf[:n])) {
		if unicode.Is(unicode.Mn, c) && c < 0x3000 && c < 0x590 {
			continue // an accent on its own
		}
		f.write(unicode.ToLower(unaccented(c)), at, unicode.IsUpper(c))
	}
}

// unseen are characters that show nothing or only move what is shown.
func unseen(r rune) bool {
	return r == 0xad || r >= 0x200b && r <= 0x200f || r >= 0x202a && r <= 0x202e || r >= 0x2060 && r <= 0x206f || r == 0xfeff ||
		r >= 0xe0000 && r <= 0xe007f || blank(r)
}

// unaccented is the Latin letter without its accent.
func unaccented(r rune) rune {
	if r >= 0xc0 && r < 0x250 || r >= 0x1e00 && r < 0x1f00 {
		if d := norm.NFD.PropertiesString(string(r)).Decomposition(); len(d) > 0 && d[0] < utf8.RuneSelf {
			return rune(d[0])
		}
	}
	return r
}

// write appends the character, and before it what a line end or blanks come to. The bars of comments and quotations at the
// start of a line, and marks of emphasis, are no text.
func (f *folder) write(r rune, at int, upper bool) {
	if f.breaks > 0 && strings.ContainsRune("/#*>;-|", r) {
		if r == '-' { // a list item
			f.breaks = 2
		}
		f.blank = true
		return
	}
	if r == '*' || r == '_' && f.word < 0 || r == '~' {
		return
	}
	switch {
	case f.breaks > 1 || f.breaks == 1 && (upper || f.last < 0x80 && !asciiWord(byte(f.last)) && f.last != ','):
		f.endWord()
		f.put('\n', f.gap)
	case f.breaks == 1 || f.blank:
		f.endWord()
		f.put(' ', f.gap)
	}
	f.breaks, f.blank = 0, false
	if letter := unicode.IsLetter(r); letter || r == '\'' && f.word >= 0 {
		if f.word < 0 {
			f.word, f.latin, f.other = len(f.b), false, false
		}
		f.latin = f.latin || r < utf8.RuneSelf && letter
		f.other = f.other || r >= utf8.RuneSelf
	} else {
		f.endWord()
	}
	f.put(r, at)
}

func (f *folder) put(r rune, at int) {
	if (r == ' ' || r == '\n') && (len(f.b) == 0 || f.last == '\n' || r == ' ' && f.last == ' ') {
		return
	}
	n := len(f.b)
	f.b = utf8.AppendRune(f.b, r)
	for range len(f.b) - n {
		f.at = append(f.at, int32(at))
	}
	f.last = r
}

// endWord replaces the look-alikes of a word that holds Latin letters too.
func (f *folder) endWord() {
	start := f.word
	f.word = -1
	if start < 0 || !f.latin || !f.other {
		return
	}
	word, places := string(f.b[start:]), append([]int32(nil), f.at[start:]...)
	f.b, f.at = f.b[:start], f.at[:start]
	for i, r := range word {
		if like, ok := lookalikes[r]; ok {
			r = like
		}
		f.put(r, int(places[i]))
	}
}

// lookalikes are small letters of other alphabets that look like a Latin one.
var lookalikes = map[rune]rune{
	'а': 'a', 'в': 'b', 'с': 'c', 'ԁ': 'd', 'е': 'e', 'һ': 'h', 'і': 'i', 'ј': 'j', 'к': 'k', 'ӏ': 'l', 'м': 'm', 'п': 'n', 'о': 'o', 'р': 'p',
	'ԛ': 'q', 'г': 'r', 'ѕ': 's', 'т': 't', 'у': 'y', 'ѵ': 'v', 'ԝ': 'w', 'х': 'x', 'ү': 'y',
	'α': 'a', 'ε': 'e', 'η': 'n', 'ι': 'i', 'κ': 'k', 'ν': 'v', 'ο': 'o', 'ρ': 'p', 'τ': 't', 'υ': 'u', 'χ': 'x', 'γ': 'y',
	'ո': 'n', 'օ': 'o', 'ս': 'u', 'ց': 'g', 'ı': 'i', 'ɡ': 'g', 'ɑ': 'a', 'ⅼ': 'l', 'ł': 'l', 'ø': 'o',
}

// leastEncoded is the shortest run of base64 that is decoded, longestEncoded how much of a longer one.
const (
	leastEncoded   = 32
	longestEncoded = 4096
)

type encodedRun struct {
	start, end int
	text       string
}

// encodedRuns returns what is text once base64 is taken away.
func encodedRuns(text string) []encodedRun {
	var out []encodedRun
	for i := 0; i < len(text); {
		j := i
		for j < len(text) && encodedByte(text[j]) {
			j++
		}
		if j-i >= leastEncoded {
			if plain, ok := decodeRun(text[i:j]); ok {
				out = append(out, encodedRun{i, j, plain})
			}
		}
		i = j + 1
	}
	return out
}

func decodeRun(run string) (string, bool) {
	run = run[:min(len(run), longestEncoded)]
	if len(run)%4 == 1 {
		run = run[:len(run)-1]
	}
	enc := base64.RawStdEncoding
	if strings.ContainsAny(run, "-_") {
		enc = base64.RawURLEncoding
	}
	data, err := enc.DecodeString(run)
	if err != nil || !utf8.Valid(data) {
		return "", false
	}
	for _, c := range data {
		if c < ' ' && c != '\n' && c != '\t' && c != '\r' {
			return "", false
		}
	}
	return string(data), true
}
