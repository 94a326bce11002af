package detect

import (
	"strconv"
	"strings"
	"sync"

	"github.com/gavel-review/gavel/internal/code"
)

var riskPython = sync.OnceValue(func() *riskPack {
	k := &riskPack{
		words: newNeedles("eval(", "exec", "0.0.0.0", "/tmp", "/dev/shm", "chmod(", "requests.", "httpx.", "extractall", "ickle", "marshal.", "shelve", "dill", "hashlib", "crypt", "MD5", "SHA1", "md5", "sha1",
			"ARC", "Blowfish", "DES", "IDEA", "CAST5", "SEED", "ECB", "mark_safe", "Markup", "urlopen", "urlretrieve", "Request", "URLopener", "FancyURL", "random", "telnetlib", "Telnet", "ftplib", "FTP", "xml", "pyghmi",
			"Crypto", "_create_unverified", "CERT_NONE", "check_hostname", "verify", "ssl=", "ssl =", "PROTOCOL_", "_METHOD", "TLSv1", "wrap_socket", "key_size", ".generate(", "generate_private_key", "SECP1", "yaml.load", "load(",
			"set_missing_host_key_policy", "CommunityData", "UsmUserData", "shell", "os.", "popen", "commands.", "subprocess.", "getoutput", "SELECT", "INSERT", "UPDATE", "DELETE", "select ", "insert ", "update ", "delete ",
			".extra(", "RawSQL", "listen(", "Environment(", "Template(", "debug=", "debug =", "mktemp", "open(", "system(", "Popen", "wsgiref", "sha(", "spawn", "tempnam", "tmpnam"),
		checks: make(map[string][]riskCheck),
	}
	k.on(pythonEval, "eval", "exec")
	k.on(pythonText, `"`)
	k.on(sqlText, `"`)
	k.on(pythonMode, "chmod", "mkdir", "makedirs")
	k.on(pythonTimeout, "get", "post", "put", "delete", "patch", "options", "head", "request", "Client", "AsyncClient")
	k.on(pythonExtract, "extractall")
	k.on(pythonPickle, "load", "loads", "Unpickler", "open", "read_pickle", "decode")
	k.on(pythonHash, "md4", "md5", "sha", "sha1", "new", "crypt", "mksalt", "MD5", "SHA1")
	k.on(pythonCipher, "new", "ARC4", "Blowfish", "IDEA", "TripleDES", "CAST5", "SEED", "ECB")
	k.on(pythonMarkup, "mark_safe", "Markup")
	k.on(pythonURL, "urlopen", "urlretrieve", "Request", "open", "URLopener", "FancyURLopener")
	k.on(pythonFetch, "get", "post", "put", "delete", "patch", "head", "request")
	k.on(pythonRandom, "random", "randrange", "randint", "choice", "choices", "uniform", "triangular", "randbytes", "Random", "getrandbits", "sample", "shuffle")
	k.on(pythonImport, "import")
	k.on(pythonXML, "parse", "parseString", "fromstring", "iterparse", "XMLParser", "make_parser", "create_parser", "XMLTreeBuilder", "RestrictedElement", "GlobalParserTLS")
	k.on(pythonCleartext, "Telnet", "FTP")
	pythonTransport(k)
	pythonProcesses(k)
	k.on(pythonFile, "open")
	k.on(pythonTempName, "mktemp", "tempnam", "tmpnam")
	k.on(pythonDjango, "extra", "RawSQL")
	k.on(pythonListen, "listen")
	k.on(pythonTemplate, "Environment", "Template", "render_template_string")
	k.on(pythonDebug, "debug")
	return k
})

func pythonEval(v *riskView, i int) {
	args, ok := v.call(i)
	if !ok || v.beforeDot(i) >= 0 || v.name(i-1) == "def" {
		return
	}
	o := fromLiteral
	if len(args) > 0 {
		o = v.originOf(args[0])
	}
	const message = "What the text says is run."
	switch {
	case o == fromInput:
		v.report(ruleEval, i, message)
	case o == fromUnknown:
		if f := v.report(ruleEval, i, message); f != nil {
			f.Severity = riskLow
		}
	case v.text(i) == "exec":
		v.note(ruleEval, i, message)
	}
}

// pythonText looks at literals that are an address or a path.
func pythonText(v *riskView, i int) {
	raw := v.text(i)
	if raw[0] == 't' || raw[0] == 'T' {
		return
	}
	switch s := v.unquoted(i); {
	case s == "0.0.0.0" || s == "::":
		if s == "0.0.0.0" && !v.compared(i) {
			v.note(ruleBindAll, i, "The port is open on every network of the machine.")
		}
	case strings.HasPrefix(s, "/tmp/"), strings.HasPrefix(s, "/var/tmp/"), strings.HasPrefix(s, "/dev/shm/"):
		if v.sign(i-1, '=') && v.name(i-2) == "dir" || v.kind(i-1) == code.String {
			return
		}
		if v.sign(i-1, '(') && oneWord(v.name(i-2), "open", "Path", "touch", "mkdir", "makedirs") {
			v.report(ruleTempFile, i, tempMessage)
		} else {
			v.note(ruleTempFile, i, tempMessage)
		}
	}
}

func pythonMode(v *riskView, i int) {
	args, ok := v.call(i)
	if !ok {
		return
	}
	a := argAt(args, 1, "mode")
	if v.owner(i) != "os" && v.text(i) == "chmod" {
		a = argAt(args, 0, "mode")
	}
	most := int64(0o644)
	if v.text(i) != "chmod" {
		most = 0o755
		a = argAt(args, -1, "mode")
	}
	for _, m := range v.pythonNumbers(a) {
		if m&0o020 != 0 || m&0o002 != 0 || m&0o011 != 0 && v.text(i) == "chmod" {
			fileMode(v, i, m, most&0o700)
		}
	}
	if v.hasName(a.from, a.to, "S_IRWXO", "S_IWOTH") {
		fileMode(v, i, 0o777, most)
	}
}

// pythonNumbers reads 0o777 and its kind.
func (v *riskView) pythonNumbers(a riskArg) []int64 {
	if a.to-a.from == 1 && v.kind(a.from) == code.Number {
		if n, err := strconv.ParseInt(v.text(a.from), 0, 64); err == nil {
			return []int64{n}
		}
	}
	return v.numbers(a.from, a.to, 0)
}

func pythonTimeout(v *riskView, i int) {
	if !v.of(i, "requests", "httpx") {
		return
	}
	args, ok := v.call(i)
	if !ok {
		return
	}
	t := argAt(args, -1, "timeout")
	switch {
	case v.is(t, "None"), t.empty() && v.of(i, "requests") && !v.splat(args):
		v.report(ruleRequestTimeout, i, "A server that does not answer blocks this call for ever.")
	}
}

// splat reports whether arguments come out of a variable.
func (v *riskView) splat(args []riskArg) bool {
	for _, a := range args {
		if v.sign(a.from, '*') && v.sign(a.from+1, '*') {
			return true
		}
	}
	return false
}

func pythonExtract(v *riskView, i int) {
	args, ok := v.call(i)
	if !ok || v.imports()["tarfile"] == "" {
		return
	}
	if f := argAt(args, -1, "filter"); !f.empty() && v.unquoted(f.from) != "fully_trusted" {
		return
	}
	for _, a := range v.assigned()[v.owner(i)] {
		if v.hasName(a.from, a.to, "ZipFile", "zipfile") {
			return
		}
	}
	v.report(ruleArchivePath, i, "Without filter=\"data\" the archive writes wherever it wants.")
}

func pythonPickle(v *riskView, i int) {
	args, ok := v.call(i)
	if !ok {
		return
	}
	full := v.full(i)
	module, _, _ := strings.Cut(full, ".")
	switch module {
	case "pickle", "cPickle", "_pickle", "dill", "marshal", "cloudpickle", "joblib":
		if !oneWord(v.text(i), "load", "loads", "Unpickler") {
			return
		}
	case "jsonpickle":
		if v.text(i) != "decode" {
			return
		}
	case "shelve":
		if v.text(i) != "open" {
			return
		}
	case "pandas", "pd":
		if v.text(i) != "read_pickle" {
			return
		}
	case "yaml":
		if v.text(i) == "load" {
			v.pythonYAML(i, args)
		}
		return
	default:
		return
	}
	o := fromUnknown
	if len(args) > 0 {
		o = v.originOf(args[0])
	}
	if f := v.report(ruleDeserialise, i, "Whoever wrote the data chooses what is run here."); f != nil && o != fromInput {
		f.Severity = riskLow
	}
}

func (v *riskView) pythonYAML(i int, args []riskArg) {
	a := argAt(args, 1, "Loader")
	if !a.empty() {
		full := v.full(a.to - 1)
		if strings.HasSuffix(full, ".SafeLoader") || strings.HasSuffix(full, ".CSafeLoader") || full == "SafeLoader" || full == "CSafeLoader" {
			return
		}
		if strings.HasSuffix(full, "BaseLoader") {
			v.note(ruleDeserialise, i, "The loader is not one of the safe ones.")
			return
		}
		if v.kind(a.from) == code.Ident && !strings.HasSuffix(full, "Loader") {
			v.note(ruleDeserialise, i, "Be sure that the loader is a safe one.")
			return
		}
	}
	v.report(ruleDeserialise, i, "The full loader makes any object that the text names.")
}

func pythonHash(v *riskView, i int) {
	args, ok := v.call(i)
	if !ok {
		return
	}
	if v.is(argAt(args, -1, "usedforsecurity"), "False") {
		return
	}
	full := v.full(i)
	switch {
	case oneWord(full, "hashlib.md4", "hashlib.md5", "hashlib.sha", "hashlib.sha1"), strings.HasPrefix(full, "Crypto.Hash.") && (strings.Contains(full, "MD") || strings.HasSuffix(full, "SHA.new")),
		strings.HasSuffix(full, "hashes.MD5"), strings.HasSuffix(full, "hashes.SHA1"):
		weakHash(v, i, full)
	case full == "hashlib.new":
		a := argAt(args, 0, "name")
		if !a.empty() {
			if alg := strings.ToLower(v.unquoted(a.from)); oneWord(alg, "md4", "md5", "sha", "sha1", "md5-sha1", "mdc2") {
				weakHash(v, i, alg)
			}
		}
	case full == "crypt.crypt" || full == "crypt.mksalt":
		for _, a := range args {
			if v.hasName(a.from, a.to, "METHOD_CRYPT", "METHOD_MD5", "METHOD_BLOWFISH") {
				weakHash(v, i, v.last(a))
			}
		}
	}
}

func pythonCipher(v *riskView, i int) {
	if !v.sign(i+1, '(') {
		return
	}
	full := v.full(i)
	switch {
	case strings.HasPrefix(full, "Crypto") && strings.Contains(full, ".Cipher.") && oneWord(v.owner(i), "ARC2", "ARC4", "Blowfish", "DES", "DES3", "XOR", "CAST"),
		strings.HasSuffix(full, "algorithms."+v.text(i)), strings.HasSuffix(full, "modes.ECB"), strings.HasPrefix(full, "Crypto") && strings.Contains(full, ".Cipher.") && weakCipherName(full):
		v.report(ruleWeakCipher, i, v.text(i)+" is broken.")
	}
}

func weakCipherName(full string) bool {
	for _, n := range []string{".ARC2.", ".ARC4.", ".Blowfish.", ".DES.", ".DES3.", ".XOR.", ".CAST."} {
		if strings.Contains(full, n) {
			return true
		}
	}
	return false
}

func pythonMarkup(v *riskView, i int) {
	args, ok := v.call(i)
	if ok && len(args) > 0 && v.name(i-1) != "def" && v.name(i-1) != "class" {
		v.weigh(ruleMarkup, i, v.originOf(args[0]), "The value is taken for markup that is safe.")
	}
}

func pythonURL(v *riskView, i int) {
	args, ok := v.call(i)
	if !ok {
		return
	}
	full := v.full(i)
	if v.text(i) == "open" {
		opener := v.sign(i-1, '.') && v.sign(i-2, ')') && oneWord(v.name(i-4), "URLopener", "FancyURLopener")
		if opener {
			v.note(ruleRequestURL, i, "URLopener opens files too, and is deprecated.")
		}
		return
	}
	if !strings.HasPrefix(full, "urllib") && !strings.HasPrefix(full, "six.moves.urllib") || oneWord(v.text(i), "URLopener", "FancyURLopener") {
		return
	}
	o := v.originOf(argAt(args, 0, "url"))
	if v.splat(args) && o == fromLiteral {
		o = fromUnknown
	}
	for _, s := range v.strings(argAt(args, 0, "url").from, argAt(args, 0, "url").to, 0) {
		if strings.HasPrefix(strings.ToLower(s), "file:") {
			o = max(o, fromUnknown)
		}
	}
	v.weigh(ruleRequestURL, i, o, "urllib opens file: addresses too: check the scheme of what is not written here.")
}

func pythonFetch(v *riskView, i int) {
	args, ok := v.call(i)
	if !ok || !v.of(i, "requests", "httpx") || len(args) == 0 {
		return
	}
	at := 0
	if v.text(i) == "request" {
		at = 1
	}
	if v.originOf(argAt(args, at, "url")) == fromInput && !v.environment(args[0], 0) {
		v.report(ruleRequestURL, i, "Input chooses where the request goes.")
	}
}

func pythonRandom(v *riskView, i int) {
	if !v.sign(i+1, '(') {
		return
	}
	if full := v.full(i); full != "random."+v.text(i) {
		return
	}
	if v.secretive(i) {
		v.report(ruleWeakRandom, i, "random can be predicted; what it makes is no secret.")
		return
	}
	v.note(ruleWeakRandom, i, "random can be predicted: not for anything that must not be guessed.")
}

func pythonFile(v *riskView, i int) {
	args, ok := v.call(i)
	if !ok || v.beforeDot(i) >= 0 && !v.of(i, "io", "os", "codecs") || len(args) == 0 {
		return
	}
	if v.originOf(args[0]) == fromInput && v.requested(args[0], 0) {
		v.report(rulePath, i, "Input names the file: \"../\" in it leads out of the folder.")
	}
}

// requested reports whether the argument comes from a request rather than from the command line or the environment.
func (v *riskView) requested(a riskArg, depth int) bool {
	for i := a.from; i < a.to; i++ {
		switch w := v.name(i); {
		case w == "request" || w == "req":
			return true
		case w != "" && v.beforeDot(i) < 0 && depth < 4:
			scope := v.scope(i)
			for _, x := range v.assigned()[w] {
				if x.scope == scope && x.at < i && v.requested(riskArg{from: x.from, to: x.to}, depth+1) {
					return true
				}
			}
		case v.kind(i) == code.String && strings.Contains(v.text(i), "{request."):
			return true
		}
	}
	return false
}

func pythonTempName(v *riskView, i int) {
	if full := v.full(i); v.sign(i+1, '(') && oneWord(full, "tempfile.mktemp", "os.tempnam", "os.tmpnam") {
		v.report(ruleTempFile, i, "The name is known before the file is there: another user can put a link there first.")
	}
}

func pythonDjango(v *riskView, i int) {
	args, ok := v.call(i)
	if !ok || v.text(i) == "extra" && v.beforeDot(i) < 0 && !v.sign(i-1, '.') || v.name(i-1) == "def" {
		return
	}
	if v.text(i) == "extra" && v.pass != nil && !strings.Contains(v.src.Text, "django") {
		return
	}
	for _, a := range args {
		if a.name == "params" || v.text(i) == "RawSQL" && a.name == "" && a.from != args[0].from {
			continue
		}
		o := v.originOf(a)
		if o == fromInput {
			v.report(ruleSQL, i, sqlMessage)
			return
		}
		if o == fromUnknown || !v.plain(a) {
			v.note(ruleSQL, i, sqlMessage)
			return
		}
	}
}

// plain reports whether the argument is made of literals alone, without formatting or variables.
func (v *riskView) plain(a riskArg) bool {
	for i := a.from; i < a.to; i++ {
		if v.kind(i) == code.Ident || v.sign(i, '%') || v.sign(i, '+') {
			return false
		}
	}
	return true
}

func pythonListen(v *riskView, i int) {
	args, ok := v.call(i)
	if ok && v.full(i) == "logging.config.listen" && argAt(args, 1, "verify").empty() {
		v.note(ruleEval, i, "Whoever can reach the port sends configuration, and with it code.")
	}
}

func pythonTemplate(v *riskView, i int) {
	args, ok := v.call(i)
	if !ok {
		return
	}
	full := v.full(i)
	switch {
	case full == "jinja2.Environment":
		a := argAt(args, -1, "autoescape")
		if v.is(a, "True") || v.hasName(a.from, a.to, "select_autoescape") {
			return
		}
		at := i
		if !a.empty() {
			at = a.from - 2
		}
		v.note(ruleMarkup, at, "Values go into the templates of this environment unescaped.")
	case full == "mako.template.Template":
		if argAt(args, -1, "default_filters").empty() {
			v.note(ruleMarkup, i, "Mako escapes nothing by itself.")
		}
	case v.text(i) == "render_template_string" || full == "jinja2.Template":
		if len(args) > 0 && v.originOf(args[0]) == fromInput {
			v.report(ruleMarkup, i, "Input becomes the template.")
		}
	}
}

func pythonDebug(v *riskView, i int) {
	if !v.sign(i+1, '=') || v.name(i+2) != "True" || !v.sign(i-1, '(') && !v.sign(i-1, ',') {
		return
	}
	for j := i; j > 0 && i-j < 30; j-- {
		if v.name(j) == "run" && v.sign(j+1, '(') && strings.Contains(v.src.Text, "lask") {
			v.report(ruleDebug, i, "The debugger of Flask runs any code for whoever reaches the page.")
			return
		}
	}
}
