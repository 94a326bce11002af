package check

import (
	"fmt"
	"path"
	"strconv"
	"strings"

	"github.com/gavel-review/gavel"
)

// fileListFailed is the first exit code of gofmt and prettier for a file that they could not read. Below it, prettier
// and rustfmt exit 1 and gofmt 0 when the list is not empty.
const fileListFailed = 2

// parseFileList reads the files that a formatter would change, one path a line: gofmt -l, prettier --list-different,
// rustfmt -l. No output is a pass with exit code 0 alone. Each file is a low finding. A file that could not be parsed is
// told on stderr and is a high one. What does not look like a path is an error.
func parseFileList(o Output) (Report, error) {
	r := Report{Measured: -1}
	for n, line := range strings.Split(cleanText(o.Report), "\n") {
		line = strings.TrimRight(line, " \t")
		if line == "" {
			continue
		}
		if !looksLikePath(line) {
			return Report{}, fmt.Errorf("line %d: %q is no path", n+1, excerpt(line))
		}
		r.Findings = append(r.Findings, o.finding(diagnostic{
			rule: "format", path: line, message: "the file is not formatted", severity: gavel.Low, category: gavel.CategoryStyle,
		}))
	}
	if o.Exit < fileListFailed {
		return r, nil
	}
	unread := readSyntaxErrors(cleanText(o.Stderr))
	if len(unread) == 0 {
		return Report{}, fmt.Errorf("the formatter exited %d%s", o.Exit, o.said())
	}
	for _, d := range unread {
		r.Findings = append(r.Findings, o.finding(d))
	}
	r.Reduced = append(r.Reduced, "files that cannot be parsed were not looked at")
	return r, nil
}

// looksLikePath tells a path from prose and from other formats. A blank is taken only where the name has an extension.
func looksLikePath(line string) bool {
	name := slashed(line)
	if driven(name) {
		name = name[2:]
	}
	if strings.TrimSpace(name) != name || strings.ContainsAny(name, "<>|*?\":\t{}") || strings.HasSuffix(name, "/") {
		return false
	}
	base := path.Base(name)
	if !strings.Contains(name, " ") {
		return strings.ContainsAny(name, "./") || base == "README" || base == "Jakefile"
	}
	ext := path.Ext(base)
	return len(ext) > 1 && !strings.Contains(ext, " ")
}

// readSyntaxErrors reads what formatters say of files that they cannot parse: "a.go:3:1: expected declaration" (gofmt)
// and "[error] src/a.ts: SyntaxError: ';' expected. (3:5)" (prettier, which quotes the source below).
func readSyntaxErrors(stderr string) []diagnostic {
	var found []diagnostic
	for line := range strings.SplitSeq(stderr, "\n") {
		d := diagnostic{rule: "syntax", severity: gavel.High, category: gavel.CategoryBuild}
		rest, prettier := strings.CutPrefix(line, "[error] ")
		head, message, ok := strings.Cut(rest, ": ")
		if !ok || strings.TrimSpace(head) != head {
			continue
		}
		d.path, d.message = head, message
		if prettier {
			d.line, d.column = prettierPlace(message)
		} else {
			d.path, d.line, d.column = cutPosition(head)
		}
		if d.line > 0 {
			found = append(found, d)
		}
	}
	return found
}

// prettierPlace reads the place at the end of "SyntaxError: ';' expected. (3:5)".
func prettierPlace(message string) (line, column int) {
	_, place, _ := strings.Cut(message[max(strings.LastIndex(message, " ("), 0):], "(")
	first, second, _ := strings.Cut(strings.TrimSuffix(place, ")"), ":")
	if !digits(first) || !digits(second) {
		return 0, 0
	}
	line, _ = strconv.Atoi(first)
	column, _ = strconv.Atoi(second)
	return line, column
}
