package detect

import (
	"strings"
	"sync"

	"github.com/gavel-review/gavel/internal/code"
)

var riskScript = sync.OnceValue(func() *riskPack {
	k := &riskPack{
		words: newNeedles("eval(", "Function(", "exec", "spawn", "child_process", "new Buffer", "Int8(", "Int16", "Int32", "Float", "Double", "RegExp(", "*)+", "+)+", "*)*", "+)*", "*){", "+){", "?)+", "?)*", "require(", "import", "pseudoRandomBytes", "Math.random",
			"innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "InnerHTML", "__html", "rejectUnauthorized", "TLS_REJECT", "strictSSL", "secureProtocol", "minVersion", "createHash", "createCipher", "fs.", "fs'", "fs\"", "File", "open", "unlink",
			"SELECT", "INSERT", "UPDATE", "DELETE", "select ", "insert ", "update ", "delete ", ".query(", "fetch(", "axios", "redirect(", ".send(", ".write(", "sendFile", "promises", "readdir", "mkdir", "rmdir", "stat", "Stream", "access", "Sync(", "escapeMarkup", "yaml.load", "unserialize", "setTimeout(", "createServer", "Bytes", "v-html", "bypassSecurityTrust"),
		checks: make(map[string][]riskCheck),
	}
	k.on(scriptEval, "eval", "Function", "setTimeout", "setInterval", "runInContext", "runInNewContext", "runInThisContext")
	k.on(scriptExec, "exec", "execSync", "spawn", "spawnSync", "execFile", "execFileSync")
	k.on(scriptBuffer, "Buffer")
	k.on(scriptNoAssert, "readUInt8", "readUInt16LE", "readUInt16BE", "readUInt32LE", "readUInt32BE", "readInt8", "readInt16LE", "readInt16BE", "readInt32LE", "readInt32BE", "readFloatLE", "readFloatBE", "readDoubleLE", "readDoubleBE",
		"writeUInt8", "writeUInt16LE", "writeUInt16BE", "writeUInt32LE", "writeUInt32BE", "writeInt8", "writeInt16LE", "writeInt16BE", "writeInt32LE", "writeInt32BE", "writeFloatLE", "writeFloatBE", "writeDoubleLE", "writeDoubleBE")
	k.on(scriptRegExp, "RegExp")
	k.on(scriptRegex, "/")
	k.on(scriptRequire, "require", "import")
	k.on(scriptRandom, "pseudoRandomBytes", "random")
	k.on(scriptMarkup, "innerHTML", "outerHTML", "insertAdjacentHTML", "write", "writeln", "__html", "bypassSecurityTrustHtml", "escapeMarkup")
	k.on(scriptVerify, "rejectUnauthorized", "strictSSL", "NODE_TLS_REJECT_UNAUTHORIZED")
	k.on(scriptOldTLS, "secureProtocol", "minVersion")
	k.on(scriptHash, "createHash", "createCipher", "createCipheriv", "createDecipheriv")
	k.on(scriptFile, scriptFileCalls...)
	k.on(sqlText, `"`)
	k.on(scriptQuery, "query", "execute", "raw")
	k.on(scriptFetch, "fetch", "axios", "get", "post", "request")
	k.on(scriptAnswer, "redirect", "send", "sendFile", "end")
	return k
})

// scriptFileCalls are the functions of fs whose first argument is a path.
var scriptFileCalls = []string{
	"access", "accessSync", "appendFile", "appendFileSync", "chmod", "chmodSync", "chown", "copyFile", "copyFileSync", "createReadStream", "createWriteStream", "exists", "existsSync", "lstat", "lstatSync", "mkdir", "mkdirSync",
	"open", "openSync", "opendir", "readdir", "readdirSync", "readFile", "readFileSync", "readlink", "realpath", "rename", "renameSync", "rm", "rmSync", "rmdir", "rmdirSync", "stat", "statSync", "symlink", "truncate", "unlink",
	"unlinkSync", "utimes", "watch", "watchFile", "writeFile", "writeFileSync", "outputFile", "readJson", "readJSON", "remove", "ensureDir",
}

// made reports whether the name i follows "new".
func (v *riskView) made(i int) bool { return v.name(i-1) == "new" }

func scriptEval(v *riskView, i int) {
	args, ok := v.call(i)
	if !ok || len(args) == 0 {
		return
	}
	a := args[0]
	switch v.text(i) {
	case "eval":
		if v.beforeDot(i) >= 0 && !v.of(i, "window", "global", "globalThis", "self") || v.name(i-1) == "function" {
			return
		}
	case "Function":
		if !v.made(i) {
			return
		}
		a = args[len(args)-1]
	case "setTimeout", "setInterval":
		if v.kind(a.from) != code.String || v.originOf(a) != fromInput {
			return
		}
	default:
		if !v.of(i, "vm") {
			return
		}
	}
	switch v.originOf(a) {
	case fromInput:
		v.report(ruleEval, i, "What the text says is run.")
	case fromUnknown:
		if f := v.report(ruleEval, i, "What the text says is run."); f != nil {
			f.Severity = riskLow
		}
	}
}

func scriptExec(v *riskView, i int) {
	args, ok := v.call(i)
	full := v.full(i)
	if !ok || len(args) == 0 || !strings.HasPrefix(full, "child_process.") || v.shadowed(i) {
		return
	}
	function := full[len("child_process."):]
	if function != "exec" && function != "execSync" && !v.shellOption(args) {
		return
	}
	switch v.originOf(args[0]) {
	case fromInput:
		v.report(ruleCommand, i, "Input becomes part of a shell's command line.")
	case fromUnknown:
		if f := v.report(ruleCommand, i, "A value becomes part of a shell's command line: quotes and semicolons in it are obeyed."); f != nil {
			f.Severity = riskLow
		}
	}
}

func (v *riskView) shellOption(args []riskArg) bool {
	last := args[len(args)-1]
	for j := last.from; j < last.to; j++ {
		if v.name(j) == "shell" && v.sign(j+1, ':') && v.name(j+2) == "true" {
			return true
		}
	}
	return false
}

// shadowed reports whether the name that token i hangs on was last assigned something that is no module.
func (v *riskView) shadowed(i int) bool {
	name := v.owner(i)
	if name == "" {
		return false
	}
	shadow := false
	for _, a := range v.assigned()[name] {
		if a.at < i {
			shadow = v.kind(a.from) == code.Regex || v.name(a.from) == "new"
		}
	}
	return shadow
}

func scriptBuffer(v *riskView, i int) {
	if v.made(i) && v.sign(i+1, '(') {
		v.report(ruleBuffer, i, "new Buffer(number) holds old memory; Buffer.from and Buffer.alloc say what is meant.")
	}
}

func scriptNoAssert(v *riskView, i int) {
	at := 1
	if strings.HasPrefix(v.text(i), "write") {
		at = 2
	}
	if args, ok := v.call(i); ok && v.beforeDot(i) >= 0 && v.is(argAt(args, at), "true") {
		v.report(ruleBuffer, i, "noAssert turns the bounds check off.")
	}
}

func scriptRegExp(v *riskView, i int) {
	args, ok := v.call(i)
	if !ok || len(args) == 0 || v.beforeDot(i) >= 0 && !v.of(i, "window", "global") {
		return
	}
	a := args[0]
	if a.to-a.from == 1 && v.kind(a.from) == code.String {
		if nestedRepeat(strings.ReplaceAll(v.unquoted(a.from), `\\`, `\`)) {
			v.report(ruleRegexNested, i, "Repetition inside repetition: some texts take exponential time.")
		}
		return
	}
	v.weigh(ruleRegexInput, i, v.originOf(a), "The pattern is not written here.")
}

func scriptRegex(v *riskView, i int) {
	s := v.text(i)
	if end := strings.LastIndexByte(s, '/'); end > 0 && nestedRepeat(s[1:end]) {
		v.report(ruleRegexNested, i, "Repetition inside repetition: some texts take exponential time.")
	}
}

// nestedRepeat reports whether the pattern repeats a group without bound whose own content begins or ends with an
// unbounded repetition, so that one text can be split in many ways: (a+)+, (x+x+)+, (\w*\s?)*.
func nestedRepeat(p string) bool {
	var stack []regexGroup
	stack = append(stack, regexGroup{})
	for i := 0; i < len(p); i++ {
		top := &stack[len(stack)-1]
		switch p[i] {
		case '\\':
			i++
			top.atom(false)
		case '[':
			for i++; i < len(p) && p[i] != ']'; i++ {
				if p[i] == '\\' {
					i++
				}
			}
			top.atom(false)
		case '(':
			if len(stack) > 40 {
				return false
			}
			stack = append(stack, regexGroup{})
			if strings.HasPrefix(p[i:], "(?") {
				stack[len(stack)-1].look = strings.HasPrefix(p[i:], "(?=") || strings.HasPrefix(p[i:], "(?!") || strings.HasPrefix(p[i:], "(?<")
				i += 2
				if i < len(p) && p[i] == '<' {
					i++
				}
			}
		case ')':
			if len(stack) == 1 {
				return false
			}
			group := *top
			group.finish()
			stack = stack[:len(stack)-1]
			if unbounded(p, i+1) && group.ambiguous && !group.look {
				return true
			}
			stack[len(stack)-1].atom(group.ambiguous)
		case '|':
			top.finish()
		case '*', '+', '{':
			if unbounded(p, i) {
				top.repeat()
			}
			if p[i] == '{' {
				if n := strings.IndexByte(p[i:], '}'); n > 0 {
					i += n
				}
			}
		case '?':
			top.optional()
		case '^', '$':
		default:
			top.atom(false)
		}
	}
	return false
}

// regexGroup is what a group's current branch is made of.
type regexGroup struct {
	fixed     int  // atoms that must match and are not repeated
	repeated  int  // atoms that are repeated without bound
	last      bool // the last atom is still counted as fixed
	ambiguous bool // a finished branch is nothing but repetition
	look      bool
}

func (g *regexGroup) atom(bool) { g.fixed++; g.last = true }

func (g *regexGroup) repeat() {
	if g.last {
		g.fixed--
		g.last = false
		g.repeated++
	}
}

func (g *regexGroup) optional() {
	if g.last {
		g.fixed--
		g.last = false
	}
}

func (g *regexGroup) finish() {
	if g.repeated > 0 && g.fixed == 0 {
		g.ambiguous = true
	}
	g.fixed, g.repeated, g.last = 0, 0, false
}

// unbounded reports whether a repetition without an upper bound stands at i.
func unbounded(p string, i int) bool {
	if i >= len(p) {
		return false
	}
	if p[i] == '*' || p[i] == '+' {
		return true
	}
	n := strings.IndexByte(p[i:], '}')
	return p[i] == '{' && n > 2 && p[i+n-1] == ','
}

func scriptRequire(v *riskView, i int) {
	args, ok := v.call(i)
	if !ok || len(args) == 0 || v.beforeDot(i) >= 0 || v.name(i-1) == "function" {
		return
	}
	v.weigh(ruleRequire, i, v.originOf(args[0]), "Which module is loaded is not written here.")
}

func scriptRandom(v *riskView, i int) {
	if v.text(i) == "pseudoRandomBytes" {
		v.report(ruleWeakRandom, i, "pseudoRandomBytes is deprecated; crypto.randomBytes is what cannot be guessed.")
		return
	}
	if v.of(i, "Math") && v.sign(i+1, '(') && v.secretive(i) {
		v.report(ruleWeakRandom, i, "Math.random can be predicted; what it makes is no secret.")
	}
}

func scriptMarkup(v *riskView, i int) {
	a := riskArg{}
	switch w := v.text(i); w {
	case "innerHTML", "outerHTML":
		at := i + 1
		if v.sign(at, '+') {
			at++
		}
		if v.beforeDot(i) < 0 && !v.sign(i-1, '.') || !v.sign(at, '=') || v.sign(at+1, '=') {
			return
		}
		a = riskArg{from: at + 1, to: v.statementEnd(at + 1)}
	case "__html":
		if !v.sign(i+1, ':') {
			return
		}
		a = riskArg{from: i + 2, to: v.statementEnd(i + 2)}
	case "escapeMarkup":
		if v.sign(i+1, '=') && v.name(i+2) == "false" {
			v.report(ruleMarkup, i, "Templates no longer escape what they are given.")
		}
		return
	default:
		args, ok := v.call(i)
		if !ok || len(args) == 0 || strings.HasPrefix(w, "write") && !v.of(i, "document") {
			return
		}
		a = args[len(args)-1]
	}
	v.weigh(ruleMarkup, i, v.originOf(a), "The value is taken for markup.")
}

func scriptVerify(v *riskView, i int) {
	value := v.text(i + 2)
	if v.sign(i+1, ']') {
		value = v.text(i + 3)
	}
	if !(v.sign(i+1, ':') || v.sign(i+1, '=') && !v.sign(i+2, '=')) {
		return
	}
	if value == "false" || v.text(i)[0] == 'N' && strings.Trim(value, `"'`) == "0" {
		v.report(ruleTLSVerify, i, "The certificate of the other side is not checked: anyone on the way can read and change the traffic.")
	}
}

func scriptOldTLS(v *riskView, i int) {
	if !v.sign(i+1, ':') && !v.sign(i+1, '=') {
		return
	}
	switch v.unquoted(i + 2) {
	case "TLSv1", "TLSv1.1", "SSLv3_method", "SSLv2_method", "TLSv1_method", "TLSv1_1_method", "SSLv23_method":
		v.report(ruleTLSVersion, i, "TLS versions below 1.2 are broken and are no longer to be offered.")
	}
}

func scriptHash(v *riskView, i int) {
	args, ok := v.call(i)
	if !ok || len(args) == 0 {
		return
	}
	name := strings.ToLower(v.unquoted(args[0].from))
	if v.text(i) == "createHash" {
		if oneWord(name, "md5", "sha1", "md4", "ripemd160") {
			weakHash(v, i, name)
		}
		return
	}
	if strings.HasPrefix(name, "des") || strings.HasPrefix(name, "rc4") || strings.HasPrefix(name, "bf") || strings.HasSuffix(name, "-ecb") {
		v.report(ruleWeakCipher, i, name+" is broken.")
	} else if v.text(i) == "createCipher" && v.beforeDot(i) >= 0 {
		v.report(ruleWeakCipher, i, "createCipher derives a weak key and has no initialisation vector.")
	}
}

func scriptFile(v *riskView, i int) {
	args, ok := v.call(i)
	if !ok || len(args) == 0 {
		return
	}
	full := v.full(i)
	module, _, _ := strings.Cut(full, ".")
	if !oneWord(module, "fs", "fs/promises", "fs-extra", "graceful-fs", "promises") || full == v.text(i) {
		return
	}
	v.weigh(rulePath, i, v.originOf(args[0]), "The path is not written here: \"../\" in it leads out of the folder.")
}

func scriptQuery(v *riskView, i int) {
	args, ok := v.call(i)
	if ok && len(args) > 0 && v.beforeDot(i) >= 0 && v.originOf(args[0]) == fromInput && v.sqlIn(args[0], 0) {
		v.report(ruleSQL, i, sqlMessage)
	}
}

// sqlIn reports whether the argument holds a statement.
func (v *riskView) sqlIn(a riskArg, depth int) bool {
	for _, s := range v.strings(a.from, a.to, depth) {
		if sqlStatement(s) {
			return true
		}
	}
	return false
}

func scriptFetch(v *riskView, i int) {
	args, ok := v.call(i)
	if !ok || len(args) == 0 {
		return
	}
	switch w := v.text(i); {
	case (w == "fetch" || w == "axios") && (v.beforeDot(i) < 0 || v.of(i, "window")):
	case v.of(i, "axios", "got", "superagent", "needle", "http", "https"):
	default:
		return
	}
	if a := args[0]; v.originOf(a) == fromInput && !v.hasName(a.from, a.to, "env", "location") && !v.environmentScript(a) {
		v.report(ruleRequestURL, i, "Input chooses where the request goes.")
	}
}

// environmentScript reports whether what the argument holds comes from the environment.
func (v *riskView) environmentScript(a riskArg) bool {
	for i := a.from; i < a.to; i++ {
		for _, x := range v.assigned()[v.name(i)] {
			if v.hasName(x.from, x.to, "process", "location") {
				return true
			}
		}
	}
	return false
}

func scriptAnswer(v *riskView, i int) {
	args, ok := v.call(i)
	if !ok || len(args) == 0 || !v.of(i, "res", "response") {
		return
	}
	a := args[len(args)-1]
	if v.text(i) == "sendFile" {
		a = args[0]
	}
	if v.originOf(a) != fromInput {
		return
	}
	switch v.text(i) {
	case "redirect":
		v.report(ruleRedirect, i, "Input chooses where the browser goes next.")
	case "sendFile":
		if !v.hasName(args[len(args)-1].from, args[len(args)-1].to, "root") {
			v.report(rulePath, i, "Input names the file.")
		}
	case "send", "end":
		if strings.Contains(strings.Join(v.strings(a.from, a.to, 0), ""), "<") {
			v.report(ruleMarkup, i, "Input is written to the page as it is.")
		}
	}
}
