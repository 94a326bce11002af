package detect

import (
	"strings"

	"github.com/gavel-review/gavel/internal/code"
)

// riskOrigin is where a value comes from, in the order of its weight.
type riskOrigin uint8

const (
	fromLiteral riskOrigin = iota // written in the source, or made safe
	fromUnknown                   // a parameter, a field, a call
	fromInput                     // a request, the command line, the environment
)

// riskValue is one assignment.
type riskValue struct {
	at       int // token of the name
	from, to int // tokens of the value
	scope    int // token that begins the top-level block, 0 outside of all
	constant bool
}

// origin tells where the value of the tokens [from, to) comes from.
func (v *riskView) origin(from, to int) riskOrigin { return v.trace(from, to, 0) }

func (v *riskView) originOf(a riskArg) riskOrigin { return v.trace(a.from, a.to, 0) }

// riskDepth bounds how many assignments one value is followed through.
const riskDepth = 6

// riskSteps bounds the tokens that are looked at to follow the values of one file: with many assignments of one name the
// ways multiply. Beyond it a value counts as unknown.
const riskSteps = 1 << 20

func (v *riskView) trace(from, to, depth int) riskOrigin {
	worst := fromLiteral
	to = min(to, len(v.tokens))
	for i := max(from, 0); i < to; i++ {
		if v.steps++; v.steps > riskSteps {
			return max(worst, fromUnknown)
		}
		o := fromLiteral
		switch v.tokens[i].Kind {
		case code.String:
			o = v.traceString(i, depth)
		case code.Ident:
			var next int
			o, next = v.traceName(i, to, depth)
			i = next
		}
		if worst = max(worst, o); worst == fromInput {
			return worst
		}
	}
	return worst
}

// traceString follows the names inside an interpolated literal.
func (v *riskView) traceString(i, depth int) riskOrigin {
	s := v.text(i)
	open := ""
	switch v.lang {
	case "python":
		if q := strings.IndexAny(s, `"'`); q > 0 && strings.ContainsAny(s[:q], "fF") {
			open = "{"
		}
	case "ruby":
		open = "#{"
	case "kotlin":
		open = "$"
	}
	if open == "" || depth > riskDepth {
		return fromLiteral
	}
	worst := fromLiteral
	for {
		n := strings.Index(s, open)
		if n < 0 {
			return worst
		}
		s = s[n+len(open):]
		if strings.HasPrefix(s, "{") && open == "{" {
			s = s[1:]
			continue
		}
		end := strings.IndexByte(s, '}')
		if end < 0 {
			end = len(s)
		}
		expr := strings.TrimLeft(s[:end], "{ ")
		if name := identAt(expr, 0); name != "" && (name[0] < '0' || name[0] > '9') {
			worst = max(worst, v.traceWord(name, expr, i, depth))
		}
		s = s[end:]
	}
}

func (v *riskView) traceWord(name, expr string, at, depth int) riskOrigin {
	if riskSourceText(v.lang, expr) {
		return fromInput
	}
	return v.variable(name, at, depth+1)
}

// traceName judges the expression that begins with the name i and returns its last token.
func (v *riskView) traceName(i, to, depth int) (riskOrigin, int) {
	word := v.text(i)
	if v.beforeDot(i) >= 0 && v.beforeDot(i) < i { // reached only behind a call or an index: the value was judged there
		if v.sign(i+1, '(') {
			if riskSource(v, i) {
				return fromInput, i
			}
			if riskCleaner(v.lang, word) {
				return fromLiteral, min(max(v.close(i+1), i), to)
			}
		}
		return fromLiteral, i
	}
	if riskKeyword(word) || v.lang == "python" && v.sign(i+1, '=') && !v.sign(i+2, '=') || v.keyed(i) {
		return fromLiteral, i
	}
	if v.lang == "go" && v.sign(i+1, '{') { // the type of a literal
		return fromLiteral, i
	}
	end := i // the last name of a.b.c
	for v.sign(end+1, '.') && v.kind(end+2) == code.Ident && end+2 < to {
		if riskSource(v, end) {
			return fromInput, end
		}
		end += 2
	}
	if riskSource(v, end) || end > i && riskSource(v, i) {
		return fromInput, end
	}
	if v.sign(end+1, '(') && end+1 < to {
		return v.traceCall(i, end, to, depth)
	}
	if word == "func" || word == "function" || word == "lambda" {
		return fromUnknown, i
	}
	o := v.variable(word, i, depth+1)
	if o == fromLiteral && v.sign(end+1, '[') { // an element of something that is written here
		if shut := v.close(end + 1); shut > 0 && shut < to {
			return o, shut
		}
	}
	return o, end
}

// keyed reports whether the name is the key of a literal: Config{Name: value}.
func (v *riskView) keyed(i int) bool {
	return v.sign(i+1, ':') && !v.sign(i+2, '=') && !v.sign(i+2, ':') && (v.sign(i-1, '{') || v.sign(i-1, ','))
}

// traceCall judges a call by what it is and by its arguments.
func (v *riskView) traceCall(start, name, to, depth int) (riskOrigin, int) {
	word := v.text(name)
	end := v.close(name + 1)
	if end < 0 || end > to {
		end = to
	}
	if riskCleaner(v.lang, word) || word == "Sprintf" && v.numeric(name+2) {
		return fromLiteral, end
	}
	inner := fromLiteral
	if depth <= riskDepth {
		inner = v.trace(name+2, end, depth+1)
	}
	if start < name && inner != fromInput { // a method: what it is called on
		inner = max(inner, v.variable(v.text(start), start, depth+1))
		if riskPackage(v, start) {
			inner = v.trace(name+2, end, depth+1)
		}
	}
	if riskPure(v.lang, word) || start == name && inner == fromLiteral && v.defined(word) {
		return inner, end
	}
	return max(inner, fromUnknown), end
}

// numeric reports whether the format at token i puts no text in.
func (v *riskView) numeric(i int) bool {
	return v.kind(i) == code.String && !strings.Contains(v.text(i), "%s") && !strings.Contains(v.text(i), "%v") && !strings.Contains(v.text(i), "%+v")
}

// defined reports whether the file defines the function.
func (v *riskView) defined(name string) bool {
	for _, s := range v.scopes {
		if s > 0 && oneWord(v.text(s), "func", "def", "function") && v.name(s+1) == name {
			return true
		}
	}
	return false
}

// variable judges a name by what was assigned to it before, in its function or, failing that, outside of all.
func (v *riskView) variable(name string, at, depth int) riskOrigin {
	if depth > riskDepth {
		return fromUnknown
	}
	if oneWord(name, "__dirname", "__filename", "__file__", "iota") {
		return fromLiteral
	}
	scope := v.scope(at)
	worst, found := fromLiteral, false
	for _, a := range v.assigned()[name] {
		if a.scope == scope && a.at < at {
			found = true
			o := v.trace(a.from, a.to, depth+1)
			if a.from <= at && at < a.to {
				continue
			}
			if v.hasName(a.from, a.to, name) { // made of what it was: x = clean(x)
				worst = o
			} else {
				worst = max(worst, o)
			}
		}
	}
	if found {
		return worst
	}
	if v.parameter(name, at, scope) {
		return fromUnknown
	}
	for _, a := range v.assigned()[name] {
		if a.scope == 0 && (scope != 0 || a.at < at || a.constant) {
			found = true
			worst = max(worst, v.trace(a.from, a.to, depth+1))
		}
	}
	if found {
		return worst
	}
	return fromUnknown
}

// parameter reports whether the name stands in the head of the block.
func (v *riskView) parameter(name string, at, scope int) bool {
	if scope == 0 {
		return false
	}
	for i := scope; i < at && i < scope+80; i++ {
		if v.sign(i, '{') || v.lang == "python" && v.sign(i, ':') && v.sign(i-1, ')') {
			return false
		}
		if v.name(i) == name {
			return true
		}
	}
	return false
}

// scope returns the token that begins the top-level function or class around token i, 0 outside of all.
func (v *riskView) scope(i int) int {
	if v.scopes == nil {
		v.findScopes()
	}
	found := 0
	lo, hi := 0, len(v.scopes)
	for lo < hi {
		m := (lo + hi) / 2
		if abs(v.scopes[m]) <= i {
			lo = m + 1
		} else {
			hi = m
		}
	}
	if lo > 0 && v.scopes[lo-1] > 0 {
		found = v.scopes[lo-1]
	}
	return found
}

func abs(n int) int {
	if n < 0 {
		return -n
	}
	return n
}

// findScopes notes the token of each line without indentation: positive where it begins a function or a class,
// negative where it is code outside of them.
func (v *riskView) findScopes() {
	v.scopes = make([]int, 0, 16)
	line := 0
	for i, t := range v.tokens {
		if t.Line == line {
			continue
		}
		line = t.Line
		if t.Start > 0 && v.src.Text[t.Start-1] != '\n' {
			continue
		}
		switch word := v.text(i); word {
		case "func", "def", "async", "class", "function", "export", "@":
			if i > 0 && (word != "async" && word != "export" || v.hasName(i, i+4, "function", "def", "class")) {
				v.scopes = append(v.scopes, i)
			}
		case "}", ")", "]":
		default:
			if t.Kind == code.Ident {
				v.scopes = append(v.scopes, -i)
			}
		}
	}
}

// assigned collects the assignments of the file by name.
func (v *riskView) assigned() map[string][]riskValue {
	if v.vars != nil {
		return v.vars
	}
	v.vars = make(map[string][]riskValue)
	for i := 1; i < len(v.tokens); i++ {
		switch {
		case v.sign(i, '='):
			v.assignment(i)
		case v.lang == "python" && v.name(i) == "in" && v.kind(i-1) == code.Ident && v.name(i-2) == "for",
			v.lang == "javascript" && v.name(i) == "of" && v.kind(i-1) == code.Ident:
			v.assign(i-1, i+1, v.statementEnd(i+1), false)
		}
	}
	return v.vars
}

// assignment notes what stands left and right of the sign.
func (v *riskView) assignment(i int) {
	if v.sign(i+1, '=') || v.sign(i+1, '>') || v.sign(i+1, '~') || v.sign(i-1, '=') || v.sign(i-1, '!') || v.sign(i-1, '<') || v.sign(i-1, '>') {
		return
	}
	end := v.statementEnd(i + 1)
	left := i - 1
	for left >= 0 && v.kind(left) == code.Punct && strings.IndexByte(":+-*/%|&^?", v.src.Text[v.tokens[left].Start]) >= 0 && i-left < 4 {
		left--
	}
	line := v.tokens[i].Line
	constant := false
	names := make([]int, 0, 4)
	for j := left; j >= 0 && left-j < 40; j-- {
		t := v.tokens[j]
		if t.Kind == code.Ident {
			switch v.text(j) {
			case "const", "final":
				constant = true
				continue
			case "var", "let", "if", "for", "else", "switch", "while", "mut", "static", "return":
				continue
			}
			if t.Line != line {
				break
			}
			names = append(names, j)
			continue
		}
		if t.Line != line || v.sign(j, ';') || v.sign(j, '(') || v.sign(j, ')') {
			break
		}
		if v.sign(j, '{') && v.lang == "go" {
			break
		}
	}
	for _, n := range names {
		if v.beforeDot(n) < 0 {
			v.assign(n, i+1, end, constant || v.constants(n))
		}
	}
}

// constants reports whether the name stands in a block of constants.
func (v *riskView) constants(i int) bool {
	if v.lang != "go" {
		return false
	}
	for j := i; j >= 0 && i-j < 200; j-- {
		if v.sign(j, '(') && v.name(j-1) == "const" {
			return true
		}
		if v.sign(j, '}') || v.sign(j, '{') {
			return false
		}
	}
	return false
}

func (v *riskView) assign(name, from, to int, constant bool) {
	word := v.text(name)
	v.vars[word] = append(v.vars[word], riskValue{name, from, to, v.scope(name), constant})
}

// statementEnd returns where the statement that holds token i ends: at a line end or a semicolon outside of brackets.
func (v *riskView) statementEnd(i int) int {
	depth := 0
	for j := i; j < len(v.tokens) && j-i < riskReach; j++ {
		t := v.tokens[j]
		if depth == 0 && j > i && t.Line > v.tokens[j-1].Line && !v.continued(j) {
			return j
		}
		if t.Kind != code.Punct {
			continue
		}
		switch v.src.Text[t.Start] {
		case '(', '[':
			depth++
		case '{':
			if v.lang == "go" && depth == 0 && !v.composite(i, j) {
				return j
			}
			depth++
		case ')', ']', '}':
			if depth--; depth < 0 {
				return j
			}
		case ';':
			if depth == 0 {
				return j
			}
		}
	}
	return min(i+riskReach, len(v.tokens))
}

// composite tells the brace of a Go literal from that of a block.
func (v *riskView) composite(from, brace int) bool {
	for j := brace; j >= 0 && v.tokens[j].Line == v.tokens[brace].Line; j-- {
		switch v.name(j) {
		case "for", "if", "switch":
			return false
		}
	}
	return v.kind(brace-1) == code.Ident || v.sign(brace-1, ']') || v.sign(brace-1, ')')
}

// continued reports whether the line of token j goes on with the one before.
func (v *riskView) continued(j int) bool {
	if v.kind(j) == code.Punct && strings.IndexByte(".+?:|&", v.src.Text[v.tokens[j].Start]) >= 0 {
		return true
	}
	if v.kind(j-1) == code.Punct && strings.IndexByte("+-*/|&=,?.\\", v.src.Text[v.tokens[j-1].Start]) >= 0 {
		return true
	}
	return false
}
