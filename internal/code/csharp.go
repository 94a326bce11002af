package code

import "strings"

var csharp = &Language{Name: "c#", Program: true, spec: spec{
	line: slashComment, ends: carriageReturn | separators | nextLine, blocks: starComment,
	quotes: []quote{
		{open: `"`, close: `"`, escape: '\\'},
		{open: "'", close: "'", escape: '\\'},
	},
	at: `"@$`, special: csharpString,
}}

var (
	csVerbatim = quote{open: `@"`, close: `"`, doubled: true, multiline: true}
	csPlain    = quote{open: `"`, close: `"`, escape: '\\'}
	csCode     = quote{open: `$"`, close: `"`, escape: '\\', interp: "{"}
)

// csharpString reads @"…", $"…", $@"…" and raw literals, whose three or more quotes close with as many.
func csharpString(x *lexer) bool {
	i := x.pos
	var at, dollar bool
	for ; i < min(len(x.src), x.pos+4) && (x.src[i] == '@' || x.src[i] == '$'); i++ {
		at, dollar = at || x.src[i] == '@', dollar || x.src[i] == '$'
	}
	n := run(x.src, i, '"')
	switch {
	case n == 0:
		return false
	case n >= 3 && !at:
		end := len(x.src)
		if k := strings.Index(x.src[i+n:], x.src[i:i+n]); k >= 0 {
			end = i + n + k + n
			end += run(x.src, end, '"')
		}
		x.emit(String, end)
	case at:
		x.emit(String, x.quoteEnd(&csVerbatim, i+1))
	case dollar:
		x.emit(String, x.quoteEnd(&csCode, i+1))
	default:
		x.emit(String, x.quoteEnd(&csPlain, i+1))
	}
	return true
}

// run counts how often c stands at i and right behind it.
func run(s string, i int, c byte) int {
	n := 0
	for i+n < len(s) && s[i+n] == c {
		n++
	}
	return n
}
