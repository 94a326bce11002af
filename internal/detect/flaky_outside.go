package detect

import (
	"strings"

	"github.com/gavel-review/gavel"
	"github.com/gavel-review/gavel/internal/code"
)

var ruleFlakyPort = &gavel.Rule{
	ID:    "flaky/fixed-port",
	Title: "Test listens on a fixed port",
	Text: "Another test, another run on the same machine or a socket in TIME_WAIT may hold the port. The rule fires where a test opens a listener or a " +
		"server on a literal port; port 0 and a connection to a port are no findings.",
	Fix:      "Listen on port 0 and ask the listener for the port that it got.",
	Before:   "l, err := net.Listen(\"tcp\", \"127.0.0.1:8099\")",
	After:    "l, err := net.Listen(\"tcp\", \"127.0.0.1:0\")",
	Severity: gavel.Low, Category: gavel.CategoryFlaky, Confidence: gavel.ConfidenceMedium,
}

var ruleFlakyNetwork = &gavel.Rule{
	ID:    "flaky/network",
	Title: "Test calls a public host",
	Text: "The test fails when the network, the name server or the other side does. The rule fires where a test hands a literal URL of a public " +
		"host to an HTTP client. Local, private and reserved names (`localhost`, `example.com`, `.test`, `.invalid`) are no findings, and neither is a file that " +
		"replaces the client (`responses`, `nock`, `msw`, `webmock`, `vcr`, `fetchMock` and their kind).",
	Fix:      "Answer from a local test server or a recorded reply.",
	Before:   "r = requests.get(\"https://api.github.com/zen\")",
	After:    "r = requests.get(httpserver.url_for(\"/zen\"))",
	Severity: gavel.Low, Category: gavel.CategoryFlaky, Confidence: gavel.ConfidenceMedium,
}

var ruleFlakyPath = &gavel.Rule{
	ID:    "flaky/shared-path",
	Title: "Test writes to a path that every run shares",
	Text: "Two runs on one machine, or two tests at once, overwrite each other's file, and a file left behind changes the next run. The rule fires " +
		"where a test creates, writes or removes a literal path under `/tmp`, `/var/tmp` or `C:\\Temp`.",
	Fix:      "Take a folder of the test's own: `t.TempDir()`, `tmp_path`, `fs.mkdtemp`, `@TempDir`, `Dir.mktmpdir`.",
	Before:   "open(\"/tmp/cache.json\", \"w\").write(\"{}\")",
	After:    "(tmp_path / \"cache.json\").write_text(\"{}\")",
	Severity: gavel.Low, Category: gavel.CategoryFlaky, Confidence: gavel.ConfidenceMedium,
}

func registerPort(add func(flakyCheck, string, string)) {
	add(checkPort, "go", "Listen ListenPacket ListenAndServe ListenAndServeTLS ListenTCP ListenUDP")
	add(checkPort, "javascript", "listen")
	add(checkPort, "python", "bind HTTPServer ThreadingHTTPServer TCPServer UDPServer ThreadingTCPServer start_server create_server run_app serve TCPSite make_server SimpleXMLRPCServer")
	add(checkPort, "java kotlin scala groovy", "ServerSocket embeddedServer InetSocketAddress WireMockServer MockServerClient")
	add(checkPort, "c#", "TcpListener UseUrls")
	add(checkPort, "ruby", "TCPServer UDPServer WEBrick HTTPServer")
	add(checkPort, "php", "stream_socket_server socket_bind")
	add(checkPort, "rust", "bind")
	add(checkPort, "swift", "bind NWListener")
}

func checkPort(v *flakyView, i int, name string) bool {
	from, to, ok := v.args(i)
	if v.lang == "ruby" && v.sign(i+1, '.') && v.name(i+2) == "new" {
		from, to, ok = v.args(i + 2)
	}
	if !ok || oneOf(v.name(i-1), "func", "def", "fn", "fun", "function", "class") || !v.fixedPort(from, to, name) {
		return false
	}
	if row := v.rowOf(i); !v.inTest(row) || !v.scope(row).known && v.lang != "javascript" && v.lang != "ruby" {
		return false
	}
	if v.example(v.rowOf(i)) {
		return false
	}
	if oneOf(name, "InetSocketAddress") && !v.hasName(v.rows[v.rowOf(i)].from, i, "bind", "create", "HttpServer", "ServerSocket") {
		return false
	}
	v.pass.Report(ruleFlakyPort, v.span(v.chain(i), to), "The port is taken when another test, run or program listens on it.")
	return true
}

// example reports whether the row stands in an example of Go's documentation, which is compiled and seldom run.
func (v *flakyView) example(row int) bool {
	if v.lang != "go" {
		return false
	}
	for _, h := range v.headers(row) {
		if v.name(h.from) == "func" && strings.HasPrefix(v.name(h.from+1), "Example") {
			return true
		}
	}
	return false
}

// fixedPort reports whether the arguments name a port other than 0.
func (v *flakyView) fixedPort(from, to int, name string) bool {
	for j := from; j < to; j++ {
		switch v.kind(j) {
		case code.String:
			if portIn(unquoted(v.text(j))) {
				return true
			}
		case code.Number:
			if n, ok := numberOf(v.text(j)); ok && n >= 1024 && n <= 65535 && (j == from || v.sign(j-1, ',') || v.sign(j-1, '=') || v.sign(j-1, ':')) {
				if v.sign(j-1, '=') || v.sign(j-1, ':') {
					return strings.EqualFold(v.name(j-2), "port")
				}
				return name != "listen" || j == from
			}
		case code.Punct:
			if v.sign(j, '{') && v.lang == "javascript" && name == "listen" && j > from { // the callback
				return false
			}
		}
	}
	return false
}

// portIn reports whether the text ends with ":1234", or holds it in a URL of this machine.
func portIn(s string) bool {
	i := strings.LastIndexByte(s, ':')
	if i < 0 || strings.ContainsAny(s, " %$#{") {
		return false
	}
	rest, _, _ := strings.Cut(s[i+1:], "/")
	n, ok := numberOf(rest)
	return ok && n > 0 && len(rest) >= 2 && len(rest) <= 5
}

func unquoted(s string) string {
	for len(s) > 0 && s[0] != '"' && s[0] != '\'' && s[0] != '`' && len(s) > 1 {
		s = s[1:] // a prefix such as f, r or b
	}
	return strings.Trim(s, "\"'`")
}

func registerNetwork(add func(flakyCheck, string, string)) {
	add(checkNetwork, allFlaky, "\"")
}

var networkCallers = wordsOf(`get post put patch delete head request fetch Get Post Head PostForm NewRequest NewRequestWithContext urlopen urlretrieve
	axios got ky superagent Dial DialContext dial connect create_connection openConnection openStream GetAsync PostAsync GetStringAsync GetByteArrayAsync
	SendAsync file_get_contents curl_init get_response dataTask reqwest readText goto visit execute exchange getForObject`)

func checkNetwork(v *flakyView, i int, _ string) bool {
	if !publicURL(unquoted(v.text(i))) {
		return false
	}
	open := i - 1
	for open > 0 && !v.sign(open, '(') { // the first argument, or one behind a method's name or a context
		if i-open > 4 || v.kind(open) != code.Ident && v.kind(open) != code.String && !v.sign(open, ',') && !v.sign(open, '.') {
			return false
		}
		open--
	}
	callee := open - 1
	if end := v.close(open); v.name(callee) == "URL" && end > 0 && v.sign(end+1, '.') { // new URL("…").openStream()
		callee = end + 2
	}
	if !networkCallers()[v.name(callee)] || !v.networkRoot(callee) {
		return false
	}
	row := v.rowOf(i)
	if s := v.scope(row); !v.inTest(row) || !s.known || s.nested || v.example(row) || v.fakesNetwork() {
		return false
	}
	v.pass.Report(ruleFlakyNetwork, v.span(v.chain(callee), i), "The test fails when this host cannot be reached or answers differently.")
	return true
}

// networkRoot reports whether the call is one of a client that goes out by itself.
func (v *flakyView) networkRoot(callee int) bool {
	root := v.name(v.chain(callee))
	switch v.lang {
	case "go":
		return root == "http" || root == "net" && strings.HasPrefix(v.name(callee), "Dial")
	case "python":
		return oneOf(root, "requests", "httpx", "urllib", "urllib2", "urlopen", "urllib3", "urlretrieve")
	case "javascript":
		return oneOf(root, "fetch", "axios", "got", "ky", "superagent", "http", "https", "needle")
	case "java", "kotlin", "scala", "groovy":
		return oneOf(v.name(callee), "openConnection", "openStream", "readText", "getForObject", "exchange")
	case "c#":
		return strings.HasSuffix(v.name(callee), "Async")
	case "ruby":
		return oneOf(root, "Net", "HTTParty", "Faraday", "RestClient", "URI", "Excon")
	case "php":
		return oneOf(v.name(callee), "file_get_contents", "curl_init")
	case "rust":
		return oneOf(root, "reqwest", "ureq", "surf")
	case "swift":
		return root == "URLSession"
	}
	return false
}

func (v *flakyView) fakesNetwork() bool {
	for _, w := range []string{"responses", "requests_mock", "httpretty", "aioresponses", "respx", "vcr", "VCR", "betamax", "nock", "msw", "fetchMock", "fetch-mock", "mockFetch", "WebMock",
		"webmock", "stub_request", "wiremock", "WireMock", "MockWebServer", "httpmock", "gock", "spyOn(global", "global.fetch =", "globalThis.fetch =", "jest.mock(", "vi.mock(", "mockito", "Mockito",
		"URLProtocol", "pook", "setGlobalDispatcher", "MockAgent", "pytest_httpx", "mocker", "@patch", "mock.patch", "Http::fake", "MockHandler", "stubGlobal", "RoundTrip", "sinon"} {
		if strings.Contains(v.src.Text, w) {
			return true
		}
	}
	return false
}

// publicURL reports whether the text is a URL of a host that may answer from the internet.
func publicURL(s string) bool {
	rest, ok := strings.CutPrefix(s, "https://")
	if !ok {
		if rest, ok = strings.CutPrefix(s, "http://"); !ok {
			return false
		}
	}
	end := strings.IndexAny(rest, "/:?#")
	if end >= 0 {
		rest = rest[:end]
	}
	host := strings.ToLower(rest)
	if i := strings.LastIndexByte(host, '@'); i >= 0 {
		host = host[i+1:]
	}
	if !strings.Contains(host, ".") || strings.ContainsAny(host, "{}$%<> ") || strings.Trim(host, "0123456789.") == "" {
		return false
	}
	for _, tail := range []string{"example.com", "example.org", "example.net", "example.edu", ".test", ".invalid", ".local", ".localhost", ".example", ".internal", ".lan", ".home.arpa", "localtest.me", "nip.io"} {
		if host == strings.TrimPrefix(tail, ".") || strings.HasSuffix(host, tail) {
			return false
		}
	}
	labels := strings.Split(host, ".")
	return len(labels[len(labels)-1]) >= 2
}

func registerPath(add func(flakyCheck, string, string)) {
	add(checkPath, allFlaky, "\"")
}

var pathWriters = wordsOf(`WriteFile Create OpenFile Mkdir MkdirAll Remove RemoveAll Rename Symlink writeFile writeFileSync mkdir mkdirSync appendFile appendFileSync rmSync unlinkSync
	createWriteStream rm unlink outputFile outputFileSync ensureDir makedirs mkdirs rmtree remove mkstemp touch write_text FileWriter FileOutputStream PrintWriter newBufferedWriter
	createDirectory createDirectories createFile write writeString WriteAllText WriteAllBytes WriteAllLines CreateDirectory StreamWriter AppendAllText mkdir_p rm_rf rm_f
	file_put_contents create create_dir create_dir_all remove_file remove_dir_all createSymbolicLink copyFile copyFileSync`)

func checkPath(v *flakyView, i int, _ string) bool {
	s := unquoted(v.text(i))
	if !sharedPath(s) {
		return false
	}
	open := i - 1
	if v.sign(open, ',') { // os.symlink(x, "/tmp/y")
		for open > 0 && i-open < 6 && !v.sign(open, '(') {
			open--
		}
	}
	if v.sign(open, '[') {
		open--
	}
	if !v.sign(open, '(') || !v.writes(open-1, i) && !v.writesPath(open) {
		return false
	}
	row := v.rowOf(i)
	if sc := v.scope(row); !v.inTest(row) || sc.nested && v.lang != "ruby" || !sc.known {
		return false
	}
	v.pass.Report(ruleFlakyPath, v.span(v.chain(open-1), i), "Every run on the machine writes to this path.")
	return true
}

func sharedPath(s string) bool {
	for _, root := range []string{"/tmp/", "/var/tmp/", `C:\Temp\`, `C:\\Temp\\`, "C:/Temp/"} {
		if rest, ok := strings.CutPrefix(s, root); ok && rest != "" && !strings.ContainsAny(rest, "{}$%*") && !strings.Contains(rest, "XXX") {
			return true
		}
	}
	return false
}

// writesPath reports whether the call makes a path that is written to at once: Path("/tmp/x").write_text(…), or
// Files.writeString(Path.of("/tmp/x"), …).
func (v *flakyView) writesPath(open int) bool {
	if !oneOf(v.name(open-1), "Path", "of", "get", "File", "PosixPath", "Pathname") {
		return false
	}
	if end := v.close(open); end > 0 && v.sign(end+1, '.') {
		return oneOf(v.name(end+2), "write_text", "write_bytes", "mkdir", "touch", "unlink", "createNewFile", "delete", "mkdirs", "writeText", "write", "writeBytes")
	}
	start := v.chain(open - 1)
	return v.sign(start-1, '(') && v.writes(start-2, open)
}

// writes reports whether the call changes the file that its argument i names.
func (v *flakyView) writes(callee, i int) bool {
	n := v.name(callee)
	if pathWriters()[n] {
		before := v.name(v.beforeDot(callee))
		switch n {
		case "write", "create", "remove", "rm", "touch", "Create", "Remove", "mkdir", "unlink", "Rename":
			return oneOf(before, "os", "fs", "fsp", "promises", "Files", "File", "shutil", "FileUtils", "Dir", "IO", "afero", "") && !(before == "" && n == "create")
		}
		return !strings.Contains(strings.ToLower(before), "mock") && !strings.Contains(strings.ToLower(before), "memfs") && !strings.Contains(strings.ToLower(before), "vol")
	}
	if oneOf(n, "open", "fopen") { // open("/tmp/x", "w")
		mode := unquoted(v.text(i + 2))
		return v.sign(i+1, ',') && strings.ContainsAny(mode, "wax+") && len(mode) <= 3
	}
	return false
}
