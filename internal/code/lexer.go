package code

import "strings"

// lexer is one walk over a text. Every step moves pos forward and looks at each byte a bounded number of times, so that
// the walk takes time in proportion to the text whatever the text is.
type lexer struct {
	src   string
	toks  []Token
	pos   int
	line  int
	spec  *spec
	table *[256]class

	first int // where this walk's tokens begin in toks
	prev  int // index of the last token that is no comment, -1 at first

	braces   []int // open braces inside each template literal that code is nested in
	heredocs []heredoc
	misses   int  // heredocs and the like that never closed: after some, they are no longer looked for
	noRegex  int  // no regular expression begins before this offset
	noInterp bool // code inside a string did not close: it is no longer looked for
	tag      bool // inside a markup tag
	raw      *Language

	tell func(bytes int) // see [Language.AppendTokensTelling]
	told int             // up to this offset
}

// tellBytes is how far a walk goes before it tells so.
const tellBytes = 8 << 10

func (x *lexer) run() {
	if x.spec.start != nil {
		x.spec.start(x)
	}
	for x.pos < len(x.src) {
		if x.tell != nil && x.pos-x.told >= tellBytes {
			x.tell(x.pos - x.told)
			x.told = x.pos
		}
		switch x.table[x.src[x.pos]] {
		case blank:
			x.pos++
		case newline:
			x.lineEnd()
		case letter:
			x.ident()
		case digit:
			x.number()
		case asked:
			x.ask()
		default:
			x.punct()
		}
	}
}

// emit adds the token from pos to end and moves there.
func (x *lexer) emit(kind Kind, end int) {
	if kind != Comment {
		x.prev = len(x.toks)
	}
	x.toks = append(x.toks, Token{kind, x.pos, end, x.line})
	x.skip(end)
}

// punct emits one operator byte or, for what is only data here, one letter's worth of it.
func (x *lexer) punct() {
	x.prev = len(x.toks)
	x.toks = append(x.toks, Token{Punct, x.pos, x.pos + 1, x.line})
	x.pos++
}

// skip moves to end without a token.
func (x *lexer) skip(end int) {
	x.line += strings.Count(x.src[x.pos:end], "\n")
	x.pos = end
}

func (x *lexer) lineEnd() {
	x.pos++
	x.line++
	if len(x.heredocs) > 0 {
		x.heredocBodies()
	}
	if x.spec.newline != nil && x.pos < len(x.src) {
		x.spec.newline(x)
	}
}

func (x *lexer) ident() {
	end := x.wordEnd(x.pos + 1)
	if x.spec.word != nil && end < len(x.src) && strings.IndexByte(x.spec.after, x.src[end]) >= 0 && x.spec.word(x, end) {
		return
	}
	x.prev = len(x.toks)
	x.toks = append(x.toks, Token{Ident, x.pos, end, x.line})
	x.pos = end
}

func (x *lexer) wordEnd(i int) int {
	for i < len(x.src) {
		if k := x.table[x.src[i]]; k != letter && k != digit && (x.src[i] < 0x80 || x.breakAt(i) > 0) {
			break
		}
		i++
	}
	return i
}

func (x *lexer) number() {
	i := x.pos + 1
	hex := x.src[x.pos] == '0' && i < len(x.src) && x.src[i]|0x20 == 'x'
	for i < len(x.src) {
		c := x.src[i]
		next := byte(0)
		if i+1 < len(x.src) {
			next = x.src[i+1]
		}
		switch {
		case isWord(c):
		case c == '.' && next >= '0' && next <= '9':
		case (c == '+' || c == '-') && !hex && x.src[i-1]|0x20 == 'e' && next >= '0' && next <= '9':
		case c != 0 && c == x.spec.digitSeparator && isWord(next):
		default:
			x.emit(Number, i)
			return
		}
		i++
	}
	x.emit(Number, i)
}

// ask finds out what a byte begins that may begin several things.
func (x *lexer) ask() {
	c, s := x.src[x.pos], x.spec
	if size := x.breakAt(x.pos); size > 0 {
		x.pos += size // a blank
		return
	}
	if s.special != nil && strings.IndexByte(s.at, c) >= 0 {
		if was := x.pos; s.special(x) && x.pos > was {
			return
		}
	}
	rest := x.src[x.pos:]
	for i := range s.blocks {
		if strings.HasPrefix(rest, s.blocks[i].open) {
			x.emit(Comment, x.blockEnd(&s.blocks[i]))
			return
		}
	}
	for _, open := range s.line {
		if strings.HasPrefix(rest, open) {
			x.emit(Comment, x.commentEnd(x.pos))
			return
		}
	}
	for i := range s.quotes {
		if q := &s.quotes[i]; strings.HasPrefix(rest, q.open) {
			x.emit(String, x.quoteEnd(q, x.pos+len(q.open)))
			return
		}
	}
	if isWord(c) || strings.IndexByte(s.ident, c) >= 0 {
		x.ident()
		return
	}
	x.punct()
}

// eol returns where the line of offset i ends, before "\n" and a "\r" in front of it.
func (x *lexer) eol(i int) int {
	n := strings.IndexByte(x.src[i:], '\n')
	if n < 0 {
		return len(x.src)
	}
	if n > 0 && x.src[i+n-1] == '\r' {
		n--
	}
	return i + n
}

// commentEnd is eol with the other characters that end a line in the language. They are no part of the comment.
func (x *lexer) commentEnd(i int) int {
	if x.spec.ends == 0 {
		return x.eol(i)
	}
	for ; i < len(x.src); i++ {
		switch x.src[i] {
		case '\n':
			return i
		case '\r':
			if x.spec.ends&carriageReturn != 0 || x.byteAt(i+1) == '\n' {
				return i
			}
		case 0xc2, 0xe2:
			if x.breakAt(i) > 0 {
				return i
			}
		}
	}
	return len(x.src)
}

// breakAt is the size of the wide character at i that ends a line in the language, 0 where there is none.
func (x *lexer) breakAt(i int) int {
	switch rest := x.src[i:]; {
	case x.spec.ends&separators != 0 && (strings.HasPrefix(rest, "\u2028") || strings.HasPrefix(rest, "\u2029")):
		return 3
	case x.spec.ends&nextLine != 0 && strings.HasPrefix(rest, "\u0085"):
		return 2
	}
	return 0
}

func (x *lexer) blockEnd(b *block) int {
	i := x.pos + len(b.open)
	if !b.nested {
		if n := strings.Index(x.src[i:], b.close); n >= 0 {
			return i + n + len(b.close)
		}
		return len(x.src)
	}
	for depth := 1; i < len(x.src); {
		switch {
		case strings.HasPrefix(x.src[i:], b.close):
			i += len(b.close)
			if depth--; depth == 0 {
				return i
			}
		case strings.HasPrefix(x.src[i:], b.open):
			i += len(b.open)
			depth++
		default:
			i++
		}
	}
	return len(x.src)
}

// prevText returns the last token that is no comment, "" where there is none.
func (x *lexer) prevText() (text string, kind Kind) {
	if x.prev < x.first {
		return "", 0
	}
	t := x.toks[x.prev]
	return x.src[t.Start:t.End], t.Kind
}

// byteBefore returns the byte before pos, '\n' at the start of the text.
func (x *lexer) byteBefore() byte {
	if x.pos == 0 {
		return '\n'
	}
	return x.src[x.pos-1]
}

func (x *lexer) byteAt(i int) byte {
	if i < len(x.src) {
		return x.src[i]
	}
	return 0
}
