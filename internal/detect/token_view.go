package detect

import "github.com/gavel-review/gavel/internal/code"

// tokenView is a source text as tokens without comments, asked by index. Any index may be asked for: outside of the
// text there is no token.
type tokenView struct {
	src    *Source
	tokens []code.Token
	reach  int // how many tokens one look for a bracket goes over
}

func (v *tokenView) text(i int) string {
	if i < 0 || i >= len(v.tokens) {
		return ""
	}
	return v.src.Text[v.tokens[i].Start:v.tokens[i].End]
}

func (v *tokenView) kind(i int) code.Kind {
	if i < 0 || i >= len(v.tokens) {
		return 0
	}
	return v.tokens[i].Kind
}

func (v *tokenView) name(i int) string {
	if v.kind(i) != code.Ident {
		return ""
	}
	return v.text(i)
}

func (v *tokenView) sign(i int, c byte) bool {
	return v.kind(i) == code.Punct && v.src.Text[v.tokens[i].Start] == c
}

// beforeDot returns the token in front of the ".", "?.", "->" or "::" that token i follows, -1 where it follows none.
func (v *tokenView) beforeDot(i int) int {
	switch {
	case v.sign(i-1, '.') && v.sign(i-2, '?'):
		return i - 3
	case v.sign(i-1, '.'):
		return i - 2
	case v.sign(i-1, ':') && v.sign(i-2, ':'), v.sign(i-1, '>') && v.sign(i-2, '-'):
		return i - 3
	}
	return -1
}

// close returns the token that closes the bracket i, -1 where it is not in reach.
func (v *tokenView) close(i int) int {
	depth := 0
	for j := i; j < len(v.tokens) && j-i < v.reach; j++ {
		if v.kind(j) != code.Punct {
			continue
		}
		switch v.src.Text[v.tokens[j].Start] {
		case '(', '[', '{':
			depth++
		case ')', ']', '}':
			if depth--; depth == 0 {
				return j
			}
		}
	}
	return -1
}
