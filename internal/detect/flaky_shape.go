package detect

import (
	"strings"

	"github.com/gavel-review/gavel"
	"github.com/gavel-review/gavel/internal/code"
)

var ruleFlakySelector = &gavel.Rule{
	ID:    "flaky/brittle-selector",
	Title: "Test finds an element by its place in the page",
	Text: "The first change of the layout breaks such a test, and an element that loads late shifts its neighbours. The rule fires on absolute XPath expressions, on " +
		"XPath with two or more positions, on `:nth-child` in chains of three or more steps, and on class names that a build generates.",
	Fix:      "Find it by role, label or a test id.",
	Before:   "driver.find_element(By.XPATH, \"/html/body/div[2]/div[1]/button\")",
	After:    "page.get_by_role(\"button\", name=\"Save\")",
	Severity: gavel.Info, Category: gavel.CategoryFlaky, Confidence: gavel.ConfidenceLow,
}

var ruleFlakyMocks = &gavel.Rule{
	ID:    "flaky/over-mocking",
	Title: "Test replaces most of what it runs",
	Text: "A test with many mocks checks the mocks: it breaks when the code is rearranged and passes when it is wrong. The rule fires at the sixth " +
		"replacement within one test.",
	Fix:      "Test with the real parts, and replace only what is slow or outside of the program.",
	Before:   "a = mock(A.class); b = mock(B.class); c = mock(C.class); d = mock(D.class); e = mock(E.class); f = mock(F.class)",
	After:    "service = new Service(new InMemoryStore(), mock(Mailer.class))",
	Severity: gavel.Info, Category: gavel.CategoryFlaky, Confidence: gavel.ConfidenceLow,
}

func registerShape(add func(flakyCheck, string, string)) {
	add(checkSelector, "javascript python java kotlin c# ruby", "\"")
	add(checkMocks, "java kotlin", "mock spy mockk")
	add(checkMocks, "python", "patch")
	add(checkMocks, "javascript", "mock spyOn doMock")
}

func checkSelector(v *flakyView, i int, _ string) bool {
	s := unquoted(v.text(i))
	if !brittle(s) {
		return false
	}
	row := v.rowOf(i)
	if !v.inTest(row) || !v.sign(i-1, '(') && !v.sign(i-1, ',') {
		return false
	}
	v.pass.Report(ruleFlakySelector, v.span(i, i), "The selector depends on where the element stands, not on what it is.")
	return true
}

func brittle(s string) bool {
	if len(s) < 8 || len(s) > 500 {
		return false
	}
	xpath := strings.TrimPrefix(s, "xpath=")
	if strings.HasPrefix(xpath, "/html/") {
		return true
	}
	if strings.HasPrefix(xpath, "//") && !strings.Contains(xpath, " ") && positions(xpath) >= 2 {
		return true
	}
	if n := strings.Count(s, ":nth-child(") + strings.Count(s, ":nth-of-type("); n > 0 && strings.Count(s, ">") >= 2 {
		return true
	}
	return false
}

// positions counts steps such as div[2].
func positions(s string) int {
	n := 0
	for i := 1; i+2 < len(s); i++ {
		if s[i] == '[' && s[i+1] >= '0' && s[i+1] <= '9' && wordByte(s[i-1]) {
			n++
		}
	}
	return n
}

// mostMocks is how many replacements a test may make.
const mostMocks = 5

func checkMocks(v *flakyView, i int, name string) bool {
	if !v.mocks(i, name) {
		return false
	}
	row := v.rowOf(i)
	n := 0
	if v.lang == "python" { // decorators on one function
		first := row
		for first > 0 && v.sign(v.rows[first-1].from, '@') {
			first--
		}
		for k := first; k <= row; k++ {
			if v.hasName(v.rows[k].from, v.rows[k].to, "patch") {
				n++
			}
		}
	} else {
		s := v.scope(row)
		if len(s.calls) == 0 || v.describes(s.calls[0]) {
			return false
		}
		from, _ := v.block(s.calls[0])
		for j := from; j <= i; j++ {
			if v.name(j) == name && v.mocks(j, name) {
				n++
			}
		}
	}
	if n != mostMocks+1 {
		return false
	}
	v.pass.Report(ruleFlakyMocks, v.span(v.chain(i), i), "This is the sixth part that the test replaces.")
	return true
}

func (v *flakyView) mocks(i int, name string) bool {
	before := v.name(v.beforeDot(i))
	switch v.lang {
	case "python":
		return v.sign(v.rows[v.rowOf(i)].from, '@')
	case "javascript":
		return v.sign(i+1, '(') && oneOf(before, "jest", "vi", "sinon")
	}
	return (v.sign(i+1, '(') || v.sign(i+1, '<')) && (before == "" || before == "Mockito") && v.kind(i-1) != code.Ident
}
