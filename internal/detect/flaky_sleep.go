package detect

import (
	"strings"

	"github.com/gavel-review/gavel"
	"github.com/gavel-review/gavel/internal/code"
)

var ruleFlakySleep = &gavel.Rule{
	ID:    "flaky/sleep",
	Title: "Test waits a fixed time",
	Text: "A fixed wait is too short on a loaded machine and too long on every other. The rule fires on `time.Sleep`, `Thread.sleep`, " +
		"`asyncio.sleep`, `await sleep(…)`, `waitForTimeout` and their kind, where a test, a hook or a function of the test file waits. A wait inside a " +
		"loop that ends when something holds, in a polling call or function, in a handler, a goroutine or a fake that stands for slow work, a wait of zero, " +
		"a time limit with a margin (`ttl * 2`), one under a fake clock or in a `synctest` bubble, a branch of `select`, and one that the change only makes longer are no findings.",
	Fix: "Wait for the event itself: a channel, a condition, an awaited promise, or a poll with a generous deadline.",
	Before: "start()\n" +
		"time.Sleep(100 * time.Millisecond)\n" +
		"if !ready() { t.Fatal(\"not ready\") }",
	After: "start()\n" +
		"require.Eventually(t, ready, 10*time.Second, 5*time.Millisecond)",
	Severity: gavel.Medium, Category: gavel.CategoryFlaky, Confidence: gavel.ConfidenceMedium,
}

func registerSleep(add func(flakyCheck, string, string)) {
	add(checkSleep, "go", "Sleep After Tick")
	add(checkSleep, "javascript", "sleep delay wait pause setTimeout waitForTimeout sleepFor sleepMs waitMs timeout")
	add(checkSleep, "python", "sleep wait_for_timeout")
	add(checkSleep, "java kotlin scala groovy", "sleep delay parkNanos sleepUninterruptibly")
	add(checkSleep, "c#", "Sleep Delay")
	add(checkSleep, "ruby", "sleep")
	add(checkSleep, "php", "sleep usleep time_nanosleep")
	add(checkSleep, "rust", "sleep")
	add(checkSleep, "swift", "sleep usleep")
}

func checkSleep(v *flakyView, i int, name string) bool {
	if !v.sleeps(i, name) {
		return false
	}
	from, to, _ := v.args(i)
	ms, known := v.milliseconds(from, to, v.sleepUnit(i, name))
	if known && ms == 0 || from == to || v.outlasts(from, to) {
		return false
	}
	row := v.rowOf(i)
	s := v.scope(row)
	if s.polled || s.nested || !s.known && !v.src.Partial && v.lang != "php" || !v.inTest(row) || v.fakeClock(&s) || v.lengthens(i, name, ms, known) {
		return false
	}
	v.pass.Report(ruleFlakySleep, v.span(v.chain(i), to), "The test goes on after a fixed time, whether or not what it waits for has happened.")
	return true
}

// outlasts reports whether the wait is a named time limit with a margin, such as ttl*2 or timeout+50: it waits for nothing but the
// time to pass.
func (v *flakyView) outlasts(from, to int) bool {
	named, margin := false, false
	for i := from; i < to; i++ {
		if n := strings.ToLower(v.name(i)); n != "" {
			for _, w := range []string{"timeout", "ttl", "expir", "maxage", "max_age", "lifetime", "lease"} {
				named = named || strings.Contains(n, w)
			}
		}
		margin = margin || v.sign(i, '*') || v.sign(i, '+')
	}
	return named && margin
}

// sleeps reports whether the name is called as a statement that waits.
func (v *flakyView) sleeps(i int, name string) bool {
	first := v.rows[v.rowOf(i)].from
	start := v.chain(i)
	awaited := false
	for start > first && oneOf(v.name(start-1), "await", "try", "yield", "return") {
		awaited = awaited || v.name(start-1) == "await"
		start--
	}
	statement := start == first && !v.continued(start) || v.sign(start-1, ';') || v.sign(start-1, '{') || v.name(start-1) == "then"
	switch v.lang {
	case "go":
		if name == "Sleep" {
			return statement && v.dotted(i, "time", "Sleep")
		}
		return v.dotted(i, "time", name) && start-2 == first && v.sign(first, '<') && v.sign(first+1, '-')
	case "javascript":
		return v.sleepsScript(i, name, statement, awaited)
	case "python":
		return statement && v.sign(i+1, '(') && (name != "sleep" || start == i && v.beforeDot(i) < 0 || oneOf(v.name(v.beforeDot(i)), "time", "asyncio", "anyio", "trio", "gevent", "eventlet", "curio") || awaited)
	case "rust":
		end := v.closing(i)
		return statement && v.sign(i+1, '(') && (v.beforeDot(i) < 0 || oneOf(v.name(v.beforeDot(i)), "thread", "time", "task", "tokio")) && (v.sign(end+1, '.') || v.sign(end+1, ';') || v.sign(end+1, '}'))
	case "ruby", "php":
		before := v.beforeDot(i)
		row := v.rowOf(i)
		if v.hasName(i, v.rows[row].to, "until", "while") || row+1 < len(v.rows) && v.name(v.rows[row+1].from) == "retry" {
			return false
		}
		return statement && (before < 0 || v.name(before) == "Kernel") && v.name(i-1) != "def" && !v.sign(i-1, '$')
	case "c#":
		if name == "Delay" {
			return statement && (awaited || v.dottedCall(i, "Wait")) && v.dotted(i, "Task", "Delay")
		}
		return statement && v.dotted(i, "Thread", "Sleep")
	case "swift":
		return statement && v.sign(i+1, '(') && (v.beforeDot(i) < 0 || oneOf(v.name(v.beforeDot(i)), "Task", "Thread"))
	case "java", "kotlin", "scala", "groovy":
		before := v.name(v.beforeDot(i))
		switch {
		case name == "delay":
			return v.lang == "kotlin" && statement && v.beforeDot(i) < 0 && v.sign(i+1, '(')
		case name == "sleep" && before == "":
			return statement && v.sign(i+1, '(') && v.beforeDot(i) < 0 && v.name(i-1) != "void"
		}
		return statement && before != "" && before != "this"
	}
	return false
}

func (v *flakyView) sleepsScript(i int, name string, statement, awaited bool) bool {
	if !v.sign(i+1, '(') {
		return false
	}
	before := v.beforeDot(i)
	from, to, _ := v.args(i)
	switch name {
	case "setTimeout":
		if before >= 0 && !oneOf(v.name(before), "timers", "timersPromises", "window", "global", "globalThis") {
			return false
		}
		if awaited && v.kind(from) == code.Number {
			return true
		}
		return v.resolvesLater(i, from, to)
	case "waitForTimeout":
		return before >= 0
	case "wait", "pause":
		if before >= 0 && !oneOf(v.name(before), "cy", "browser", "utils", "helpers") {
			return false
		}
		return statement && (awaited || before >= 0) && v.kind(from) == code.Number
	case "sleep":
		return statement && (before < 0 || awaited) && to-from <= 6
	case "timeout":
		return awaited && statement && before < 0 && v.kind(from) == code.Number
	}
	return statement && awaited && (before < 0 || v.kind(from) == code.Number)
}

// resolvesLater reports whether a setTimeout is the body of an awaited promise, as in
// await new Promise(r => setTimeout(r, 100)), or goes on with the test's assertions.
func (v *flakyView) resolvesLater(i, from, to int) bool {
	comma := -1
	for j, depth := from, 0; j < to; j++ {
		switch {
		case v.sign(j, '(') || v.sign(j, '[') || v.sign(j, '{'):
			depth++
		case v.sign(j, ')') || v.sign(j, ']') || v.sign(j, '}'):
			depth--
		case v.sign(j, ',') && depth == 0:
			comma = j
		}
	}
	if comma < 0 || comma+1 >= to {
		return false
	}
	if ms, known := v.milliseconds(comma+1, to, 1); known && ms == 0 {
		return false
	}
	promise := -1
	for j := i - 1; j > 0 && j > i-14; j-- {
		if v.name(j) == "Promise" && v.name(j-1) == "new" {
			promise = j - 1
			break
		}
	}
	if promise >= 0 {
		first := v.rows[v.rowOf(promise)].from
		return v.name(promise-1) == "await" && (promise-1 == first || v.sign(promise-2, ';') || v.sign(promise-2, '{')) && to-comma <= 6 && comma-from <= 6
	}
	return comma-from > 3 && v.hasName(from, comma, "done") && v.hasName(from, comma, "expect", "assert")
}

func (v *flakyView) closing(i int) int {
	if v.sign(i+1, '(') {
		return v.close(i + 1)
	}
	return -1
}

// dottedCall reports whether the call of name i is followed by a call of the method.
func (v *flakyView) dottedCall(i int, method string) bool {
	end := v.closing(i)
	return end > 0 && v.sign(end+1, '.') && v.name(end+2) == method
}

// sleepUnit is how many milliseconds a bare number means.
func (v *flakyView) sleepUnit(i int, name string) float64 {
	switch name {
	case "usleep":
		return 1e-3
	case "parkNanos", "time_nanosleep":
		return 1e-6
	}
	switch v.lang {
	case "go":
		return 1e-6
	case "python":
		if name == "wait_for_timeout" {
			return 1
		}
		return 1000
	case "ruby", "php":
		return 1000
	case "swift":
		if v.beforeDot(i) >= 0 {
			return 1e-6
		}
		return 1000
	}
	switch v.name(v.beforeDot(i)) {
	case "SECONDS":
		return 1000
	case "MINUTES":
		return 60000
	}
	return 1
}

// lengthens reports whether the line takes the place of the same wait and does not make it shorter.
func (v *flakyView) lengthens(i int, name string, ms float64, known bool) bool {
	for _, old := range v.replaced(v.tokens[i].Line) {
		if !strings.Contains(old, name) {
			continue
		}
		o := &flakyView{tokenView: tokenView{src: newSource(v.pass.Lang, old), reach: flakyReach}, pass: v.pass, lang: v.lang}
		o.tokens = o.src.Tokens()
		o.rows = []flakyRow{{line: 1, to: len(o.tokens)}}
		for j := range o.tokens {
			if o.name(j) != name {
				continue
			}
			from, to, ok := o.args(j)
			if !ok {
				continue
			}
			was, wasKnown := o.milliseconds(from, to, v.sleepUnit(i, name))
			return !known || !wasKnown || ms >= was
		}
	}
	return false
}

// replaced returns the removed lines of the run of changes that the added line stands in.
func (v *flakyView) replaced(line int) []string {
	if v.runs == nil {
		v.runs = make(map[int][]string)
		for h := range v.pass.File.Hunks {
			lines := v.pass.File.Hunks[h].Lines
			for from := 0; from < len(lines); from++ {
				to := from
				var removed []string
				for ; to < len(lines) && lines[to].Op != gavel.Context; to++ {
					if lines[to].Op == gavel.Remove {
						removed = append(removed, lines[to].Text)
					}
				}
				for k := from; k < to && removed != nil; k++ {
					if lines[k].Op == gavel.Add {
						v.runs[lines[k].New] = removed
					}
				}
				from = to
			}
		}
	}
	return v.runs[line]
}
