package detect

import (
	"strconv"
	"strings"

	"github.com/gavel-review/gavel/internal/code"
)

func goSkipVerify(v *riskView, i int) {
	at := i + 1
	if v.sign(at, ':') || v.sign(at, '=') && !v.sign(at+1, '=') {
		if v.truth(at + 1) {
			v.report(ruleTLSVerify, i, "The certificate of the other side is not checked: anyone on the way can read and change the traffic.")
		}
	}
}

// truth reports whether the value at token i is true: the word, or a constant of this file.
func (v *riskView) truth(i int) bool {
	switch w := v.name(i); {
	case v.sign(i, '!'):
		return v.name(i+1) == "false"
	case w == "true":
		return true
	case w != "":
		a := v.assigned()[w]
		return len(a) == 1 && a[0].to-a[0].from <= 2 && a[0].from < len(v.tokens) && (v.name(a[0].from) == "true" || v.sign(a[0].from, '!') && v.name(a[0].from+1) == "false")
	}
	return false
}

// compared reports whether token i is one side of a comparison.
func (v *riskView) compared(i int) bool {
	b := i
	for v.beforeDot(b) >= 0 {
		b = v.beforeDot(b)
	}
	if v.sign(b-1, '=') && (v.sign(b-2, '=') || v.sign(b-2, '!')) || v.sign(b-1, '<') || v.sign(b-1, '>') || v.name(b-1) == "case" {
		return true
	}
	return v.sign(b-1, '=') && (v.sign(b-2, '<') || v.sign(b-2, '>')) || v.sign(i+1, '=') || v.sign(i+1, '<') || v.sign(i+1, '>') || v.sign(i+1, '!')
}

func goOldTLS(v *riskView, i int) {
	if v.of(i, "tls") && !v.compared(i) && !v.sign(i+1, ':') {
		v.report(ruleTLSVersion, i, "TLS versions below 1.2 are broken and are no longer to be offered.")
	}
}

func goZeroTLS(v *riskView, i int) {
	if (v.sign(i+1, ':') || v.sign(i+1, '=') && !v.sign(i+2, '=')) && v.text(i+2) == "0" {
		v.report(ruleTLSVersion, i, "No lowest TLS version is set.")
	}
}

func goWeakSuite(v *riskView, i int) {
	if v.of(i, "tls") && !v.compared(i) {
		v.report(ruleTLSVersion, i, "This cipher suite is weak or has no forward secrecy.")
	}
}

func goPeerCallback(v *riskView, i int) {
	if !(v.sign(i+1, ':') || v.sign(i+1, '=') && !v.sign(i+2, '=')) || v.name(i+2) == "nil" {
		return
	}
	from, to := v.block(i)
	if !v.hasName(from, to, "VerifyConnection", "SessionTicketsDisabled", "InsecureSkipVerify") {
		v.note(ruleTLSVerify, i, "VerifyPeerCertificate is not called on resumed sessions; VerifyConnection is.")
	}
}

// block returns the tokens of the top-level function around token i.
func (v *riskView) block(i int) (from, to int) {
	from = v.scope(i)
	to = len(v.tokens)
	for _, s := range v.scopes {
		if abs(s) > i {
			to = abs(s)
			break
		}
	}
	return from, to
}

func goWeakHash(v *riskView, i int) {
	if v.sign(i+1, '(') && v.pkg(i, "crypto/md5", "crypto/sha1", "golang.org/x/crypto/md4", "golang.org/x/crypto/ripemd160") {
		weakHash(v, i, v.owner(i))
	}
}

// weakHash reports a weak hash, and louder where what it is for is named like a password.
func weakHash(v *riskView, i int, name string) {
	f := v.report(ruleWeakHash, i, name+" does not withstand collisions; it protects nothing.")
	if f != nil && !v.secretive(i) {
		f.Severity, f.Confidence = riskInfo, riskLowConfidence
	}
}

// secretive reports whether the line of token i names a secret.
func (v *riskView) secretive(i int) bool {
	from, to := v.onLine(v.tokens[i].Line)
	for j := from; j < to; j++ {
		if v.kind(j) != code.Ident {
			continue
		}
		w := strings.ToLower(v.text(j))
		for _, s := range []string{"password", "passwd", "secret", "token", "session", "nonce", "salt", "csrf", "otp", "apikey", "api_key", "privatekey"} {
			if strings.Contains(w, s) && !strings.Contains(w, "tokeniz") {
				return true
			}
		}
	}
	return false
}

func goWeakCipher(v *riskView, i int) {
	if v.sign(i+1, '(') && v.pkg(i, "crypto/des", "crypto/rc4", "golang.org/x/crypto/blowfish", "golang.org/x/crypto/tea", "golang.org/x/crypto/xtea", "golang.org/x/crypto/cast5") {
		v.report(ruleWeakCipher, i, v.owner(i)+" is broken.")
	}
}

func goWeakKey(v *riskView, i int) {
	args, ok := v.call(i)
	if !ok || !v.pkg(i, "crypto/rsa", "crypto/dsa") || len(args) < 2 {
		return
	}
	for _, s := range v.numbers(args[1].from, args[1].to, 0) {
		if s < 2048 {
			v.report(ruleWeakKey, i, "A key of less than 2048 bits can be broken.")
		}
	}
}

// numbers returns the numbers that the expression may be, following variables.
func (v *riskView) numbers(from, to, depth int) []int64 {
	if to-from != 1 || depth > 3 {
		return nil
	}
	if v.kind(from) == code.Number {
		if n, err := strconv.ParseInt(v.text(from), 0, 64); err == nil {
			return []int64{n}
		}
		return nil
	}
	var out []int64
	scope := v.scope(from)
	for _, a := range v.assigned()[v.name(from)] {
		if a.at < from && a.scope == scope || a.scope == 0 {
			out = append(out, v.numbers(a.from, a.to, depth+1)...)
		}
	}
	return out
}

// strings returns the literals of the expression, following variables.
func (v *riskView) strings(from, to, depth int) []string {
	var out []string
	for i := from; i < to && i < len(v.tokens); i++ {
		switch v.kind(i) {
		case code.String:
			out = append(out, v.unquoted(i))
		case code.Ident:
			if depth > 3 || v.beforeDot(i) >= 0 {
				continue
			}
			scope := v.scope(i)
			for _, a := range v.assigned()[v.text(i)] {
				if a.at < i && a.scope == scope || a.scope == 0 {
					out = append(out, v.strings(a.from, a.to, depth+1)...)
				}
			}
		}
	}
	return out
}

func goFixedNonce(v *riskView, i int) {
	args, ok := v.call(i)
	if !ok || len(args) < 2 || v.text(i) != "Seal" && !v.of(i, "cipher") || v.text(i) == "Seal" && len(args) != 4 {
		return
	}
	a := args[1]
	if !v.constant(a, 0) || v.filled(a, 0) {
		return
	}
	v.report(ruleFixedNonce, i, "The nonce or the initialisation vector is written in the source: the same key stream is used again and again.")
}

// constant reports whether the bytes of the argument are written here: literals, what make leaves, and functions of them.
func (v *riskView) constant(a riskArg, depth int) bool {
	if v.name(a.from) == "make" || v.originOf(a) == fromLiteral {
		return true
	}
	if v.name(a.from) == "func" {
		for i := a.from; i < a.to; i++ {
			if v.kind(i) == code.Ident && !oneWord(v.text(i), "func", "byte", "return", "if", "else", "true", "false", "string") {
				return false
			}
		}
		return true
	}
	if a.to-a.from != 1 || depth > 2 {
		return false
	}
	found := false
	for _, x := range v.assigned()[v.name(a.from)] {
		if x.scope == v.scope(a.from) && x.at < a.from {
			if !v.constant(riskArg{from: x.from, to: x.to}, depth+1) {
				return false
			}
			found = true
		}
	}
	return found
}

// filled reports whether a name of the argument is handed to a call that may write to it.
func (v *riskView) filled(a riskArg, depth int) bool {
	from, _ := v.block(a.from)
	for from < a.from && !v.sign(from, '{') { // the head of the function hands nothing on
		from++
	}
	for i := a.from; i < a.to; i++ {
		name := v.name(i)
		if name == "" || oneWord(name, "byte", "make", "len", "string", "func") {
			continue
		}
		for j := from + 2; j < a.from; j++ {
			if v.name(j) == name && (v.handed(j) || v.indexed(j)) {
				return true
			}
		}
		for _, x := range v.assigned()[name] {
			if depth < 3 && x.at < i && x.scope == v.scope(i) && (v.hasName(x.from, x.to, "Read", "Sum", "Sum256") || v.filled(riskArg{from: x.from, to: x.to}, depth+1)) {
				return true
			}
		}
	}
	return false
}

// handed reports whether token j is an argument of a call.
func (v *riskView) handed(j int) bool {
	if v.sign(j-1, '(') {
		w := v.name(j - 2)
		return w != "" && !oneWord(w, "len", "cap", "string", "byte", "Println", "Printf", "func") || v.sign(j-2, ')')
	}
	if !v.sign(j-1, ',') {
		return false
	}
	for k := j; k > j-12 && k > 0; k-- {
		if w := v.name(k); v.sign(k+1, '(') && w != "" {
			return oneWord(w, "ReadFull", "ReadAtLeast", "Decode")
		}
	}
	return false
}

// indexed reports whether something that is not written here is put into the slice that token j names.
func (v *riskView) indexed(j int) bool {
	if !v.sign(j+1, '[') {
		return false
	}
	end := v.close(j + 1)
	if end < 0 {
		return false
	}
	if v.sign(end+1, '=') && !v.sign(end+2, '=') {
		return v.origin(end+2, v.statementEnd(end+2)) != fromLiteral
	}
	for k := j; k < end; k++ {
		if v.sign(k, ':') { // a piece of it is handed on
			return true
		}
	}
	return false
}

func goRandom(v *riskView, i int) {
	if !v.sign(i+1, '(') || !v.pkg(i, "math/rand", "math/rand/v2") {
		return
	}
	if v.secretive(i) {
		v.report(ruleWeakRandom, i, "math/rand can be predicted; what it makes is no secret.")
		return
	}
	v.note(ruleWeakRandom, i, "math/rand can be predicted: fine for jitter and tests, not for anything that must not be guessed.")
}
