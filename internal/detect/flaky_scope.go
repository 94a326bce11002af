package detect

import (
	"strings"

	"github.com/gavel-review/gavel/internal/code"
)

// flakyHeader is the line or lines that open a block.
type flakyHeader struct {
	row      int // the block's rows follow this one
	from, to int // tokens
}

// headers returns what opens the blocks round the row, the innermost first.
func (v *flakyView) headers(row int) []flakyHeader {
	var out []flakyHeader
	indent := v.rows[row].indent
	const most = 24
	for k := row - 1; k >= 0 && indent > 0 && len(out) < most && row-k < flakyReach; k-- {
		r := &v.rows[k]
		if r.piece != v.rows[row].piece {
			break
		}
		if r.indent < 0 || r.indent >= indent {
			continue
		}
		h := flakyHeader{row: k, from: r.from, to: r.to}
		for v.continues(h.from) && k > 0 && v.rows[k-1].piece == r.piece { // ") {", "} else {", "{": the statement began above
			if v.sign(h.from, '{') && v.ended(v.rows[k-1].to-1) { // a bare block
				break
			}
			k--
			if q := &v.rows[k]; q.indent >= 0 && q.indent <= r.indent {
				h.from = q.from
				if q.indent < r.indent {
					break
				}
			}
		}
		indent = r.indent
		out = append(out, h)
	}
	return out
}

func (v *flakyView) continues(i int) bool {
	return v.sign(i, ')') || v.sign(i, '}') || v.sign(i, ']') || v.sign(i, '{')
}

func (v *flakyView) ended(i int) bool { return v.sign(i, '}') || v.sign(i, '{') || v.sign(i, ';') }

// block returns the tokens of the block that the header opens.
func (v *flakyView) block(h flakyHeader) (from, to int) {
	own := v.rows[h.row]
	k := h.row + 1
	for k < len(v.rows) && v.rows[k].piece == own.piece && (v.rows[k].indent < 0 || v.rows[k].indent > own.indent) {
		k++
	}
	if k > len(v.rows) || k == 0 {
		return own.to, own.to
	}
	return own.to, v.rows[k-1].to
}

// flakyScope is what stands round a row.
type flakyScope struct {
	test    bool // a test, a part of one or a hook
	nested  bool // a function inside a function: a handler, a goroutine, a fake
	polled  bool // something calls it again until it holds
	paced   bool // a loop that nothing leaves early
	virtual bool // time is faked
	outer   flakyHeader
	known   bool // outer is set
	calls   []flakyHeader
}

func (v *flakyView) scope(row int) flakyScope {
	var s flakyScope
	hs := v.headers(row)
	function, other := false, false
	for _, h := range hs {
		if v.polls(h) {
			s.polled = true
		}
		if v.fakesTime(h) {
			s.virtual = true
		}
		switch role := v.role(h); role {
		case roleNone:
			if !function && v.loops(h) {
				if v.leaves(h) {
					s.polled = true
				} else {
					s.paced = true
				}
			}
		default:
			if other { // what was taken for a function of the file stands inside another
				s.nested = true
			}
			function = true
			other = other || role == roleOther || role == roleClosure
			s.nested = s.nested || role == roleClosure
			s.test = s.test || role == roleTest
			s.outer, s.known = h, true
			s.calls = append(s.calls, h)
		}
	}
	return s
}

func (v *flakyView) firstName(h flakyHeader) string {
	for i := h.from; i < h.to; i++ {
		if n := v.name(i); n != "" && n != "await" && n != "async" && n != "return" {
			return n
		}
		if v.kind(i) != code.Punct && v.name(i) == "" {
			break
		}
	}
	return ""
}

// find returns the token of the header that is the word, -1 where none is.
func (v *flakyView) find(h flakyHeader, word string) int {
	for i := h.from; i < h.to; i++ {
		if v.name(i) == word {
			return i
		}
	}
	return -1
}

// loops reports whether the header opens a loop.
func (v *flakyView) loops(h flakyHeader) bool {
	for i := h.from; i < h.to; i++ {
		switch n := v.name(i); n {
		case "for", "while", "until", "foreach":
			return !v.sign(i-1, '.') && v.text(i-1) != ":" || v.lang != "swift"
		case "loop", "repeat", "do":
			if i == h.from && (n != "do" || v.lang != "swift") {
				return true
			}
		case "each", "times", "forEach", "for_each", "upto", "step", "each_with_index":
			if v.beforeDot(i) >= 0 {
				return true
			}
		}
	}
	return false
}

// leaves reports whether the loop can end before it has counted to its end: it waits for something.
func (v *flakyView) leaves(h flakyHeader) bool {
	if v.hasName(h.from, h.to, "while", "until", "loop") || v.name(h.from) == "do" {
		return true
	}
	if i := v.find(h, "for"); i == h.from && v.lang == "go" && !v.hasName(i, h.to, "range") {
		semicolon := false
		for j := i; j < h.to; j++ {
			semicolon = semicolon || v.sign(j, ';')
		}
		if !semicolon {
			return true
		}
	}
	from, to := v.block(h)
	return v.hasName(from, to, "break", "return", "last")
}

// polls reports whether the header hands its block to something that calls it until it holds, or defines a function that
// does that.
func (v *flakyView) polls(h flakyHeader) bool {
	if v.hasName(h.from, h.to, "class", "object", "struct", "extension", "mod", "module") {
		return false
	}
	for i := h.from; i < h.to; i++ {
		n := v.name(i)
		if n == "" || len(n) < 4 {
			continue
		}
		defines := oneOf(v.name(i-1), "func", "def", "fn", "fun", "function", "const", "let", "void", "Task", "var")
		if !v.sign(i+1, '(') && !v.sign(i+1, '{') && v.name(i+1) != "do" && !v.sign(i+1, ':') && !v.sign(i+1, '=') || defines && v.marked(h) {
			continue
		}
		lower := strings.ToLower(n)
		for _, w := range []string{"eventually", "poll", "retry", "retries", "waitfor", "wait_for", "waituntil", "wait_until", "waiton", "wait_till", "waittill", "checkfor", "await_", "awaitility",
			"topass", "until", "backoff", "consistently"} {
			if strings.Contains(lower, w) && (n != "until") {
				return true
			}
		}
		if defines || v.sign(i-1, ')') && v.lang == "go" {
			for _, w := range []string{"sleep", "delay", "wait", "timeout", "pause", "tick"} {
				if strings.HasPrefix(lower, w) {
					return true
				}
			}
		}
	}
	return false
}

// marked reports whether the header defines a test, by its name or by an attribute on it or above it.
func (v *flakyView) marked(h flakyHeader) bool {
	if v.hasName(h.from, h.to, "Test", "ParameterizedTest", "Fact", "Theory", "TestMethod") {
		return true
	}
	for _, word := range []string{"func", "def"} {
		if i := v.find(h, word); i >= 0 && (strings.HasPrefix(v.name(i+1), "Test") || strings.HasPrefix(v.name(i+1), "test")) {
			return true
		}
	}
	for k := v.rowOf(h.from) - 1; k >= 0 && k > v.rowOf(h.from)-6; k-- {
		r := v.rows[k]
		if !v.sign(r.from, '#') && !v.sign(r.from, '@') && !v.sign(r.from, '[') {
			return false
		}
		if v.hasName(r.from, r.to, "test", "Test", "rstest", "test_case", "Fact", "Theory", "TestMethod", "ParameterizedTest") {
			return true
		}
	}
	return false
}

// fakesTime reports whether the block runs on a clock that the test moves.
func (v *flakyView) fakesTime(h flakyHeader) bool {
	if v.hasName(h.from, h.to, "synctest", "runTest", "runBlockingTest", "freeze_time", "fakeAsync", "start_paused", "travel_to", "VirtualTimeScheduler") {
		return true
	}
	if v.lang == "rust" || v.lang == "python" || v.lang == "java" || v.lang == "kotlin" { // attributes above
		for k := v.rowOf(h.from) - 1; k >= 0 && k > v.rowOf(h.from)-6; k-- {
			r := v.rows[k]
			if !v.sign(r.from, '#') && !v.sign(r.from, '@') {
				break
			}
			if v.hasName(r.from, r.to, "start_paused", "freeze_time", "time_machine") {
				return true
			}
		}
	}
	return false
}

// flakyClockWords are names that switch the clock of a whole test or file to a fake one.
func fakeClockName(n string) bool {
	switch n {
	case "useFakeTimers", "FakeTimers", "fakeTimers", "TestScheduler", "VirtualClock", "start_paused", "freezegun", "freeze_time", "time_machine",
		"Timecop", "travel_to", "freeze", "advanceTimersByTime", "fakeAsync", "StandardTestDispatcher", "UnconfinedTestDispatcher", "FakeTimeProvider", "ManualTimeProvider":
		return true
	}
	return false
}

// fakeClock reports whether the outermost block round the row, or a hook of the file, fakes the clock.
func (v *flakyView) fakeClock(s *flakyScope) bool {
	if s.virtual {
		return true
	}
	if !s.known {
		return v.has(0, min(len(v.tokens), flakyReach), fakeClockName)
	}
	from, to := v.block(s.outer)
	return v.has(from, to, fakeClockName)
}
