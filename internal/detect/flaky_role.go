package detect

import (
	"strings"

	"github.com/gavel-review/gavel/internal/code"
)

type flakyRole int

const (
	roleNone    flakyRole = iota
	roleTest              // a test, a part of a test or a hook
	roleOther             // a function with a name
	roleClosure           // a function that is handed to something else
)

func (v *flakyView) role(h flakyHeader) flakyRole {
	first := v.firstName(h)
	switch v.lang {
	case "go":
		return v.roleGo(h)
	case "python":
		if i := v.find(h, "def"); i >= 0 {
			return named(v.name(i+1), "test", "setup", "setUp", "asyncSetUp", "tearDown", "teardown")
		}
	case "javascript":
		return v.roleScript(h)
	case "ruby":
		if i := v.find(h, "def"); i >= 0 {
			return named(v.name(i+1), "test", "setup", "teardown")
		}
		if oneOf(first, "it", "specify", "example", "scenario", "test", "before", "after", "around", "describe", "context", "feature", "RSpec", "should", "setup", "let", "subject", "xit", "fit") {
			return roleTest
		}
		if v.hands(h, first) {
			return roleClosure
		}
	case "rust":
		if i := v.find(h, "fn"); i >= 0 {
			return named(v.name(i+1), "test")
		}
		if v.hasName(h.from, h.to, "move", "async", "spawn") && !v.hasName(h.from, h.to, "block_on", "let") {
			return roleClosure
		}
	case "java", "kotlin", "scala", "groovy", "c#", "php", "swift":
		return v.roleMethod(h, first)
	}
	return roleNone
}

// hands reports whether a Ruby header hands its block to something that may run it elsewhere: a thread, a server, a stub.
func (v *flakyView) hands(h flakyHeader, first string) bool {
	last := h.to - 1
	if v.name(last) != "do" && !v.sign(last, '{') && !v.sign(last, '|') || v.loops(h) {
		return false
	}
	if oneOf(first, "if", "unless", "case", "begin", "rescue", "ensure", "else", "elsif", "when", "class", "module", "while", "until") {
		return false
	}
	for _, within := range []string{"assert", "expect", "refute", "with", "capture", "Timeout", "Dir", "Tempfile", "File", "travel", "freeze", "Timecop", "perform", "silence", "suppress", "in_", "using", "open", "aggregate", "step", "shared"} {
		if strings.HasPrefix(first, within) {
			return false
		}
	}
	return true
}

func named(name string, prefixes ...string) flakyRole {
	for _, p := range prefixes {
		if strings.HasPrefix(name, p) {
			return roleTest
		}
	}
	return roleOther
}

func (v *flakyView) roleGo(h flakyHeader) flakyRole {
	i := v.find(h, "func")
	if i < 0 {
		return roleNone
	}
	if v.hasName(i, h.to, "testing", "T") {
		return roleTest
	}
	if i == h.from { // a declaration
		if v.sign(i+1, '(') {
			if end := v.close(i + 1); end > 0 {
				if v.name(end+1) == "" || !v.sign(end+2, '(') { // func(…) bool {
					return roleClosure
				}
				return named(v.name(end+1), "Test", "SetupTest", "SetupSuite", "TearDown")
			}
		}
		if v.name(i+1) == "" {
			return roleClosure
		}
		return named(v.name(i+1), "Test", "Benchmark", "Fuzz", "Example")
	}
	if oneOf(v.firstName(h), "It", "Specify", "Describe", "Context", "When", "BeforeEach", "JustBeforeEach", "AfterEach", "By", "DescribeTable", "Entry", "Convey", "BeforeSuite") {
		return roleTest
	}
	return roleClosure
}

func (v *flakyView) roleScript(h flakyHeader) flakyRole {
	arrow := v.find(h, "function")
	for i := h.from; i+1 < h.to && arrow < 0; i++ {
		if v.sign(i, '=') && v.sign(i+1, '>') && v.tokens[i].End == v.tokens[i+1].Start {
			arrow = i
		}
	}
	first := h.from
	for oneOf(v.name(first), "export", "default", "async", "await", "return", "public", "private", "static") {
		first++
	}
	n := v.name(first)
	if arrow < 0 {
		if n != "" && v.sign(first+1, '(') && v.sign(h.to-1, '{') && !oneOf(n, "if", "for", "while", "switch", "catch", "with", "else") {
			return roleOther // a method
		}
		return roleNone
	}
	if n == "function" || oneOf(n, "const", "let", "var") {
		return roleOther
	}
	if v.registers(first, arrow) {
		return roleTest
	}
	return roleClosure
}

// registers reports whether the call that begins at i hands its function to a test runner.
func (v *flakyView) registers(i, to int) bool {
	for ; i < to && v.kind(i) != code.String; i++ {
		n := v.name(i)
		if oneOf(n, "it", "xit", "fit", "suite", "specify", "context", "scenario", "given", "when", "then", "step", "before", "after", "bench", "setup", "teardown") ||
			strings.HasPrefix(n, "before") || strings.HasPrefix(n, "after") {
			return true
		}
		if lower := strings.ToLower(n); strings.HasSuffix(lower, "test") || strings.HasPrefix(lower, "test") || strings.HasPrefix(lower, "describe") {
			return true
		}
		if oneOf(n, "on", "once", "addEventListener", "addListener", "createServer", "setTimeout", "mock", "fn") {
			return false
		}
	}
	return false
}

func (v *flakyView) roleMethod(h flakyHeader, first string) flakyRole {
	for i := h.from; i < h.to; i++ {
		switch n := v.name(i); n {
		case "fun", "func", "function", "def":
			if v.name(i+1) == "" && v.kind(i+1) != code.String {
				if v.testCallMethod(first) {
					return roleTest
				}
				return roleClosure
			}
			return roleOther
		case "new", "return", "if", "for", "while", "catch", "switch", "try", "else", "using", "lock", "synchronized", "do", "foreach", "when", "guard", "repeat", "namespace":
			if n != "new" && i == h.from {
				return roleNone
			}
		case "class", "object", "struct", "interface", "enum", "extension":
			return roleNone
		}
		if (v.sign(i, '-') || v.sign(i, '=')) && v.sign(i+1, '>') && v.tokens[i].End == v.tokens[i+1].Start && !v.hasName(h.from, i, "case") {
			if v.testCallMethod(first) || v.asserts(h) {
				return roleTest
			}
			return roleClosure
		}
	}
	if v.lang == "swift" || v.lang == "kotlin" {
		if v.sign(h.to-1, '{') && v.hasName(h.from, h.to, "async", "launch", "thread", "Task", "asyncAfter", "detached") || v.name(h.to-1) == "in" && !v.testCallMethod(first) {
			return roleClosure
		}
		return roleNone
	}
	if h.row > 0 && v.sign(v.rows[h.row-1].from, '@') && v.name(v.rows[h.row-1].from+1) == "Override" && v.rows[h.row].indent > 4 {
		return roleClosure // a method of a class inside the test
	}
	if first != "" && !v.sign(h.from+1, '(') && !v.sign(h.from+1, '.') && v.sign(h.to-1, '{') || v.sign(h.to-1, '{') && v.find(h, "void") >= 0 {
		for i := h.from + 1; i < h.to; i++ {
			if v.sign(i, '=') {
				return roleNone
			}
			if v.sign(i, '(') {
				return roleOther
			}
		}
	}
	return roleNone
}

// asserts reports whether the block goes on with the test's assertions and runs in the test's own thread.
func (v *flakyView) asserts(h flakyHeader) bool {
	if v.hasName(h.from, h.to, "Thread", "submit", "execute", "schedule", "supplyAsync", "runAsync", "Run", "StartNew", "thenAnswer", "doAnswer", "when", "Returns", "Callback") {
		return false
	}
	from, to := v.block(h)
	return v.has(from, to, func(n string) bool {
		return strings.HasPrefix(n, "assert") || n == "Assert" || n == "Should" || n == "verify"
	})
}

func (v *flakyView) testCallMethod(first string) bool {
	return oneOf(first, "test", "it", "describe", "context", "should", "runBlocking", "runTest", "given", "when", "then", "beforeEach", "afterEach", "before", "after") ||
		strings.HasPrefix(first, "assert") || strings.HasPrefix(first, "expect") || strings.HasPrefix(first, "Assert")
}
