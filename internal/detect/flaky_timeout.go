package detect

import (
	"github.com/gavel-review/gavel"
	"github.com/gavel-review/gavel/internal/code"
)

var ruleFlakyTimeout = &gavel.Rule{
	ID:    "flaky/tight-timeout",
	Title: "Test gives up waiting after a moment",
	Text: "A deadline costs nothing when what is waited for happens, so a short one only loses on a loaded machine. The rule fires where a polling " +
		"assertion or a wait for a result gets less than 100 milliseconds: `Eventually`, `waitFor`, `wait_for`, `atMost`, `future.get`, `WaitAsync`, `wait(for:timeout:)`. " +
		"A wait that is meant to run out is no finding.",
	Fix:      "Wait for seconds; the test ends as soon as the condition holds.",
	Before:   "require.Eventually(t, ready, 50*time.Millisecond, time.Millisecond)",
	After:    "require.Eventually(t, ready, 10*time.Second, time.Millisecond)",
	Severity: gavel.Info, Category: gavel.CategoryFlaky, Confidence: gavel.ConfidenceLow,
}

// tightTimeout is the deadline from which on the rule does not fire, in milliseconds.
const tightTimeout = 100

func registerTimeout(add func(flakyCheck, string, string)) {
	add(checkTimeout, "go", "Eventually Eventuallyf EventuallyWithT WithTimeout")
	add(checkTimeout, "javascript", "timeout")
	add(checkTimeout, "python", "wait_for timeout")
	add(checkTimeout, "java kotlin scala groovy", "atMost get await")
	add(checkTimeout, "c#", "WaitAsync Wait WaitOne")
	add(checkTimeout, "swift", "timeout")
	add(checkTimeout, "rust", "timeout")
}

func checkTimeout(v *flakyView, i int, name string) bool {
	from, to := v.deadline(i, name)
	if from >= to {
		return false
	}
	ms, known := v.milliseconds(from, to, v.clockUnit())
	if !known || ms <= 0 || ms >= tightTimeout {
		return false
	}
	row := v.rowOf(i)
	s := v.scope(row)
	if !v.inTest(row) || !s.known || s.nested || v.fakeClock(&s) || v.meantToRunOut(row) {
		return false
	}
	v.pass.Report(ruleFlakyTimeout, v.span(i, to), "On a loaded machine the deadline passes before what is waited for has happened.")
	return true
}

// deadline returns the tokens that say how long the call waits, none where it is no wait.
func (v *flakyView) deadline(i int, name string) (from, to int) {
	a, b, ok := v.args(i)
	switch v.lang {
	case "go":
		if !ok || name == "WithTimeout" {
			return 0, 0
		}
		if before := v.name(v.beforeDot(i)); before != "assert" && before != "require" {
			return 0, 0
		}
		return v.argument(a, b, 2)
	case "javascript":
		if r := v.rows[v.rowOf(i)]; v.sign(i+1, ':') && v.kind(i+2) == code.Number && v.hasName(r.from, i, "waitFor", "waitForElement", "findBy", "waitUntil", "poll") {
			return i + 2, i + 3
		}
	case "python":
		r := v.rows[v.rowOf(i)]
		if name == "timeout" && v.sign(i+1, '=') && v.kind(i+2) == code.Number && v.hasName(r.from, i, "wait_for", "wait", "join", "get", "result") {
			return i + 2, i + 3
		}
	case "java", "kotlin", "scala", "groovy":
		if ok && v.beforeDot(i) >= 0 && b-a >= 3 && (name == "atMost" || v.hasName(a, b, "MILLISECONDS")) {
			return a, b
		}
	case "c#":
		if ok && name == "WaitAsync" && v.hasName(a, b, "TimeSpan") {
			return a, b
		}
	case "swift":
		if v.sign(i+1, ':') && v.kind(i+2) == code.Number && v.hasName(v.rows[v.rowOf(i)].from, i, "wait", "fulfillment") {
			return i + 2, i + 3
		}
	case "rust":
		if ok && oneOf(v.name(v.beforeDot(i)), "time", "tokio") {
			return v.argument(a, b, 0)
		}
	}
	return 0, 0
}

// argument returns the n-th argument between the tokens.
func (v *flakyView) argument(from, to, n int) (a, b int) {
	depth, start := 0, from
	for i := from; i < to; i++ {
		switch {
		case v.sign(i, '(') || v.sign(i, '[') || v.sign(i, '{'):
			depth++
		case v.sign(i, ')') || v.sign(i, ']') || v.sign(i, '}'):
			depth--
		case v.sign(i, ',') && depth == 0:
			if n == 0 {
				return start, i
			}
			n--
			start = i + 1
		}
	}
	if n == 0 {
		return start, to
	}
	return to, to
}

// meantToRunOut reports whether what stands at the row or right around it expects the deadline to pass.
func (v *flakyView) meantToRunOut(row int) bool {
	for k := max(0, row-3); k < len(v.rows) && k <= row+1; k++ {
		r := v.rows[k]
		if v.hasName(r.from, r.to, "raises", "assertRaises", "assertThrows", "ThrowsAsync", "toThrow", "rejects", "TimeoutError", "TimeoutException", "suppress", "is_err", "isInverted", "Never", "unwrap_err", "except", "catch", "assertThatThrownBy", "assertFalse", "False", "assertNull") {
			return true
		}
	}
	return false
}
