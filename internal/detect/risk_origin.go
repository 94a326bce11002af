package detect

import (
	"strings"

	"github.com/gavel-review/gavel/internal/code"
)

func riskKeyword(w string) bool {
	switch w {
	case "true", "false", "nil", "null", "None", "True", "False", "undefined", "string", "byte", "int", "int64", "float64", "new", "await",
		"return", "not", "and", "or", "in", "is", "if", "else", "range", "for", "this", "self", "var", "const", "let", "map", "make", "any", "struct", "interface", "typeof":
		return true
	}
	return false
}

// riskSourceText says whether the text of an expression inside a string reads input.
func riskSourceText(lang, expr string) bool {
	switch lang {
	case "python":
		return strings.HasPrefix(expr, "request.") || strings.HasPrefix(expr, "input(") || strings.HasPrefix(expr, "sys.argv") ||
			strings.HasPrefix(expr, "os.environ") || strings.HasPrefix(expr, "self.request.")
	case "ruby":
		return strings.HasPrefix(expr, "params") || strings.HasPrefix(expr, "ENV[") || strings.HasPrefix(expr, "ARGV") || strings.HasPrefix(expr, "request.")
	}
	return false
}

// riskSource reports whether the name i reads what comes from outside: a request, the command line, the environment.
func riskSource(v *riskView, i int) bool {
	word, owner := v.text(i), v.owner(i)
	switch v.lang {
	case "go":
		switch word {
		case "FormValue", "PostFormValue", "PathValue", "QueryParam", "DefaultQuery", "PostForm", "MultipartForm":
			return owner != ""
		case "Getenv", "Args", "Stdin", "LookupEnv":
			return owner == "os"
		case "Query":
			return owner == "URL"
		case "URL", "RequestURI", "Body", "Header", "Form", "Host", "Cookie", "Cookies", "UserAgent", "Referer":
			return (owner == "r" || owner == "req" || owner == "request") && riskRequest(v, owner, i)
		}
	case "python":
		switch word {
		case "input", "raw_input":
			return owner == "" && v.sign(i+1, '(')
		case "argv", "stdin":
			return owner == "sys"
		case "environ", "getenv":
			return owner == "os"
		case "args", "form", "values", "json", "data", "files", "cookies", "headers", "GET", "POST", "body", "query_params", "query_string", "get_json", "COOKIES", "META", "FILES":
			return owner == "request" || owner == "req"
		}
	case "javascript":
		switch word {
		case "query", "body", "params", "headers", "cookies", "url", "originalUrl", "hostname", "param":
			return oneWord(owner, "req", "request")
		case "argv", "env":
			return owner == "process"
		case "hash", "search", "href":
			return owner == "location"
		case "URL", "referrer", "cookie":
			return owner == "document"
		}
	case "java", "kotlin":
		switch word {
		case "getParameter", "getHeader", "getQueryString", "getParameterValues", "getCookies", "getRequestURI", "getPathInfo", "getInputStream", "getReader":
			return oneWord(owner, "request", "req", "httpRequest", "servletRequest")
		case "getenv":
			return owner == "System"
		}
	case "ruby":
		switch word {
		case "params", "ARGV", "ENV", "gets", "cookies":
			return v.beforeDot(i) < 0 || owner == "request"
		}
	}
	return false
}

// riskRequest reports whether the name is an incoming request: the one that a handler gets, not one that is being built.
func riskRequest(v *riskView, name string, at int) bool {
	for i := at; i >= 0 && at-i < 4000; i-- {
		if v.name(i) == name && v.sign(i+1, '*') && v.name(i+2) == "http" && v.name(i+4) == "Request" {
			return true
		}
	}
	return false
}

// riskCleaner names the calls behind which a value can do no harm here: numbers, escapes, names without folders.
func riskCleaner(lang, word string) bool {
	switch lang {
	case "go":
		switch word {
		case "Atoi", "ParseInt", "ParseUint", "ParseBool", "ParseFloat", "EscapeString", "HTMLEscapeString", "JSEscapeString", "QueryEscape", "PathEscape",
			"Quote", "QuoteIdentifier", "QuoteLiteral", "Base", "len", "cap", "int", "int64", "int32", "uint64", "Itoa", "FormatInt", "Marshal", "EncodeToString", "ParseAddress", "LookPath", "Executable", "ValueOf",
			"Sum256", "Sum", "MkdirTemp", "CreateTemp", "TempDir", "Clean", "Rel", "Abs", "Sanitize", "Replace", "ReplaceAll", "MustParse", "ReplaceAllString":
			return true
		}
	case "python":
		return oneWord(word, "int", "float", "len", "bool", "quote", "escape", "quote_plus", "secure_filename", "basename", "mkdtemp", "mkstemp", "quote_ident", "Identifier", "sha256", "hexdigest", "uuid4")
	case "javascript":
		return oneWord(word, "parseInt", "parseFloat", "Number", "Boolean", "encodeURIComponent", "escape", "escapeId", "basename", "sanitize", "escapeHtml", "escapeRegExp", "escapeStringRegexp", "quote", "cwd", "tmpdir", "mkdtempSync", "randomUUID", "String.raw")
	case "ruby":
		return oneWord(word, "to_i", "to_f", "shellescape", "escape", "basename", "quote", "sanitize_sql", "sanitize_sql_like")
	case "java", "kotlin":
		return oneWord(word, "parseInt", "parseLong", "valueOf", "quote", "length", "size")
	}
	return false
}

// riskPure names the calls whose value is made of their arguments alone.
func riskPure(lang, word string) bool {
	switch word {
	case "join", "Join", "Sprintf", "Sprint", "format", "string", "str", "String", "byte", "resolve", "normalize", "TrimSpace", "ToLower", "ToUpper", "strip", "lower", "upper", "trim",
		"Trim", "TrimPrefix", "TrimSuffix", "concat", "Repeat", "bytes", "list", "tuple", "dict", "encode", "decode", "replace", "split", "Split", "Fields", "NewReader", "NewReplacer", "append", "Request",
		"fileURLToPath", "URL", "f", "Path", "expanduser", "dirname", "Dir", "toString", "slice", "substring", "NoBody":
		return true
	}
	return false
}

// riskPackage reports whether the name i is an imported package or module rather than a value.
func riskPackage(v *riskView, i int) bool {
	word := v.text(i)
	if v.lang == "go" {
		switch word {
		case "fmt", "strings", "path", "filepath", "url", "bytes", "strconv", "http", "os", "exec", "errors":
			return true
		}
	}
	if oneWord(word, "os", "path", "urllib", "str", "String", "URI", "shlex", "File", "Paths") {
		return true
	}
	_, ok := v.imports()[word]
	return ok
}

// imports maps a local name to the full name that it stands for. It knows import statements and require.
func (v *riskView) imports() map[string]string {
	if v.imported != nil {
		return v.imported
	}
	v.imported = make(map[string]string)
	switch v.lang {
	case "python":
		v.pythonImports()
	case "javascript":
		v.scriptImports()
	case "go":
		v.goImports()
	}
	return v.imported
}

func (v *riskView) goImports() {
	for i := range v.tokens {
		if v.kind(i) != code.String {
			if oneWord(v.text(i), "func", "type") {
				return
			}
			continue
		}
		full := v.unquoted(i)
		local := full[strings.LastIndexByte(full, '/')+1:]
		if len(local) > 1 && local[0] == 'v' && local[1] >= '0' && local[1] <= '9' {
			rest := strings.TrimSuffix(full, "/"+local)
			local = rest[strings.LastIndexByte(rest, '/')+1:]
		}
		if n := v.name(i - 1); n != "" && n != "import" && v.tokens[i-1].Line == v.tokens[i].Line {
			local = n
		}
		v.imported[local] = full
	}
}

func (v *riskView) pythonImports() {
	for i := 0; i < len(v.tokens); i++ {
		if i > 0 && v.tokens[i-1].Line == v.tokens[i].Line && !v.sign(i-1, ';') && !v.sign(i-1, ':') {
			continue
		}
		switch v.name(i) {
		case "import":
			full, j := v.pythonDotted(i + 1)
			if v.name(j) == "as" {
				v.imported[v.name(j+1)] = full
			} else if full != "" {
				head, _, _ := strings.Cut(full, ".")
				v.imported[head] = head
			}
		case "from":
			module, j := v.pythonDotted(i + 1)
			if v.name(j) != "import" {
				continue
			}
			for j++; j < len(v.tokens) && (v.tokens[j].Line == v.tokens[i].Line || v.sign(i, '(')); j++ {
				name := v.name(j)
				if name == "" {
					continue
				}
				local := name
				if v.name(j+1) == "as" {
					local = v.name(j + 2)
					j += 2
				}
				v.imported[local] = module + "." + name
			}
		}
	}
}

// pythonDotted reads a.b.c and returns the token behind it.
func (v *riskView) pythonDotted(i int) (string, int) {
	full := v.name(i)
	i++
	for v.sign(i, '.') && v.kind(i+1) == code.Ident {
		full += "." + v.name(i+1)
		i += 2
	}
	return full, i
}

// scriptImports knows import x from "m", import {a as b} from "m", import * as x from "m" and x = require("m").
func (v *riskView) scriptImports() {
	for i := range v.tokens {
		if v.kind(i) != code.String {
			continue
		}
		module := strings.TrimPrefix(v.unquoted(i), "node:")
		switch {
		case v.name(i-1) == "from" || v.name(i-1) == "import":
			v.scriptNames(i-1, "import", module)
		case v.sign(i-1, '(') && v.name(i-2) == "require":
			if v.sign(i+2, '.') && v.kind(i+3) == code.Ident {
				module += "." + v.name(i+3)
			}
			v.scriptNames(v.requireSign(i), "", module)
		}
	}
}

// requireSign returns the "=" in front of a require, also of one inside another call.
func (v *riskView) requireSign(i int) int {
	for j := i; j > 0 && i-j < 12; j-- {
		if v.sign(j, '=') {
			return j
		}
	}
	return -1
}

func (v *riskView) scriptNames(i int, stop, module string) {
	inner := false
	for j := i - 1; j >= 0 && i-j < 60; j-- {
		w := v.name(j)
		switch {
		case v.sign(j, '}'):
			inner = true
		case v.sign(j, '{'):
			inner = false
		case v.sign(j, ',') || v.sign(j, '*'):
		case v.sign(j, ':'):
		case w == "" || w == stop || oneWord(w, "var", "let", "const"):
			return
		case w == "as" || w == "type":
		case inner:
			original := w
			if v.name(j-1) == "as" {
				original = v.name(j - 2)
			} else if v.sign(j-1, ':') {
				original = v.name(j - 2)
			}
			v.imported[w] = module + "." + original
			if original != w {
				j -= 2
			}
		default:
			v.imported[w] = module
			if v.name(j-1) == "as" {
				return
			}
		}
	}
}

// full spells the name that ends with token i with what its head was imported as: "hashlib.md5", "fs.promises.readFile".
func (v *riskView) full(i int) string {
	name := v.text(i)
	head := i
	for {
		b := v.beforeDot(head)
		if b < 0 {
			break
		}
		if v.kind(b) != code.Ident {
			return "?." + name
		}
		head = b
		name = v.text(b) + "." + name
	}
	first := v.text(head)
	if in, ok := v.imports()[first]; ok {
		return in + name[len(first):]
	}
	return name
}
