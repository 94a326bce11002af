package code

import "strings"

var (
	javascript = &Language{Name: "javascript", Program: true, spec: scriptSpec}
	typescript = &Language{Name: "typescript", Program: true, spec: scriptSpec}
	jsx        = &Language{Name: "jsx", Program: true, spec: scriptSpec}
	tsx        = &Language{Name: "tsx", Program: true, spec: scriptSpec}
)

var scriptSpec = spec{
	line:   []string{"//"},
	ends:   carriageReturn | separators,
	blocks: []block{{open: "/*", close: "*/"}},
	quotes: []quote{
		{open: `"`, close: `"`, escape: '\\'},
		{open: "'", close: "'", escape: '\\'},
	},
	ident:   "$",
	at:      "`{}/#",
	special: script,
	start: func(x *lexer) {
		if strings.HasPrefix(x.src, "#!") {
			x.emit(Comment, x.commentEnd(0))
		}
	},
}

func script(x *lexer) bool {
	switch x.src[x.pos] {
	case '`':
		x.template(x.pos + 1)
		return true
	case '{':
		if n := len(x.braces); n > 0 {
			x.braces[n-1]++
		}
	case '}':
		if n := len(x.braces); n > 0 {
			if x.braces[n-1] == 0 {
				x.braces = x.braces[:n-1]
				x.template(x.pos + 1)
				return true
			}
			x.braces[n-1]--
		}
	case '/':
		if next := x.byteAt(x.pos + 1); next != '/' && next != '*' && regexMayFollow(x) {
			return x.regex()
		}
	}
	return false
}

// template emits the piece of a template literal from pos whose content goes on at i: up to its end or to the next
// code inside it.
func (x *lexer) template(i int) {
	for i < len(x.src) {
		switch x.src[i] {
		case '\\':
			i++
		case '`':
			x.emit(String, i+1)
			return
		case '$':
			if x.byteAt(i+1) == '{' {
				x.emit(String, i+2)
				x.braces = append(x.braces, 0)
				return
			}
		}
		i++
	}
	x.emit(String, len(x.src))
}

// regexMayFollow tells a regular expression from a division by the token before.
func regexMayFollow(x *lexer) bool {
	text, kind := x.prevText()
	switch kind {
	case 0:
		return true
	case Ident:
		switch text {
		case "return", "typeof", "case", "in", "of", "delete", "void", "throw", "new", "else", "do", "instanceof",
			"yield", "await", "and", "or", "not", "if", "unless", "when", "while", "until", "then", "elsif":
			return true
		}
		return false
	case Punct:
		switch text {
		case ")", "]", "}":
			return false
		case "<": // the end tag of JSX
			return x.byteBefore() != '<'
		case "+", "-": // i++ / 2
			return x.prev == x.first || x.src[x.toks[x.prev].Start-1] != text[0]
		}
		return true
	}
	return false
}

// regex emits a regular-expression literal with its flags. Where none ends on the line, it is an operator.
func (x *lexer) regex() bool {
	if x.pos < x.noRegex || x.byteAt(x.pos+1) == '>' {
		return false
	}
	class := false
	for i := x.pos + 1; i < len(x.src); i++ {
		switch x.src[i] {
		case '\\':
			i++
			if x.byteAt(i) == '\n' {
				x.noRegex = i
				return false
			}
		case '[':
			class = true
		case ']':
			class = false
		case '\n':
			x.noRegex = i
			return false
		case '/':
			if !class {
				x.emit(Regex, x.wordEnd(i+1))
				return true
			}
		}
	}
	x.noRegex = len(x.src)
	return false
}
