package code

import "strings"

var sql = &Language{Name: "sql", Program: true, spec: spec{
	line: []string{"--"}, ends: carriageReturn, blocks: nestedStar,
	quotes: []quote{
		{open: "'", close: "'", doubled: true, multiline: true},
		{open: `"`, close: `"`, doubled: true},
		{open: "`", close: "`"},
	},
	at: "$", special: sqlDollar,
}}

// sqlDollar reads $$…$$ and $tag$…$tag$.
func sqlDollar(x *lexer) bool {
	end := x.wordEnd(x.pos + 1)
	if x.byteAt(end) != '$' || end-x.pos > 64 || x.misses >= maxMisses {
		return false
	}
	tag := x.src[x.pos : end+1]
	n := strings.Index(x.src[end+1:], tag)
	if n < 0 {
		x.misses++
		return false
	}
	x.emit(String, end+1+n+len(tag))
	return true
}
