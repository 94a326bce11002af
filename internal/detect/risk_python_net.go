package detect

import (
	"strings"

	"github.com/gavel-review/gavel/internal/code"
)

// pythonTransport adds what concerns connections.
func pythonTransport(k *riskPack) {
	k.on(pythonVerify, "verify", "verify_ssl", "ssl", "check_hostname")
	k.on(pythonUnverified, "_create_unverified_context", "CERT_NONE")
	k.on(pythonOldTLS, "PROTOCOL_SSLv2", "PROTOCOL_SSLv3", "PROTOCOL_TLSv1", "PROTOCOL_TLSv1_1", "SSLv2_METHOD", "SSLv23_METHOD", "SSLv3_METHOD", "TLSv1_METHOD", "TLSv1_1_METHOD", "TLSv1", "TLSv1_1", "SSLv3")
	k.on(pythonWrapSocket, "wrap_socket")
	k.on(pythonKeySize, "generate_private_key", "generate", "SECP192R1", "SECT163K1", "SECT163R2")
	k.on(pythonHostKey, "set_missing_host_key_policy")
	k.on(pythonSNMP, "CommunityData", "UsmUserData")
}

func pythonVerify(v *riskView, i int) {
	if !v.sign(i+1, '=') || v.sign(i+2, '=') || v.name(i+2) != "False" {
		return
	}
	switch v.text(i) {
	case "check_hostname":
	case "ssl":
		if !strings.Contains(v.src.Text, "aiohttp") || v.beforeDot(i) >= 0 {
			return
		}
	default:
		if !v.sign(i-1, '(') && !v.sign(i-1, ',') && v.beforeDot(i) < 0 || !v.speaksHTTP() {
			return
		}
	}
	v.report(ruleTLSVerify, i, "The certificate of the other side is not checked: anyone on the way can read and change the traffic.")
}

// speaksHTTP reports whether the file names a library whose verify= is about certificates.
func (v *riskView) speaksHTTP() bool {
	for _, w := range []string{"requests", "httpx", "aiohttp", "urllib3", "boto", "session", "Session"} {
		if strings.Contains(v.src.Text, w) {
			return true
		}
	}
	return false
}

func pythonUnverified(v *riskView, i int) {
	if v.text(i) == "CERT_NONE" && (!v.of(i, "ssl") || v.compared(i)) {
		return
	}
	if v.text(i) == "CERT_NONE" || v.of(i, "ssl") || v.sign(i+1, '(') {
		v.report(ruleTLSVerify, i, "The certificate of the other side is not checked: anyone on the way can read and change the traffic.")
	}
}

func pythonOldTLS(v *riskView, i int) {
	if v.compared(i) || v.name(i-1) == "import" || strings.HasPrefix(v.text(i), "TLSv1") && !strings.HasSuffix(v.text(i), "METHOD") && !v.of(i, "TLSVersion") {
		return
	}
	if v.text(i) == "SSLv3" && !v.of(i, "TLSVersion") || v.beforeDot(i) < 0 && v.imports()[v.text(i)] == "" {
		return
	}
	v.report(ruleTLSVersion, i, "TLS versions below 1.2 are broken and are no longer to be offered.")
}

func pythonWrapSocket(v *riskView, i int) {
	args, ok := v.call(i)
	if ok && v.name(i-1) != "def" && v.full(i) == "ssl.wrap_socket" && argAt(args, -1, "ssl_version").empty() {
		v.report(ruleTLSVersion, i, "ssl.wrap_socket takes whatever version the other side offers, and checks no host name.")
	}
}

func pythonKeySize(v *riskView, i int) {
	if strings.HasPrefix(v.text(i), "SEC") {
		if v.beforeDot(i) >= 0 {
			v.report(ruleWeakKey, i, "This curve is too small.")
		}
		return
	}
	args, ok := v.call(i)
	full := v.full(i)
	if !ok || !oneWord(v.owner(i), "rsa", "dsa", "RSA", "DSA") && !strings.Contains(full, ".rsa.") && !strings.Contains(full, ".dsa.") {
		return
	}
	a := argAt(args, -1, "key_size", "bits")
	if a.empty() {
		at := 1
		if oneWord(v.owner(i), "dsa", "RSA", "DSA") {
			at = 0
		}
		a = argAt(args, at)
	}
	for _, n := range v.pythonNumbers(a) {
		if n < 2048 {
			v.report(ruleWeakKey, i, "A key of less than 2048 bits can be broken.")
		}
	}
}

func pythonHostKey(v *riskView, i int) {
	args, ok := v.call(i)
	if ok && len(args) > 0 && v.hasName(args[0].from, args[0].to, "AutoAddPolicy", "WarningPolicy") {
		v.report(ruleHostKey, i, "Whoever answers is believed.")
	}
}

func pythonSNMP(v *riskView, i int) {
	args, ok := v.call(i)
	if !ok || !strings.Contains(v.src.Text, "pysnmp") {
		return
	}
	if v.text(i) == "CommunityData" {
		if v.is(argAt(args, -1, "mpModel"), "0", "1") {
			v.report(ruleCleartext, i, "SNMP versions 1 and 2 send everything readably.")
		}
		return
	}
	if len(args) < 3 {
		v.report(ruleCleartext, i, "Without keys for authentication and privacy SNMP version 3 sends everything readably.")
	}
}

// pythonImport looks at the modules of an import statement.
func pythonImport(v *riskView, i int) {
	module := ""
	if v.tokens[i].Line != v.tokens[max(i-1, 0)].Line || i == 0 {
		full, j := v.pythonDotted(i + 1)
		module = full
		_ = j
	} else {
		for j := i - 1; j >= 0 && v.tokens[j].Line == v.tokens[i].Line; j-- {
			if v.name(j) == "from" {
				module, _ = v.pythonDotted(j + 1)
				if module == "xml" || module == "xml.dom" || module == "xml.etree" || module == "wsgiref" {
					module += "." + v.name(i+1)
				}
			}
		}
	}
	head, rest, _ := strings.Cut(module, ".")
	switch head {
	case "telnetlib", "ftplib", "pyghmi":
		v.note(ruleCleartext, i, head+" sends passwords readably.")
	case "xml":
		if rest != "" && !strings.HasPrefix(rest, "sax.saxutils") {
			v.note(ruleXML, i, "The parsers of the standard library are no match for hostile documents.")
		}
	case "lxml", "xmlrpc", "xmlrpclib":
		v.note(ruleXML, i, head+" follows entities unless it is told not to.")
	case "Crypto":
		v.note(ruleLibrary, i, "pyCrypto is no longer kept.")
	case "wsgiref":
		if strings.Contains(rest, "CGIHandler") {
			v.note(ruleDebug, i, "CGI passes request headers on as environment variables.")
		}
	}
}

func pythonXML(v *riskView, i int) {
	if !v.sign(i+1, '(') {
		return
	}
	if full := v.full(i); strings.HasPrefix(full, "xml.") || strings.HasPrefix(full, "lxml.") {
		v.note(ruleXML, i, "This parser is no match for hostile documents.")
	}
}

func pythonCleartext(v *riskView, i int) {
	if full := v.full(i); v.sign(i+1, '(') && (strings.HasPrefix(full, "telnetlib.") || strings.HasPrefix(full, "ftplib.")) && full != "ftplib.FTP_TLS" {
		v.report(ruleCleartext, i, "Passwords go over the wire readably.")
	}
}

// pythonProcesses adds what concerns other programs.
func pythonProcesses(k *riskPack) {
	k.on(pythonShell, "shell")
	k.on(pythonSystem, "system", "popen", "popen2", "popen3", "popen4", "Popen3", "Popen4", "getoutput", "getstatusoutput", "exec_command", "create_subprocess_shell")
	k.on(pythonExec, "execl", "execle", "execlp", "execlpe", "execv", "execve", "execvp", "execvpe", "spawnl", "spawnle", "spawnlp", "spawnlpe", "spawnv", "spawnve", "spawnvp", "spawnvpe", "startfile")
	k.on(pythonRun, "run", "call", "check_call", "check_output", "Popen")
}

func pythonShell(v *riskView, i int) {
	if !v.sign(i+1, '=') || v.sign(i+2, '=') || !v.sign(i-1, '(') && !v.sign(i-1, ',') {
		return
	}
	if !v.sign(i+2, '(') && !oneWord(v.text(i+2), "True", "lambda", "1") && v.kind(i+2) != code.String {
		return
	}
	open := i
	for depth := 0; open > 0 && i-open < riskReach; open-- {
		if v.sign(open, ')') || v.sign(open, ']') || v.sign(open, '}') {
			depth++
		}
		if v.sign(open, '(') || v.sign(open, '[') || v.sign(open, '{') {
			if depth--; depth < 0 {
				break
			}
		}
	}
	if v.name(open-2) == "def" || !v.sign(open, '(') {
		return
	}
	args := v.split(open+1, max(open+1, v.close(open)))
	o := fromLiteral
	if len(args) > 0 && args[0].name == "" || !argAt(args, -1, "args", "command", "cmd").empty() {
		o = v.originOf(argAt(args, 0, "args", "command", "cmd"))
	}
	const message = "A shell parses the command line: quotes, semicolons and substitutions in the value are obeyed."
	switch o {
	case fromInput:
		v.report(ruleShell, i, message)
	case fromUnknown:
		if f := v.report(ruleShell, i, message); f != nil {
			f.Severity = riskMedium
		}
	default:
		v.note(ruleShell, i, "A shell is not needed to run a fixed command.")
	}
}

func pythonSystem(v *riskView, i int) {
	args, ok := v.call(i)
	if !ok {
		return
	}
	full := v.full(i)
	switch {
	case v.text(i) == "exec_command":
		if !strings.Contains(v.src.Text, "paramiko") {
			return
		}
	case v.of(i, "os", "commands", "popen2", "subprocess", "asyncio"):
	case v.beforeDot(i) < 0 && (strings.HasPrefix(full, "os.") || strings.HasPrefix(full, "commands.") || strings.HasPrefix(full, "popen2.") || strings.HasPrefix(full, "subprocess.")):
	default:
		return
	}
	o := fromLiteral
	if len(args) > 0 {
		o = v.originOf(args[0])
	}
	const message = "A shell parses the command line."
	switch o {
	case fromInput:
		v.report(ruleCommand, i, message)
	case fromUnknown:
		if f := v.report(ruleCommand, i, message); f != nil {
			f.Severity = riskLow
		}
	default:
		v.note(ruleCommand, i, message)
	}
}

func pythonExec(v *riskView, i int) {
	args, ok := v.call(i)
	if ok && v.of(i, "os") {
		for _, a := range args {
			if o := v.originOf(a); o != fromLiteral {
				v.weigh(ruleCommand, i, o, "What is run is not written here.")
				return
			}
		}
	}
}

// pythonRun looks at processes that are started without a shell.
func pythonRun(v *riskView, i int) {
	args, ok := v.call(i)
	if !ok || len(args) == 0 || !strings.HasPrefix(v.full(i), "subprocess.") || !argAt(args, -1, "shell").empty() {
		return
	}
	if a := argAt(args, 0, "args"); v.originOf(a) == fromInput && v.requested(a, 0) {
		v.report(ruleCommand, i, "Input becomes part of a command.")
	}
}
