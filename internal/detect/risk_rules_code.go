package detect

import "github.com/gavel-review/gavel"

var ruleTLSVerify = &gavel.Rule{
	ID:       "risk/tls-verify-off",
	Title:    "Certificate of the other side is not checked",
	Text:     "With verification off the connection is encrypted, but to anybody: whoever stands on the way reads and changes what goes over it.",
	Fix:      "Trust the right certificate authority instead: add its certificate to the pool that is checked against.",
	Before:   "cfg := &tls.Config{InsecureSkipVerify: true}",
	After:    "cfg := &tls.Config{RootCAs: pool}",
	Severity: gavel.High, Category: gavel.CategoryRisk, Confidence: gavel.ConfidenceHigh, CWE: "CWE-295",
}

var ruleTLSVersion = &gavel.Rule{
	ID:       "risk/tls-weak-version",
	Title:    "Old TLS version or weak cipher suite",
	Text:     "SSL and TLS before 1.2 and suites with RC4, 3DES or plain RSA are broken or lack forward secrecy.",
	Fix:      "Ask for TLS 1.2 or later and leave the suites to the library.",
	Before:   "cfg := &tls.Config{MinVersion: tls.VersionTLS10}",
	After:    "cfg := &tls.Config{MinVersion: tls.VersionTLS12}",
	Severity: gavel.Low, Category: gavel.CategoryRisk, Confidence: gavel.ConfidenceHigh, CWE: "CWE-327",
}

var ruleWeakHash = &gavel.Rule{
	ID:       "risk/weak-hash",
	Title:    "Weak hash function",
	Text:     "MD5, SHA-1 and MD4 have known collisions. They are fine as checksums against accidents; the finding is information unless the line names a password, a token or another secret.",
	Fix:      "Use SHA-256, and for passwords bcrypt, scrypt or Argon2.",
	Before:   "sum := md5.Sum(password)",
	After:    "sum, err := bcrypt.GenerateFromPassword(password, 12)",
	Severity: gavel.Medium, Category: gavel.CategoryRisk, Confidence: gavel.ConfidenceMedium, CWE: "CWE-328",
}

var ruleWeakCipher = &gavel.Rule{
	ID:       "risk/weak-cipher",
	Title:    "Broken cipher or mode",
	Text:     "DES, 3DES, RC4, Blowfish and the ECB mode do not keep anything secret.",
	Fix:      "Use AES in GCM, or ChaCha20-Poly1305.",
	Before:   "block, err := des.NewCipher(key)",
	After:    "block, err := aes.NewCipher(key)",
	Severity: gavel.Low, Category: gavel.CategoryRisk, Confidence: gavel.ConfidenceHigh, CWE: "CWE-327",
}

var ruleWeakKey = &gavel.Rule{
	ID:       "risk/weak-key",
	Title:    "Key is too short",
	Text:     "RSA and DSA below 2048 bits and curves below 224 bits can be broken.",
	Fix:      "Use 3072 bits for RSA, or P-256 or Ed25519.",
	Before:   "key, err := rsa.GenerateKey(rand.Reader, 1024)",
	After:    "key, err := rsa.GenerateKey(rand.Reader, 3072)",
	Severity: gavel.Low, Category: gavel.CategoryRisk, Confidence: gavel.ConfidenceHigh, CWE: "CWE-326",
}

var ruleFixedNonce = &gavel.Rule{
	ID:       "risk/fixed-nonce",
	Title:    "Nonce or initialisation vector is a constant",
	Text:     "A nonce that is used twice with one key gives the key stream away, with GCM the authentication key too.",
	Fix:      "Read the nonce from crypto/rand for each message.",
	Before:   `sealed := gcm.Seal(nil, []byte("000000000000"), text, nil)`,
	After:    "rand.Read(nonce)\nsealed := gcm.Seal(nonce, nonce, text, nil)",
	Severity: gavel.Medium, Category: gavel.CategoryRisk, Confidence: gavel.ConfidenceMedium, CWE: "CWE-329",
}

var ruleCommand = &gavel.Rule{
	ID:       "risk/command-injection",
	Title:    "Value becomes part of a command",
	Text:     "Input that reaches a shell or chooses what is run lets its sender run commands here. A literal, and a variable that only literals are assigned to, is no input; where nothing is known of the value the finding is information.",
	Fix:      "Run a fixed program with a list of arguments, without a shell, and check the arguments against what is allowed.",
	Before:   `exec.Command("sh", "-c", "convert "+r.FormValue("name"))`,
	After:    `exec.Command("convert", "--", checkedName)`,
	Severity: gavel.Medium, Category: gavel.CategoryRisk, Confidence: gavel.ConfidenceMedium, CWE: "CWE-78",
}

var ruleShell = &gavel.Rule{
	ID:       "risk/shell-true",
	Title:    "Shell runs a command that holds a value",
	Text:     "With shell=True the command line is parsed by a shell: quotes, semicolons and substitutions in the value are obeyed.",
	Fix:      "Pass a list of arguments and leave the shell out.",
	Before:   `subprocess.run(f"tar xf {name}", shell=True)`,
	After:    `subprocess.run(["tar", "xf", name])`,
	Severity: gavel.High, Category: gavel.CategoryRisk, Confidence: gavel.ConfidenceHigh, CWE: "CWE-78",
}

var ruleEval = &gavel.Rule{
	ID:       "risk/code-eval",
	Title:    "Text is run as code",
	Text:     "eval, exec and their kin run whatever the text says.",
	Fix:      "Parse data with a parser (JSON, literal_eval) and choose behaviour from a table.",
	Before:   `value = eval(request.args["v"])`,
	After:    `value = json.loads(request.args["v"])`,
	Severity: gavel.Medium, Category: gavel.CategoryRisk, Confidence: gavel.ConfidenceMedium, CWE: "CWE-95",
}

var ruleSQL = &gavel.Rule{
	ID:       "risk/sql-built",
	Title:    "SQL statement is put together from text",
	Text:     "A value that is pasted into a statement can change it. Numbers, constants and variables that only literals are assigned to do not count.",
	Fix:      "Use placeholders and pass the values beside the statement; check names of tables and columns against a list.",
	Before:   `db.Query("SELECT * FROM users WHERE name = '" + name + "'")`,
	After:    `db.Query("SELECT * FROM users WHERE name = ?", name)`,
	Severity: gavel.Medium, Category: gavel.CategoryRisk, Confidence: gavel.ConfidenceMedium, CWE: "CWE-89",
}

var ruleFileMode = &gavel.Rule{
	ID:       "risk/file-mode",
	Title:    "File or folder is open to other users",
	Text:     "A mode that lets every user write (0666, 0777) is medium, one that only lets them read is information.",
	Fix:      "Use 0600 for files and 0700 or 0750 for folders.",
	Before:   "os.WriteFile(path, key, 0666)",
	After:    "os.WriteFile(path, key, 0600)",
	Severity: gavel.Medium, Category: gavel.CategoryRisk, Confidence: gavel.ConfidenceMedium, CWE: "CWE-732",
}

var ruleArchivePath = &gavel.Rule{
	ID:       "risk/archive-path",
	Title:    "Archive chooses where its files are written",
	Text:     `An entry named "../../etc/cron.d/x" leaves the folder that it is unpacked to.`,
	Fix:      "Check the joined path (filepath.IsLocal, os.Root), or unpack with a filter.",
	Before:   "dest := filepath.Join(dir, f.Name)",
	After:    "if !filepath.IsLocal(f.Name) {\n\treturn errBadName\n}\ndest := filepath.Join(dir, f.Name)",
	Severity: gavel.Medium, Category: gavel.CategoryRisk, Confidence: gavel.ConfidenceMedium, CWE: "CWE-22",
}

var ruleBomb = &gavel.Rule{
	ID:       "risk/decompression-bomb",
	Title:    "Unpacking without a limit",
	Text:     "Compressed data can grow a thousandfold; without a limit it fills memory or the disk.",
	Fix:      "Copy through io.LimitReader or io.CopyN and stop at a size that makes sense.",
	Before:   "io.Copy(out, zr)",
	After:    "io.Copy(out, io.LimitReader(zr, maxSize))",
	Severity: gavel.Low, Category: gavel.CategoryRisk, Confidence: gavel.ConfidenceMedium, CWE: "CWE-409",
}

var rulePath = &gavel.Rule{
	ID:       "risk/path-from-input",
	Title:    "Input names a file",
	Text:     `"../" and absolute names lead to files that were not meant.`,
	Fix:      "Take the base name only, or open below a root that cannot be left (os.Root), or look the name up in a list.",
	Before:   `os.Open("/data/" + r.FormValue("f"))`,
	After:    `root.Open(r.FormValue("f"))`,
	Severity: gavel.Medium, Category: gavel.CategoryRisk, Confidence: gavel.ConfidenceMedium, CWE: "CWE-22",
}

var ruleRequestURL = &gavel.Rule{
	ID:       "risk/request-url",
	Title:    "Request to an address that is not written here",
	Text:     "A service that fetches whatever address it is told to reaches hosts behind the firewall and the cloud's metadata. Without a known input the finding is information.",
	Fix:      "Check scheme and host against a list before the request.",
	Before:   `http.Get(r.FormValue("url"))`,
	After:    "if allowed(u.Host) {\n\thttp.Get(u.String())\n}",
	Severity: gavel.Medium, Category: gavel.CategoryRisk, Confidence: gavel.ConfidenceMedium, CWE: "CWE-918",
}

var ruleWeakRandom = &gavel.Rule{
	ID:       "risk/weak-random",
	Title:    "Predictable random numbers",
	Text:     "General random number generators can be predicted from a few outputs. Where the line names a token, a password, a session or the like the finding is low, elsewhere information.",
	Fix:      "Use crypto/rand, secrets, SecureRandom or crypto.randomBytes for whatever must not be guessed.",
	Before:   "token := strconv.Itoa(rand.Int())",
	After:    "token := rand.Text() // crypto/rand",
	Severity: gavel.Low, Category: gavel.CategoryRisk, Confidence: gavel.ConfidenceMedium, CWE: "CWE-338",
}

var ruleDeserialise = &gavel.Rule{
	ID:       "risk/unsafe-deserialise",
	Title:    "Data can make any object",
	Text:     "Pickle, marshal, YAML's full loader and Java's object streams run code that the data names.",
	Fix:      "Use JSON, or the safe loader.",
	Before:   "cfg = yaml.load(text)",
	After:    "cfg = yaml.safe_load(text)",
	Severity: gavel.Medium, Category: gavel.CategoryRisk, Confidence: gavel.ConfidenceHigh, CWE: "CWE-502",
}

var ruleTempFile = &gavel.Rule{
	ID:       "risk/temp-file",
	Title:    "Known name in a folder that everyone can write to",
	Text:     "Another user can create the file or a link before this program does.",
	Fix:      "Use os.CreateTemp, tempfile.mkstemp, mktemp or Files.createTempFile.",
	Before:   `os.WriteFile("/tmp/state", data, 0600)`,
	After:    `f, err := os.CreateTemp("", "state")`,
	Severity: gavel.Low, Category: gavel.CategoryRisk, Confidence: gavel.ConfidenceMedium, CWE: "CWE-377",
}

var ruleBindAll = &gavel.Rule{
	ID:       "risk/bind-all",
	Title:    "Port is open on every network",
	Text:     "0.0.0.0 and an empty host take connections from everywhere the machine can be reached from.",
	Fix:      "Bind to 127.0.0.1 unless others are meant to connect.",
	Before:   `net.Listen("tcp", "0.0.0.0:8080")`,
	After:    `net.Listen("tcp", "127.0.0.1:8080")`,
	Severity: gavel.Info, Category: gavel.CategoryRisk, Confidence: gavel.ConfidenceMedium, CWE: "CWE-1327",
}

var ruleServerTimeout = &gavel.Rule{
	ID:       "risk/server-timeout",
	Title:    "Server without limits",
	Text:     "A client that sends slowly or much holds a connection, and memory, for as long as it likes.",
	Fix:      "Use http.Server with ReadHeaderTimeout and the other limits set.",
	Before:   `http.ListenAndServe(":80", mux)`,
	After:    "srv := &http.Server{Handler: mux, ReadHeaderTimeout: 5 * time.Second}",
	Severity: gavel.Info, Category: gavel.CategoryRisk, Confidence: gavel.ConfidenceMedium, CWE: "CWE-400",
}

var ruleRequestTimeout = &gavel.Rule{
	ID:       "risk/request-timeout",
	Title:    "Request without a time limit",
	Text:     "A peer that never answers blocks the caller for ever.",
	Fix:      "Pass timeout=.",
	Before:   "requests.get(url)",
	After:    "requests.get(url, timeout=10)",
	Severity: gavel.Low, Category: gavel.CategoryRisk, Confidence: gavel.ConfidenceHigh, CWE: "CWE-400",
}
