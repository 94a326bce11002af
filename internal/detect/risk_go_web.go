package detect

import (
	"strings"

	"github.com/gavel-review/gavel/internal/code"
)

// goWebChecks adds what concerns handlers of requests.
func goWebChecks(k *riskPack) {
	k.on(goRespond, "Fprintf", "Fprint", "Fprintln", "WriteString", "Write")
	k.on(goLog, "Print", "Printf", "Println", "Fatal", "Fatalf", "Fatalln", "Panic", "Panicf", "Panicln")
	k.on(goRedirect, "Redirect")
	k.on(goMail, "SendMail")
	k.on(goTemplate, "Parse", "Execute", "ExecuteTemplate")
	k.on(goSmuggle, `"`)
	k.on(goCheckRedirect, "CheckRedirect")
	k.on(goFormLimit, "ParseMultipartForm")
	k.on(goBypass, "AddInsecureBypassPattern")
	k.on(goKeyCallback, "PublicKeyCallback")
}

// responder reports whether the name is a response that is written to.
func (v *riskView) responder(name string, at int) bool {
	if name == "" {
		return false
	}
	for i := at; i >= 0 && at-i < 4000; i-- {
		if v.name(i) == name && v.name(i+1) == "http" && v.name(i+3) == "ResponseWriter" {
			return true
		}
	}
	return false
}

func goRespond(v *riskView, i int) {
	args, ok := v.call(i)
	if !ok || len(args) == 0 {
		return
	}
	rest := args
	if v.text(i) == "Write" {
		if !v.responder(v.owner(i), i) {
			return
		}
	} else {
		if !v.of(i, "fmt", "io") || len(args) < 2 || args[0].to-args[0].from != 1 || !v.responder(v.text(args[0].from), i) {
			return
		}
		rest = args[1:]
	}
	if v.kind(rest[0].from) == code.String && rest[0].to-rest[0].from == 1 && !strings.Contains(v.text(rest[0].from), "<") && len(rest) > 1 {
		return // text without markup
	}
	for _, a := range rest {
		if v.originOf(a) == fromInput {
			v.report(ruleMarkup, i, "Input is written to the page as it is.")
			return
		}
	}
}

func goLog(v *riskView, i int) {
	args, ok := v.call(i)
	if !ok || !v.of(i, "log", "logger") {
		return
	}
	for n, a := range args {
		if n > 0 && strings.Contains(v.unquoted(args[0].from), "%q") {
			continue
		}
		if v.is(a, "err") || v.originOf(a) != fromInput {
			continue
		}
		if !v.environment(a, 0) {
			v.note(ruleLogForging, i, "Line ends in the input make lines of the log.")
			return
		}
	}
}

// environment reports whether what the argument holds comes from the machine's owner rather than from a request.
func (v *riskView) environment(a riskArg, depth int) bool {
	if v.hasName(a.from, a.to, "Getenv", "Args", "LookupEnv", "environ", "getenv", "argv") {
		return true
	}
	for i := a.from; i < a.to && depth < 4; i++ {
		if v.kind(i) != code.Ident || v.beforeDot(i) >= 0 {
			continue
		}
		for _, x := range v.assigned()[v.text(i)] {
			if x.at < i && v.environment(riskArg{from: x.from, to: x.to}, depth+1) {
				return true
			}
		}
	}
	return false
}

func goRedirect(v *riskView, i int) {
	args, ok := v.call(i)
	if !ok || len(args) < 3 || !v.of(i, "http") {
		return
	}
	if v.originOf(args[2]) == fromInput {
		v.report(ruleRedirect, i, "Input chooses where the browser goes next.")
	}
}

func goMail(v *riskView, i int) {
	args, ok := v.call(i)
	if !ok || !v.of(i, "smtp") {
		return
	}
	for _, a := range args {
		if v.originOf(a) == fromInput {
			v.report(ruleMailForging, i, "Line ends in the input make headers of the message.")
			return
		}
	}
}

func goTemplate(v *riskView, i int) {
	args, ok := v.call(i)
	if !ok || len(args) == 0 || v.imports()["template"] == "" {
		return
	}
	if v.text(i) != "Parse" && v.imports()["template"] != "text/template" {
		return
	}
	for _, a := range args {
		if v.originOf(a) == fromInput {
			v.report(ruleMarkup, i, "Input reaches a template that does not escape it.")
			return
		}
	}
}

func goSmuggle(v *riskView, i int) {
	if v.unquoted(i) != "Transfer-Encoding" || !v.sign(i-1, '(') || !oneWord(v.name(i-2), "Set", "Add") {
		return
	}
	from, to := v.block(i)
	for j := from; j < to; j++ {
		if v.kind(j) == code.String && v.unquoted(j) == "Content-Length" && oneWord(v.name(j-2), "Set", "Add") {
			v.report(ruleSmuggling, i, "Both a length and a transfer encoding: two servers can disagree where the message ends.")
			return
		}
	}
}

// funcBody returns the body of the function literal that stands behind token i, at most a few tokens away.
func (v *riskView) funcBody(i int) (from, to int) {
	for j := i; j < i+4; j++ {
		if v.name(j) != "func" || !v.sign(j+1, '(') {
			continue
		}
		end := v.close(j + 1)
		for b := end; b > 0 && b < end+12; b++ {
			if v.sign(b, '{') && v.name(b-1) != "interface" && v.name(b-1) != "struct" {
				if shut := v.close(b); shut > 0 {
					return b + 1, shut
				}
			}
		}
	}
	return 0, 0
}

func goCheckRedirect(v *riskView, i int) {
	from, to := v.funcBody(i + 1)
	for j := from; j < to; j++ {
		s := strings.ToLower(v.unquoted(j))
		if s == "authorization" || s == "cookie" || s == "x-api-key" || v.name(j) == "Header" && v.sign(j+1, '=') || v.name(j) == "SetBasicAuth" {
			v.report(ruleRedirectSecret, i, "Credentials are put on a request that another host may have redirected.")
			return
		}
	}
}

func goFormLimit(v *riskView, i int) {
	from, to := v.block(i)
	if v.sign(i+1, '(') && !v.hasName(from, to, "MaxBytesReader", "MaxBytesHandler") {
		v.note(ruleServerTimeout, i, "Nothing bounds the body: what does not fit in memory goes to the disk.")
	}
}

func goBypass(v *riskView, i int) {
	args, ok := v.call(i)
	if !ok || len(args) != 1 {
		return
	}
	for _, s := range v.strings(args[0].from, args[0].to, 0) {
		if s == "/" || strings.Contains(s, "*") || strings.HasSuffix(s, "/") || strings.Contains(s, "{") {
			v.report(ruleForgery, i, "This pattern takes whole parts of the site out of the protection.")
			return
		}
	}
	if v.originOf(args[0]) == fromInput {
		v.report(ruleForgery, i, "Input chooses what is not protected.")
	}
}

func goKeyCallback(v *riskView, i int) {
	from, to := v.funcBody(i + 1)
	if to == 0 {
		return
	}
	params := v.split(i+4, max(i+4, v.close(i+3)))
	if len(params) < 2 {
		return
	}
	key := v.text(params[1].from)
	for j := from; j+1 < to; j++ {
		if v.sign(j, '=') && !v.sign(j-1, ':') && !v.sign(j-1, '=') && !v.sign(j+1, '=') && v.name(j+1) == key {
			v.report(ruleKeyCallback, i, "The callback is asked for keys that the client then does not use; what it keeps may be another's.")
			return
		}
	}
}
