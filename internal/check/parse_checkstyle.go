package check

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/gavel-review/gavel"
)

// parseCheckstyle reads the XML of Checkstyle, which ShellCheck (-f checkstyle), ktlint, phpcs and others write too.
// Errors are high, warnings medium, info low; what has the severity ignore is left out. A crash of Checkstyle on a file,
// and a file that ShellCheck could not open, are errors.
func parseCheckstyle(o Output) (Report, error) {
	h := checkstyleReader{o: o}
	if err := readXML(o.Report, []string{"checkstyle"}, &h); err != nil {
		return Report{}, fmt.Errorf("%w%s", err, o.said())
	}
	return Report{Findings: h.found, Measured: h.files}, nil
}

type checkstyleReader struct {
	o     Output
	found []gavel.Finding
	file  string // that is open
	files int
}

func (c *checkstyleReader) start(name string, attributes map[string]string) error {
	switch name {
	case "file":
		c.file = attributes["name"]
		c.files++
	case "error":
		return c.add(attributes)
	}
	return nil
}

func (c *checkstyleReader) end(name, text string) error {
	if name == "exception" {
		return fmt.Errorf("the tool crashed on %s: %s", excerpt(c.o.shown(c.file)), excerpt(c.o.clean(text)))
	}
	return nil
}

func (c *checkstyleReader) add(attributes map[string]string) error {
	source, word := attributes["source"], attributes["severity"]
	if source == shellCheck {
		return errors.New(excerpt(c.o.clean(attributes["message"])))
	}
	if word == "ignore" {
		return nil
	}
	severity, ok := severityOf(word)
	if !ok {
		return fmt.Errorf("the unknown severity %q", excerpt(word))
	}
	d := diagnostic{
		rule: checkstyleRule(source), path: c.file, message: attributes["message"], severity: severity,
		category: gavel.CategoryStyle,
	}
	d.line, _ = strconv.Atoi(attributes["line"])     // absent: of the whole file
	d.column, _ = strconv.Atoi(attributes["column"]) // absent: of the whole line
	if code, ok := strings.CutPrefix(source, shellCheck+"."); ok {
		d.rule, d.category = code, gavel.CategoryBug
		if strings.HasPrefix(code, "SC10") {
			d.category = gavel.CategoryBuild // it cannot be parsed
		}
	}
	c.found = append(c.found, c.o.finding(d))
	return nil
}

// shellCheck is the source of what ShellCheck says of its own work; what it says of scripts is ShellCheck.SC2086.
const shellCheck = "ShellCheck"

// checkstyleRule shortens a class of Checkstyle, com.puppycrawl.tools.checkstyle.checks.imports.AvoidStarImportCheck, to
// imports.AvoidStarImport.
func checkstyleRule(source string) string {
	short, ok := strings.CutPrefix(source, "com.puppycrawl.tools.checkstyle.checks.")
	if !ok {
		return source
	}
	return strings.TrimSuffix(short, "Check")
}
