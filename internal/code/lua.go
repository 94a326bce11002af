package code

import "strings"

var lua = &Language{Name: "lua", Program: true, spec: spec{
	line: []string{"--"}, ends: carriageReturn,
	quotes: []quote{
		{open: `"`, close: `"`, escape: '\\'},
		{open: "'", close: "'", escape: '\\'},
	},
	at: "-[", special: luaSpecial,
	start: func(x *lexer) {
		if strings.HasPrefix(x.src, "#!") {
			x.emit(Comment, x.eol(0))
		}
	},
}}

// luaSpecial reads [[…]], [==[…]==] and the comments made of them.
func luaSpecial(x *lexer) bool {
	i, kind := x.pos, String
	if strings.HasPrefix(x.src[i:], "--[") {
		i, kind = i+2, Comment
	}
	if x.byteAt(i) != '[' {
		return false
	}
	const most = 32
	level := 0
	for level < most && x.byteAt(i+1+level) == '=' {
		level++
	}
	if x.byteAt(i+1+level) != '[' {
		return false
	}
	shut := "]" + strings.Repeat("=", level) + "]"
	end := len(x.src)
	if n := strings.Index(x.src[i+2+level:], shut); n >= 0 {
		end = i + 2 + level + n + len(shut)
	}
	x.emit(kind, end)
	return true
}
