package detect

import (
	"strings"
	"sync"
)

var riskJava = sync.OnceValue(func() *riskPack {
	k := &riskPack{
		words: newNeedles("exec(", "ProcessBuilder", "getInstance(", "ObjectInputStream", "readObject", "DocumentBuilderFactory", "SAXParserFactory", "XMLInputFactory", "TransformerFactory", "new Random", "Math.random",
			"TrustManager", "checkServerTrusted", "HostnameVerifier", "NoopHostnameVerifier", "ALLOW_ALL", "TrustAll", "executeQuery", "execute", "SELECT", "INSERT", "UPDATE", "DELETE", "select ", "insert ", "update ", "delete ", "createTempFile", "new File", "eval(", "Yaml(", "\"TLSv1", "\"SSL", "setWorldWritable", "NullCipher", "csrf()"),
		checks: make(map[string][]riskCheck),
	}
	k.on(javaExec, "exec", "ProcessBuilder")
	k.on(javaCrypto, "getInstance")
	k.on(javaDeserialise, "ObjectInputStream", "XMLDecoder", "Yaml")
	k.on(javaXML, "DocumentBuilderFactory", "SAXParserFactory", "XMLInputFactory")
	k.on(javaRandom, "Random", "random")
	k.on(javaTrust, "checkServerTrusted", "NoopHostnameVerifier", "ALLOW_ALL_HOSTNAME_VERIFIER", "TrustAllStrategy", "TrustAllCerts")
	k.on(javaPath, "File", "FileInputStream", "FileReader")
	k.on(javaEval, "eval")
	k.on(sqlText, `"`)
	return k
})

func javaExec(v *riskView, i int) {
	args, ok := v.call(i)
	if !ok || len(args) == 0 {
		return
	}
	if v.text(i) == "exec" && !v.of(i, "runtime", "rt") && v.name(i-4) != "getRuntime" {
		return
	}
	worst := fromLiteral
	for _, a := range args {
		worst = max(worst, v.originOf(a))
	}
	v.weigh(ruleCommand, i, worst, "What is run is not written here.")
}

func javaCrypto(v *riskView, i int) {
	args, ok := v.call(i)
	if !ok || len(args) == 0 {
		return
	}
	name := strings.ToUpper(v.unquoted(args[0].from))
	switch v.owner(i) {
	case "MessageDigest":
		if oneWord(name, "MD5", "MD2", "MD4", "SHA1", "SHA-1", "SHA") {
			weakHash(v, i, name)
		}
	case "Cipher":
		if strings.HasPrefix(name, "DES") || strings.HasPrefix(name, "RC4") || strings.HasPrefix(name, "RC2") || strings.HasPrefix(name, "ARCFOUR") || strings.HasPrefix(name, "BLOWFISH") || strings.Contains(name, "/ECB/") || name == "AES" {
			v.report(ruleWeakCipher, i, name+" is broken, or is ECB, which shows patterns of what it hides.")
		}
	case "SSLContext":
		if oneWord(name, "SSL", "SSLV2", "SSLV3", "TLSV1", "TLSV1.1") {
			v.report(ruleTLSVersion, i, "TLS versions below 1.2 are broken and are no longer to be offered.")
		}
	}
}

func javaDeserialise(v *riskView, i int) {
	args, ok := v.call(i)
	if !ok || !v.made(i) && v.lang == "java" {
		return
	}
	if v.text(i) == "Yaml" {
		if len(args) == 0 {
			v.note(ruleDeserialise, i, "SnakeYAML before 2.0 makes any object that the text names; pass a SafeConstructor.")
		}
		return
	}
	if f := v.report(ruleDeserialise, i, "Whoever wrote the data chooses what is made here."); f != nil && (len(args) == 0 || v.originOf(args[0]) != fromInput) {
		f.Severity = riskLow
	}
}

func javaXML(v *riskView, i int) {
	if !v.sign(i+1, '.') || !oneWord(v.name(i+2), "newInstance", "newFactory") {
		return
	}
	for _, guard := range []string{"disallow-doctype-decl", "FEATURE_SECURE_PROCESSING", "SUPPORT_DTD", "external-general-entities", "ACCESS_EXTERNAL_DTD"} {
		if strings.Contains(v.src.Text, guard) {
			return
		}
	}
	v.report(ruleXML, i, "The parser follows entities of the document unless it is told not to.")
}

func javaRandom(v *riskView, i int) {
	if (v.made(i) || v.of(i, "Math")) && v.sign(i+1, '(') && v.secretive(i) {
		v.report(ruleWeakRandom, i, "This generator can be predicted; what it makes is no secret.")
	}
}

func javaTrust(v *riskView, i int) {
	if v.text(i) != "checkServerTrusted" {
		if v.name(i-1) != "import" && !v.sign(i+1, ';') || v.made(i) {
			v.report(ruleTLSVerify, i, "Certificate or host name are not checked.")
		}
		return
	}
	end := v.close(i + 1)
	if end < 0 {
		return
	}
	for end++; oneWord(v.name(end), "throws", "CertificateException", "override") || v.sign(end, ',') || v.sign(end, '.'); end++ {
	}
	if v.sign(end, '{') && v.sign(end+1, '}') {
		v.report(ruleTLSVerify, i, "Every certificate is trusted.")
	}
}

func javaPath(v *riskView, i int) {
	args, ok := v.call(i)
	if !ok || !v.made(i) {
		return
	}
	for _, a := range args {
		if v.originOf(a) == fromInput {
			v.report(rulePath, i, "Input names the file: \"../\" in it leads out of the folder.")
			return
		}
	}
}

func javaEval(v *riskView, i int) {
	args, ok := v.call(i)
	if ok && len(args) > 0 && v.beforeDot(i) >= 0 && strings.Contains(v.src.Text, "ScriptEngine") {
		v.weigh(ruleEval, i, v.originOf(args[0]), "What the text says is run.")
	}
}
