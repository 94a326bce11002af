package code

// Language is what this package knows about one kind of text.
type Language struct {
	// Name is lower case and stable: "go", "javascript", "typescript", "c++", "plain".
	Name string
	// Program is true for languages that programs are written in, false for data, markup and prose.
	Program bool

	spec *spec
}

// Plain is the language of text that no other language claims: words, numbers and signs, no comment and no string.
var Plain = &Language{Name: "plain", spec: &spec{}}

// Tokens cuts the text into tokens, in order and without overlap. It accepts any bytes and never fails: what does not
// close ends with its line or with the text.
func (l *Language) Tokens(text string) []Token { return l.AppendTokens(nil, text) }
