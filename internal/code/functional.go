package code

import "strings"

var haskell = &Language{Name: "haskell", Program: true, spec: spec{
	blocks: []block{{open: "{-", close: "-}", nested: true}},
	quotes: []quote{{open: `"`, close: `"`, escape: '\\'}},
	at:     "-'", special: haskellSpecial,
	after: "'", word: primed,
}}

func haskellSpecial(x *lexer) bool {
	if x.src[x.pos] == '\'' {
		return charOrName(x)
	}
	dashes := run(x.src, x.pos, '-')
	if dashes < 2 {
		return false
	}
	// --> and |-- are operators.
	if c := x.byteAt(x.pos + dashes); strings.IndexByte("!#$%&*+./<=>?@\\^|~:", c) >= 0 && c != 0 ||
		strings.IndexByte("!#$%&*+./<=>?@\\^|~:", x.byteBefore()) >= 0 {
		x.emitEach(dashes)
		return true
	}
	x.emit(Comment, x.eol(x.pos))
	return true
}

// primed reads names that end in or hold apostrophes: x', don't.
func primed(x *lexer, end int) bool {
	for end < len(x.src) && (x.src[end] == '\'' || isWord(x.src[end])) {
		end++
	}
	x.emit(Ident, end)
	return true
}

var (
	ocaml = &Language{Name: "ocaml", Program: true, spec: spec{
		blocks: []block{{open: "(*", close: "*)", nested: true}},
		quotes: []quote{{open: `"`, close: `"`, escape: '\\', multiline: true}},
		at:     "'", special: charOrName, after: "'", word: primed,
	}}
	fsharp = &Language{Name: "f#", Program: true, spec: spec{
		line: slashComment, blocks: []block{{open: "(*", close: "*)", nested: true}},
		quotes: []quote{
			{open: `"""`, close: `"""`, multiline: true},
			{open: `"`, close: `"`, escape: '\\', multiline: true},
		},
		at: "'", special: charOrName, after: "'", word: primed,
	}}
	elixir = &Language{Name: "elixir", Program: true, spec: spec{
		line: []string{"#"}, ident: "@",
		quotes: []quote{
			{open: `"""`, close: `"""`, escape: '\\', multiline: true},
			{open: "'''", close: "'''", escape: '\\', multiline: true},
			{open: `"`, close: `"`, escape: '\\', multiline: true, interp: "#{"},
			{open: "'", close: "'", escape: '\\', multiline: true},
		},
		at: "?", special: func(x *lexer) bool {
			if c := x.byteAt(x.pos + 1); !isWord(x.byteBefore()) && (c == '"' || c == '\'' || c == '#') {
				x.emit(String, x.pos+2)
				return true
			}
			return false
		},
	}}
	erlang = &Language{Name: "erlang", Program: true, spec: spec{
		line:   []string{"%"},
		quotes: []quote{{open: `"`, close: `"`, escape: '\\', multiline: true}, {open: "'", close: "'", escape: '\\'}},
		at:     "$", special: func(x *lexer) bool {
			if c := x.byteAt(x.pos + 1); c == '"' || c == '\'' || c == '%' {
				x.emit(String, x.pos+2)
				return true
			}
			return false
		},
	}}
	lisp = &Language{Name: "lisp", Program: true, spec: spec{
		line: []string{";"}, blocks: []block{{open: "#|", close: "|#", nested: true}}, ident: "-*?!",
		quotes: []quote{{open: `"`, close: `"`, escape: '\\', multiline: true}},
		at:     `\`, special: func(x *lexer) bool { // \" and \; are characters
			if x.byteAt(x.pos+1) < ' ' {
				return false
			}
			x.emitEach(2)
			return true
		},
	}}
)
