package check

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/gavel-review/gavel"
)

// parseJavac reads what javac says of the sources that do not compile, in the words of the build around it:
//
//	[ERROR] /srv/shop/src/Desk.java:[12,8] cannot find symbol     maven-compiler-plugin, on stdout
//	/srv/shop/src/Desk.java:12: error: cannot find symbol         javac, and Gradle around it, on stderr
//
// with lines below that go on. Success is exit code 0 and the build's own BUILD SUCCESS or BUILD SUCCESSFUL. A build that
// failed has to have come to its end and to name an error of the compiler: what else stops a build (a dependency, another
// plugin) is an error, and beside errors of the compiler it reduces the coverage, as do modules that were left out.
//
// Errors are high, warnings medium. Maven says everything again at its end; what is said twice of one place is one
// finding.
func parseJavac(o Output) (Report, error) {
	j := javacReader{seen: make(map[diagnostic]bool)}
	j.read(cleanText(o.Report))
	j.read(cleanText(o.Stderr))
	return j.report(o)
}

// javacReader is what a build has said so far.
type javacReader struct {
	found   []diagnostic
	seen    map[diagnostic]bool // by place and first line
	open    bool                // lines that go on belong to the last one found, or to one that was said before
	again   bool                // to one that was said before
	block   bool                // below Maven's COMPILATION ERROR, where every line is the compiler's
	end     string              // how the build ended; "" = it does not say
	counted bool                // javac came to its end, with errors
	errors  int
	other   []string // what stopped the build beside the compiler
	refused string   // why javac did not look at anything
	reduced []string
}

// The ends of a build.
const (
	javacSuccess = "success"
	javacFailure = "failure"
)

func (j *javacReader) read(text string) {
	lines := strings.Split(text, "\n")
	for i := 0; i < len(lines); i++ {
		line := strings.TrimRight(lines[i], " \t")
		if tag, said, ok := cutMavenTag(line); ok {
			j.maven(tag, said)
			continue
		}
		if d, indent, ok := javacDiagnostic(line); ok {
			i += excerptAt(lines[i+1:], &d, indent)
			j.add(d)
			continue
		}
		if line == "* What went wrong:" {
			j.wentWrong(lines[i+1:])
		}
		j.text(line)
	}
	j.open, j.block = false, false
}

// cutMavenTag parts "[ERROR] text". The text keeps its indentation.
func cutMavenTag(line string) (tag, text string, ok bool) {
	for _, tag := range [...]string{"ERROR", "WARNING", "INFO"} {
		if text, ok := strings.CutPrefix(line, "["+tag+"]"); ok && (text == "" || text[0] == ' ') {
			return tag, strings.TrimPrefix(text, " "), true
		}
	}
	return "", "", false
}

// maven reads a line with a tag.
func (j *javacReader) maven(tag, text string) {
	if tag == "INFO" {
		j.open, j.block = false, j.block && strings.HasPrefix(text, "---")
		if name, dots, ok := strings.Cut(text, " ."); ok && strings.HasSuffix(dots, ". SKIPPED") {
			j.reduce(name + ": not compiled, because of a module that it needs")
		}
		j.text(text)
		return
	}
	if text == "" || text[0] == ' ' {
		j.open = j.open && text != ""
		j.goesOn(text)
		return
	}
	j.open = false
	d, placed := mavenDiagnostic(text)
	if tag == "WARNING" {
		d.severity = gavel.Medium
	}
	switch {
	case placed:
		j.add(d)
	case tag == "WARNING":
	case strings.HasPrefix(text, "COMPILATION ERROR"):
		j.block = true
	case j.block:
		j.add(d)
	case strings.HasPrefix(text, "Failed to execute goal "):
		if !strings.Contains(text, ": Compilation failure") {
			j.other = append(j.other, text)
		}
	}
}

// mavenDiagnostic reads "/srv/shop/src/Desk.java:[12,8] message". placed is false for a line without a position.
func mavenDiagnostic(text string) (d diagnostic, placed bool) {
	if name, rest, ok := strings.Cut(text, ":["); ok && name != "" {
		position, message, closed := strings.Cut(rest, "] ")
		line, column, both := strings.Cut(position, ",")
		if closed && digits(line) && (!both || digits(column)) {
			d = javacSaid(message, gavel.High)
			d.path = name
			d.line, _ = strconv.Atoi(line)
			d.column, _ = strconv.Atoi(column)
			return d, true
		}
	}
	if name, message, ok := strings.Cut(text, ".java: "); ok {
		d = javacSaid(message, gavel.High)
		d.path = name + ".java"
		return d, false
	}
	return javacSaid(text, gavel.High), false
}

// javacDiagnostic reads "src/Desk.java:12: error: message". Newer versions of Gradle indent it.
func javacDiagnostic(line string) (d diagnostic, indent int, ok bool) {
	text := strings.TrimLeft(line, " ")
	if text == "" || strings.IndexByte(">^", text[0]) >= 0 {
		return d, 0, false
	}
	at, mark, severity := -1, "", gavel.NoSeverity
	for word, s := range map[string]gavel.Severity{": error: ": gavel.High, ": warning: ": gavel.Medium} {
		if i := strings.Index(text, word); i >= 0 && (at < 0 || i < at) {
			at, mark, severity = i, word, s
		}
	}
	if at < 0 {
		return d, 0, false
	}
	d = javacSaid(text[at+len(mark):], severity)
	d.path, d.line, d.column = cutPosition(text[:at])
	return d, len(line) - len(text), d.line > 0
}

// javacSaid makes a diagnostic of a message. Its key in brackets, as javac's -Xlint and Error Prone print it, is the rule.
func javacSaid(message string, severity gavel.Severity) diagnostic {
	d := diagnostic{rule: "compile", message: message, severity: severity, category: gavel.CategoryBuild}
	if key, rest, ok := strings.Cut(message, "] "); ok && len(key) > 1 && key[0] == '[' && safe(key[1:]) == strings.ToLower(key[1:]) {
		d.rule, d.message = key[1:], rest
	}
	return d
}

// excerptAt returns how many of the lines below a diagnostic repeat the source, and takes the column from the mark under
// it. They may hold whatever a source file holds, so that they are never read.
func excerptAt(lines []string, d *diagnostic, indent int) int {
	if len(lines) < 2 || strings.Trim(lines[1], " \t") != "^" {
		return 0
	}
	if d.column == 0 {
		d.column = max(0, strings.IndexByte(lines[1], '^')-indent) + 1
	}
	return 2
}

// text reads a line of javac, of Gradle, or of Maven without its tag.
func (j *javacReader) text(line string) {
	bare := strings.TrimLeft(line, " ")
	switch bare {
	case "BUILD SUCCESS":
		j.ends(javacSuccess)
		return
	case "BUILD FAILURE":
		j.ends(javacFailure)
		return
	}
	switch {
	case line == "":
		j.open = false
	case strings.HasPrefix(line, "BUILD SUCCESSFUL in "):
		j.ends(javacSuccess)
	case strings.HasPrefix(line, "BUILD FAILED in "):
		j.ends(javacFailure)
	case j.count(bare):
		j.open = false
	case line[0] == ' ' || line[0] == '\t':
		j.goesOn(line)
	case strings.HasPrefix(line, "Usage: javac "):
		j.refused = "it was called wrongly"
	case strings.HasPrefix(line, "error: "):
		j.add(javacSaid(strings.TrimPrefix(line, "error: "), gavel.High))
	default:
		j.open = false
	}
}

// ends notes how the build ended. Where it says both, it failed.
func (j *javacReader) ends(how string) {
	if j.end != javacFailure {
		j.end = how
	}
	j.open = false
}

// count reads the line with which javac ends: "6 errors", "100 warnings". It tells no more than a hundred of either.
func (j *javacReader) count(line string) bool {
	number, what, _ := strings.Cut(line, " ")
	n, err := strconv.Atoi(number)
	if err != nil || !slices.Contains([]string{"error", "errors", "warning", "warnings"}, what) {
		return false
	}
	j.counted = j.counted || strings.HasPrefix(what, "error")
	if n == 100 {
		j.reduce("javac tells at most 100 " + what)
	}
	return true
}

// wentWrong reads what Gradle says below "* What went wrong:".
func (j *javacReader) wentWrong(lines []string) {
	var said []string
	for _, line := range lines {
		if line = strings.TrimSpace(line); line == "" || len(said) == 2 {
			break
		} else if strings.HasPrefix(line, "> Compilation failed; see ") {
			return
		}
		said = append(said, line)
	}
	if len(said) > 0 {
		j.other = append(j.other, strings.Join(said, " "))
	}
}

func (j *javacReader) reduce(label string) {
	if label = excerpt(label); !slices.Contains(j.reduced, label) {
		j.reduced = append(j.reduced, label)
	}
}

func (j *javacReader) add(d diagnostic) {
	j.open, j.again = true, j.seen[d]
	if j.again {
		return
	}
	j.seen[d] = true
	j.found = append(j.found, d)
	if d.severity == gavel.High {
		j.errors++
	}
}

// goesOn adds a line to the diagnostic before it.
func (j *javacReader) goesOn(line string) {
	if j.open && !j.again {
		last := &j.found[len(j.found)-1]
		last.message += "\n" + strings.TrimRight(line, " \t")
	}
}

// report is what is made of it all, once exit code and words agree.
func (j *javacReader) report(o Output) (Report, error) {
	switch {
	case j.refused != "":
		return Report{}, fmt.Errorf("nothing was compiled: %s%s", j.refused, o.said())
	case j.end == "" && !(j.counted && o.Exit != 0):
		return Report{}, fmt.Errorf("the build does not say how it ended%s", o.said())
	case o.Exit == 0 && j.end != javacSuccess:
		return Report{}, fmt.Errorf("the build says that it failed, and its exit code is 0%s", o.said())
	case o.Exit != 0 && j.end == javacSuccess:
		return Report{}, fmt.Errorf("the build says that it succeeded, and its exit code is %d", o.Exit)
	case o.Exit != 0 && j.errors == 0 && len(j.other) > 0:
		return Report{}, fmt.Errorf("the build failed, and not in the compiler: %s", excerpt(o.clean(j.other[0])))
	case o.Exit != 0 && j.errors == 0:
		return Report{}, fmt.Errorf("the tool exited %d, and the compiler reported no error%s", o.Exit, o.said())
	}
	for _, other := range j.other {
		j.reduce(o.clean(other))
	}
	r := Report{Measured: -1, Reduced: j.reduced}
	for _, d := range j.found {
		r.Findings = append(r.Findings, o.finding(d))
	}
	return r, nil
}
