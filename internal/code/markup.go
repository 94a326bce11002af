package code

import "strings"

var (
	html     = &Language{Name: "html", spec: markup}
	xml      = &Language{Name: "xml", spec: markup}
	vue      = &Language{Name: "vue", Program: true, spec: markup}
	markdown = &Language{Name: "markdown", spec: spec{blocks: []block{{open: "<!--", close: "-->"}}}}
	css      = &Language{Name: "css", spec: spec{
		blocks: starComment, ident: "-",
		quotes: []quote{{open: `"`, close: `"`, escape: '\\'}, {open: "'", close: "'", escape: '\\'}},
	}}
	scss = &Language{Name: "scss", spec: spec{
		blocks: starComment, ident: "-$",
		quotes: []quote{{open: `"`, close: `"`, escape: '\\'}, {open: "'", close: "'", escape: '\\'}},
		at:     "/", special: func(x *lexer) bool {
			if x.byteAt(x.pos+1) != '/' || x.byteBefore() == ':' {
				return false
			}
			x.emit(Comment, x.eol(x.pos))
			return true
		},
	}}
)

var markup = spec{
	blocks: []block{{open: "<!--", close: "-->"}},
	at:     "<>\"'", special: markupSpecial,
}

var attribute = [...]quote{
	{open: `"`, close: `"`, multiline: true},
	{open: "'", close: "'", multiline: true},
}

// markupSpecial reads strings inside tags only, and scripts and styles in their own language.
func markupSpecial(x *lexer) bool {
	switch c := x.src[x.pos]; c {
	case '<':
		rest := x.src[x.pos:]
		if strings.HasPrefix(rest, "<!--") {
			return false
		}
		next := x.byteAt(x.pos + 1)
		x.tag = next|0x20 >= 'a' && next|0x20 <= 'z' || next == '/' || next == '!' || next == '?'
		x.raw = nil
		switch {
		case element(rest, "<script"):
			x.raw = typescript
		case element(rest, "<style"):
			x.raw = scss
		}
	case '>':
		if !x.tag {
			return false
		}
		closed := x.byteBefore() == '/'
		x.tag = false
		x.punct()
		if x.raw != nil && !closed {
			x.embedded()
		}
		return true
	case '"', '\'':
		if x.tag && x.byteBefore() == '=' {
			q := &attribute[0]
			if c == '\'' {
				q = &attribute[1]
			}
			x.emit(String, x.quoteEnd(q, x.pos+1))
			return true
		}
	}
	return false
}

func element(rest, open string) bool {
	return len(rest) > len(open) && strings.EqualFold(rest[:len(open)], open) && !isWord(rest[len(open)])
}

// embedded emits the tokens of a script or a style up to the element's end tag.
func (x *lexer) embedded() {
	lang, shut := x.raw, "</script"
	x.raw = nil
	if lang == scss {
		shut = "</style"
	}
	end := len(x.src)
	if n := strings.Index(x.src[x.pos:], shut); n >= 0 {
		end = x.pos + n
	}
	from := len(x.toks)
	x.toks = lang.AppendTokensTelling(x.tell, x.toks, x.src[x.pos:end])
	for i := from; i < len(x.toks); i++ {
		t := &x.toks[i]
		t.Start += x.pos
		t.End += x.pos
		t.Line += x.line - 1
	}
	x.prev = len(x.toks) - 1
	x.skip(end)
}
