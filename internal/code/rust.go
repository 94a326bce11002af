package code

import "strings"

var rust = &Language{Name: "rust", Program: true, spec: spec{
	line: slashComment, blocks: nestedStar,
	quotes: []quote{{open: `"`, close: `"`, escape: '\\', multiline: true}},
	at:     "'", special: charOrName,
	after: `"'#`, word: rustPrefix,
}}

// rustPrefix reads b"…", c"…", b'…', r"…", r#"…"#, br##"…"## and raw identifiers.
func rustPrefix(x *lexer, end int) bool {
	word := x.src[x.pos:end]
	switch word {
	case "b", "c":
		switch {
		case x.src[end] == '"':
			return x.prefixed(end)
		case word == "b" && x.src[end] == '\'':
			if to := x.charEnd(end + 1); to > 0 {
				x.emit(String, to)
				return true
			}
		}
	case "r", "br", "cr":
		hashes := run(x.src, end, '#')
		if x.byteAt(end+hashes) == '"' {
			x.emit(String, x.hashedEnd(end+hashes+1, hashes))
			return true
		}
		if word == "r" && hashes == 1 {
			if to := x.wordEnd(end + 1); to > end+1 {
				x.emit(Ident, to)
				return true
			}
		}
	}
	return false
}

// hashedEnd returns the end of a raw literal that closes with a quote and that many hashes.
func (x *lexer) hashedEnd(i, hashes int) int {
	shut := `"` + strings.Repeat("#", hashes)
	if n := strings.Index(x.src[i:], shut); n >= 0 {
		return i + n + len(shut)
	}
	return len(x.src)
}
