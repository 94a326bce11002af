package detect

import (
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/gavel-review/gavel"
	"github.com/gavel-review/gavel/internal/code"
)

var assertion = Detector{Name: "assertion", Rules: []*gavel.Rule{ruleAssertWeak, ruleAssertComment, ruleAssertConstant}, Run: runAssertion}

var ruleAssertWeak = &gavel.Rule{
	ID:    "hygiene/assertion-weakened",
	Title: "Assertion of a value becomes one that something is there",
	Text: "A test that compared a value and now only asks whether there is one passes whatever the value is. The rule fires where a changed block of a test " +
		"replaces a comparison of something by a check that the same thing is not null, is defined or is truthy.",
	Fix:      "Compare with the value that should come out now.",
	Before:   "- assert.Equal(t, 42, total)\n+ assert.NotNil(t, total)",
	After:    "+ assert.Equal(t, 43, total)",
	Severity: gavel.Low, Category: gavel.CategoryHygiene, Confidence: gavel.ConfidenceMedium,
}

var ruleAssertComment = &gavel.Rule{
	ID:       "hygiene/assertion-commented",
	Title:    "Assertion is commented out",
	Text:     "The change turns an assertion of a test into a comment: the test goes on and checks less.",
	Fix:      "Bring the assertion back or delete it with a reason.",
	Before:   "- assert total == 42\n+ # assert total == 42",
	After:    "  assert total == 42",
	Severity: gavel.Low, Category: gavel.CategoryHygiene, Confidence: gavel.ConfidenceHigh,
}

var ruleAssertConstant = &gavel.Rule{
	ID:       "hygiene/assertion-constant",
	Title:    "Assertion of a constant checks nothing",
	Text:     "The test compares a constant with itself; it is green whatever the code does. Assertions that are meant to fail are no finding.",
	Fix:      "Assert what the code should have done.",
	Before:   "expect(true).toBe(true)",
	After:    "expect(total(order)).toBe(42)",
	Severity: gavel.Low, Category: gavel.CategoryHygiene, Confidence: gavel.ConfidenceHigh,
}

var (
	assertValue = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`assertEquals?\b|assert_equal\b|assert_eq!|(?:assert|require|is|qt)\.(?:Equal|EqualValues|Exactly|JSONEq|Len|ElementsMatch)\(|\.to(?:Be|Equal|StrictEqual|HaveLength|MatchObject)\(|\.to (?:eq|eql|equal)\b|Assert\.(?:Equal|AreEqual)\(|XCTAssertEqual\(|\bassert\b[^=!<>]* == |EXPECT_EQ\(|assertSame\(`)
	})
	assertThere = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`assert(?:IsNotNone|NotNull|NotNone)\(|assert_not_nil\b|refute_nil\b|(?:assert|require)\.(?:NotNil|NotEmpty)\(|\.(?:toBeDefined|toBeTruthy)\(|\.not\.to(?:BeNull|BeUndefined)\(|\.not_to be_nil|Assert\.(?:NotNull|IsNotNull|NotEmpty)\(|XCTAssertNotNil\(|\bassert \w[\w.\[\]()]* is not None\s*(?:$|,)|assert!\([\w.()]+\.is_(?:ok|some)\(\)\)|assertNotEmpty\(`)
	})
	assertConstant = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^\s*(?:(?:self\.|Assert(?:ions)?\.|\$this->)?(?:assertTrue|assert_true|True|IsTrue)\((?:t, ?)?(?:true|True|1)(?:,.*)?\)|(?:assert|require)\.True\(t, true\b|expect\((true|false|1|0|null)\)\.to(?:Be|Equal|StrictEqual)\((?:true|false|1|0|null)\)|expect\(true\)\.toBeTruthy\(\)|assert(?: True|\(True\)|\(true\)|!\(true\)| 1)|(?:self\.)?assertEquals?\((\d+|True|true), ?(\d+|True|true)\)|expect\(true\)\.to (?:be true|eq true|be_truthy)|assert_equal true, true|XCTAssertTrue\(true\))\s*;?\s*$`)
	})
)

func runAssertion(p *Pass) {
	if !p.Test || !p.Lang.Program {
		return
	}
	p.Lines(gavel.Add, func(l *gavel.Line) {
		if assertWords().in(l.Text) && len(l.Text) < nearBytes && constantAssert(l.Text) && !p.moved(l) && p.kindAt(l.New, indentation(l.Text)) == code.Ident {
			p.Report(ruleAssertConstant, place(l, indentation(l.Text), len(strings.TrimSpace(l.Text))), "The assertion holds whatever the code does.")
		}
	})
	if !p.Whole && changesOld(p.File) {
		for i := range p.File.Hunks {
			p.weakened(&p.File.Hunks[i])
		}
	}
}

// constantAssert reports whether both sides are constants and equal.
func constantAssert(line string) bool {
	m := assertConstant().FindStringSubmatch(line)
	if m == nil {
		return false
	}
	if m[1] != "" {
		return strings.HasSuffix(strings.TrimRight(line, " ;"), "("+m[1]+")")
	}
	return m[2] == m[3]
}

// weakened looks at each block of changed lines.
func (p *Pass) weakened(h *gavel.Hunk) {
	var gone, come []*gavel.Line
	for i := 0; i <= len(h.Lines); i++ {
		if i == len(h.Lines) || h.Lines[i].Op == gavel.Context {
			p.weakenedBlock(gone, come)
			gone, come = nil, nil
			continue
		}
		l := &h.Lines[i]
		switch {
		case len(l.Text) > nearBytes || !assertWords().in(l.Text):
		case l.Op == gavel.Remove:
			gone = append(gone, l)
		default:
			come = append(come, l)
		}
	}
}

func (p *Pass) weakenedBlock(gone, come []*gavel.Line) {
	const most = 50 // lines on each side: blocks are compared line by line
	gone, come = gone[:min(len(gone), most)], come[:min(len(come), most)]
	for _, l := range come {
		for _, old := range gone {
			if commented(old.Text, l.Text) {
				p.Report(ruleAssertComment, place(l, indentation(l.Text), len(strings.TrimSpace(l.Text))), "The assertion became a comment.")
				break
			}
			if weaker(old.Text, l.Text, come) {
				p.Report(ruleAssertWeak, place(l, indentation(l.Text), len(strings.TrimSpace(l.Text))), "The assertion compared a value before and now only asks whether there is one.")
				break
			}
		}
	}
}

// commented reports whether the new line is the old one behind the mark of a comment.
func commented(old, now string) bool {
	old, now = strings.TrimSpace(old), strings.TrimSpace(now)
	for _, mark := range []string{"//", "#", "/*", "--"} {
		if rest, ok := strings.CutPrefix(now, mark); ok && asserts(old) {
			rest = strings.TrimSpace(strings.TrimSuffix(rest, "*/"))
			return rest == old
		}
	}
	return false
}

// weaker reports whether a comparison of something became a check that the same thing is there, and none of the block's new lines
// compares it.
func weaker(old, now string, come []*gavel.Line) bool {
	if !assertValue().MatchString(old) || !assertThere().MatchString(now) || assertThere().MatchString(old) || assertValue().MatchString(now) {
		return false
	}
	for _, constant := range []string{"true", "True", "false", "False", "nil", "None", "null", "NULL", "undefined", "Nil"} {
		if containsWord(old, constant) {
			return false // the same said in another way
		}
	}
	for i := 0; i < len(now); {
		name := identAt(now, i)
		if len(name) > 2 && !assertionWord(name) && containsWord(old, name) {
			return !slices.ContainsFunc(come, func(l *gavel.Line) bool { return containsWord(l.Text, name) && assertValue().MatchString(l.Text) })
		}
		i += max(1, len(name))
	}
	return false
}

// assertionWord reports whether the name belongs to the assertion and not to what is asserted.
func assertionWord(name string) bool {
	lower := strings.ToLower(name)
	for _, prefix := range []string{"assert", "expect", "require", "xct", "refute", "tobe", "not", "isnot", "self", "none", "null", "is_", "should"} {
		if strings.HasPrefix(lower, prefix) {
			return true
		}
	}
	return false
}

func containsWord(line, word string) bool {
	for at := 0; ; {
		i := strings.Index(line[at:], word)
		if i < 0 {
			return false
		}
		at += i
		end := at + len(word)
		if (at == 0 || !wordByte(line[at-1])) && (end == len(line) || !wordByte(line[end])) {
			return true
		}
		at = end
	}
}
