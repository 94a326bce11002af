package detect

import (
	"strings"

	"github.com/gavel-review/gavel"
	"github.com/gavel-review/gavel/internal/code"
)

var ruleFlakyClock = &gavel.Rule{
	ID:    "flaky/wall-clock",
	Title: "Test depends on the wall clock",
	Text: "How long something takes differs by machine and load, and the date differs by day. The rule fires where a test asserts an upper bound of two seconds or less " +
		"on a time that it measured, or a lower bound on one measured with a clock that can be set; where it compares a field of the current date; and where it makes an expiry " +
		"less than two seconds ahead and cuts it to whole seconds. A generous bound against a hang, a lower bound by a monotonic clock and a fake clock are no findings.",
	Fix:      "Hand the code a clock that the test moves, or assert on what happened and not on how long it took.",
	Before:   "start := time.Now()\nrun()\nif time.Since(start) > 50*time.Millisecond { t.Fatal(\"slow\") }",
	After:    "clock := newFakeClock()\nrun(clock)\nif clock.Elapsed() > 50*time.Millisecond { t.Fatal(\"slow\") }",
	Severity: gavel.Medium, Category: gavel.CategoryFlaky, Confidence: gavel.ConfidenceMedium,
}

func registerClock(add func(flakyCheck, string, string)) {
	add(checkClock, "go", "Now Since")
	add(checkClock, "javascript", "now Date hrtime")
	add(checkClock, "python", "now time perf_counter monotonic utcnow today time_ns perf_counter_ns")
	add(checkClock, "java kotlin scala groovy", "currentTimeMillis nanoTime now")
	add(checkClock, "c#", "Now UtcNow ElapsedMilliseconds Elapsed")
	add(checkClock, "ruby", "now today current clock_gettime")
	add(checkClock, "php", "microtime time hrtime")
	add(checkClock, "rust", "elapsed now")
	add(checkClock, "swift", "Date timeIntervalSince now")
}

func checkClock(v *flakyView, i int, name string) bool {
	if !v.readsClock(i, name) {
		return false
	}
	row := v.rowOf(i)
	if v.timed[row] {
		return false
	}
	s := v.scope(row)
	if !v.inTest(row) || !s.known || v.fakeClock(&s) {
		return false
	}
	switch {
	case v.checks(row):
		return v.clockAsserted(i, name, row)
	case v.lang == "go" && name == "Now" && v.truncatedExpiry(i):
		v.pass.Report(ruleFlakyClock, v.span(v.chain(i), i), "The time is cut to whole seconds, so that what is left of it depends on when in a second the test runs.")
		return true
	}
	return v.clockMeasured(i, name, row)
}

// readsClock reports whether the name is a reading of the clock of the machine.
func (v *flakyView) readsClock(i int, name string) bool {
	call := v.sign(i+1, '(')
	root := v.name(v.chain(i))
	switch v.lang {
	case "go":
		return call && v.dotted(i, "time", name)
	case "javascript":
		switch name {
		case "now":
			return call && (root == "Date" || root == "performance")
		case "Date":
			return v.name(i-1) == "new" && call && v.sign(i+2, ')')
		}
		return v.dotted(i, "process", "hrtime")
	case "python":
		return call && oneOf(root, "time", "datetime", "date", "dt", "perf_counter", "monotonic") || call && v.beforeDot(i) < 0 && oneOf(name, "perf_counter", "monotonic")
	case "java", "kotlin", "scala", "groovy":
		return call && oneOf(root, "System", "Instant", "LocalDate", "LocalDateTime", "ZonedDateTime", "Clock", "OffsetDateTime") && (name != "now" || v.sign(i+2, ')'))
	case "c#":
		return oneOf(root, "DateTime", "DateTimeOffset", "Stopwatch") || strings.HasPrefix(name, "Elapsed") && v.beforeDot(i) >= 0
	case "ruby":
		return oneOf(root, "Time", "Date", "DateTime", "Process")
	case "php":
		return call && v.beforeDot(i) < 0 && v.name(i-1) != "function"
	case "rust":
		return call && (name == "elapsed" && v.beforeDot(i) >= 0 || oneOf(root, "Instant", "SystemTime", "Utc", "Local"))
	case "swift":
		return call && (name != "Date" || v.sign(i+2, ')'))
	}
	return false
}

// settable reports whether the clock can be set back, or counts too coarsely for a lower bound.
func (v *flakyView) settable(i int, name string) bool {
	switch v.lang {
	case "javascript":
		return v.name(v.chain(i)) == "Date"
	case "python":
		return oneOf(name, "time", "now", "utcnow", "time_ns")
	case "java", "kotlin", "scala", "groovy":
		return name == "currentTimeMillis"
	case "ruby":
		return name == "now"
	case "php":
		return name != "hrtime"
	}
	return false
}

// clockAsserted judges an assertion that reads the clock itself.
func (v *flakyView) clockAsserted(i int, name string, row int) bool {
	switch v.bound(row, i) {
	case boundUpper:
		if v.generous(row) {
			return false
		}
	case boundLower:
		if !v.settable(i, name) || !v.subtracted(row) {
			return false
		}
	case boundField:
	default:
		return false
	}
	v.pass.Report(ruleFlakyClock, v.span(v.chain(i), i), "The outcome depends on when the test runs, or on how fast.")
	return true
}

type clockBound int

const (
	boundNone clockBound = iota
	boundUpper
	boundLower
	boundField // a field of the date
)

// bound says how the assertion of the row compares what it reads at token i, -1 for a name that holds it.
func (v *flakyView) bound(row, i int) clockBound {
	r := v.rows[row]
	negated := v.name(r.from) == "if" && v.lang != "python" && v.failsBelow(row) // the condition is that of a failure
	field, differs := false, false
	for j := r.from; j < r.to; j++ {
		n := v.name(j)
		switch {
		case n != "" && calendarField(n) && v.beforeDot(j) >= 0 && v.name(v.beforeDot(j)) != "time":
			field = true
		case oneOf(n, "toBeLessThan", "toBeLessThanOrEqual", "assertLess", "assertLessEqual", "Less", "LessOrEqual", "isLessThan", "isLessThanOrEqualTo", "BeLessThan", "lessThan", "assertLessThan", "XCTAssertLessThan", "be_within", "toBeCloseTo", "InDelta", "WithinDuration", "assertAlmostEqual", "LessThan", "BeCloseTo", "isCloseTo", "assertEqualsWithDelta", "at_most", "lt", "below"):
			return boundUpper
		case oneOf(n, "toBeGreaterThan", "toBeGreaterThanOrEqual", "assertGreater", "assertGreaterEqual", "Greater", "GreaterOrEqual", "isGreaterThan", "isGreaterThanOrEqualTo", "assertGreaterThan", "XCTAssertGreaterThan", "isAtLeast", "above"):
			return boundLower
		case v.sign(j, '<') && v.comparison(j):
			return v.turned(boundUpper, negated, j, i)
		case v.sign(j, '>') && v.comparison(j):
			return v.turned(boundLower, negated, j, i)
		case v.sign(j, '=') && v.sign(j+1, '=') || v.sign(j, '!') && v.sign(j+1, '='), oneOf(n, "Equal", "assertEqual", "assertEquals", "AreEqual", "toBe", "toEqual", "strictEqual", "eq", "assert_eq", "assertSame"):
			differs = true
		}
	}
	if differs && (field || i >= 0 && v.bare(i)) {
		return boundField
	}
	return boundNone
}

// bare reports whether the reading at i is a whole operand: nothing is added to it or taken from it, and nothing is called on it.
func (v *flakyView) bare(i int) bool {
	end := v.closing(i)
	start := v.chain(i)
	if end < 0 || v.sign(end+1, '.') || v.sign(end+1, '-') || v.sign(end+1, '+') || v.sign(start-1, '-') || v.sign(start-1, '+') {
		return false
	}
	return v.sign(end+1, ')') && v.sign(start-1, '(') && oneOf(v.name(start-2), "toBe", "toEqual", "eq", "assertEqual", "assertEquals", "equal", "strictEqual") ||
		v.sign(start-1, '=') && v.sign(start-2, '=') || v.sign(end+1, '=') && v.sign(end+2, '=') || v.sign(start-1, ',') && v.sign(end+1, ')')
}

// turned turns the comparison at token j round where it is that of a failure and where the reading stands behind it.
func (v *flakyView) turned(b clockBound, negated bool, j, i int) clockBound {
	behind := i > j
	if i < 0 { // a constant in front: the reading stands behind
		behind = v.kind(j-1) == code.Number
	}
	if behind != negated {
		return boundUpper + boundLower - b
	}
	return b
}

// comparison reports whether the bracket at j compares: it is no arrow, shift, type argument or channel.
func (v *flakyView) comparison(j int) bool {
	c := v.src.Text[v.tokens[j].Start]
	if v.sign(j-1, '=') || v.sign(j-1, '-') || v.sign(j-1, c) || v.sign(j+1, c) || v.sign(j+1, '-') && v.tokens[j].End == v.tokens[j+1].Start {
		return false
	}
	t := v.tokens[j]
	return t.Start > 0 && (v.src.Text[t.Start-1] == ' ' || v.kind(j+1) == code.Number)
}

func calendarField(n string) bool {
	switch n {
	case "Year", "Month", "Day", "Weekday", "YearDay", "Hour", "getFullYear", "getMonth", "getDate", "getDay", "getHours", "year", "month", "day", "hour", "weekday", "getYear", "getMonthValue", "getDayOfMonth",
		"toDateString", "isoformat", "toLocaleDateString", "toISOString", "strftime", "Format", "ToString", "DayOfWeek", "wday":
		return true
	}
	return false
}

// subtracted reports whether the row takes one time from another.
func (v *flakyView) subtracted(row int) bool {
	for j := v.rows[row].from; j < v.rows[row].to; j++ {
		if v.sign(j, '-') && !v.sign(j+1, '>') || oneOf(v.name(j), "Since", "Sub", "elapsed", "between", "since") {
			return true
		}
	}
	return false
}

// generousBound is the time from which on an upper bound guards against a hang and not against slowness.
const generousBound = 2000 // ms

// generous reports whether the row's bound is a long time.
func (v *flakyView) generous(row int) bool {
	r := v.rows[row]
	for j := r.from; j < r.to; j++ {
		if v.kind(j) != code.Number {
			continue
		}
		from, to := j, j+1
		for from > r.from && (v.sign(from-1, '*') || v.sign(from-1, '.') || v.kind(from-1) == code.Ident && durationWord(v.text(from-1)) || v.sign(from-1, '(') && durationWord(v.name(from-2))) {
			from--
		}
		for to < r.to && (v.sign(to, '*') || v.sign(to, '.') || v.kind(to) == code.Ident && durationWord(v.text(to)) || v.kind(to) == code.Number) {
			to++
		}
		if ms, ok := v.milliseconds(from, to, v.clockUnit()); ok && ms > generousBound {
			return true
		}
	}
	for j := r.from; j < r.to; j++ { // a bare unit: time.Minute
		if n := v.name(j); oneOf(n, "Minute", "Hour", "minutes", "from_mins", "FromMinutes") {
			return true
		}
	}
	return false
}

func durationWord(n string) bool {
	_, ok := timeUnit(n)
	return ok
}

func (v *flakyView) clockUnit() float64 {
	switch v.lang {
	case "python", "ruby", "php", "swift":
		return 1000
	case "go":
		return 1e-6
	}
	return 1
}

// truncatedExpiry reports whether time.Now() is moved ahead by less than two seconds and cut to whole ones.
func (v *flakyView) truncatedExpiry(i int) bool {
	if !v.sign(i+1, '(') || !v.sign(i+2, ')') || !v.sign(i+3, '.') || v.name(i+4) != "Add" || !v.sign(i+5, '(') {
		return false
	}
	end := v.close(i + 5)
	if end < 0 || !v.sign(end+1, '.') || v.name(end+2) != "Unix" {
		return false
	}
	ms, ok := v.milliseconds(i+6, end, 1e-6)
	return ok && ms > 0 && ms < 2000
}

// clockMeasured judges a reading that is kept: the rows below may assert on the time since.
func (v *flakyView) clockMeasured(i int, name string, row int) bool {
	start := v.assigned(row, v.chain(i))
	if start == "" {
		return false
	}
	names := []string{start}
	covered := []int{row}
	const below = 40
	for k := row + 1; k < len(v.rows) && k < row+below && v.rows[k].piece == v.rows[row].piece; k++ {
		r := v.rows[k]
		if r.indent >= 0 && r.indent+4 <= v.rows[row].indent-8 {
			break
		}
		if !v.hasName(r.from, r.to, names...) {
			continue
		}
		if v.checks(k) {
			b := v.bound(k, v.firstOf(r, names))
			if b == boundUpper && !v.generous(k) && (len(names) > 1 || v.subtracted(k)) || b == boundLower && v.settable(i, name) && (len(names) > 1 || v.subtracted(k)) {
				at := v.span(v.chain(i), i)
				at.LineEnd = r.line
				if v.timed == nil {
					v.timed = make(map[int]bool)
				}
				for _, c := range append(covered, k) {
					v.timed[c] = true
				}
				v.pass.Report(ruleFlakyClock, at, "The time from here to the assertion depends on the machine and its load.")
				return true
			}
			continue
		}
		if v.subtracted(k) {
			if to := v.assigned(k, v.firstOf(r, names)); to != "" && len(names) < 4 {
				names = append(names, to)
				covered = append(covered, k)
			}
		}
	}
	return false
}

func (v *flakyView) firstOf(r flakyRow, names []string) int {
	for i := r.from; i < r.to; i++ {
		if oneOf(v.name(i), names...) {
			return i
		}
	}
	return -1
}
