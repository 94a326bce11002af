package untrusted

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"sort"
)

// Signal is a place in a text that addresses an automated reader: it commands where documentation would describe. It is an
// observation and no proof; what the patterns do not know is missed.
type Signal struct {
	Rule        string // one of the Rule constants
	Offset, End int    // bytes of the text, half open; what was encoded gives the whole encoded run
	Span        string // 16 hex digits of the hash of what was matched, decoded and folded
}

// The rules of [Injections].
const (
	RuleOverride  = "override-instructions" // drop what you were told
	RuleAddressed = "addressed-to-model"    // a model or agent is spoken to by name or kind
	RuleVerdict   = "steers-review"         // what the review has to say
	RuleSecrets   = "asks-for-secrets"      // hand over the prompt or credentials
	RuleConceal   = "hides-from-user"       // do not tell the people
	RuleRole      = "changes-role"          // be someone else; markers of a chat's turns
)

// window is how many folded bytes before and behind a word are looked at.
const window = 240

// Injections returns where the text addresses an automated reader, in the order of the places. The text is read as a model
// would read it: after Unicode folding, without invisible characters, with entities and escapes and one level of base64
// decoded. A command that is quoted inside a sentence is talked about and gives no signal.
func Injections(text string) []Signal {
	var out []Signal
	f := foldText(text)
	for _, m := range f.matches() {
		out = append(out, Signal{m.rule, f.offset(m.start), f.end(m.end), spanOf(f.text[m.start:m.end])})
	}
	for _, run := range encodedRuns(text) {
		decoded := foldText(run.text)
		for _, m := range decoded.matches() {
			out = append(out, Signal{m.rule, run.start, run.end, spanOf(decoded.text[m.start:m.end])})
		}
	}
	slices.SortFunc(out, compareSignals)
	return slices.CompactFunc(out, func(s, before Signal) bool { return s.Rule == before.Rule && s.Offset < before.End })
}

func compareSignals(a, b Signal) int {
	switch {
	case a.Offset != b.Offset:
		return a.Offset - b.Offset
	case a.Rule < b.Rule:
		return -1
	case a.Rule > b.Rule:
		return 1
	}
	return a.End - b.End
}

func spanOf(matched string) string {
	sum := sha256.Sum256([]byte(matched))
	return hex.EncodeToString(sum[:8])
}

type match struct {
	rule       string
	start, end int // in the folded text
}

// matches runs each pattern over the surroundings of its words only.
func (f *folded) matches() []match {
	patterns := injectionPatterns()
	regions := make([][]region, len(patterns.list))
	patterns.words.each(f.text, func(word, at int) {
		for _, p := range patterns.of[word] {
			reach := patterns.list[p].reach
			from, to := max(0, at-reach), min(len(f.text), at+reach)
			rs := regions[p]
			if n := len(rs); n > 0 && from <= rs[n-1].to {
				rs[n-1].to = to
				continue
			}
			regions[p] = append(rs, region{from, to})
		}
	})
	var out []match
	for i, rs := range regions {
		p := &patterns.list[i]
		for _, r := range rs {
			for _, at := range p.re().FindAllStringIndex(f.text[r.from:r.to], -1) {
				start, end := at[0]+r.from, at[1]+r.from
				if p.anywhere || f.commands(start) {
					out = append(out, match{p.rule, start, end})
				}
			}
		}
	}
	sort.Slice(out, func(a, b int) bool { return out[a].start < out[b].start })
	return out
}

type region struct{ from, to int }

// MayInject reports whether Injections could have something to say of a text that holds the line. It costs about a
// nanosecond a byte for ASCII.
func MayInject(line string) bool {
	words := injectionPatterns().words
	run, inWord := 0, false // run: where what may be base64 begins
	for i := 0; i < len(line); i++ {
		switch class := classes[line[i]]; class {
		case classWord:
			if inWord {
				continue
			}
			inWord = true
			if i+2 < len(line) && words.startsAt(line, i) {
				return true
			}
			continue
		case classFold:
			return mayInjectFolded(line)
		case classOpen:
			if i+2 < len(line) && words.startsAt(line, i) {
				return true
			}
			fallthrough
		case classOther:
			if i-run >= leastEncoded {
				return mayInjectFolded(line)
			}
			run = i + 1
		}
		inWord = false
	}
	return len(line)-run >= leastEncoded && mayInjectFolded(line)
}

func mayInjectFolded(line string) bool {
	found := false
	look := func(text string) {
		injectionPatterns().words.each(text, func(int, int) { found = true })
	}
	look(foldText(line).text)
	for _, r := range encodedRuns(line) {
		if !found {
			look(foldText(r.text).text)
		}
	}
	return found
}
