package code

import "strings"

var toml = &Language{Name: "toml", spec: spec{
	line: []string{"#"},
	quotes: []quote{
		{open: `"""`, close: `"""`, escape: '\\', multiline: true},
		{open: "'''", close: "'''", multiline: true},
		{open: `"`, close: `"`, escape: '\\'},
		{open: "'", close: "'"},
	},
}}

var json = &Language{Name: "json", spec: spec{
	line: slashComment, blocks: starComment, // JSONC and JSON5; plain JSON has none outside of strings
	quotes: []quote{{open: `"`, close: `"`, escape: '\\'}},
}}

var ini = &Language{Name: "ini", spec: spec{at: "#;", special: configComment}}

var properties = &Language{Name: "properties", spec: spec{at: "#!", special: configComment}}

var dotenv = &Language{Name: "dotenv", spec: spec{
	quotes: []quote{
		{open: `"`, close: `"`, escape: '\\', multiline: true},
		{open: "'", close: "'", multiline: true},
	},
	at: "#", special: configComment,
}}

// configComment reads a comment at the start of a line and, for "#" and ";", behind a blank.
func configComment(x *lexer) bool {
	if !x.fresh() && (x.src[x.pos] == '!' || x.byteBefore() != ' ' && x.byteBefore() != '\t') {
		return false
	}
	x.emit(Comment, x.eol(x.pos))
	return true
}

// fresh reports whether no token stands before pos on its line.
func (x *lexer) fresh() bool {
	if len(x.toks) == x.first {
		return true
	}
	return strings.IndexByte(x.src[x.toks[len(x.toks)-1].End:x.pos], '\n') >= 0
}

var hcl = &Language{Name: "hcl", spec: spec{
	line: []string{"#", "//"}, blocks: starComment,
	quotes: []quote{{open: `"`, close: `"`, escape: '\\', interp: "${"}},
	at:     "<", special: func(x *lexer) bool {
		if x.byteAt(x.pos+1) != '<' {
			return false
		}
		i := x.pos + 2
		indent := x.byteAt(i) == '-'
		if indent {
			i++
		}
		x.announce(heredocWord(x.src, i), true)
		x.emitEach(2)
		return true
	},
}}

var dockerfile = &Language{Name: "dockerfile", spec: spec{
	quotes: []quote{
		{open: `"`, close: `"`, escape: '\\'},
		{open: "'", close: "'"},
	},
	at: "#<", special: func(x *lexer) bool {
		if x.src[x.pos] == '<' {
			if x.byteAt(x.pos+1) == '<' && isWord(x.byteAt(x.pos+2)) {
				shellHeredoc(x)
				x.emitEach(2)
				return true
			}
			return false
		}
		if !x.fresh() {
			return false
		}
		x.emit(Comment, x.eol(x.pos))
		return true
	},
}}

var makefile = &Language{Name: "makefile", Program: true, spec: spec{
	at: "#", special: func(x *lexer) bool {
		if c := x.byteBefore(); c == '\\' || c == '$' || c == '\'' || c == '"' {
			return false
		}
		x.emit(Comment, x.eol(x.pos))
		return true
	},
}}

var cmake = &Language{Name: "cmake", Program: true, spec: spec{
	line: []string{"#"}, blocks: []block{{open: "#[[", close: "]]"}},
	quotes: []quote{{open: `"`, close: `"`, escape: '\\', multiline: true}},
}}

var nix = &Language{Name: "nix", Program: true, spec: spec{
	line: []string{"#"}, blocks: starComment,
	quotes: []quote{
		{open: "''", close: "''", multiline: true},
		{open: `"`, close: `"`, escape: '\\', multiline: true, interp: "${"},
	},
}}

// hashed is a file of patterns or entries, one a line, with comments.
var hashed = &Language{Name: "list", spec: spec{at: "#", special: func(x *lexer) bool {
	if x.byteBefore() != '\n' {
		return false
	}
	x.emit(Comment, x.eol(x.pos))
	return true
}}}
