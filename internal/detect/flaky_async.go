package detect

import (
	"strings"

	"github.com/gavel-review/gavel"
)

var ruleFlakyUnawaited = &gavel.Rule{
	ID:    "flaky/unawaited-assertion",
	Title: "Test ends before its assertion is made",
	Text: "A promise that is neither awaited nor returned settles after the test has passed, or in the middle of the next one. The rule fires on " +
		"`expect(…).resolves` and `.rejects` and on `.then(…)` with an assertion inside, where a statement of a test neither awaits, returns nor keeps them and the test takes no `done` " +
		"and plans no number of assertions; in C# on a `ThrowsAsync` that is not awaited, and in Playwright tests on an `expect` of a locator that is not.",
	Fix:      "Await the promise or return it.",
	Before:   "it(\"saves\", () => {\n  save(item).then(r => { expect(r.ok).toBe(true) })\n})",
	After:    "it(\"saves\", async () => {\n  const r = await save(item)\n  expect(r.ok).toBe(true)\n})",
	Severity: gavel.Low, Category: gavel.CategoryFlaky, Confidence: gavel.ConfidenceMedium,
}

var ruleFlakyGoroutine = &gavel.Rule{
	ID:    "flaky/fatal-in-goroutine",
	Title: "Test fails from another goroutine",
	Text: "`t.Fatal`, `t.FailNow`, `t.Skip` and `require` end the goroutine that calls them and not the test: the test hangs or goes on, and once it " +
		"is over the call panics. The rule fires inside `go func() { … }` in test files.",
	Fix:      "Send the error over a channel and fail in the test's own goroutine, or use `t.Error` and return.",
	Before:   "go func() { if err := do(); err != nil { t.Fatal(err) } }()",
	After:    "errs := make(chan error, 1)\ngo func() { errs <- do() }()\nif err := <-errs; err != nil { t.Fatal(err) }",
	Severity: gavel.Low, Category: gavel.CategoryFlaky, Confidence: gavel.ConfidenceMedium,
}

func registerAsync(add func(flakyCheck, string, string)) {
	add(checkPromise, "javascript", "then resolves rejects")
	add(checkLocator, "javascript", "toBeVisible toBeHidden toHaveText toContainText toHaveURL toHaveTitle toHaveCount toBeEnabled toBeDisabled toBeChecked toHaveValue toHaveAttribute toBeAttached")
	add(checkThrowsAsync, "c#", "ThrowsAsync ThrowsAnyAsync ThrowsExceptionAsync")
	add(checkGoroutine, "go", "Fatal Fatalf FailNow Skip Skipf SkipNow require")
}

func checkPromise(v *flakyView, i int, name string) bool {
	start := v.chain(i)
	first := v.rows[v.rowOf(start)].from
	if v.beforeDot(i) < 0 || start != first {
		return false
	}
	if name == "then" {
		from, to, ok := v.args(i)
		if !ok || !v.hasName(from, to, "expect", "assert") || v.continued(start) {
			return false
		}
	} else if v.name(start) != "expect" || v.continued(start) {
		return false
	}
	row := v.rowOf(start)
	hs := v.headers(row)
	if len(hs) == 0 || v.role(hs[0]) != roleTest || v.plans(hs[0]) || v.describes(hs[0]) {
		return false
	}
	v.pass.Report(ruleFlakyUnawaited, v.span(start, i), "Nothing waits for this promise: the test passes whether or not the assertion holds.")
	return true
}

// continued reports whether the expression at start goes on from the row above: an arrow without braces, an argument.
func (v *flakyView) continued(start int) bool {
	return v.sign(start-1, '>') || v.sign(start-1, ',') || v.sign(start-1, '(') || v.sign(start-1, '=') || v.sign(start-1, '[') || oneOf(v.name(start-1), "return", "await", "yield")
}

// plans reports whether the test says itself when it is over.
func (v *flakyView) plans(h flakyHeader) bool {
	if v.hasName(h.from, h.to, "done", "cb", "end") {
		return true
	}
	from, to := v.block(h)
	for i := from; i < to; i++ {
		if oneOf(v.name(i), "plan", "tspl", "completed", "assertions", "hasAssertions", "done", "flushPromises", "runAllTicks") {
			return true
		}
	}
	return false
}

func (v *flakyView) describes(h flakyHeader) bool {
	return oneOf(v.firstName(h), "describe", "suite", "context")
}

func checkLocator(v *flakyView, i int, _ string) bool {
	start := v.chain(i)
	if v.name(start) != "expect" || start != v.rows[v.rowOf(start)].from || v.continued(start) || !strings.Contains(v.src.Text, "@playwright/test") {
		return false
	}
	v.pass.Report(ruleFlakyUnawaited, v.span(start, i), "The assertion retries in the background, and nothing waits for it.")
	return true
}

func checkThrowsAsync(v *flakyView, i int, _ string) bool {
	start := v.chain(i)
	if v.name(start) != "Assert" || start != v.rows[v.rowOf(start)].from || v.continued(start) {
		return false
	}
	r := v.rows[v.rowOf(i)]
	if v.hasName(i, r.to, "Wait", "GetAwaiter", "Result") || strings.Contains(v.src.Text, "NUnit") {
		return false
	}
	v.pass.Report(ruleFlakyUnawaited, v.span(start, i), "The task is not awaited: the test passes whether or not it throws.")
	return true
}

func checkGoroutine(v *flakyView, i int, name string) bool {
	if name == "require" {
		if !v.sign(i+1, '.') || !v.sign(i+3, '(') {
			return false
		}
	} else if before := v.beforeDot(i); !v.sign(i+1, '(') || !oneOf(v.name(before), "t", "b", "tb", "f") && v.name(before) != "T" {
		return false
	}
	row := v.rowOf(i)
	hs := v.headers(row)
	for _, h := range hs {
		f := v.find(h, "func")
		if f < 0 {
			continue
		}
		if v.name(f-1) != "go" || v.hasName(f, h.to, "T") {
			return false
		}
		if name == "require" && !strings.Contains(v.src.Text, "testify") && !strings.Contains(v.src.Text, "/require\"") && !v.src.Partial {
			return false
		}
		v.pass.Report(ruleFlakyGoroutine, v.span(v.chain(i), i), "The call ends this goroutine, not the test.")
		return true
	}
	// go func() { … t.Fatal() … }() on one line
	r := v.rows[row]
	for j := r.from; j+1 < i; j++ {
		if v.name(j) == "go" && v.name(j+1) == "func" {
			for k := j; k < i; k++ {
				if v.sign(k, '{') {
					if end := v.close(k); end > i {
						v.pass.Report(ruleFlakyGoroutine, v.span(v.chain(i), i), "The call ends this goroutine, not the test.")
						return true
					}
				}
			}
		}
	}
	return false
}
