package detect

import "strings"

// assignOp is what stands between a name and its value.
type assignOp uint8

const (
	opNone   assignOp = iota
	opEqual           // =, :=, =>, ->, ?=, ==
	opColon           // name: value
	opComma           // "name", "value"
	opCall            // name("value")
	opXML             // <name>value</name>
	opOption          // --name value, or SQL's PASSWORD 'value'
)

// assignment is a name with the literal that it is given on one line, by byte offsets.
type assignment struct {
	nameStart, nameEnd int
	start, end         int // the value without its quotes
	op                 assignOp
	quoted             bool // the value stands in quotes of its own
	quotedName         bool
	inString           bool // an unquoted value inside a string literal: a connection string, a command
}

const (
	maxSecretName  = 80
	maxSecretValue = 4096
	maxSecretGap   = 96 // bytes between a name and its value
)

func isNameByte(b byte) bool {
	return 'a' <= b && b <= 'z' || 'A' <= b && b <= 'Z' || '0' <= b && b <= '9' || b == '_' || b == '-'
}

func isWordByte(b byte) bool { return b != '-' && isNameByte(b) }

func isLetter(b byte) bool { return 'a' <= b && b <= 'z' || 'A' <= b && b <= 'Z' }

// parseAssignment reads the assignment whose name holds line[at:end]. It looks at no more than a fixed number of bytes
// on either side.
func parseAssignment(line string, at, end int) (assignment, bool) {
	var a assignment
	a.nameEnd = end
	for a.nameEnd < len(line) && isNameByte(line[a.nameEnd]) && a.nameEnd-end < maxSecretName {
		a.nameEnd++
	}
	r := valueReader{line: line, at: a.nameEnd, limit: min(len(line), a.nameEnd+maxSecretGap)}
	if !r.operator(&a) {
		return a, false
	}
	a.nameStart = at
	for a.nameStart > 0 && at-a.nameStart < maxSecretName && (isNameByte(line[a.nameStart-1]) || line[a.nameStart-1] == '.' || line[a.nameStart-1] == '$') {
		a.nameStart--
	}
	return a, r.value(&a) && r.plausible(&a)
}

// valueReader walks from the end of a name to its value.
type valueReader struct {
	line      string
	at, limit int
	spaced    bool // blanks stood between the name and what followed
}

func (r *valueReader) peek() byte {
	if r.at < r.limit {
		return r.line[r.at]
	}
	return 0
}

func (r *valueReader) skip(text string) bool {
	if r.at+len(text) <= r.limit && r.line[r.at:r.at+len(text)] == text {
		r.at += len(text)
		return true
	}
	return false
}

func (r *valueReader) blanks() bool {
	from := r.at
	for r.at < r.limit && (r.line[r.at] == ' ' || r.line[r.at] == '\t') {
		r.at++
	}
	return r.at > from
}

// quotes are the ways to open a string, the longest first, with what closes it.
var quotes = [...]string{`"""`, `'''`, `\\\"`, `\"`, `\'`, `&quot;`, `&#34;`, `&#39;`, `"`, `'`, "`"}

func (r *valueReader) quote() string {
	switch r.peek() {
	case '"', '\'', '`', '\\', '&':
		for _, q := range quotes {
			if r.skip(q) {
				return q
			}
		}
	}
	return ""
}

// operator reads what closes the name, and the operator.
func (r *valueReader) operator(a *assignment) bool {
	for range 3 {
		switch {
		case r.quote() != "":
			a.quotedName = true
		case r.skip("[]"), r.skip("]"), r.skip("**"):
		}
	}
	r.spaced = r.blanks()
	switch {
	case r.skip("===") || r.skip("==") || r.skip(":=") || r.skip("::=") || r.skip(":::=") || r.skip("=>") || r.skip("->") || r.skip("?=") || r.skip("||=") || r.skip("||:") || r.skip("||") || r.skip(".=") || r.skip("="):
		a.op = opEqual
	case r.skip("!="):
		return false
	case r.skip("?:"), r.skip(":"):
		a.op = opColon
		r.annotation(a)
	case r.skip(","):
		a.op = opComma
	case r.skip("("):
		a.op = opCall
	case r.skip(">"):
		a.op = opXML
	default:
		return r.bareOperator(a)
	}
	r.blanks()
	return r.at < r.limit
}

// annotation passes a type between a colon and an equals sign: password: string = "…".
func (r *valueReader) annotation(a *assignment) {
	from := r.at
	r.blanks()
	if !isLetter(r.peek()) {
		r.at = from
		return
	}
	for r.at < r.limit && (isWordByte(r.line[r.at]) || strings.IndexByte("<>[]|?.& *:'", r.line[r.at]) >= 0) {
		r.at++
	}
	if r.skip("=") && r.peek() != '>' {
		a.op = opEqual
		return
	}
	r.at = from
}

// bareOperator reads what needs no sign: an option's value, a typed declaration, SQL's PASSWORD 'value'.
func (r *valueReader) bareOperator(a *assignment) bool {
	if !r.spaced || r.at >= r.limit {
		return false
	}
	a.op = opOption
	if optionName(r.line, a.nameEnd) {
		return true // what follows is the value as a whole, equals signs and all
	}
	from := r.at
	for r.at < r.limit && (isWordByte(r.line[r.at]) || strings.IndexByte("[].*", r.line[r.at]) >= 0) {
		r.at++
	}
	if r.at > from {
		r.blanks()
		if r.skip("=") && r.peek() != '=' && r.peek() != '>' {
			a.op = opEqual
			r.blanks()
			return true
		}
	}
	r.at = from
	return true
}

// optionName reports whether the name that ends at the offset is a command's option.
func optionName(line string, end int) bool {
	start := end
	for start > 0 && end-start < maxSecretName && isNameByte(line[start-1]) {
		start--
	}
	return start < end && (line[start] == '-' || strings.Contains(line[start:end], "--"))
}

// wrappers are the calls around a literal that leave it what it is. Any other call makes the literal an argument.
var wrappers = &wordSet{list: `string some securestring secretstr secret byte bytes buffer.from aws.string stringptr pointer ptr to.stringptr createsecretkey
	cstring text literal string::from optional.of just str new_password password github.string gitlab.string base64.b64decode
	decode atob encode buffer.byte ptr.to pulumi.string bytearray tochararray`}

// value finds the literal: past wrappers, string prefixes and defaults of environment look-ups.
func (r *valueReader) value(a *assignment) bool {
	for range 3 {
		if q := r.quote(); q != "" {
			return r.quotedValue(a, q)
		}
		from := r.at
		for r.at < r.limit && (isWordByte(r.line[r.at]) || strings.IndexByte(".:&[]$@!", r.line[r.at]) >= 0) {
			r.at++
		}
		word := r.line[from:r.at]
		switch {
		case len(word) <= 2 && r.at < r.limit && (r.line[r.at] == '"' || r.line[r.at] == '\'' || r.line[r.at] == '`') && word != "":
			continue // a string prefix: b"", f'', @"", $""
		case word == "new" || word == "await" || word == "&":
			r.blanks()
		case r.peek() == '(' && wrappers.has(strings.TrimLeft(strings.ToLower(word), "&[]")):
			r.at++
			r.blanks()
		case r.fallback(word):
			r.blanks()
		default:
			r.at = from
			return r.bareValue(a)
		}
	}
	return false
}

// fallback passes a look-up in the environment whose default is a literal: process.env.X || "…".
func (r *valueReader) fallback(word string) bool {
	if word == "" {
		return false
	}
	from := r.at
	lower := strings.ToLower(word)
	if r.peek() == '(' && strings.Contains(lower, "env") {
		r.limit = min(len(r.line), r.at+maxSecretGap)
		cut := strings.IndexByte(r.line[r.at:r.limit], ',')
		if cut < 0 || strings.IndexByte(r.line[r.at:r.at+cut], ')') >= 0 {
			return false
		}
		r.at += cut + 1
		r.blanks()
		return r.skip("default=") || true
	}
	r.blanks()
	if strings.Contains(lower, "env") && (r.skip("||") || r.skip("??") || r.skip("or ")) {
		return true
	}
	r.at = from
	return false
}

func (r *valueReader) quotedValue(a *assignment, open string) bool {
	a.quoted, a.start = true, r.at
	window := r.line[r.at:min(len(r.line), r.at+maxSecretValue)]
	if len(open) > 1 || open == "`" {
		cut := strings.Index(window, open)
		a.end = r.at + cut
		return cut > 0
	}
	for i := 0; i < len(window); i++ {
		switch window[i] {
		case '\\':
			i++
		case open[0]:
			a.end = r.at + i
			return i > 0
		}
	}
	// The string goes on past the line or the window: what stands here is the value's beginning.
	a.end = r.at + len(window)
	return false
}

func (r *valueReader) bareValue(a *assignment) bool {
	a.start, a.end = r.at, r.at
	stop := " \t\r\"'`,;)]}<&|"
	if a.op == opXML {
		stop = "<"
	}
	limit := min(len(r.line), r.at+maxSecretValue)
	for a.end < limit && strings.IndexByte(stop, r.line[a.end]) < 0 {
		if r.line[a.end] == '\\' && a.end+1 < limit && strings.IndexByte("nrt\"'", r.line[a.end+1]) >= 0 {
			break
		}
		a.end++
	}
	if a.op == opXML {
		return a.end > a.start && a.end < limit
	}
	a.inString = a.op == opEqual && !r.spaced && insideString(r.line, a.nameStart)
	return a.end > a.start
}

// plausible drops operators that stand for something else than giving a value.
func (r *valueReader) plausible(a *assignment) bool {
	before := byte(0)
	if a.nameStart > 0 {
		before = r.line[a.nameStart-1]
	}
	switch a.op {
	case opXML:
		return before == '<' || before == ':' || before == '"' || before == '\''
	case opComma:
		return a.quoted && a.quotedName && strings.IndexByte("\"'`", before) >= 0 && r.pair(a)
	case opCall:
		return a.quoted
	case opOption:
		return a.quoted || r.line[a.nameStart] == '-'
	}
	return true
}

// pair reports whether a quoted name and a quoted value are a call's arguments or an option and its value.
func (r *valueReader) pair(a *assignment) bool {
	if r.line[a.nameStart] == '-' {
		return true
	}
	at := a.nameStart - 1
	for at > 0 && a.nameStart-at < 8 && (r.line[at-1] == ' ' || r.line[at-1] == '\\') {
		at--
	}
	return at > 0 && r.line[at-1] == '('
}

// insideString reports whether a string literal is open at the offset. It looks back a bounded way.
func insideString(line string, at int) bool {
	open := byte(0)
	for i := max(0, at-1024); i < at; i++ {
		switch b := line[i]; {
		case b == '\\':
			i++
		case open == 0 && (b == '"' || b == '\'' || b == '`'):
			open = b
		case b == open:
			open = 0
		}
	}
	return open != 0
}
