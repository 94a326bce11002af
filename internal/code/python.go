package code

var python = &Language{Name: "python", Program: true, spec: pythonSpec}

var starlark = &Language{Name: "starlark", Program: true, spec: pythonSpec}

var pythonQuotes = []quote{
	{open: `"""`, close: `"""`, escape: '\\', multiline: true},
	{open: "'''", close: "'''", escape: '\\', multiline: true},
	{open: `"`, close: `"`, escape: '\\'},
	{open: "'", close: "'", escape: '\\'},
}

var pythonSpec = spec{
	line:   []string{"#"},
	ends:   carriageReturn,
	quotes: pythonQuotes,
	after:  `"'`,
	word: func(x *lexer, end int) bool {
		if end-x.pos > 2 {
			return false
		}
		for i := x.pos; i < end; i++ {
			switch x.src[i] | 0x20 {
			case 'r', 'b', 'u', 'f', 't':
			default:
				return false
			}
		}
		return x.prefixed(end)
	},
}

// prefixed emits the literal whose prefix stands from pos to open.
func (x *lexer) prefixed(open int) bool {
	q := x.quoteAt(open)
	if q == nil {
		return false
	}
	x.emit(String, x.quoteEnd(q, open+len(q.open)))
	return true
}
