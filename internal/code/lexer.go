package code

type spec struct{}

// AppendTokens is Tokens into a buffer that the caller may use again.
func (l *Language) AppendTokens(into []Token, text string) []Token { return into }
