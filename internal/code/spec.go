package code

// spec is what the lexer has to know of a language. What a table cannot say is said by its functions; each of them
// either consumes at least one byte and returns true, or leaves the lexer alone and returns false.
type spec struct {
	line   []string // begin a comment that ends with the line
	blocks []block
	quotes []quote // the longer of two openers with the same start first
	ident  string  // bytes that belong to identifiers beside letters, digits, '_' and everything above 0x7f

	at             string // bytes at which special is asked first
	special        func(*lexer) bool
	word           func(x *lexer, end int) bool // asked at an identifier that ends at end, with a byte of after behind it
	after          string
	newline        func(*lexer) bool // asked at the start of each line but the first
	start          func(*lexer)      // asked at the start of the text
	digitSeparator byte
	ends           lineEnds // beside "\n"
}

// lineEnds are the characters that end a comment which ends with its line.
type lineEnds uint8

const (
	carriageReturn lineEnds = 1 << iota // "\r" alone
	separators                          // U+2028 and U+2029
	nextLine                            // U+0085
)

// block is a comment with two delimiters.
type block struct {
	open, close string
	nested      bool
}

// quote is a string literal.
type quote struct {
	open, close string
	escape      byte   // 0 = none
	doubled     bool   // the closing delimiter twice stands for itself
	multiline   bool   // a line end does not end it
	interp      string // opens code inside the string, "${"
}

type class uint8

const (
	punct class = iota
	blank
	newline
	letter
	digit
	asked // may begin a comment, a string or something special
)

// compile fills the table of what each byte may begin.
func (l *Language) compile() {
	t, s := &l.table, &l.spec
	for c := 0; c < 256; c++ {
		t[c] = classOf(byte(c))
	}
	for i := 0; i < len(s.ident); i++ {
		t[s.ident[i]] = letter
	}
	for _, open := range s.line {
		t[open[0]] = asked
	}
	for _, b := range s.blocks {
		t[b.open[0]] = asked
	}
	for _, q := range s.quotes {
		t[q.open[0]] = asked
	}
	for i := 0; i < len(s.at); i++ {
		t[s.at[i]] = asked
	}
	if s.ends&separators != 0 {
		t[0xe2] = asked
	}
	if s.ends&nextLine != 0 {
		t[0xc2] = asked
	}
}

func classOf(c byte) class {
	switch {
	case c == '\n':
		return newline
	case c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v':
		return blank
	case c >= '0' && c <= '9':
		return digit
	case c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_' || c >= 0x80:
		return letter
	}
	return punct
}

func isWord(c byte) bool { k := classOf(c); return k == letter || k == digit }
