package code

var (
	slashComment = []string{"//"}
	starComment  = []block{{open: "/*", close: "*/"}}
	nestedStar   = []block{{open: "/*", close: "*/", nested: true}}
)

var java = &Language{Name: "java", Program: true, spec: spec{
	line: slashComment, ends: carriageReturn, blocks: starComment, ident: "$",
	quotes: []quote{
		{open: `"""`, close: `"""`, escape: '\\', multiline: true},
		{open: `"`, close: `"`, escape: '\\'},
		{open: "'", close: "'", escape: '\\'},
	},
}}

var kotlin = &Language{Name: "kotlin", Program: true, spec: spec{
	line: slashComment, ends: carriageReturn, blocks: nestedStar, ident: "$`",
	quotes: []quote{
		{open: `"""`, close: `"""`, multiline: true, interp: "${"},
		{open: `"`, close: `"`, escape: '\\', interp: "${"},
		{open: "'", close: "'", escape: '\\'},
	},
}}

var scala = &Language{Name: "scala", Program: true, spec: spec{
	line: slashComment, blocks: nestedStar, ident: "$",
	quotes: []quote{
		{open: `"""`, close: `"""`, multiline: true},
		{open: `"`, close: `"`, escape: '\\'},
	},
	at: "'", special: charOrName,
}}

var groovy = &Language{Name: "groovy", Program: true, spec: spec{
	line: slashComment, blocks: starComment, ident: "$",
	quotes: []quote{
		{open: `"""`, close: `"""`, escape: '\\', multiline: true, interp: "${"},
		{open: "'''", close: "'''", escape: '\\', multiline: true},
		{open: `"`, close: `"`, escape: '\\', interp: "${"},
		{open: "'", close: "'", escape: '\\'},
	},
}}

// charOrName tells a character literal from the apostrophe of a name: Rust's lifetimes, Scala's symbols, type variables
// of the ML family.
func charOrName(x *lexer) bool {
	if end := x.charEnd(x.pos + 1); end > 0 {
		x.emit(String, end)
		return true
	}
	if end := x.wordEnd(x.pos + 1); end > x.pos+1 {
		x.emit(Ident, end)
		return true
	}
	return false
}

// charEnd returns the end of a character literal whose content begins at i, 0 where there is none: one character or
// one escape, and the apostrophe.
func (x *lexer) charEnd(i int) int {
	const longest = 12 // '\u{10FFFF}'
	if x.byteAt(i) == '\\' {
		for j := i + 2; j < min(len(x.src), i+longest) && x.src[j] != '\n'; j++ {
			if x.src[j] == '\'' {
				return j + 1
			}
		}
		return 0
	}
	if c := x.byteAt(i); c == '\'' || c == '\n' || c == 0 {
		return 0
	}
	j := i + 1
	for j < len(x.src) && j < i+4 && x.src[j]&0xc0 == 0x80 {
		j++
	}
	if x.byteAt(j) == '\'' {
		return j + 1
	}
	return 0
}
