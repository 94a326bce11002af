package code

import "strings"

var ruby = &Language{Name: "ruby", Program: true, spec: rubySpec()}

func rubySpec() spec {
	return spec{
		line: []string{"#"}, ident: "@$",
		quotes: []quote{
			{open: `"`, close: `"`, escape: '\\', multiline: true, interp: "#{"},
			{open: "'", close: "'", escape: '\\', multiline: true},
			{open: "`", close: "`", escape: '\\', interp: "#{"},
		},
		at: "%/<?", special: rubyLiteral,
		start:   rubyLine,
		newline: func(x *lexer) bool { rubyLine(x); return true },
	}
}

// rubyLine reads what only stands at the start of a line: =begin … =end and __END__.
func rubyLine(x *lexer) {
	rest := x.src[x.pos:]
	switch {
	case strings.HasPrefix(rest, "=begin"):
		end := len(x.src)
		if n := strings.Index(rest, "\n=end"); n >= 0 {
			end = x.eol(x.pos + n + 1)
		}
		x.emit(Comment, end)
	case strings.HasPrefix(rest, "__END__\n"):
		x.emit(String, len(x.src))
	}
}

func rubyLiteral(x *lexer) bool {
	switch x.src[x.pos] {
	case '%':
		return rubyPercent(x)
	case '<':
		rubyHeredoc(x)
	case '?':
		// ?a is a character, a ? b : c is not.
		if prev := x.byteBefore(); isWord(prev) || prev == ')' || prev == ']' || isWord(x.byteAt(x.pos+2)) {
			return false
		}
		if c := x.byteAt(x.pos + 1); c > ' ' && c < 0x7f && classOf(x.byteAt(x.pos+2)) != letter {
			x.emit(String, x.pos+2)
			return true
		}
	case '/':
		if !regexMayFollow(x) && !rubyArgument(x) {
			return false
		}
		return x.regex()
	}
	return false
}

// rubyArgument tells "puts /x/" from "a / b": a blank before, none behind, and a name in front.
func rubyArgument(x *lexer) bool {
	_, kind := x.prevText()
	return kind == Ident && x.byteBefore() == ' ' && x.byteAt(x.pos+1) > ' '
}

// rubyPercent reads %q(…), %w[…], %(…) and their kind.
func rubyPercent(x *lexer) bool {
	i := x.pos + 1
	c := x.byteAt(i)
	if strings.IndexByte("qQwWiIrsx", c) >= 0 && c != 0 {
		i++
	} else if prev := x.byteBefore(); isWord(prev) || prev == ')' || prev == ']' || c != '(' && c != '[' && c != '{' {
		return false
	}
	open := x.byteAt(i)
	if isWord(open) || open <= ' ' || open >= 0x7f || open == '=' || open == ',' {
		return false
	}
	end, ok := x.bracketed(i)
	if !ok {
		return false
	}
	x.emit(String, end)
	return true
}

// bracketed returns the end of a literal whose opening delimiter stands at i; brackets nest.
func (x *lexer) bracketed(i int) (end int, ok bool) {
	if x.misses >= maxMisses {
		return 0, false
	}
	open := x.src[i]
	shut := open
	if k := strings.IndexByte("([{<", open); k >= 0 {
		shut = ")]}>"[k]
	}
	depth := 1
	for i++; i < len(x.src); i++ {
		switch c := x.src[i]; {
		case c == '\\':
			i++
		case c == shut:
			if depth--; depth == 0 {
				return i + 1, true
			}
		case c == open:
			depth++
		}
	}
	x.misses++
	return 0, false
}

func rubyHeredoc(x *lexer) {
	i := x.pos
	if !strings.HasPrefix(x.src[i:], "<<") || x.byteBefore() == '<' {
		return
	}
	i += 2
	indent := false
	if c := x.byteAt(i); c == '~' || c == '-' {
		indent = true
		i++
	}
	if word := heredocWord(x.src, i); word != "" && (indent || word[0] >= 'A' && word[0] <= 'Z' && !isWord(x.byteBefore())) {
		x.announce(word, indent)
	}
}

// heredocWord returns the end word at i, with or without quotes around it.
func heredocWord(s string, i int) string {
	if i >= len(s) {
		return ""
	}
	if q := s[i]; q == '\'' || q == '"' {
		n := strings.IndexByte(s[i+1:min(len(s), i+66)], q)
		if n <= 0 || strings.IndexByte(s[i+1:i+1+n], '\n') >= 0 {
			return ""
		}
		return s[i+1 : i+1+n]
	}
	j := i
	for j < len(s) && isWord(s[j]) {
		j++
	}
	if j == i || s[i] >= '0' && s[i] <= '9' {
		return ""
	}
	return s[i:j]
}
