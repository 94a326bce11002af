package detect

import (
	"sort"
	"strings"

	"github.com/gavel-review/gavel"
	"github.com/gavel-review/gavel/internal/code"
)

// riskView is a file as tokens without comments, with what is known of its variables.
type riskView struct {
	tokenView
	steps    int // spent of riskSteps
	pass     *Pass
	lang     string                 // family
	vars     map[string][]riskValue // assignments by name, once asked for
	scopes   []int                  // tokens that begin a top-level block, once asked for
	imported map[string]string      // local name to what it stands for, once asked for
	told     map[riskPlace]bool     // what was reported
}

type riskPlace struct {
	rule *gavel.Rule
	line int
}

func newRiskView(p *Pass) *riskView {
	v := &riskView{tokenView: tokenView{src: p.Source(), reach: riskReach}, pass: p, lang: family(p.Lang), told: make(map[riskPlace]bool)}
	all := v.src.Tokens()
	v.tokens = make([]code.Token, 0, len(all))
	for _, t := range all {
		if t.Kind != code.Comment {
			v.tokens = append(v.tokens, t)
		}
	}
	return v
}

func (v *riskView) onLine(line int) (from, to int) {
	from = sort.Search(len(v.tokens), func(i int) bool { return v.tokens[i].Line >= line })
	for to = from; to < len(v.tokens) && v.tokens[to].Line == line; to++ {
	}
	return from, to
}

// owner returns the name in front of the dot that token i follows, "" where it follows none.
func (v *riskView) owner(i int) string {
	if b := v.beforeDot(i); b >= 0 {
		return v.name(b)
	}
	return ""
}

// of reports whether token i stands behind one of the owners and a dot.
func (v *riskView) of(i int, owners ...string) bool {
	o := v.owner(i)
	return o != "" && oneWord(o, owners...)
}

func oneWord(s string, words ...string) bool {
	for _, w := range words {
		if s == w {
			return true
		}
	}
	return false
}

// riskReach bounds how many tokens one look goes over.
const riskReach = 2000

// riskArg is one argument of a call, [from, to). name is set where it is given by name.
type riskArg struct {
	name     string
	from, to int
}

func (a riskArg) empty() bool { return a.from >= a.to }

// call returns the arguments of the call of name i; ok is false where no bracket follows or it does not close.
func (v *riskView) call(i int) (args []riskArg, ok bool) {
	open := i + 1
	if v.sign(open, '!') { // a macro
		open++
	}
	if !v.sign(open, '(') {
		return nil, false
	}
	end := v.close(open)
	if end < 0 {
		return nil, false
	}
	return v.split(open+1, end), true
}

// split cuts the tokens at the commas outside of brackets.
func (v *riskView) split(from, to int) []riskArg {
	var args []riskArg
	add := func(a, b int) {
		if a >= b {
			return
		}
		arg := riskArg{from: a, to: b}
		if v.kind(a) == code.Ident && (v.sign(a+1, '=') && !v.sign(a+2, '=') || v.sign(a+1, ':') && !v.sign(a+2, ':') && !v.sign(a+2, '=')) && a+2 <= b {
			arg.name, arg.from = v.text(a), a+2
		}
		args = append(args, arg)
	}
	depth, start := 0, from
	for j := from; j < to; j++ {
		if v.kind(j) != code.Punct {
			continue
		}
		switch v.src.Text[v.tokens[j].Start] {
		case '(', '[', '{':
			depth++
		case ')', ']', '}':
			depth--
		case ',':
			if depth == 0 {
				add(start, j)
				start = j + 1
			}
		}
	}
	add(start, to)
	return args
}

// arg returns the argument at the position or with the name, an empty one where it is not given.
func argAt(args []riskArg, at int, names ...string) riskArg {
	for _, a := range args {
		if a.name != "" && oneWord(a.name, names...) {
			return a
		}
	}
	if at >= 0 && at < len(args) && args[at].name == "" {
		return args[at]
	}
	return riskArg{}
}

// is reports whether the argument is just the word.
func (v *riskView) is(a riskArg, words ...string) bool {
	return a.to-a.from == 1 && oneWord(v.text(a.from), words...)
}

// last returns the last name of the argument: the constant of a dotted one.
func (v *riskView) last(a riskArg) string {
	if a.empty() {
		return ""
	}
	return v.name(a.to - 1)
}

// unquoted returns the content of the literal i, "" where it is none.
func (v *riskView) unquoted(i int) string {
	if v.kind(i) != code.String {
		return ""
	}
	s := v.text(i)
	if q := strings.IndexAny(s, "\"'`"); q >= 0 {
		s = s[q:]
		s = strings.Trim(s, s[:1])
	}
	return s
}

// hasName reports whether one of the names stands between the tokens.
func (v *riskView) hasName(from, to int, names ...string) bool {
	for i := max(from, 0); i < to && i < len(v.tokens); i++ {
		if v.kind(i) == code.Ident && oneWord(v.text(i), names...) {
			return true
		}
	}
	return false
}

// report adds a finding at token i, one a line and rule.
func (v *riskView) report(rule *gavel.Rule, i int, message string) *gavel.Finding {
	t := v.tokens[i]
	key := riskPlace{rule, t.Line}
	if v.told[key] {
		return nil
	}
	v.told[key] = true
	start, _ := v.src.Offset(t.Line)
	line := strings.TrimSuffix(v.src.Line(t.Line), "\r")
	at := Span{Line: t.Line, Column: t.Start - start, End: min(t.End-start, len(line)), Text: line}
	return v.pass.Report(rule, at, message)
}

// note is report for what is only worth knowing.
func (v *riskView) note(rule *gavel.Rule, i int, message string) {
	if v.waived(v.tokens[i].Line) {
		return
	}
	if f := v.report(rule, i, message); f != nil {
		f.Severity = gavel.Info
		f.Confidence = gavel.ConfidenceLow
	}
}

// waived reports whether a comment on the line or the one above tells another scanner to let it pass. It is heard only
// for what is information anyway, which moves no verdict.
func (v *riskView) waived(line int) bool {
	for _, text := range [...]string{v.src.Line(line), v.src.Line(line - 1)} {
		if strings.Contains(text, "#nosec") || strings.Contains(text, "nolint:gosec") || strings.Contains(text, "noqa: S") || strings.Contains(text, "# nosec") {
			return true
		}
	}
	return false
}

// weigh reports with the rule's severity where the value is input, and as information where nothing is known of it.
func (v *riskView) weigh(rule *gavel.Rule, i int, o riskOrigin, message string) {
	switch o {
	case fromInput:
		v.report(rule, i, message)
	case fromUnknown:
		v.note(rule, i, message)
	}
}
