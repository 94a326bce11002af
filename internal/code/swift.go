package code

import "strings"

var swift = &Language{Name: "swift", Program: true, spec: spec{
	line: slashComment, ends: carriageReturn, blocks: nestedStar,
	quotes: []quote{
		{open: `"""`, close: `"""`, escape: '\\', multiline: true, interp: `\(`},
		{open: `"`, close: `"`, escape: '\\', interp: `\(`},
	},
	at: "#", special: swiftRaw,
}}

// swiftRaw reads #"…"# and #"""…"""# with any number of hashes.
func swiftRaw(x *lexer) bool {
	hashes := run(x.src, x.pos, '#')
	i := x.pos + hashes
	if x.byteAt(i) != '"' {
		for x.pos < i {
			x.punct()
		}
		return true
	}
	open := `"`
	if strings.HasPrefix(x.src[i:], `"""`) {
		open = `"""`
	}
	i += len(open)
	shut := open + x.src[x.pos:x.pos+hashes]
	for ; i < len(x.src); i++ {
		if x.src[i] == '\n' && open == `"` {
			break
		}
		if x.src[i] == '"' && strings.HasPrefix(x.src[i:], shut) {
			i += len(shut)
			break
		}
	}
	x.emit(String, i)
	return true
}
