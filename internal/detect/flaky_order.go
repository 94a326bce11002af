package detect

import (
	"strings"

	"github.com/gavel-review/gavel"
	"github.com/gavel-review/gavel/internal/code"
)

var ruleFlakyOrder = &gavel.Rule{
	ID:    "flaky/map-order",
	Title: "Test depends on the order of a map or a set",
	Text: "Go changes the order of a map's keys at every walk, Python and Rust that of a set at every run, and Java promises none. The rule fires where a test " +
		"collects from one and compares the result by position without sorting it.",
	Fix:      "Sort before comparing, or compare as sets.",
	Before:   "for k := range m { got = append(got, k) }\nif got[0] != \"a\" { t.Fatal(got) }",
	After:    "for k := range m { got = append(got, k) }\nsort.Strings(got)\nif got[0] != \"a\" { t.Fatal(got) }",
	Severity: gavel.Low, Category: gavel.CategoryFlaky, Confidence: gavel.ConfidenceMedium,
}

var ruleFlakyTestOrder = &gavel.Rule{
	ID:    "flaky/test-order",
	Title: "Tests depend on the order in which they run",
	Text: "Tests that must run in an order cannot run alone, in parallel or after one that failed. The rule fires where a change fixes the " +
		"order: `@TestMethodOrder`, `@FixMethodOrder`, `@pytest.mark.order`, `describe.serial`, `dependsOnMethods`, `@depends`, `[Order(1)]`.",
	Fix:      "Let every test set up what it needs.",
	Before:   "@TestMethodOrder(OrderAnnotation.class)\nclass CartTest {}",
	After:    "class CartTest { @BeforeEach void fill() {} }",
	Severity: gavel.Info, Category: gavel.CategoryFlaky, Confidence: gavel.ConfidenceLow,
}

func registerOrder(add func(flakyCheck, string, string)) {
	add(checkMapOrder, "go", "range")
	add(checkSetOrder, "python", "list tuple join")
	add(checkHashOrder, "rust", "collect")
	add(checkHashOrder, "java kotlin scala groovy", "toString get iterator ArrayList")
	add(checkTestOrder, "java kotlin", "TestMethodOrder FixMethodOrder dependsOnMethods")
	add(checkTestOrder, "python", "order run")
	add(checkTestOrder, "javascript", "serial")
	add(checkTestOrder, "c#", "Order")
	add(checkTestOrder, "php", "Depends")
}

// checkMapOrder looks at "for k := range m" in Go.
func checkMapOrder(v *flakyView, i int, _ string) bool {
	row := v.rowOf(i)
	s := v.scope(row)
	if v.name(v.rows[row].from) != "for" || !s.known || !v.rangesMap(i, s.outer) {
		return false
	}
	from, to := v.block(flakyHeader{row: row, from: v.rows[row].from, to: v.rows[row].to})
	list := ""
	for j := from; j < to; j++ {
		if v.name(j) == "append" && v.sign(j+1, '(') {
			list = v.name(j + 2)
		}
	}
	if list == "" || !v.ordered(to, list, s.outer) {
		return false
	}
	v.pass.Report(ruleFlakyOrder, v.span(v.rows[row].from, v.rows[row].to), "The map gives its keys in another order at every walk, and what is collected here is compared by position.")
	return true
}

// rangesMap reports whether what stands behind range is a map, as far as the function tells.
func (v *flakyView) rangesMap(i int, outer flakyHeader) bool {
	if v.name(i+1) == "map" {
		return true
	}
	name := v.name(i + 1)
	if name == "" || !v.sign(i+2, '{') {
		return false
	}
	for j := outer.from; j < i; j++ {
		if v.name(j) != name {
			continue
		}
		k := j + 1
		for v.sign(k, ':') || v.sign(k, '=') || v.name(k) == "make" || v.sign(k, '(') {
			k++
		}
		if k > j && v.name(k) == "map" {
			return true
		}
	}
	return false
}

// ordered reports whether the list is compared by position from the token on and never sorted.
func (v *flakyView) ordered(after int, list string, outer flakyHeader) bool {
	_, end := v.block(outer)
	compared := false
	for i := after; i < end; i++ {
		n := v.name(i)
		lower := strings.ToLower(n)
		if strings.Contains(lower, "sort") || n == "ElementsMatch" || n == "Contains" || n == "SameElements" || n == "ContainElements" || n == "ConsistOf" || n == "Len" {
			return false
		}
		switch {
		case n == list && v.sign(i+1, '[') && v.kind(i+2) == code.Number:
			compared = true
		case oneOf(n, "DeepEqual", "Equal", "Diff", "Join", "EqualValues") && v.sign(i+1, '('):
			if stop := v.close(i + 1); stop > 0 && v.hasName(i+2, stop, list) {
				compared = true
			}
		}
	}
	return compared
}

// checkSetOrder looks at list(set(x)) in Python, and at list(s) of a set s.
func checkSetOrder(v *flakyView, i int, _ string) bool {
	row := v.rowOf(i)
	r := v.rows[row]
	s := v.scope(row)
	if !v.sign(i+1, '(') || !s.known || v.beforeDot(i) >= 0 && v.name(i) != "join" {
		return false
	}
	end := v.close(i + 1)
	if end < 0 || !(v.name(i+2) == "set" && v.sign(i+3, '(')) && !(end == i+3 && v.isSet(v.name(i+2), s.outer, i)) || v.sortsHere(r) {
		return false
	}
	if v.checks(row) {
		if !(v.sign(end+1, '=') && v.sign(end+2, '=') || v.hasName(r.from, i, "assertEqual", "assertListEqual") || v.sign(end+1, '[')) {
			return false
		}
	} else if name := v.assigned(row, i); name == "" || !v.orderedBelow(row, name, s.outer) {
		return false
	}
	v.pass.Report(ruleFlakyOrder, v.span(i, end), "A set has no order: the list differs from run to run.")
	return true
}

func (v *flakyView) sortsHere(r flakyRow) bool {
	return v.hasName(r.from, r.to, "sorted", "sort", "assertCountEqual", "len", "set_equal", "assertItemsEqual", "Counter")
}

// isSet reports whether the function makes the name a set in front of the token.
func (v *flakyView) isSet(name string, outer flakyHeader, before int) bool {
	for j := outer.from; j < before && name != ""; j++ {
		if v.name(j) != name || !v.sign(j+1, '=') {
			continue
		}
		if v.name(j+2) == "set" {
			return true
		}
		if v.sign(j+2, '{') && !v.sign(j+3, '}') {
			end := v.close(j + 2)
			for k := j + 3; k < end; k++ {
				if v.sign(k, ':') {
					return false
				}
			}
			return end > 0
		}
	}
	return false
}

// orderedBelow reports whether a row below asserts on the list by position or as a whole, and none sorts it.
func (v *flakyView) orderedBelow(row int, list string, outer flakyHeader) bool {
	_, end := v.block(outer)
	for k := row + 1; k < len(v.rows) && v.rows[k].from < end; k++ {
		r := v.rows[k]
		if !v.hasName(r.from, r.to, list) {
			continue
		}
		if v.sortsHere(r) {
			return false
		}
		for i := r.from; i < r.to && v.checks(k); i++ {
			if v.name(i) != list {
				continue
			}
			if v.sign(i+1, '[') || v.sign(i+1, '=') && v.sign(i+2, '=') || v.sign(i-1, '=') && v.sign(i-2, '=') || v.sign(i+1, '.') && v.name(i+2) == "get" && v.kind(i+4) == code.Number {
				return true
			}
		}
	}
	return false
}

// checkHashOrder looks at collections without an order that a test reads by position.
func checkHashOrder(v *flakyView, i int, name string) bool {
	row := v.rowOf(i)
	s := v.scope(row)
	if !s.known || !v.inTest(row) {
		return false
	}
	if name == "ArrayList" {
		return v.checkListOfHash(i, row, s.outer)
	}
	root := v.chain(i)
	holder := v.name(root)
	r := v.rows[row]
	if v.lang == "rust" {
		if !v.hasName(root, i, "keys", "values", "iter", "into_iter", "into_keys", "into_values") || !v.declaredAs(holder, s.outer, root, "HashMap", "HashSet") {
			return false
		}
		list := v.assigned(row, root)
		if list == "" && !v.checks(row) || v.hasName(r.from, r.to, "HashSet", "BTreeSet", "HashMap", "BTreeMap", "sorted") || list != "" && !v.orderedRust(row, list, s.outer) {
			return false
		}
	} else if !v.checks(row) || !v.declaredAs(holder, s.outer, root, "HashMap", "HashSet") || name != "toString" && !v.hasName(root, i, "iterator", "toArray", "stream", "keySet", "values") || name == "get" && v.kind(i+2) != code.Number {
		return false
	}
	v.pass.Report(ruleFlakyOrder, v.span(root, i), "The collection promises no order, and this reads it by position.")
	return true
}

// checkListOfHash looks at new ArrayList<>(s) of a HashSet s, or of a HashMap's keys.
func (v *flakyView) checkListOfHash(i, row int, outer flakyHeader) bool {
	open := i + 1
	for open < v.rows[row].to && !v.sign(open, '(') {
		open++
	}
	if v.name(i-1) != "new" || !v.declaredAs(v.name(open+1), outer, i, "HashMap", "HashSet") {
		return false
	}
	if name := v.assigned(row, i-1); name != "" {
		if !v.orderedBelow(row, name, outer) {
			return false
		}
	} else if !v.hasName(v.rows[row].from, i, "assertEquals") {
		return false
	}
	v.pass.Report(ruleFlakyOrder, v.span(i-1, open+1), "The collection promises no order, and this reads it by position.")
	return true
}

func (v *flakyView) orderedRust(row int, list string, outer flakyHeader) bool {
	_, end := v.block(outer)
	compared := false
	for i := v.rows[row].to; i < end; i++ {
		n := v.name(i)
		if strings.HasPrefix(n, "sort") {
			return false
		}
		compared = compared || n == list && v.sign(i+1, '[') || n == "assert_eq" && v.name(i+3) == list && v.sign(i+4, ',')
	}
	return compared
}

// declaredAs reports whether the function makes the name a new one of the types.
func (v *flakyView) declaredAs(name string, outer flakyHeader, before int, types ...string) bool {
	if name == "" {
		return false
	}
	for j := outer.from; j < before; j++ {
		if v.name(j) != name || v.kind(j+1) != code.Punct {
			continue
		}
		r := v.rows[v.rowOf(j)]
		if v.hasName(j, r.to, types...) {
			return true
		}
	}
	return false
}

func checkTestOrder(v *flakyView, i int, name string) bool {
	row := v.rowOf(i)
	first := v.rows[row].from
	switch v.lang {
	case "python":
		if !v.sign(first, '@') || !v.dotted(i, "pytest", "mark", name) || !v.sign(i+1, '(') || name == "run" && v.name(i+2) != "order" {
			return false
		}
	case "javascript":
		if !oneOf(v.name(v.beforeDot(i)), "describe") || !v.sign(i+1, '(') {
			return false
		}
	case "c#":
		if !v.sign(first, '[') || !v.sign(i-1, '[') && !v.sign(i-1, ',') || !v.sign(i+1, '(') {
			return false
		}
	case "php":
		if !v.sign(first, '#') {
			return false
		}
	default:
		if !v.sign(first, '@') || v.hasName(first, v.rows[row].to, "Random", "MethodOrderer.Random") {
			return false
		}
	}
	v.pass.Report(ruleFlakyTestOrder, v.span(i, i), "These tests only pass one after the other.")
	return true
}
