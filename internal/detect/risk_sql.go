package detect

import (
	"strings"

	"github.com/gavel-review/gavel"
	"github.com/gavel-review/gavel/internal/code"
)

// sqlStatement reports whether the text begins like a statement that a driver is given.
func sqlStatement(s string) bool {
	s = strings.TrimLeft(s, " \t\r\n(\\n")
	if len(s) < 8 {
		return false
	}
	if len(s) > 400 {
		s = s[:400]
	}
	u := strings.ToUpper(s)
	switch {
	case strings.HasPrefix(u, "SELECT "):
		return strings.Contains(u, " FROM ")
	case strings.HasPrefix(u, "INSERT INTO "), strings.HasPrefix(u, "DELETE FROM "), strings.HasPrefix(u, "DROP TABLE "), strings.HasPrefix(u, "ALTER TABLE "),
		strings.HasPrefix(u, "CREATE TABLE "), strings.HasPrefix(u, "TRUNCATE TABLE "), strings.HasPrefix(u, "REPLACE INTO "), strings.HasPrefix(u, "MERGE INTO "):
		return true
	case strings.HasPrefix(u, "UPDATE "):
		return strings.Contains(u, " SET ")
	case strings.HasPrefix(u, "WITH "):
		return strings.Contains(u, " AS (") && strings.Contains(u, "SELECT ")
	}
	return false
}

const sqlMessage = "The statement is put together from text: a quote in the value ends the string and begins a statement of its own."

// sqlText looks at a literal that is a statement: does a value come into it?
func sqlText(v *riskView, i int) {
	s := v.unquoted(i)
	if !sqlStatement(s) {
		return
	}
	o := fromLiteral
	switch {
	case v.lang == "go":
		o = v.goSQL(i, s)
	case v.sign(i+1, '+') || v.sign(i+1, '.') && v.lang == "php":
		o = v.origin(i+2, v.statementEnd(i+2))
	case v.lang == "python":
		o = v.pythonSQL(i)
	case v.lang == "javascript":
		if strings.HasSuffix(v.text(i), "${") {
			o = v.origin(i+1, v.templateEnd(i))
		}
	case v.lang == "ruby":
		o = v.traceString(i, 0)
	case v.lang == "java" || v.lang == "kotlin" || v.lang == "c#":
		if v.sign(i-1, '(') && v.name(i-2) == "format" && v.owner(i-2) == "String" {
			o = v.origin(i+1, max(v.close(i-1), i+1))
		} else if v.lang != "java" && (strings.HasPrefix(v.text(i), "$") || v.lang == "kotlin" && strings.Contains(s, "$")) {
			o = fromUnknown
		}
	case v.lang == "rust":
		if v.sign(i-1, '(') && v.sign(i-2, '!') && v.name(i-3) == "format" && strings.Contains(s, "{") {
			o = fromUnknown
		}
	}
	if o == fromUnknown {
		if f := v.report(ruleSQL, i, sqlMessage); f != nil {
			f.Severity = riskLow
		}
		return
	}
	v.weigh(ruleSQL, i, o, sqlMessage)
}

// templateEnd returns the last token of the template literal that goes on at i.
func (v *riskView) templateEnd(i int) int {
	for j := i + 1; j < len(v.tokens) && j-i < 400; j++ {
		if v.kind(j) == code.String && strings.HasSuffix(v.text(j), "`") && strings.HasPrefix(v.text(j), "}") {
			return j
		}
	}
	return min(i+60, len(v.tokens))
}

// goSQL judges a literal in a Sprintf or a concatenation.
func (v *riskView) goSQL(i int, s string) riskOrigin {
	if v.sign(i+1, '+') {
		return v.origin(i+2, v.statementEnd(i+2))
	}
	for j := i - 1; j > 0 && i-j < 6; j-- {
		if v.sign(j, '(') {
			if !oneWord(v.name(j-1), "Sprintf", "Fprintf", "Appendf") || !strings.Contains(s, "%s") && !strings.Contains(s, "%v") {
				return fromLiteral
			}
			return v.origin(i+1, max(i+1, v.close(j)))
		}
	}
	return fromLiteral
}

// pythonSQL judges an f-string, "…" % x and "…".format(x).
func (v *riskView) pythonSQL(i int) riskOrigin {
	if o := v.traceString(i, 0); o != fromLiteral {
		return o
	}
	last := i
	for v.kind(last+1) == code.String {
		last++
	}
	switch {
	case v.sign(last+1, '%'):
		return v.origin(last+2, v.statementEnd(last+2))
	case v.sign(last+1, '.') && v.name(last+2) == "format":
		return v.origin(last+4, max(last+4, v.close(last+3)))
	case v.sign(last+1, '+'):
		return v.origin(last+2, v.statementEnd(last+2))
	}
	return fromLiteral
}

// goQuery looks at what is handed to the driver.
func goQuery(v *riskView, i int) {
	args, ok := v.call(i)
	if !ok || v.beforeDot(i) < 0 || v.of(i, "exec", "syscall") {
		return
	}
	if o := v.owner(i); strings.Contains(strings.ToLower(o), "stmt") || v.prepared(o, i) {
		return
	}
	at := 0
	if strings.HasSuffix(v.text(i), "Context") {
		at = 1
	}
	if len(args) <= at {
		return
	}
	if v.originOf(args[at]) == fromInput && !v.toldOf(ruleSQL, args[at]) {
		v.report(ruleSQL, i, sqlMessage)
	}
}

// toldOf reports whether a name among the tokens got its value on a line of the change that the rule has reported:
// where a statement is built is the place to mend, and one fault is told once.
func (v *riskView) toldOf(rule *gavel.Rule, arg riskArg) bool {
	for i := arg.from; i < arg.to; i++ {
		for _, a := range v.assigned()[v.name(i)] {
			if a.at >= i {
				continue
			}
			for j := a.from; j < min(a.to, len(v.tokens)); j++ {
				line := v.tokens[j].Line
				if v.told[riskPlace{rule, line}] && v.pass.scope(Span{Line: line}) == gavel.ScopeChangedLine {
					return true
				}
			}
		}
	}
	return false
}

// prepared reports whether the name holds a prepared statement: what it is given are values.
func (v *riskView) prepared(name string, at int) bool {
	for _, a := range v.assigned()[name] {
		if a.at < at && v.hasName(a.from, a.to, "Prepare", "PrepareContext", "Preparex") {
			return true
		}
	}
	return false
}
