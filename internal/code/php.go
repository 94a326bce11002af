package code

import "strings"

var php = &Language{Name: "php", Program: true, spec: spec{
	line: []string{"//"}, blocks: starComment, ends: carriageReturn, ident: "$",
	quotes: []quote{
		{open: `"`, close: `"`, escape: '\\', multiline: true},
		{open: "'", close: "'", escape: '\\', multiline: true},
		{open: "`", close: "`", escape: '\\', multiline: true},
	},
	at: "#/?<", special: phpSpecial,
	start: func(x *lexer) { // a piece of a file need not hold the tag that begins the code
		if strings.Contains(x.src, "<?") || strings.HasPrefix(strings.TrimSpace(x.src), "<") {
			phpText(x)
		}
	},
}}

func phpSpecial(x *lexer) bool {
	rest := x.src[x.pos:]
	switch {
	case strings.HasPrefix(rest, "//"), rest[0] == '#' && x.byteAt(x.pos+1) != '[':
		end := x.commentEnd(x.pos)
		if n := strings.Index(x.src[x.pos:end], "?>"); n >= 0 {
			end = x.pos + n
		}
		x.emit(Comment, end)
		return true
	case strings.HasPrefix(rest, "?>"):
		x.pos += 2
		phpText(x)
		return true
	case strings.HasPrefix(rest, "<<<"):
		return phpHeredoc(x)
	}
	return false
}

// phpText passes over the text outside of <?php … ?>, where only markup comments are comments.
func phpText(x *lexer) {
	for x.pos < len(x.src) {
		n := strings.IndexByte(x.src[x.pos:], '<')
		if n < 0 {
			x.skip(len(x.src))
			return
		}
		x.skip(x.pos + n)
		switch rest := x.src[x.pos:]; {
		case strings.HasPrefix(rest, "<?"):
			x.pos += 2
			if strings.HasPrefix(rest, "<?php") {
				x.pos += 3
			}
			return
		case strings.HasPrefix(rest, "<!--"):
			x.emit(Comment, x.blockEnd(&block{open: "<!--", close: "-->"}))
		default:
			x.pos++
		}
	}
}

// phpHeredoc reads <<<ID, <<<"ID" and <<<'ID' up to the end word, which may be indented and followed by more code.
func phpHeredoc(x *lexer) bool {
	i := x.pos + 3
	for x.byteAt(i) == ' ' {
		i++
	}
	word := heredocWord(x.src, i)
	if word == "" || x.misses >= maxMisses {
		return false
	}
	for i = x.eol(i); i < len(x.src); {
		n := strings.IndexByte(x.src[i:], '\n')
		if n < 0 {
			break
		}
		i += n + 1
		j := i
		for x.byteAt(j) == ' ' || x.byteAt(j) == '\t' {
			j++
		}
		if strings.HasPrefix(x.src[j:], word) && !isWord(x.byteAt(j+len(word))) {
			x.emit(String, j+len(word))
			return true
		}
	}
	x.misses++
	return false
}
