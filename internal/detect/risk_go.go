package detect

import (
	"strconv"
	"strings"
	"sync"
)

var riskGo = sync.OnceValue(func() *riskPack {
	k := &riskPack{
		words: newNeedles("InsecureSkipVerify", "MinVersion", "MaxVersion", "VersionTLS1", "VersionSSL", "TLS_", "VerifyPeerCertificate",
			"md5.", "sha1.", "md4.", "ripemd160.", "des.", "rc4.", "GenerateKey", "cipher.", ".Seal(",
			"exec.", "syscall.", ".Query", ".Exec", ".Prepare", "SELECT", "INSERT", "UPDATE", "DELETE", "select ", "insert ", "update ", "delete ",
			"os.", "ioutil.", "filepath.Join", "path.Join", "io.Copy", "Listen", "http.", "rand.", "Intn(", "IntN(", "Int31", "Int63", "template.", "Fprint", ".Write(", "WriteString",
			"log.", "smtp.", "/pprof\"", "/cgi\"", "Transfer-Encoding", "CheckRedirect", "ParseMultipartForm", "AddInsecureBypassPattern", "PublicKeyCallback",
			"unsafe.", "context.", "Marshal", ".Encode(", "int8(", "int16(", "int32(", "int64(", "uint(", "int(", "for {", "make([]", ".Execute"),
		checks: make(map[string][]riskCheck),
	}
	k.on(goSkipVerify, "InsecureSkipVerify")
	k.on(goOldTLS, "VersionTLS10", "VersionTLS11", "VersionSSL30")
	k.on(goZeroTLS, "MinVersion")
	k.on(goWeakSuite, "TLS_RSA_WITH_RC4_128_SHA", "TLS_RSA_WITH_3DES_EDE_CBC_SHA", "TLS_RSA_WITH_AES_128_CBC_SHA", "TLS_RSA_WITH_AES_256_CBC_SHA",
		"TLS_RSA_WITH_AES_128_CBC_SHA256", "TLS_ECDHE_ECDSA_WITH_RC4_128_SHA", "TLS_ECDHE_RSA_WITH_RC4_128_SHA", "TLS_ECDHE_RSA_WITH_3DES_EDE_CBC_SHA",
		"TLS_RSA_WITH_AES_128_GCM_SHA256", "TLS_RSA_WITH_AES_256_GCM_SHA384")
	k.on(goPeerCallback, "VerifyPeerCertificate")
	k.on(goWeakHash, "New", "Sum")
	k.on(goWeakCipher, "NewCipher", "NewTripleDESCipher")
	k.on(goWeakKey, "GenerateKey")
	k.on(goFixedNonce, "NewCTR", "NewCBCEncrypter", "NewOFB", "NewCFBEncrypter", "Seal")
	k.on(goRandom, "Int", "Intn", "IntN", "Int31", "Int31n", "Int32", "Int32N", "Int63", "Int63n", "Int64", "Int64N", "Uint32", "Uint64", "Float32", "Float64", "Perm", "Read", "N", "New", "NewSource", "NewPCG", "Uint32N", "Uint64N")
	k.on(goCommand, "Command", "CommandContext", "StartProcess", "ForkExec", "Exec")
	k.on(goPath, "Open", "ReadFile", "OpenFile", "Create", "WriteFile", "ServeFile", "Remove", "RemoveAll", "Mkdir", "MkdirAll", "ReadDir", "Rename")
	k.on(goFileMode, "OpenFile", "WriteFile", "Mkdir", "MkdirAll", "Chmod")
	k.on(goTempFile, "WriteFile", "Create")
	k.on(goArchivePath, "Join")
	k.on(goBomb, "Copy", "CopyBuffer")
	k.on(goListen, "Listen")
	k.on(goServe, "ListenAndServe", "ListenAndServeTLS", "Serve", "ServeTLS")
	k.on(goServer, "Server")
	k.on(goDir, "Dir")
	k.on(goRequest, "Get", "Post", "Head", "PostForm", "NewRequest", "NewRequestWithContext")
	k.on(goMarkup, "HTML", "JS", "URL", "CSS", "HTMLAttr", "JSStr", "Srcset")
	k.on(goImport, `"`)
	k.on(goUnsafe, "Pointer", "Slice", "SliceData", "String", "StringData", "Add")
	goWebChecks(k)
	goValueChecks(k)
	k.on(sqlText, `"`)
	k.on(goQuery, "Query", "QueryContext", "QueryRow", "QueryRowContext", "Exec", "ExecContext", "Prepare", "PrepareContext", "Queryx", "Select")
	return k
})

// pkg reports whether token i is a member of one of the imported packages, by their paths.
func (v *riskView) pkg(i int, paths ...string) bool {
	o := v.owner(i)
	if o == "" {
		return false
	}
	full, ok := v.imports()[o]
	if !ok { // the hunk does not show the imports
		if !v.src.Partial {
			return false
		}
		full = o
		for n := range paths {
			if base := paths[n][strings.LastIndexByte(paths[n], '/')+1:]; base == o {
				return !strings.HasSuffix(paths[n], "math/rand") && !strings.HasSuffix(paths[n], "text/template")
			}
		}
	}
	return oneWord(full, paths...)
}

func goCommand(v *riskView, i int) {
	if !v.of(i, "exec", "syscall") || oneWord(v.text(i), "Exec") && !v.of(i, "syscall") {
		return
	}
	args, ok := v.call(i)
	if !ok {
		return
	}
	worst, shell := fromLiteral, false
	for n, a := range args {
		if n == 0 && v.text(i) == "CommandContext" {
			continue
		}
		if a.to-a.from == 1 && oneWord(v.unquoted(a.from), "-c", "/c", "/C", "-lc", "-ec") {
			shell = true
		}
		worst = max(worst, v.originOf(a))
	}
	switch {
	case worst == fromInput:
		v.report(ruleCommand, i, "Input becomes part of a command.")
	case worst == fromUnknown && shell:
		if f := v.report(ruleCommand, i, "A value becomes part of a shell's command line: quotes and semicolons in it are obeyed."); f != nil {
			f.Severity = riskLow
		}
	case worst == fromUnknown:
		v.note(ruleCommand, i, "What is run is not written here: be sure that no outsider chooses it.")
	}
}

func goPath(v *riskView, i int) {
	if !v.of(i, "os", "ioutil", "http") {
		return
	}
	args, ok := v.call(i)
	at := 0
	if v.text(i) == "ServeFile" {
		at = 2
	} else if v.of(i, "http") {
		return
	}
	if !ok || len(args) <= at {
		return
	}
	if v.originOf(args[at]) == fromInput {
		v.report(rulePath, i, "Input names the file: \"../\" in it leads out of the folder.")
	}
}

func goFileMode(v *riskView, i int) {
	if !v.of(i, "os", "ioutil") {
		return
	}
	args, ok := v.call(i)
	if !ok || len(args) < 2 {
		return
	}
	a := args[len(args)-1]
	most := int64(0o600)
	if strings.HasPrefix(v.text(i), "Mkdir") {
		most = 0o750
	}
	modes := v.numbers(a.from, a.to, 0)
	if v.last(a) == "ModePerm" {
		modes = []int64{0o777}
	}
	for _, m := range modes {
		fileMode(v, i, m, most)
	}
}

func fileMode(v *riskView, i int, mode, most int64) {
	if mode&0o777&^most == 0 || mode > 0o7777 || mode < 0 {
		return
	}
	f := v.report(ruleFileMode, i, "Mode 0"+strconv.FormatInt(mode&0o777, 8)+" lets other users at the file.")
	if f != nil && mode&0o002 == 0 {
		f.Severity, f.Confidence = riskInfo, riskLowConfidence
	}
}

func goTempFile(v *riskView, i int) {
	if !v.of(i, "os", "ioutil") {
		return
	}
	args, ok := v.call(i)
	if !ok || len(args) == 0 {
		return
	}
	if v.hasName(args[0].from, args[0].to, "TempDir") && !v.hasName(args[0].from, args[0].to, "MkdirTemp") || riskTempPath(v.strings(args[0].from, args[0].to, 2)) {
		v.report(ruleTempFile, i, tempMessage)
	}
}

const tempMessage = "A known name in a folder that every user can write to: another user can put a link there first."

func riskTempPath(paths []string) bool {
	return len(paths) > 0 && (strings.HasPrefix(paths[0], "/tmp") || strings.HasPrefix(paths[0], "/var/tmp") || strings.HasPrefix(paths[0], "/usr/tmp") || strings.HasPrefix(paths[0], "/dev/shm"))
}

func goArchivePath(v *riskView, i int) {
	if !v.of(i, "filepath", "path") {
		return
	}
	if v.imports()["zip"] == "" && v.imports()["tar"] == "" {
		return
	}
	args, ok := v.call(i)
	if !ok {
		return
	}
	from, to := v.block(i)
	if v.hasName(from, to, "HasPrefix", "IsLocal", "SecureJoin", "Rel", "Base", "OpenInRoot", "OpenRoot") {
		return
	}
	for _, a := range args {
		if n := v.last(a); a.to-a.from >= 3 && (n == "Name" || n == "Linkname") {
			v.report(ruleArchivePath, i, "The entry's name may hold \"../\": the archive writes wherever it wants.")
		}
	}
}

func goBomb(v *riskView, i int) {
	if !v.of(i, "io") {
		return
	}
	args, ok := v.call(i)
	if !ok || len(args) < 2 {
		return
	}
	if v.unpacks(args[1], 0) {
		v.report(ruleBomb, i, "Nothing bounds what is unpacked: a few bytes can become a full disk.")
	}
}

// unpacks reports whether the argument reads compressed data.
func (v *riskView) unpacks(a riskArg, depth int) bool {
	for i := a.from; i < a.to; i++ {
		switch w := v.name(i); {
		case w == "LimitReader" || w == "LimitedReader":
			return false
		case strings.HasPrefix(w, "NewReader") && v.of(i, "gzip", "zlib", "bzip2", "flate", "lzw", "tar"):
			return true
		case w == "Open" && v.imports()["zip"] != "" && !v.of(i, "os", "zip"):
			return true
		case w != "" && v.beforeDot(i) < 0 && depth < 3:
			scope := v.scope(i)
			for _, x := range v.assigned()[w] {
				if x.scope == scope && x.at < i && v.unpacks(riskArg{from: x.from, to: x.to}, depth+1) {
					return true
				}
			}
		}
	}
	return false
}

func goListen(v *riskView, i int) {
	if !v.of(i, "net", "tls") {
		return
	}
	args, ok := v.call(i)
	if !ok || len(args) == 0 {
		return
	}
	a := args[min(1, len(args)-1)]
	for _, s := range v.strings(a.from, a.to, 0) {
		if strings.HasPrefix(s, ":") && len(s) > 1 || strings.HasPrefix(s, "0.0.0.0") || strings.HasPrefix(s, "[::]") {
			v.report(ruleBindAll, i, "The port is open on every network of the machine.")
			return
		}
	}
}

func goServe(v *riskView, i int) {
	if v.of(i, "http", "fcgi") && v.sign(i+1, '(') && !v.of(i, "fcgi") {
		v.note(ruleServerTimeout, i, "This server has no time limits: a client that sends slowly holds a connection for ever.")
	}
}

func goServer(v *riskView, i int) {
	if !v.of(i, "http") || !v.sign(i+1, '{') {
		return
	}
	end := v.close(i + 1)
	from, to := v.block(i)
	if end > 0 && !v.hasName(i, end, "ReadTimeout", "ReadHeaderTimeout") && !v.hasName(from, to, "ReadHeaderTimeout", "ReadTimeout") {
		v.note(ruleServerTimeout, i, "ReadHeaderTimeout is not set: a client that sends slowly holds a connection for ever.")
	}
}

func goDir(v *riskView, i int) {
	args, ok := v.call(i)
	if ok && v.of(i, "http") && len(args) == 1 && v.unquoted(args[0].from) == "/" {
		v.report(rulePath, i, "The whole file system is served.")
	}
}

func goRequest(v *riskView, i int) {
	if !v.of(i, "http") {
		return
	}
	at := map[string]int{"NewRequest": 1, "NewRequestWithContext": 2}[v.text(i)]
	args, ok := v.call(i)
	if !ok || len(args) <= at {
		return
	}
	o := v.originOf(args[at])
	if o == fromUnknown && at > 0 {
		return
	}
	v.weigh(ruleRequestURL, i, o, "The address is not written here: whoever chooses it reaches what this machine can reach.")
}

func goMarkup(v *riskView, i int) {
	args, ok := v.call(i)
	if ok && len(args) == 1 && v.of(i, "template") {
		v.weigh(ruleMarkup, i, v.originOf(args[0]), "This type turns escaping off for a value that is not written here.")
	}
}

func goImport(v *riskView, i int) {
	switch v.unquoted(i) {
	case "net/http/pprof":
		if v.name(i-1) == "_" {
			v.note(ruleDebug, i, "The profiler is served by the default mux to everyone who can reach it.")
		}
	case "net/http/cgi":
		v.note(ruleDebug, i, "CGI passes request headers on as environment variables.")
	}
}

func goUnsafe(v *riskView, i int) {
	if v.of(i, "unsafe") && v.sign(i+1, '(') {
		v.note(ruleUnsafe, i, "Nothing checks types and bounds here.")
	}
}
