package code

import "sync"

// Language is what this package knows about one kind of text.
type Language struct {
	// Name is lower case and stable: "go", "javascript", "typescript", "c++", "plain".
	Name string
	// Program is true for languages that programs are written in, false for data, markup and prose.
	Program bool

	spec  spec
	once  sync.Once
	table [256]class
}

// Plain is the language of text that no other language claims: words, numbers and signs, no comment and no string.
var Plain = &Language{Name: "plain"}

// Tokens cuts the text into tokens, in order and without overlap. It accepts any bytes and never fails: what does not
// close ends with its line or with the text.
func (l *Language) Tokens(text string) []Token { return l.AppendTokens(nil, text) }

// AppendTokens is Tokens into a buffer that the caller may use again.
func (l *Language) AppendTokens(into []Token, text string) []Token {
	return l.AppendTokensTelling(nil, into, text)
}

// AppendTokensTelling is AppendTokens that calls tell, which may be nil, with the number of bytes it has gone over since
// the last call, every few kilobytes. tell may unwind it by a panic.
func (l *Language) AppendTokensTelling(tell func(bytes int), into []Token, text string) []Token {
	l.once.Do(l.compile)
	x := lexer{src: text, toks: into, tell: tell, line: 1, spec: &l.spec, table: &l.table, prev: -1, first: len(into)}
	x.run()
	return x.toks
}

// CommentLine is the part of a comment that stands on one line.
type CommentLine struct {
	Line int // 1-based
	Text string
}

// Comments returns the comments of the text line by line, with their delimiters.
func (l *Language) Comments(text string) []CommentLine {
	var out []CommentLine
	for _, t := range l.Tokens(text) {
		if t.Kind == Comment {
			out = appendCommentLines(out, t.Line, text[t.Start:t.End])
		}
	}
	return out
}

func appendCommentLines(out []CommentLine, line int, text string) []CommentLine {
	start := 0
	for i := 0; i < len(text); i++ {
		if text[i] == '\n' {
			out = append(out, CommentLine{line, text[start:i]})
			start, line = i+1, line+1
		}
	}
	return append(out, CommentLine{line, text[start:]})
}
