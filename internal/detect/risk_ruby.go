package detect

import (
	"strings"
	"sync"

	"github.com/gavel-review/gavel/internal/code"
)

var riskRuby = sync.OnceValue(func() *riskPack {
	k := &riskPack{
		words:  newNeedles("eval", "system", "exec", "= `", "  `", "(`#", "send(", "YAML.load", "Marshal.load", "VERIFY_NONE", "html_safe", "raw(", "redirect_to", "Digest::", "rand", "SELECT", "INSERT", "UPDATE", "DELETE", "select ", "update ", "delete ", "where(", "find_by_sql", "params", "constantize", "protect_from_forgery", "IO.popen", "chmod"),
		checks: make(map[string][]riskCheck),
	}
	k.on(rubyEval, "eval", "instance_eval", "class_eval", "module_eval")
	k.on(rubySystem, "system", "exec", "popen", "spawn")
	k.on(rubyBackticks, `"`)
	k.on(rubySend, "send", "public_send", "constantize", "const_get")
	k.on(rubyLoad, "load")
	k.on(rubyVerify, "VERIFY_NONE")
	k.on(rubyMarkup, "html_safe", "raw")
	k.on(rubyRedirect, "redirect_to")
	k.on(rubyHash, "MD5", "SHA1")
	k.on(rubyRandom, "rand")
	k.on(rubyFile, "open", "read", "readlines", "send_file", "render")
	k.on(rubyWhere, "where", "order", "find_by_sql", "execute", "exists", "having", "joins", "pluck")
	k.on(sqlText, `"`)
	return k
})

// rest returns the arguments of a call with or without brackets.
func (v *riskView) rest(i int) []riskArg {
	if args, ok := v.call(i); ok {
		return args
	}
	if i+1 < len(v.tokens) && v.tokens[i+1].Line == v.tokens[i].Line && (v.kind(i+1) == code.String || v.kind(i+1) == code.Ident) {
		return v.split(i+1, v.statementEnd(i+1))
	}
	return nil
}

func rubyEval(v *riskView, i int) {
	args := v.rest(i)
	if len(args) > 0 && v.name(i-1) != "def" {
		v.weigh(ruleEval, i, v.originOf(args[0]), "What the text says is run.")
	}
}

func rubySystem(v *riskView, i int) {
	if v.beforeDot(i) >= 0 && !v.of(i, "Kernel", "IO", "Open3", "Process") || v.name(i-1) == "def" {
		return
	}
	if args := v.rest(i); len(args) == 1 { // several arguments need no shell
		v.weigh(ruleCommand, i, v.originOf(args[0]), "A value becomes part of a shell's command line.")
	}
}

func rubyBackticks(v *riskView, i int) {
	if strings.HasPrefix(v.text(i), "`") {
		v.weigh(ruleCommand, i, v.traceString(i, 0), "A value becomes part of a shell's command line.")
	}
}

func rubySend(v *riskView, i int) {
	if strings.HasSuffix(v.text(i), "constantize") {
		from, _ := v.onLine(v.tokens[i].Line)
		if v.hasName(from, i, "params") {
			v.report(ruleEval, i, "Input chooses the class.")
		}
		return
	}
	if args := v.rest(i); len(args) > 0 && v.originOf(args[0]) == fromInput {
		v.report(ruleEval, i, "Input chooses the method.")
	}
}

func rubyLoad(v *riskView, i int) {
	args := v.rest(i)
	if len(args) == 0 {
		return
	}
	switch v.owner(i) {
	case "YAML", "Psych":
		v.weigh(ruleDeserialise, i, max(v.originOf(args[0]), fromUnknown), "Before Psych 4 this makes any object that the text names.")
	case "Marshal":
		f := v.report(ruleDeserialise, i, "Whoever wrote the data chooses what is made here.")
		if f != nil && v.originOf(args[0]) != fromInput {
			f.Severity = riskLow
		}
	}
}

func rubyVerify(v *riskView, i int) {
	if !v.compared(i) {
		v.report(ruleTLSVerify, i, "The certificate of the other side is not checked.")
	}
}

func rubyMarkup(v *riskView, i int) {
	if v.text(i) == "raw" {
		if args := v.rest(i); len(args) > 0 && v.beforeDot(i) < 0 {
			v.weigh(ruleMarkup, i, v.originOf(args[0]), "The value is taken for markup that is safe.")
		}
		return
	}
	b := v.beforeDot(i)
	if b < 0 {
		return
	}
	from, _ := v.onLine(v.tokens[i].Line)
	o := fromUnknown
	if v.kind(b) == code.String {
		o = v.traceString(b, 0)
	} else if v.hasName(from, i, "params", "cookies") {
		o = fromInput
	}
	v.weigh(ruleMarkup, i, o, "The value is taken for markup that is safe.")
}

func rubyRedirect(v *riskView, i int) {
	if args := v.rest(i); len(args) > 0 && v.originOf(args[0]) == fromInput {
		v.report(ruleRedirect, i, "Input chooses where the browser goes next.")
	}
}

func rubyHash(v *riskView, i int) {
	if v.of(i, "Digest") && (v.sign(i+1, '.') || v.sign(i+1, '(')) {
		weakHash(v, i, v.text(i))
	}
}

func rubyRandom(v *riskView, i int) {
	if (v.beforeDot(i) < 0 || v.of(i, "Random", "Kernel")) && v.secretive(i) && v.name(i-1) != "def" {
		v.report(ruleWeakRandom, i, "rand can be predicted; SecureRandom cannot.")
	}
}

func rubyFile(v *riskView, i int) {
	if !v.of(i, "File", "IO", "Pathname") && v.text(i) != "send_file" || v.text(i) == "render" {
		return
	}
	if args := v.rest(i); len(args) > 0 && v.originOf(args[0]) == fromInput && !v.hasName(args[0].from, args[0].to, "ENV", "ARGV") {
		v.report(rulePath, i, "Input names the file: \"../\" in it leads out of the folder.")
	}
}

func rubyWhere(v *riskView, i int) {
	args := v.rest(i)
	if len(args) == 0 || v.kind(args[0].from) != code.String {
		return
	}
	v.weigh(ruleSQL, i, v.traceString(args[0].from, 0), sqlMessage)
}
