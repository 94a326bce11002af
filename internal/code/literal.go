package code

import "strings"

// maxNesting bounds how deep strings inside code inside strings are followed.
const maxNesting = 6

// quoteEnd returns where the literal whose content begins at i ends, delimiter included. One that does not close ends
// with its line, or with the text where it may hold line ends.
func (x *lexer) quoteEnd(q *quote, i int) int {
	before := x.noInterp
	end, closed := x.scanQuote(q, i, 0)
	if !closed && x.noInterp != before {
		end, _ = x.scanQuote(q, i, 0)
	}
	return end
}

func (x *lexer) scanQuote(q *quote, i, depth int) (end int, closed bool) {
	last := q.close[0]
	for i < len(x.src) {
		c := x.src[i]
		switch {
		case c == q.escape && c != 0 && (q.interp == "" || x.noInterp || !strings.HasPrefix(x.src[i:], q.interp)):
			if i++; i < len(x.src) && (x.src[i] != '\n' || q.multiline || q.escape == '\\') {
				i++
			}
		case c == last && strings.HasPrefix(x.src[i:], q.close):
			i += len(q.close)
			if !q.doubled || !strings.HasPrefix(x.src[i:], q.close) {
				return i, true
			}
			i += len(q.close)
		case c == '\n' && !q.multiline:
			return x.eol(i), false
		case q.interp != "" && c == q.interp[0] && !x.noInterp && depth < maxNesting && strings.HasPrefix(x.src[i:], q.interp):
			var ok bool
			if i, ok = x.scanCode(q, i+len(q.interp), depth+1); !ok {
				x.noInterp = true
				return i, false
			}
		default:
			i++
		}
	}
	return len(x.src), false
}

// scanCode returns the end of the code inside a string that begins at i, behind its closing bracket.
func (x *lexer) scanCode(outer *quote, i, depth int) (end int, closed bool) {
	open := outer.interp[len(outer.interp)-1]
	shut := byte('}')
	if open == '(' {
		shut = ')'
	}
	for brackets := 1; i < len(x.src); {
		switch c := x.src[i]; {
		case c == open:
			brackets++
			i++
		case c == shut:
			i++
			if brackets--; brackets == 0 {
				return i, true
			}
		case c == '\\':
			i = min(i+2, len(x.src))
		case c == '\n' && !outer.multiline:
			return i, false
		default:
			q := x.quoteAt(i)
			if q == nil {
				i++
				continue
			}
			var ok bool
			if i, ok = x.scanQuote(q, i+len(q.open), depth); !ok {
				return i, false
			}
		}
	}
	return len(x.src), false
}

func (x *lexer) quoteAt(i int) *quote {
	if x.table[x.src[i]] != asked {
		return nil
	}
	for k := range x.spec.quotes {
		if q := &x.spec.quotes[k]; x.src[i] == q.open[0] && strings.HasPrefix(x.src[i:], q.open) {
			return q
		}
	}
	return nil
}

// heredoc is a literal that begins on the line after the one that announces it.
type heredoc struct {
	end    string
	indent bool // the end word may be indented
}

// maxMisses is how many literals may fail to close before no more are looked for: each costs a walk to the end.
const maxMisses = 4

func (x *lexer) announce(end string, indent bool) {
	if end != "" && x.misses < maxMisses && len(x.heredocs) < 16 {
		x.heredocs = append(x.heredocs, heredoc{end, indent})
	}
}

// heredocBodies emits what was announced on the line that has just ended. A body that does not close is no literal.
func (x *lexer) heredocBodies() {
	pending := x.heredocs
	x.heredocs = nil
	for _, h := range pending {
		end, ok := x.heredocEnd(h)
		if !ok {
			x.misses++
			return
		}
		x.emit(String, end)
		if x.pos < len(x.src) && x.src[x.pos] == '\r' {
			x.pos++
		}
		if x.pos == len(x.src) {
			return
		}
		x.pos++ // the line end behind the end word
		x.line++
	}
}

// heredocEnd returns the end of the line that holds the end word alone.
func (x *lexer) heredocEnd(h heredoc) (int, bool) {
	for i := x.pos; i < len(x.src); {
		end := x.eol(i)
		line := x.src[i:end]
		if h.indent {
			line = strings.TrimLeft(line, " \t")
		}
		if line == h.end {
			return end, true
		}
		n := strings.IndexByte(x.src[end:], '\n')
		if n < 0 {
			break
		}
		i = end + n + 1
	}
	return 0, false
}
