package code

import "strings"

var yaml = &Language{Name: "yaml", spec: spec{
	at: "#'\"|>", special: yamlSpecial, ends: carriageReturn,
}}

var (
	yamlDouble = quote{open: `"`, close: `"`, escape: '\\', multiline: true}
	yamlSingle = quote{open: "'", close: "'", doubled: true, multiline: true}
)

// yamlSpecial knows that in YAML a sign means something only where a value may begin.
func yamlSpecial(x *lexer) bool {
	before := x.byteBefore()
	apart := before == '\n' || before == ' ' || before == '\t'
	switch c := x.src[x.pos]; c {
	case '#':
		if apart {
			x.emit(Comment, x.commentEnd(x.pos))
			return true
		}
	case '"', '\'':
		if !apart && before != '[' && before != '{' && before != ',' || !yamlValue(x) {
			return false
		}
		q := &yamlDouble
		if c == '\'' {
			q = &yamlSingle
		}
		x.emit(String, x.quoteEnd(q, x.pos+1))
		return true
	case '|', '>':
		if apart && yamlValue(x) {
			return yamlBlock(x)
		}
	}
	return false
}

// yamlValue reports whether a value may begin at pos: at the start of a line, behind an indicator, a tag or an anchor.
func yamlValue(x *lexer) bool {
	if x.prev < x.first {
		return true
	}
	t := x.toks[x.prev]
	if strings.IndexByte(x.src[t.End:x.pos], '\n') >= 0 {
		return true
	}
	if t.Kind == Punct {
		return strings.IndexByte(":-,[{(?&!=", x.src[t.Start]) >= 0
	}
	for i := x.prev - 1; i >= max(x.first, x.prev-8); i-- { // !!str "…", &name "…"
		if p := x.toks[i]; p.Line != t.Line || p.End != x.toks[i+1].Start {
			return false
		} else if c := x.src[p.Start]; c == '!' || c == '&' {
			return true
		}
	}
	return false
}

// yamlBlock emits the content of a block scalar as one literal: its lines are those indented deeper than the line that
// begins it.
func yamlBlock(x *lexer) bool {
	const longest = 200 // of what may follow on the line: a comment
	header := x.src[x.pos:min(len(x.src), x.pos+longest)]
	if i := strings.IndexByte(header, '\n'); i >= 0 {
		header = strings.TrimSuffix(header[:i], "\r")
	} else if len(header) == longest {
		return false
	}
	if i := strings.Index(header, " #"); i >= 0 {
		header = header[:i]
	}
	if len(strings.TrimRight(header, " \t")) > 3 || strings.Trim(header[1:], " \t+-0123456789") != "" {
		return false
	}
	indent := x.indent()
	x.punct()
	if i := strings.IndexByte(x.src[x.pos:], '\n'); i >= 0 {
		x.pos += i + 1
		x.line++
	} else {
		x.pos = len(x.src)
		return true
	}
	stop := x.pos
	for i := x.pos; i < len(x.src); {
		eol := x.eol(i)
		if line := x.src[i:eol]; strings.TrimSpace(line) != "" {
			if len(line)-len(strings.TrimLeft(line, " ")) <= indent {
				break
			}
			stop = eol
		}
		n := strings.IndexByte(x.src[eol:], '\n')
		if n < 0 {
			break
		}
		i = eol + n + 1
	}
	if stop > x.pos {
		x.emit(String, stop)
	}
	return true
}

// indent returns the column of what the value at pos belongs to: the key of "- run: |", the dash of "- |".
func (x *lexer) indent() int {
	line := x.src[strings.LastIndexByte(x.src[:x.pos], '\n')+1 : x.pos]
	rest := strings.TrimLeft(line, " ")
	column := len(line) - len(rest)
	for strings.HasPrefix(rest, "- ") {
		column = len(line) - len(rest)
		rest = strings.TrimLeft(rest[1:], " ")
	}
	if strings.IndexByte(rest, ':') >= 0 {
		column = len(line) - len(rest)
	}
	return column
}
