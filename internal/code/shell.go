package code

import "strings"

var shell = &Language{Name: "shell", Program: true, spec: spec{
	quotes: shellQuotes,
	at:     "#$<`", special: shellSpecial,
}}

var shellQuotes = []quote{
	{open: `"`, close: `"`, escape: '\\', multiline: true, interp: "$("},
	{open: "'", close: "'", multiline: true},
}

var ansiQuote = quote{open: "$'", close: "'", escape: '\\', multiline: true}

func shellSpecial(x *lexer) bool {
	switch x.src[x.pos] {
	case '#':
		// A hash inside a word, and in $#, ${#x} or ${x#y}, begins no comment.
		if c := x.byteBefore(); c == '\n' || c == ' ' || c == '\t' || strings.IndexByte(";|&()", c) >= 0 {
			x.emit(Comment, x.eol(x.pos))
			return true
		}
	case '$':
		switch x.byteAt(x.pos + 1) {
		case '\'':
			x.emit(String, x.quoteEnd(&ansiQuote, x.pos+2))
			return true
		case '{': // ${x#y} and ${x##*/}: the name and the sign behind it
			end := x.wordEnd(x.pos + 2)
			for x.pos < end {
				x.punct()
			}
			return true
		}
	case '<':
		if strings.HasPrefix(x.src[x.pos:], "<<<") {
			x.emitEach(3)
			return true
		}
		if x.byteAt(x.pos+1) == '<' {
			shellHeredoc(x)
			x.emitEach(2)
			return true
		}
	}
	return false
}

// emitEach emits n operator bytes.
func (x *lexer) emitEach(n int) {
	for ; n > 0; n-- {
		x.punct()
	}
}

func shellHeredoc(x *lexer) {
	i := x.pos + 2
	indent := x.byteAt(i) == '-'
	if indent {
		i++
	}
	for x.byteAt(i) == ' ' {
		i++
	}
	if x.byteAt(i) == '\\' {
		i++
	}
	x.announce(heredocWord(x.src, i), indent)
}

var powershell = &Language{Name: "powershell", Program: true, spec: spec{
	line: []string{"#"}, blocks: []block{{open: "<#", close: "#>"}}, ident: "$",
	quotes: []quote{
		{open: "@\"\n", close: "\n\"@", multiline: true},
		{open: "@'\n", close: "\n'@", multiline: true},
		{open: `"`, close: `"`, escape: '`', doubled: true, multiline: true, interp: "$("},
		{open: "'", close: "'", doubled: true, multiline: true},
	},
}}

var batch = &Language{Name: "batch", Program: true, spec: spec{
	line:   []string{"::"},
	quotes: []quote{{open: `"`, close: `"`}},
	after:  " \t\r\n", word: func(x *lexer, end int) bool {
		if !strings.EqualFold(x.src[x.pos:end], "rem") || x.byteBefore() != '\n' && x.byteBefore() != '@' {
			return false
		}
		x.emit(Comment, x.eol(end))
		return true
	},
}}
