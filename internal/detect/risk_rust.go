package detect

import (
	"strings"
	"sync"
)

var riskRust = sync.OnceValue(func() *riskPack {
	k := &riskPack{
		words:  newNeedles("unsafe", "danger_accept_invalid", "Command::new", "SELECT", "INSERT", "UPDATE", "DELETE", "Md5", "md5", "Sha1", "sha1", "from_mode", "transmute", "set_verify", "from_utf8_unchecked", "get_unchecked"),
		checks: make(map[string][]riskCheck),
	}
	k.on(rustUnsafe, "unsafe", "transmute", "from_utf8_unchecked", "get_unchecked", "get_unchecked_mut")
	k.on(rustVerify, "danger_accept_invalid_certs", "danger_accept_invalid_hostnames")
	k.on(rustNoVerify, "NONE")
	k.on(rustShell, "arg", "args")
	k.on(rustHash, "new", "compute", "digest")
	k.on(rustMode, "from_mode", "set_mode", "mode")
	k.on(sqlText, `"`)
	return k
})

func rustUnsafe(v *riskView, i int) {
	if v.text(i) == "unsafe" && v.sign(i+1, '{') || v.text(i) != "unsafe" && (v.sign(i+1, '(') || v.sign(i+1, ':')) {
		v.note(ruleUnsafe, i, "Nothing checks types, bounds and lifetimes here.")
	}
}

func rustVerify(v *riskView, i int) {
	if args, ok := v.call(i); ok && len(args) == 1 && v.is(args[0], "true") {
		v.report(ruleTLSVerify, i, "The certificate of the other side is not checked: anyone on the way can read and change the traffic.")
	}
}

func rustNoVerify(v *riskView, i int) {
	if v.of(i, "SslVerifyMode") && !v.compared(i) {
		v.report(ruleTLSVerify, i, "The certificate of the other side is not checked.")
	}
}

func rustShell(v *riskView, i int) {
	args, ok := v.call(i)
	if !ok || len(args) == 0 || !v.hasName(args[0].from, args[0].to, "format") {
		return
	}
	for j := i; j > 0 && i-j < 24; j-- {
		if s := v.unquoted(j); s == "-c" || s == "/C" {
			if f := v.report(ruleCommand, i, "A value becomes part of a shell's command line."); f != nil {
				f.Severity = riskLow
			}
			return
		}
	}
}

func rustHash(v *riskView, i int) {
	if o := v.owner(i); v.sign(i+1, '(') && oneWord(strings.ToLower(o), "md5", "sha1", "md4") {
		weakHash(v, i, o)
	}
}

func rustMode(v *riskView, i int) {
	args, ok := v.call(i)
	if !ok || len(args) != 1 {
		return
	}
	for _, m := range v.pythonNumbers(args[0]) {
		if m&0o002 != 0 {
			fileMode(v, i, m, 0o700)
		}
	}
}
