package detect

import (
	"strings"

	"github.com/gavel-review/gavel/internal/code"
)

// goValueChecks adds what concerns numbers, slices, contexts and what is serialised.
func goValueChecks(k *riskPack) {
	k.on(goConvert, "int8", "int16", "int32", "int64", "int", "uint", "uint8", "uint16", "uint32", "uint64")
	k.on(goLostCancel, "WithCancel", "WithTimeout", "WithDeadline")
	k.on(goDetached, "Background", "TODO")
	k.on(goEndless, "for")
	k.on(goSerialised, "Marshal", "MarshalIndent", "Encode")
	k.on(goBounds, "make")
}

// goBits is the size of an integer type and whether it has a sign, 0 for other names.
func goBits(name string) (bits int, signed bool) {
	switch name {
	case "int", "int64":
		return 64, true
	case "uint", "uint64", "uintptr":
		return 64, false
	case "int32", "rune":
		return 32, true
	case "uint32":
		return 32, false
	case "int16":
		return 16, true
	case "uint16":
		return 16, false
	case "int8":
		return 8, true
	case "uint8", "byte":
		return 8, false
	}
	return 0, false
}

// goConvert reports int16(n) where n is declared wider here and is never compared or masked.
func goConvert(v *riskView, i int) {
	if !v.sign(i+1, '(') || v.kind(i+2) != code.Ident || !v.sign(i+3, ')') || v.beforeDot(i) >= 0 || v.name(i-1) == "func" {
		return
	}
	name := v.text(i + 2)
	bits, signed := goBits(v.text(i))
	from, to := v.block(i)
	had, hadSigned, parsed := v.goType(name, from, i)
	if had == 0 || v.checked(name, from, to) {
		return
	}
	if oneWord(v.text(i), "int", "uint") && had == 64 {
		return // the platform's word, both
	}
	if fits := bits > had && (signed || !hadSigned) || bits == had && signed == hadSigned; fits {
		return
	}
	message := "The number may not fit: what is too large comes out as another number."
	if parsed {
		v.report(ruleConversion, i, message)
		return
	}
	v.note(ruleConversion, i, message)
}

// goType returns the integer type that the name is declared with in front of token at.
func (v *riskView) goType(name string, from, at int) (bits int, signed, parsed bool) {
	for j := from; j < at; j++ {
		if v.name(j) != name || v.beforeDot(j) >= 0 {
			continue
		}
		if b, s := goBits(v.name(j + 1)); b > 0 && v.tokens[j+1].Line == v.tokens[j].Line {
			bits, signed = b, s
		}
		if v.sign(j+1, ',') && v.sign(j+3, ':') && v.sign(j+4, '=') && v.name(j+5) == "strconv" && v.name(j+7) == "Atoi" {
			bits, signed, parsed = 64, true, true
		}
	}
	return bits, signed, parsed
}

// checked reports whether the name is compared, masked or bounded between the tokens.
func (v *riskView) checked(name string, from, to int) bool {
	for j := from; j < to; j++ {
		if v.name(j) != name {
			continue
		}
		for _, k := range [...]int{j - 1, j + 1} {
			if v.kind(k) == code.Punct && strings.IndexByte("<>%&", v.src.Text[v.tokens[k].Start]) >= 0 {
				return true
			}
		}
		if v.sign(j+1, '=') && v.sign(j+2, '=') || v.sign(j+1, '!') || v.sign(j-1, '=') && strings.IndexByte("=!<>", v.src.Text[v.tokens[j-2].Start]) >= 0 || oneWord(v.name(j-2), "min", "max", "len") || v.name(j-1) == "range" {
			return true
		}
	}
	return false
}

// goLostCancel reports a context whose cancel function is thrown away.
func goLostCancel(v *riskView, i int) {
	if !v.of(i, "context") || !v.sign(i-3, '=') {
		return
	}
	eq := i - 3
	left := eq - 1
	if v.sign(left, ':') {
		left--
	}
	cancel := v.name(left)
	if !v.sign(left-1, ',') || cancel == "" {
		return
	}
	const message = "The cancel function is thrown away: the context's timer and its children stay until the parent ends."
	if cancel == "_" {
		v.report(ruleContext, i, message)
		return
	}
	end := v.statementEnd(i)
	_, to := v.block(i)
	if !v.sign(eq-1, ':') { // declared elsewhere
		to = len(v.tokens)
	}
	for j := end; j < to; j++ {
		if v.name(j) == cancel {
			return
		}
	}
	v.note(ruleContext, i, message)
}

// goDetached reports a fresh context in a goroutine of a function that has one to pass on.
func goDetached(v *riskView, i int) {
	if !v.of(i, "context") {
		return
	}
	from, _ := v.block(i)
	if from == 0 || !v.contextual(from) {
		return
	}
	if _, to := v.block(i); v.sign(i-3, '=') && v.sign(i-4, ':') && v.hasName(i, to, "go") {
		v.note(ruleContext, i, "The goroutine goes on when the caller's context ends.")
		return
	}
	for j := i; j > from; j-- {
		if v.name(j) == "go" && v.name(j+1) == "func" {
			if _, to := v.funcBody(j + 1); to > i && v.close(j+2) > 0 {
				v.note(ruleContext, i, "The goroutine goes on when the caller's context ends: context.WithoutCancel or the context itself says what is meant.")
			}
			return
		}
	}
}

// contextual reports whether the head of the function at the token names a context or a request.
func (v *riskView) contextual(at int) bool {
	for j := at; j < at+60 && j < len(v.tokens) && !v.sign(j, '{'); j++ {
		if v.name(j) == "Context" && v.name(j-2) == "context" || v.name(j) == "Request" && v.name(j-2) == "http" {
			return true
		}
	}
	return false
}

// goEndless reports "for {" without a way out in a function that has a context.
func goEndless(v *riskView, i int) {
	if !v.sign(i+1, '{') {
		return
	}
	from, _ := v.block(i)
	end := v.close(i + 1)
	if from == 0 || end < 0 || !v.contextual(from) {
		return
	}
	if v.hasName(i+1, end, "return", "break", "Done", "goto", "panic", "Exit", "select", "Err", "Fatal", "Fatalf", "Wait") {
		return
	}
	v.note(ruleContext, i, "The loop never looks at the context: it cannot be ended.")
}

// goSerialised reports a struct with a field for a secret that is written out.
func goSerialised(v *riskView, i int) {
	args, ok := v.call(i)
	if !ok || len(args) == 0 {
		return
	}
	format := v.encoding(i)
	if format == "" {
		return
	}
	a := args[0]
	name := ""
	for j := a.from; j < a.to; j++ {
		if v.kind(j) == code.Ident && (v.sign(j+1, '{') || j == a.to-1 && v.sign(a.from, '&')) && v.structs(v.text(j)) > 0 {
			name = v.text(j)
		}
	}
	if name == "" && a.to-a.from == 1 {
		name = v.declaredType(v.text(a.from), i)
	}
	if at := v.structs(name); at > 0 && !v.hasMethod(name) {
		if field := v.secretField(at, format); field != "" && !v.set(a, field) {
			v.note(ruleSerialised, i, "The field "+field+" goes out with the rest.")
		}
	}
}

// encoding names the format that the call writes, "" where it is none of a library.
func (v *riskView) encoding(i int) string {
	o := v.owner(i)
	if v.text(i) == "Encode" {
		for j := i; j > i-14 && j > 0; j-- {
			if v.name(j) == "NewEncoder" {
				o = v.owner(j)
			}
		}
	}
	if oneWord(o, "json", "xml", "yaml", "toml") {
		return o
	}
	return ""
}

// structs returns the brace of the struct type with the name, 0 where the file has none.
func (v *riskView) structs(name string) int {
	if name == "" {
		return 0
	}
	for j := 1; j+2 < len(v.tokens); j++ {
		if v.name(j) == name && v.name(j-1) == "type" && v.name(j+1) == "struct" && v.sign(j+2, '{') {
			return j + 2
		}
	}
	return 0
}

func (v *riskView) declaredType(name string, at int) string {
	from, _ := v.block(at)
	for j := from; j < at; j++ {
		if v.name(j) != name {
			continue
		}
		k := j + 1
		for v.sign(k, ':') || v.sign(k, '=') || v.sign(k, '&') || v.sign(k, '*') {
			k++
		}
		if v.structs(v.name(k)) > 0 {
			return v.text(k)
		}
	}
	return ""
}

// hasMethod reports whether the type writes itself.
func (v *riskView) hasMethod(name string) bool {
	for j := 1; j+1 < len(v.tokens); j++ {
		if oneWord(v.name(j), "MarshalJSON", "MarshalText", "MarshalYAML", "MarshalXML") && (v.name(j-2) == name) {
			return true
		}
	}
	return false
}

// set reports whether the literal gives the field something that was made safe, or no value of the field's own.
func (v *riskView) set(a riskArg, field string) bool {
	for j := a.from; j < a.to; j++ {
		if v.name(j) == field && v.sign(j+1, ':') && v.sign(j+3, '(') {
			return true
		}
	}
	return false
}

// secretField returns the first exported field of the struct that is named like a secret.
func (v *riskView) secretField(brace int, format string) string {
	end := v.close(brace)
	for j := brace + 1; j < end; j++ {
		w := v.name(j)
		if w == "" || v.tokens[j-1].Line == v.tokens[j].Line || w[0] < 'A' || w[0] > 'Z' {
			continue
		}
		tag := ""
		k := j + 1
		for ; k < end && v.tokens[k].Line == v.tokens[j].Line; k++ {
			if v.kind(k) == code.String {
				tag += v.text(k)
			}
		}
		if strings.Contains(tag, format+`:"-"`) || strings.Contains(tag, format+`:\"-\"`) || oneWord(v.name(j+1), "int", "bool", "int64", "time", "uint64", "float64") {
			continue
		}
		if secretWord(w) || secretWord(tag) {
			return w
		}
	}
	return ""
}

func secretWord(s string) bool {
	s = strings.ToLower(strings.ReplaceAll(s, "_", ""))
	for _, w := range []string{"password", "passwd", "apikey", "privatekey", "accesstoken", "apitoken", "secret", "refreshtoken", "authtoken"} {
		if strings.Contains(s, w) {
			return true
		}
	}
	return false
}

// goBounds reports s[9] where s is made here with fewer elements and is nowhere changed. It stands at the make.
func goBounds(v *riskView, i int) {
	args, ok := v.call(i)
	if !ok || len(args) < 2 || !v.sign(i+2, '[') || !v.sign(i+3, ']') || !v.sign(i-1, '=') {
		return
	}
	left := i - 2
	if v.sign(left, ':') {
		left--
	}
	name := v.name(left)
	size := v.numbers(args[1].from, args[1].to, 0)
	room := size
	if len(args) > 2 {
		room = v.numbers(args[2].from, args[2].to, 0)
	}
	if name == "" || len(size) != 1 || len(room) != 1 || v.beforeDot(left) >= 0 {
		return
	}
	from, to := v.block(i)
	if v.changes(name, left, from, to) {
		return
	}
	for j := i; j < to; j++ {
		if v.name(j) == name && v.sign(j+1, '[') && v.beforeDot(j) < 0 {
			v.bound(j, size[0], room[0])
		}
	}
}

// changes reports whether the slice gets another value or has its length looked at.
func (v *riskView) changes(name string, but, from, to int) bool {
	for j := from; j < to; j++ {
		if v.name(j) != name || j == but {
			continue
		}
		if v.sign(j+1, '=') && !v.sign(j+2, '=') || v.sign(j+1, ':') && v.sign(j+2, '=') || v.sign(j-1, '&') || oneWord(v.name(j-2), "len", "cap") || v.name(j-1) == "range" {
			return true
		}
	}
	return false
}

// bound compares what stands in the brackets behind token j with what the slice holds.
func (v *riskView) bound(j int, size, room int64) {
	end := v.close(j + 1)
	if end < 0 {
		return
	}
	limit := size - 1
	for k := j + 2; k < end; k++ {
		if v.sign(k, ':') {
			limit = room
		}
	}
	for k := j + 2; k < end; k++ {
		if alone := v.kind(k-1) == code.Punct && v.kind(k+1) == code.Punct; !alone || v.sign(k-1, '-') || v.sign(k-1, '+') {
			continue
		}
		for _, n := range v.numbers(k, k+1, 0) {
			if n > max(limit, room-1) {
				v.report(ruleBounds, j, "The slice is made with fewer elements: this panics.")
			}
		}
	}
}
