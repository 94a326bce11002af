package check

import (
	"fmt"
	"strings"

	"github.com/gavel-review/gavel"
)

// parseGoBuild reads what go build prints of the packages that do not compile: nothing on stdout, and on stderr
// path:line:column: message below a line "# package", with indented lines that go on. Success is exit code 0 and no
// such line. Errors are high; what is printed beside exit code 0, such as the warnings of a C compiler, is medium.
func parseGoBuild(o Output) (Report, error) {
	text, err := readGoText(string(o.Report) + "\n" + string(o.Stderr))
	if err != nil {
		return Report{}, err
	}
	r := Report{Measured: -1, Reduced: text.reduced}
	if text.nothing {
		r.Measured = 0
	}
	if o.Exit == 0 {
		text.warn()
	}
	r.Findings = o.unique(text.found)
	return r, nil
}

// goText is what the go command said in words.
type goText struct {
	found   []diagnostic
	reduced []string
	nothing bool // no package matched
	section bool // below a line "# package"
}

// goRefusals begin what the go command says when it has not looked at anything.
var goRefusals = []string{
	"pattern ", "no Go files in ", "no packages ", "flag provided but not defined", "usage: ", "go: unknown ",
}

// readGoText reads the words of go build, go vet and go test. A line that fits nowhere is an error, unless it stands
// below a line "# package": linkers and C compilers have their say there.
func readGoText(s string) (goText, error) {
	var g goText
	for line := range strings.SplitSeq(cleanString(s), "\n") {
		if err := g.line(strings.TrimRight(line, " ")); err != nil {
			return goText{}, err
		}
	}
	return g, nil
}

func (g *goText) line(line string) error {
	switch {
	case line == "":
		return nil
	case strings.HasPrefix(line, "# "):
		g.section = true
		return nil
	case strings.HasPrefix(line, "go: warning: ") && strings.HasSuffix(line, "matched no packages"):
		g.nothing = true
		g.reduced = append(g.reduced, "no package matched")
		return nil
	case strings.HasPrefix(line, "go: warning: "), goProgress(line):
		return nil
	case len(g.found) > 0 && (line[0] == '\t' || line[0] == ' ' || strings.HasPrefix(line, "note: ")):
		g.continues(line)
		return nil
	}
	for _, refusal := range goRefusals {
		if strings.HasPrefix(line, refusal) {
			return fmt.Errorf("nothing was built: %s", excerpt(line))
		}
	}
	d, placed := goDiagnostic(line)
	switch {
	case placed && strings.HasPrefix(d.message, "too many errors"):
		g.reduced = append(g.reduced, d.path+": too many errors to list them all")
	case placed, strings.HasPrefix(line, "go: "), strings.HasPrefix(line, "package "):
		g.found = append(g.found, d)
	case !g.section:
		return fmt.Errorf("%q is nothing that the go command says", excerpt(line))
	case len(g.found) > 0:
		g.continues(line)
	default:
		g.found = append(g.found, d)
	}
	return nil
}

// continues adds a line to the diagnostic before it. A cycle of imports is told in such lines alone; what is wrong
// stands at the end of the last.
func (g *goText) continues(line string) {
	d := &g.found[len(g.found)-1]
	d.detail = joinLines(d.detail, line)
	if chain, fault, ok := strings.Cut(line, ": "); ok && d.rule == "import" && strings.HasPrefix(chain, "\timports ") {
		d.message, d.detail = fault, joinLines(d.message, d.detail)
	}
}

// warn turns what was found beside exit code 0 into warnings.
func (g *goText) warn() {
	for i := range g.found {
		g.found[i].severity = gavel.Medium
	}
}

// goDiagnostic reads "price/price.go:8:22: message". placed is false for a line without a place.
func goDiagnostic(line string) (d diagnostic, placed bool) {
	text := strings.TrimPrefix(strings.TrimPrefix(line, "vet: "), "go: ")
	d = diagnostic{rule: "compile", message: text, severity: gavel.High, category: gavel.CategoryBuild}
	if head, message, ok := strings.Cut(text, ": "); ok {
		if name, line, column := cutPosition(head); line > 0 {
			d.path, d.line, d.column, d.message = name, line, column, message
			return d, true
		}
	}
	switch {
	case strings.HasPrefix(line, "go: "):
		d.rule = "module"
	case strings.HasPrefix(line, "package "):
		d.rule = "import"
	}
	return d, false
}

// goProgress reports whether a line tells what the go command does or introduces the next one.
func goProgress(line string) bool {
	text, ok := strings.CutPrefix(line, "go: ")
	word, _, _ := strings.Cut(text, " ")
	switch word {
	case "downloading", "finding", "extracting", "found", "added", "upgraded":
		return ok
	}
	return ok && strings.HasSuffix(text, "parsing go.mod:")
}

// unique makes findings of diagnostics and leaves out what is said twice of one place: a package is compiled for itself
// and for its tests.
func (o Output) unique(found []diagnostic) []gavel.Finding {
	seen := make(map[diagnostic]bool, len(found))
	var out []gavel.Finding
	for _, d := range found {
		if !seen[d] {
			seen[d] = true
			out = append(out, o.finding(d))
		}
	}
	return out
}
