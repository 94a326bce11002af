package detect

import (
	"strings"

	"github.com/gavel-review/gavel"
	"github.com/gavel-review/gavel/internal/code"
)

var ruleFlakyRandom = &gavel.Rule{
	ID:    "flaky/unseeded-random",
	Title: "Test asserts on an unseeded random value",
	Text: "The value differs at every run, so the failing one cannot be had again. The rule fires where a test puts a value of the language's " +
		"default generator into an assertion that compares by size or difference, or asserts on it after a call; a generator with a seed, a mocked generator and a value that is only " +
		"stored and read back are no findings.",
	Fix:      "Use a fixed value or a generator with a fixed seed, and print the seed when it varies.",
	Before:   "n = random.randint(1, 10)\nassert pick(n) < 10",
	After:    "n = random.Random(7).randint(1, 10)\nassert pick(n) < 10",
	Severity: gavel.Low, Category: gavel.CategoryFlaky, Confidence: gavel.ConfidenceLow,
}

func registerRandom(add func(flakyCheck, string, string)) {
	add(checkRandom, "go", "Int Intn Int31 Int31n Int63 Int63n Float64 Float32 Perm IntN Int64N Int32N UintN")
	add(checkRandom, "python", "randint random randrange choice choices sample uniform shuffle rand randn gauss")
	add(checkRandom, "javascript", "random")
	add(checkRandom, "java kotlin scala groovy", "nextInt nextDouble nextLong nextBoolean random nextFloat")
	add(checkRandom, "c#", "Next NextDouble NextInt64")
	add(checkRandom, "ruby", "rand sample shuffle")
	add(checkRandom, "php", "rand mt_rand random_int shuffle array_rand")
	add(checkRandom, "rust", "random gen_range random_range")
	add(checkRandom, "swift", "random arc4random_uniform randomElement")
}

func checkRandom(v *flakyView, i int, name string) bool {
	if !v.randomCall(i, name) {
		return false
	}
	row := v.rowOf(i)
	s := v.scope(row)
	if !v.inTest(row) || !s.known || s.nested || v.seeds() {
		return false
	}
	if !v.weighs(row) && (!v.checks(row) || v.hasName(v.rows[row].from, v.rows[row].to, "isinstance", "len", "typeof", "in", "Contains", "NotEmpty")) {
		target := v.assigned(row, v.chain(i))
		if target == "" || !v.weighedLater(row, target, s.outer) {
			return false
		}
	}
	v.pass.Report(ruleFlakyRandom, v.span(v.chain(i), i), "The outcome depends on a value that nobody chose and no seed repeats.")
	return true
}

func (v *flakyView) randomCall(i int, name string) bool {
	if !v.sign(i+1, '(') && v.lang != "ruby" {
		return false
	}
	root := v.name(v.chain(i))
	switch v.lang {
	case "go":
		return v.dotted(i, "rand", name)
	case "python":
		return v.dotted(i, "random", name) || oneOf(root, "np", "numpy") && v.name(v.beforeDot(i)) == "random" || oneOf(name, "randint", "randrange") && v.beforeDot(i) < 0
	case "javascript":
		return v.dotted(i, "Math", "random")
	case "java", "kotlin", "scala", "groovy":
		if name == "random" {
			return v.dotted(i, "Math", "random") || v.lang == "kotlin" && v.beforeDot(i) >= 0
		}
		return oneOf(root, "ThreadLocalRandom", "Random") || v.name(v.chain(i)-1) == "new" && root == "Random" && v.sign(v.chain(i)+2, ')')
	case "c#":
		return v.dotted(i, "Random", "Shared", name) || root == "Random"
	case "ruby":
		return name == "rand" && (v.beforeDot(i) < 0 || oneOf(root, "Random", "Kernel")) && v.name(i-1) != "def" ||
			name != "rand" && v.sign(i-1, '.') && !v.sign(i+1, '(')
	case "php":
		return v.beforeDot(i) < 0
	case "rust":
		return name == "random" && (v.beforeDot(i) < 0 || root == "rand") || v.hasName(v.chain(i), i, "thread_rng", "rng") && root != "self"
	case "swift":
		return v.beforeDot(i) < 0 || oneOf(root, "Int", "Double", "Float", "UInt", "Bool", "CGFloat")
	}
	return false
}

// seeds reports whether the file seeds or replaces the generator.
func (v *flakyView) seeds() bool {
	text := v.src.Text
	for _, w := range []string{"seed(", "Seed(", "SEED", "srand", "seed=", "NewSource(", "NewPCG(", "NewChaCha8(", "from_seed", "seed_from_u64", "Math, 'random'", "Math, \"random\"", "Math.random =", "randomSeed", "seedrandom"} {
		if strings.Contains(text, w) {
			return true
		}
	}
	return false
}

// assigned returns the name that the row gives the expression to, "" where it does not.
func (v *flakyView) assigned(row, start int) string {
	r := v.rows[row]
	for i := r.from; i < start; i++ {
		if oneOf(v.name(i), "let", "val", "const") {
			if v.name(i+1) == "mut" {
				i++
			}
			return v.name(i + 1)
		}
		if v.sign(i, '=') && !v.sign(i+1, '=') && !v.sign(i-1, '!') && !v.sign(i-1, '<') && !v.sign(i-1, '>') && !v.sign(i-1, '=') {
			j := i - 1
			if v.sign(j, ':') { // :=
				j--
			}
			if v.sign(j, ']') || v.sign(j, ')') {
				return ""
			}
			for j >= r.from && v.name(j) == "" {
				j--
			}
			if v.sign(j-1, ':') && j-2 >= r.from { // let x: f64 =
				j -= 2
			}
			return v.name(j)
		}
	}
	return ""
}

// weighedLater reports whether a row below, up to the end of the function, asserts on the name.
func (v *flakyView) weighedLater(row int, name string, outer flakyHeader) bool {
	_, end := v.block(outer)
	const below = 40
	for k := row + 1; k < len(v.rows) && k < row+below && v.rows[k].from < end && v.rows[k].piece == v.rows[row].piece; k++ {
		if v.hasName(v.rows[k].from, v.rows[k].to, name) && v.weighs(k) {
			return true
		}
	}
	return false
}

// weighs reports whether the row asserts by size or difference, which a random value can miss.
func (v *flakyView) weighs(row int) bool {
	if !v.checks(row) {
		return false
	}
	r := v.rows[row]
	condition := v.name(r.from) == "if" // of a failure
	for i := r.from; i < r.to; i++ {
		switch v.kind(i) {
		case code.Punct:
			c := v.text(i)
			if (c == "<" || c == ">") && !v.sign(i-1, '=') && !v.sign(i-1, '-') && !v.sign(i+1, '-') && !v.sign(i-1, c[0]) && !v.sign(i+1, c[0]) ||
				v.sign(i+1, '=') && (c == "!" && !condition || c == "=" && condition && v.tokens[i].End == v.tokens[i+1].Start) {
				return true
			}
		case code.Ident:
			n := v.text(i)
			if strings.Contains(n, "Less") || strings.Contains(n, "Greater") || strings.Contains(n, "InDelta") || strings.Contains(n, "Between") || strings.Contains(n, "less_than") || strings.Contains(n, "greater_than") ||
				strings.HasPrefix(n, "NotEqual") || n == "assertNotEqual" || n == "assertNotEquals" || n == "assert_ne" || n == "be_between" || n == "be_within" || n == "BeLessThan" {
				return true
			}
		}
	}
	return false
}

// checks reports whether the row asserts something: by name, or as a condition whose block fails the test.
func (v *flakyView) checks(row int) bool {
	r := v.rows[row]
	for i := r.from; i < r.to; i++ {
		n := v.name(i)
		if n == "" {
			continue
		}
		if strings.HasPrefix(n, "assert") || strings.HasPrefix(n, "Assert") || strings.HasPrefix(n, "expect") || strings.HasPrefix(n, "XCTAssert") || strings.HasPrefix(n, "debug_assert") ||
			oneOf(n, "require", "ok", "should", "Expect", "refute", "must_be", "strictEqual", "equal", "deepEqual") && (v.sign(i+1, '(') || v.sign(i+1, '.') || v.sign(i-1, '.')) {
			return true
		}
		if n == "if" && i == r.from {
			return v.failsBelow(row)
		}
	}
	return false
}

func (v *flakyView) failsBelow(row int) bool {
	for k := row + 1; k < len(v.rows) && k <= row+3 && v.rows[k].indent > v.rows[row].indent; k++ {
		for i := v.rows[k].from; i < v.rows[k].to; i++ {
			if oneOf(v.name(i), "Fatal", "Fatalf", "Error", "Errorf", "Fail", "FailNow", "fail", "XCTFail", "panic", "flunk") && (v.sign(i+1, '(') || v.sign(i+1, '!')) {
				return true
			}
		}
	}
	return false
}
