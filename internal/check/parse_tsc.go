package check

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/gavel-review/gavel"
)

// parseTSC reads tsc --pretty false: "src/page.ts(2,24): error TS2307: message" with indented lines that go on, and
// "error TS18003: message" where no place is to blame. Success is exit code 0 and no output. Errors are high; tsc has
// warnings and messages in its protocol, and never prints any.
func parseTSC(o Output) (Report, error) {
	var found []diagnostic
	for n, line := range strings.Split(cleanText(o.Report), "\n") {
		line = strings.TrimRight(line, " \t")
		if line == "" {
			continue
		}
		if d, ok := tscDiagnostic(line); ok {
			found = append(found, d)
			continue
		}
		if line[0] != ' ' || len(found) == 0 {
			return Report{}, fmt.Errorf("line %d: %q is no diagnostic of tsc", n+1, excerpt(line))
		}
		last := &found[len(found)-1]
		last.message += "\n" + line
	}
	r := Report{Measured: -1}
	for _, d := range found {
		r.Findings = append(r.Findings, o.finding(d))
	}
	return r, nil
}

func tscDiagnostic(line string) (diagnostic, bool) {
	d := diagnostic{category: gavel.CategoryBug}
	head, rest := "", line
	if !strings.HasPrefix(line, "error TS") {
		var ok bool
		if head, rest, ok = cutTSCHead(line); !ok {
			return d, false
		}
	}
	word, rest, _ := strings.Cut(rest, " ")
	code, message, ok := strings.Cut(rest, ": ")
	severity, known := severityOf(word)
	if word == "message" {
		severity, known = gavel.Low, true
	}
	if number, isTS := strings.CutPrefix(code, "TS"); !ok || !known || !isTS || !digits(number) {
		return d, false
	}
	d.rule, d.message, d.severity = code, message, severity
	if head == "" {
		d.category = gavel.CategoryBuild // of the configuration, or of the program as a whole
		return d, true
	}
	open := strings.LastIndexByte(head, '(')
	line, column, _ := strings.Cut(head[open+1:], ",")
	d.path = head[:open]
	d.line, _ = strconv.Atoi(line)
	d.column, _ = strconv.Atoi(column)
	return d, true
}

// cutTSCHead parts "src/page.ts(2,24" from "error TS2307: message".
func cutTSCHead(line string) (head, rest string, ok bool) {
	for from := 0; ; {
		i := strings.Index(line[from:], "): ")
		if i < 0 {
			return "", "", false
		}
		head, rest = line[:from+i], line[from+i+len("): "):]
		open := strings.LastIndexByte(head, '(')
		if open > 0 {
			if line, column, ok := strings.Cut(head[open+1:], ","); ok && digits(line) && digits(column) {
				return head, rest, true
			}
		}
		from += i + len("): ")
	}
}

func digits(s string) bool {
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return false
		}
	}
	return s != "" && len(s) < 10
}
