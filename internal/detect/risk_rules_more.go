package detect

import "github.com/gavel-review/gavel"

var ruleDebug = &gavel.Rule{
	ID:       "risk/debug-exposed",
	Title:    "Debugging aid is reachable from outside",
	Text:     "Profilers and debug consoles show memory, and some of them run code.",
	Fix:      "Turn them off in production, or serve them on a port of their own.",
	Before:   "app.run(debug=True)",
	After:    "app.run()",
	Severity: gavel.Low, Category: gavel.CategoryRisk, Confidence: gavel.ConfidenceMedium, CWE: "CWE-489",
}

var ruleMarkup = &gavel.Rule{
	ID:       "risk/html-injection",
	Title:    "Value goes into a page unescaped",
	Text:     "Input that becomes markup runs as script in the reader's browser. Where nothing is known of the value the finding is information.",
	Fix:      "Let the template escape it, or set text instead of markup.",
	Before:   "node.innerHTML = location.hash",
	After:    "node.textContent = location.hash",
	Severity: gavel.Medium, Category: gavel.CategoryRisk, Confidence: gavel.ConfidenceMedium, CWE: "CWE-79",
}

var ruleRegexInput = &gavel.Rule{
	ID:       "risk/regex-from-input",
	Title:    "Regular expression is made from a value",
	Text:     "A pattern from outside can take exponential time, and its signs mean more than its author knows.",
	Fix:      "Escape the value, or use a search for plain text.",
	Before:   "new RegExp(req.query.q)",
	After:    "new RegExp(escapeRegExp(req.query.q))",
	Severity: gavel.Low, Category: gavel.CategoryRisk, Confidence: gavel.ConfidenceMedium, CWE: "CWE-1333",
}

var ruleRegexNested = &gavel.Rule{
	ID:       "risk/regex-backtracking",
	Title:    "Regular expression with nested repetition",
	Text:     "(a+)+ tries every way to split the text: a few dozen characters take minutes.",
	Fix:      "Write the repetition once.",
	Before:   "/^(\\w+\\s?)+$/",
	After:    "/^\\w+(\\s\\w+)*$/",
	Severity: gavel.Low, Category: gavel.CategoryRisk, Confidence: gavel.ConfidenceMedium, CWE: "CWE-1333",
}

var ruleBuffer = &gavel.Rule{
	ID:       "risk/buffer-constructor",
	Title:    "Old Buffer calls that skip checks",
	Text:     "new Buffer(number) holds old memory, and a noAssert argument turns the bounds check off.",
	Fix:      "Use Buffer.from or Buffer.alloc and leave noAssert out.",
	Before:   "new Buffer(input)",
	After:    "Buffer.from(input)",
	Severity: gavel.Low, Category: gavel.CategoryRisk, Confidence: gavel.ConfidenceHigh, CWE: "CWE-119",
}

var ruleRequire = &gavel.Rule{
	ID:       "risk/dynamic-require",
	Title:    "Module is chosen at run time",
	Text:     "A name from outside loads any file as code.",
	Fix:      "Choose from a table of modules.",
	Before:   "require(name)",
	After:    `const modules = { a: require("./a") }`,
	Severity: gavel.Low, Category: gavel.CategoryRisk, Confidence: gavel.ConfidenceLow, CWE: "CWE-98",
}

var ruleUnsafe = &gavel.Rule{
	ID:       "risk/unsafe-code",
	Title:    "Code that the compiler does not check",
	Text:     "Pointers that the language does not follow can read and write anything.",
	Fix:      "Keep it small, and say in a comment why it is sound.",
	Before:   "p := unsafe.Pointer(&b[0])",
	After:    "v := binary.LittleEndian.Uint32(b)",
	Severity: gavel.Info, Category: gavel.CategoryRisk, Confidence: gavel.ConfidenceMedium, CWE: "CWE-119",
}

var ruleConversion = &gavel.Rule{
	ID:       "risk/integer-conversion",
	Title:    "Number may not fit its new type",
	Text:     "A conversion to a smaller type, or to one with another sign, silently makes another number.",
	Fix:      "Check the range first, or parse with the right size.",
	Before:   "n, _ := strconv.Atoi(s)\nport := int16(n)",
	After:    "n, err := strconv.ParseInt(s, 10, 16)",
	Severity: gavel.Low, Category: gavel.CategoryRisk, Confidence: gavel.ConfidenceMedium, CWE: "CWE-190",
}

var ruleContext = &gavel.Rule{
	ID:       "risk/context-lost",
	Title:    "Context is dropped",
	Text:     "A context that nobody cancels keeps its timer; work that ignores the context outlives its request.",
	Fix:      "Defer cancel(), pass the context on, look at ctx.Done() in loops.",
	Before:   "ctx, _ := context.WithTimeout(parent, time.Second)",
	After:    "ctx, cancel := context.WithTimeout(parent, time.Second)\ndefer cancel()",
	Severity: gavel.Low, Category: gavel.CategoryRisk, Confidence: gavel.ConfidenceMedium, CWE: "CWE-772",
}

var ruleSerialised = &gavel.Rule{
	ID:       "risk/secret-serialised",
	Title:    "Field for a secret is written out",
	Text:     "What is marshalled goes to logs, caches and clients.",
	Fix:      `Leave the field out with a tag of "-", or write a type of its own.`,
	Before:   "type User struct { Password string }\njson.Marshal(user)",
	After:    "type User struct {\n\tPassword string `json:\"-\"`\n}",
	Severity: gavel.Info, Category: gavel.CategoryRisk, Confidence: gavel.ConfidenceLow, CWE: "CWE-499",
}

var ruleLogForging = &gavel.Rule{
	ID:       "risk/log-forging",
	Title:    "Input goes into the log as it is",
	Text:     "A line end in the value makes a log line that nobody wrote.",
	Fix:      "Quote it (%q), or log it as a field.",
	Before:   `log.Printf("user %s", r.FormValue("u"))`,
	After:    `log.Printf("user %q", r.FormValue("u"))`,
	Severity: gavel.Info, Category: gavel.CategoryRisk, Confidence: gavel.ConfidenceLow, CWE: "CWE-117",
}

var ruleRedirect = &gavel.Rule{
	ID:       "risk/open-redirect",
	Title:    "Input chooses where the browser goes",
	Text:     "A link to a trusted site leads to another one.",
	Fix:      "Redirect to paths of a list, or check that the target has no host.",
	Before:   `http.Redirect(w, r, r.FormValue("next"), 302)`,
	After:    "http.Redirect(w, r, localPath(next), 302)",
	Severity: gavel.Low, Category: gavel.CategoryRisk, Confidence: gavel.ConfidenceMedium, CWE: "CWE-601",
}

var ruleMailForging = &gavel.Rule{
	ID:       "risk/mail-forging",
	Title:    "Input makes headers of a message",
	Text:     "A line end in an address or a subject adds recipients.",
	Fix:      "Parse addresses and refuse line ends.",
	Before:   `smtp.SendMail(host, nil, r.FormValue("from"), to, msg)`,
	After:    `from, err := mail.ParseAddress(r.FormValue("from"))`,
	Severity: gavel.Low, Category: gavel.CategoryRisk, Confidence: gavel.ConfidenceMedium, CWE: "CWE-93",
}

var ruleSmuggling = &gavel.Rule{
	ID:       "risk/request-smuggling",
	Title:    "Length and transfer encoding are both set",
	Text:     "Two servers that believe different headers see different requests.",
	Fix:      "Set neither; the library knows.",
	Before:   "h.Set(\"Transfer-Encoding\", \"chunked\")\nh.Set(\"Content-Length\", \"10\")",
	After:    "w.Write(body)",
	Severity: gavel.Low, Category: gavel.CategoryRisk, Confidence: gavel.ConfidenceMedium, CWE: "CWE-444",
}

var ruleRedirectSecret = &gavel.Rule{
	ID:       "risk/redirect-secret",
	Title:    "Credentials follow a redirect",
	Text:     "The new host may be another's.",
	Fix:      "Do not set credentials in CheckRedirect, or compare the hosts first.",
	Before:   `req.Header.Set("Authorization", token)`,
	After:    "return http.ErrUseLastResponse",
	Severity: gavel.Low, Category: gavel.CategoryRisk, Confidence: gavel.ConfidenceMedium, CWE: "CWE-522",
}

var ruleForgery = &gavel.Rule{
	ID:       "risk/forgery-protection-off",
	Title:    "Protection against forged requests is off",
	Text:     "Another site can make the browser of a user send requests here.",
	Fix:      "Leave single paths out, not whole trees, and none that change anything.",
	Before:   `cop.AddInsecureBypassPattern("/")`,
	After:    `cop.AddInsecureBypassPattern("/healthz")`,
	Severity: gavel.Low, Category: gavel.CategoryRisk, Confidence: gavel.ConfidenceMedium, CWE: "CWE-352",
}

var ruleKeyCallback = &gavel.Rule{
	ID:       "risk/key-callback-state",
	Title:    "Key callback keeps what it is asked for",
	Text:     "A client may offer several keys; the last one asked for is not the one that was proved.",
	Fix:      "Return what is known of the key in Permissions.",
	Before:   "cfg.PublicKeyCallback = func(c ssh.ConnMetadata, k ssh.PublicKey) (*ssh.Permissions, error) { last = k; … }",
	After:    `return &ssh.Permissions{Extensions: map[string]string{"fp": ssh.FingerprintSHA256(k)}}, nil`,
	Severity: gavel.Low, Category: gavel.CategoryRisk, Confidence: gavel.ConfidenceMedium, CWE: "CWE-863",
}

var ruleXML = &gavel.Rule{
	ID:       "risk/xml-entities",
	Title:    "XML parser that follows entities",
	Text:     "Entities read files, reach hosts and grow without bounds.",
	Fix:      "Use defusedxml, or turn document types off.",
	Before:   "import xml.sax",
	After:    "import defusedxml.sax",
	Severity: gavel.Low, Category: gavel.CategoryRisk, Confidence: gavel.ConfidenceMedium, CWE: "CWE-611",
}

var ruleCleartext = &gavel.Rule{
	ID:       "risk/cleartext-protocol",
	Title:    "Protocol without encryption",
	Text:     "Telnet, FTP and plain SNMP carry passwords readably.",
	Fix:      "Use SSH, SFTP or SNMP version 3.",
	Before:   "import telnetlib",
	After:    "import asyncssh",
	Severity: gavel.Low, Category: gavel.CategoryRisk, Confidence: gavel.ConfidenceMedium, CWE: "CWE-319",
}

var ruleHostKey = &gavel.Rule{
	ID:       "risk/host-key-unchecked",
	Title:    "SSH host key is not checked",
	Text:     "Whoever answers is believed.",
	Fix:      "Load the known hosts and refuse others.",
	Before:   "client.set_missing_host_key_policy(AutoAddPolicy())",
	After:    "client.load_system_host_keys()",
	Severity: gavel.Low, Category: gavel.CategoryRisk, Confidence: gavel.ConfidenceHigh, CWE: "CWE-295",
}

var ruleLibrary = &gavel.Rule{
	ID:       "risk/abandoned-library",
	Title:    "Library that is no longer kept",
	Text:     "pyCrypto has had no release since 2013 and known holes since then.",
	Fix:      "Use cryptography or pycryptodomex.",
	Before:   "from Crypto.Cipher import AES",
	After:    "from cryptography.hazmat.primitives import ciphers",
	Severity: gavel.Low, Category: gavel.CategoryRisk, Confidence: gavel.ConfidenceMedium, CWE: "CWE-1104",
}

var ruleBounds = &gavel.Rule{
	ID:       "risk/slice-bounds",
	Title:    "Index is beyond what the slice was made with",
	Text:     "A slice that is made with a constant size and nowhere grows is indexed beyond it: the program panics when it gets there.",
	Fix:      "Make it large enough, or check the index.",
	Before:   "s := make([]byte, 4)\ns[5] = 1",
	After:    "s := make([]byte, 6)\ns[5] = 1",
	Severity: gavel.Low, Category: gavel.CategoryRisk, Confidence: gavel.ConfidenceMedium, CWE: "CWE-129",
}
