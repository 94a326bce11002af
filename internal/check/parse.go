package check

import (
	"fmt"
	"slices"
	"strings"

	"github.com/gavel-review/gavel"
)

// parsers is every report format: its name in a manifest and what reads it, in parse_<format>.go.
var parsers = []struct {
	format string
	parse  Parser
}{
	{"cargo-audit", parseCargoAudit},
	{"cargo-json", parseCargoJSON},
	{"cargo-test", parseCargoTest},
	{"checkstyle", parseCheckstyle},
	{"eslint", parseESLint},
	{"file-list", parseFileList},
	{"go-build", parseGoBuild},
	{"go-test-json", parseGoTestJSON},
	{"go-vet", parseGoVet},
	{"javac", parseJavac},
	{"jest-json", parseJestJSON},
	{"json-presence", parseJSONPresence},
	{"junit", parseJUnit},
	{"mypy", parseMypy},
	{"npm-audit", parseNpmAudit},
	{"pip-audit", parsePipAudit},
	{"pyright", parsePyright},
	{"sarif", parseSARIF},
	{"trufflehog", parseTruffleHog},
	{"tsc", parseTSC},
	{"yarn-audit", parseYarnAudit},
}

const (
	// maxReport is the most that is read of a report, in bytes. What is larger is an error, never read in part.
	maxReport = 64 << 20
	// maxReported is how many findings and tests a report may hold. Ten times a hundred thousand is a broken instrument.
	maxReported = 1_000_000

	maxTitle   = 200     // bytes
	maxMessage = 4 << 10 // bytes
	maxRule    = 120     // bytes of the tool's part
)

// Formats lists the names of all report formats, sorted.
func Formats() []string {
	names := make([]string, 0, len(parsers))
	for _, p := range parsers {
		names = append(names, p.format)
	}
	slices.Sort(names)
	return names
}

// ParserFor returns what reads a format, and whether there is one. Whatever the format, it holds that a tool that was
// ended by a signal, one that failed and reported nothing wrong, and a report that is too large are errors.
func ParserFor(format string) (Parser, bool) {
	for _, p := range parsers {
		if p.format == format {
			return func(o Output) (Report, error) { return read(eachReport(p.parse), o) }, true
		}
	}
	return nil, false
}

func read(parse Parser, o Output) (Report, error) {
	if size := max(len(o.Report), len(o.Stdout), len(o.Stderr)); size > maxReport {
		return Report{}, fmt.Errorf("the report is too large to be read: %d bytes, at most %d", size, maxReport)
	}
	if o.Exit < 0 {
		return Report{}, fmt.Errorf("a signal ended the tool%s", o.said())
	}
	r, err := parse(o)
	if err != nil {
		return Report{}, err
	}
	if n := max(len(r.Findings), len(r.Tests)); n > maxReported {
		return Report{}, fmt.Errorf("%d findings or tests are not a report that says anything", n)
	}
	if o.Exit != 0 && len(r.Findings) == 0 {
		return Report{}, fmt.Errorf("the tool exited %d and reported nothing wrong%s", o.Exit, o.said())
	}
	return r, nil
}

// diagnostic is one statement of a tool, as it was read.
type diagnostic struct {
	rule, path        string // the tool's own words; a path is relative to Output.Dir or absolute
	line, end, column int    // 1-based, 0 = not told
	message, detail   string
	suggestion        string
	severity          gavel.Severity
	category          gavel.Category
	cwe               string
}

// finding makes a finding of a diagnostic. A place outside the tree is told in the description, without the folders of
// this machine.
func (o Output) finding(d diagnostic) gavel.Finding {
	rule := o.rule(d.rule)
	message, detail := o.clean(d.message), o.clean(d.detail)
	if message == "" {
		message, detail = detail, ""
	}
	title, rest, _ := strings.Cut(message, "\n")
	if len(title) > maxTitle {
		title, rest = cut(title, maxTitle), message
	}
	if title == "" {
		title = "no message"
	}
	file, inside := o.place(d.path)
	description := joinLines(rest, detail)
	if !inside && d.path != "" {
		description = joinLines(description, outside(d.path, d.line))
		d.line, d.end, d.column = 0, 0, 0
	}
	f := gavel.Finding{
		Severity: d.severity, File: file, Line: max(d.line, 0), Title: title, Description: cut(description, maxMessage),
		Suggestion: cut(o.clean(d.suggestion), maxMessage), Rule: rule, Category: d.category, Source: gavel.SourceCheck,
		Confidence: gavel.ConfidenceHigh, Fingerprint: fingerprint(rule, file, message), CWE: d.cwe,
		Located: file != "" && d.line > 0,
	}
	if file == "" {
		f.Line = 0
	}
	if f.Line > 0 {
		f.Column = max(d.column, 0)
	}
	if f.Line > 0 && d.end > f.Line {
		f.LineEnd = d.end
	}
	return f
}

// fingerprint identifies what a tool said over time. A parser sees no source, so that the whole message stands where
// detectors have the line; numbers in it stay as they are. Two equal statements on one file are told apart by their count.
func fingerprint(rule, file, message string) string { return gavel.Fingerprint(rule, file, message) }

// testFinding is the finding of a failed test. It is identified by the test's name alone: what a test prints, and where
// it gave up, differ from run to run.
func (o Output) testFinding(t *gavel.TestResult) gavel.Finding {
	rule := o.rule("test-failed")
	return gavel.Finding{
		Severity: gavel.High, File: t.File, Line: t.Line, Title: cut("failed: "+t.Name, maxTitle), Description: t.Message,
		Rule: rule, Category: gavel.CategoryTest, Source: gavel.SourceCheck, Confidence: gavel.ConfidenceHigh,
		Fingerprint: fingerprint(rule, "", t.Name), Located: t.File != "" && t.Line > 0,
	}
}

// rule is the id of a tool's rule: check/<check>/<rule>, of the characters a-z, 0-9 and -./@.
func (o Output) rule(name string) string {
	if name = safe(name); name == "" {
		name = "finding"
	}
	return "check/" + o.Check + "/" + name
}

// safe maps the name of a tool's rule to the alphabet of rule ids: lower case, and a dash for each run of others.
func safe(name string) string {
	var b strings.Builder
	for _, r := range strings.ToLower(name) {
		last := byte('-') // nothing but a letter, a digit or @ may come first
		if n := b.Len(); n > 0 {
			last = b.String()[n-1]
		}
		switch {
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9', r == '@':
			b.WriteByte(byte(r))
		case strings.IndexByte("-./", last) >= 0:
		case r == '.', r == '/':
			b.WriteByte(byte(r))
		default:
			b.WriteByte('-')
		}
	}
	s := b.String()
	return strings.Trim(s[:min(len(s), maxRule)], "-./")
}

// severityOf reads the words of linters and compilers: error, warning, and what is below. ok is false for any other.
func severityOf(word string) (s gavel.Severity, ok bool) {
	switch strings.ToLower(word) {
	case "error", "fatal":
		return gavel.High, true
	case "warning", "warn":
		return gavel.Medium, true
	case "note", "info", "information", "style", "hint", "suggestion":
		return gavel.Low, true
	}
	return gavel.NoSeverity, false
}
