package code

import "strings"

var (
	perl = &Language{Name: "perl", Program: true, spec: spec{
		quotes: []quote{
			{open: `"`, close: `"`, escape: '\\', multiline: true},
			{open: "'", close: "'", escape: '\\', multiline: true},
		},
		at: "#<'", special: perlSpecial, ident: "$@",
		newline: perlPod,
	}}
	rLang = &Language{Name: "r", Program: true, spec: spec{
		line: []string{"#"}, ident: ".",
		quotes: []quote{
			{open: `"`, close: `"`, escape: '\\', multiline: true},
			{open: "'", close: "'", escape: '\\', multiline: true},
		},
	}}
	julia = &Language{Name: "julia", Program: true, spec: spec{
		line: []string{"#"}, blocks: []block{{open: "#=", close: "=#", nested: true}}, ident: "@!",
		quotes: []quote{
			{open: `"""`, close: `"""`, escape: '\\', multiline: true},
			{open: `"`, close: `"`, escape: '\\', multiline: true, interp: "$("},
		},
		at: "'", special: func(x *lexer) bool {
			return !isWord(x.byteBefore()) && charOrName(x)
		},
	}}
	nim = &Language{Name: "nim", Program: true, spec: spec{
		line: []string{"#"}, blocks: []block{{open: "#[", close: "]#", nested: true}},
		quotes: []quote{
			{open: `"""`, close: `"""`, multiline: true},
			{open: `"`, close: `"`, escape: '\\'},
		},
		at: "'", special: charOrName,
	}}
	vim = &Language{Name: "vim", Program: true, spec: spec{
		quotes: []quote{{open: "'", close: "'", doubled: true}},
		at:     `"`, special: func(x *lexer) bool {
			if x.fresh() {
				x.emit(Comment, x.eol(x.pos))
				return true
			}
			x.emit(String, x.quoteEnd(&quote{open: `"`, close: `"`, escape: '\\'}, x.pos+1))
			return true
		},
	}}
)

func perlSpecial(x *lexer) bool {
	switch c := x.byteBefore(); x.src[x.pos] {
	case '#':
		if c != '\n' && c != ' ' && c != '\t' && c != ';' && c != '}' && c != ')' && c != '{' && c != ',' {
			return false
		}
		x.emit(Comment, x.eol(x.pos))
		return true
	case '\'': // Old::Package'name
		if isWord(c) {
			x.punct()
			return true
		}
	case '<':
		if x.byteAt(x.pos+1) == '<' && !isWord(c) {
			i := x.pos + 2
			indent := x.byteAt(i) == '~'
			if indent {
				i++
			}
			x.announce(heredocWord(x.src, i), indent)
			x.emitEach(2)
			return true
		}
	}
	return false
}

// perlPod reads documentation from a line that begins with "=" and a letter to "=cut".
func perlPod(x *lexer) bool {
	if x.src[x.pos] != '=' || classOf(x.byteAt(x.pos+1)) != letter {
		return false
	}
	end := len(x.src)
	if n := strings.Index(x.src[x.pos:], "\n=cut"); n >= 0 {
		end = x.eol(x.pos + n + 1)
	}
	x.emit(Comment, end)
	return true
}
