// Package code knows what source text means: which language a path holds, where its comments and strings are, which
// paths are tests, vendored, generated or lock files. It never fails on broken code; text that no language claims is
// tokenised plainly.
package code

// Kind is what a token is.
type Kind uint8

// The token kinds. White space gives no token.
const (
	Comment Kind = iota + 1
	String       // string, character and template literals with their delimiters
	Ident        // identifiers and keywords
	Number
	Punct // one token per operator byte
	Regex // regular-expression literals
)

// Token is one piece of a source text, by byte offsets. A token that spans lines begins on Line.
type Token struct {
	Kind       Kind
	Start, End int
	Line       int // 1-based
}
