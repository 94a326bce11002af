package detect

import (
	"strings"
	"sync"

	"github.com/gavel-review/gavel/internal/code"
)

// testName returns the name of the test that the line defines, "" where it defines none. marker is true when the line
// only announces one, as "@Test" and "#[test]" do: the next line with a function names it.
func testName(lang *code.Language, line string) (name string, marker bool) {
	line = strings.TrimSpace(line)
	switch family(lang) {
	case "go":
		for _, kind := range []string{"func Test", "func Fuzz", "func Example"} {
			if strings.HasPrefix(line, kind) {
				return identAt(line, len("func ")), false
			}
		}
	case "python":
		line = strings.TrimPrefix(line, "async ")
		if strings.HasPrefix(line, "def test") {
			return identAt(line, len("def ")), false
		}
	case "javascript", "dart", "lua":
		return titled(line, "it", "test", "specify"), false
	case "ruby":
		if strings.HasPrefix(line, "def test_") {
			return identAt(line, len("def ")), false
		}
		return titled(line, "it", "test", "specify", "scenario", "example"), false
	case "elixir":
		return titled(line, "test"), false
	case "php":
		if i := strings.Index(line, "function test"); i >= 0 {
			return identAt(line, i+len("function ")), false
		}
		return titled(line, "it", "test"), strings.HasPrefix(line, "#[Test") || strings.Contains(line, "* @test")
	case "java", "kotlin", "scala", "groovy":
		return "", annotated(line, "@Test", "@ParameterizedTest", "@RepeatedTest", "@TestFactory", "@Property")
	case "c#", "f#":
		return "", annotated(line, "[Fact", "[Theory", "[Test", "[TestMethod", "[TestCase")
	case "rust":
		return "", strings.HasPrefix(line, "#[") && (strings.HasSuffix(line, "test]") || strings.Contains(line, "::test(") ||
			strings.HasPrefix(line, "#[rstest") || strings.HasPrefix(line, "#[test_case"))
	case "swift":
		if strings.HasPrefix(line, "func test") {
			return identAt(line, len("func ")), false
		}
		return "", strings.HasPrefix(line, "@Test")
	case "c", "c++", "objective-c":
		for _, macro := range []string{"TEST(", "TEST_F(", "TEST_P(", "TYPED_TEST(", "TEST_CASE(", "SCENARIO(", "BOOST_AUTO_TEST_CASE("} {
			if rest, ok := strings.CutPrefix(line, macro); ok {
				name, _, _ := strings.Cut(rest, ")")
				return strings.TrimSpace(name), false
			}
		}
	case "shell":
		return titled(line, "@test"), false
	}
	return "", false
}

func annotated(line string, marks ...string) bool {
	for _, m := range marks {
		if rest, ok := strings.CutPrefix(line, m); ok && (rest == "" || !wordByte(rest[0])) {
			return true
		}
	}
	return false
}

// definedName returns the name of the function or the class that the line defines, "" where it defines none.
func definedName(line string) string {
	line = strings.TrimSpace(line)
	for {
		word, rest, ok := strings.Cut(line, " ")
		switch word {
		case "public", "private", "protected", "internal", "static", "final", "abstract", "async", "export", "default", "override",
			"suspend", "open", "pub", "pub(crate)", "virtual", "inline", "const", "unsafe", "sealed", "partial":
			if !ok {
				return ""
			}
			line = strings.TrimLeft(rest, " ")
			continue
		case "func", "def", "fn", "fun", "function", "class", "struct", "interface", "trait", "enum", "type", "module", "object":
			rest = strings.TrimLeft(rest, " ")
			if word == "func" && strings.HasPrefix(rest, "(") { // a method's receiver
				if _, after, ok := strings.Cut(rest, ") "); ok {
					rest = after
				}
			}
			return identAt(strings.TrimPrefix(rest, "self."), 0)
		}
		return methodName(line)
	}
}

// methodName reads "void name(…) {" of the languages that have no word for a function.
func methodName(line string) string {
	open := strings.IndexByte(line, '(')
	if open <= 0 || open > 200 || !strings.HasSuffix(line, "{") && !strings.HasSuffix(line, ")") {
		return ""
	}
	head := strings.Fields(line[:open])
	if len(head) < 2 {
		return ""
	}
	switch head[0] {
	case "return", "if", "for", "while", "switch", "new", "else", "throw", "await", "case", "}", "catch":
		return ""
	}
	name := head[len(head)-1]
	if identAt(name, 0) != name {
		return ""
	}
	return name
}

func identAt(s string, i int) string {
	j := i
	if j < len(s) && s[j] == '`' {
		if n := strings.IndexByte(s[j+1:], '`'); n > 0 {
			return s[j+1 : j+1+n]
		}
	}
	for j < len(s) && wordByte(s[j]) {
		j++
	}
	return s[i:j]
}

// titled returns the title of a test that is a call with a string: it("adds"), test.skip('adds'), it "adds" do.
func titled(line string, names ...string) string {
	for _, n := range names {
		rest, ok := strings.CutPrefix(line, n)
		if !ok || rest == "" || wordByte(rest[0]) {
			continue
		}
		for strings.HasPrefix(rest, ".") { // .only, .skip, .concurrent
			word := identAt(rest, 1)
			rest = rest[1+len(word):]
		}
		rest = strings.TrimLeft(rest, "( ")
		if rest == "" || rest[0] != '"' && rest[0] != '\'' && rest[0] != '`' {
			return ""
		}
		title, _, closed := strings.Cut(rest[1:], rest[:1])
		if closed && title != "" {
			return title
		}
	}
	return ""
}

var assertWords = sync.OnceValue(func() *needles {
	return newNeedles("assert", "Assert", "ASSERT", "expect(", "expect!", "EXPECT_", "require.", ".should", "should.", "is_expected", "t.Error", "t.Fatal", "verify(", "REQUIRE(", "CHECK(",
		"check.", "cmp.Diff", "pytest.raises", "XCT", "refute", "#expect", "#require", "fail(", "raises(", "must_", "is.Equal", "qt.")
})

// asserts reports whether the line checks something. A check of a constant checks nothing, and neither does a comment.
func asserts(line string) bool {
	if !assertWords().in(line) {
		return false
	}
	line = strings.TrimSpace(line)
	for _, open := range []string{"//", "#", "*", "/*", "import ", "from ", "use ", "using ", "--", "require ", "const ", "func ", "def ", `"`} {
		if strings.HasPrefix(line, open) && !strings.HasPrefix(line, "#expect") && !strings.HasPrefix(line, "#require") {
			return false
		}
	}
	squeezed := strings.ReplaceAll(line, " ", "")
	for _, empty := range []string{"assertTrue(true", "assertTrue(True", "assertFalse(false", "expect(true).toBe(true)", "expect(true).toBeTruthy",
		"assert!(true)", "assert(true)", "expect(1).toBe(1)", "assert_true(true", "expect(true).to", "Assert.True(true", "assert.True(t,true"} {
		if strings.Contains(squeezed, empty) {
			return false
		}
	}
	return squeezed != "assertTrue" && squeezed != "assert1"
}
