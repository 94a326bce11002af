package check

import (
	"errors"
	"fmt"
	"strings"

	"github.com/gavel-review/gavel"
)

// eslintFile is one file of the report of eslint -f json.
type eslintFile struct {
	Path     *string         `json:"filePath"`
	Messages []eslintMessage `json:"messages"`
	Errors   int             `json:"errorCount"`
	Warnings int             `json:"warningCount"`
}

type eslintMessage struct {
	Rule     *string `json:"ruleId"`
	Severity int     `json:"severity"` // 1 = warning, 2 = error
	Message  string  `json:"message"`
	Line     int     `json:"line"`
	Column   int     `json:"column"` // 1-based, in UTF-16 code units: exact on lines of ASCII only
	EndLine  int     `json:"endLine"`
	Fatal    bool    `json:"fatal"`
	Hints    []struct {
		Desc string `json:"desc"`
	} `json:"suggestions"`
}

// eslintIgnored begins what eslint says of a file that it was given and does not lint.
const eslintIgnored = "File ignored "

// parseESLint reads eslint -f json: a list of all files that were linted, [] for none. Each file's own count has to agree
// with its messages. Exit codes are 0 (no error), 1 (errors, or more warnings than are allowed) and 2 (crash or
// configuration, without a report). Errors are high, warnings medium; a file that cannot be parsed is a high finding.
func parseESLint(o Output) (Report, error) {
	var files []eslintFile
	if err := decodeJSON(o.Report, &files); err != nil {
		return Report{}, fmt.Errorf("%w%s", err, o.said())
	}
	if files == nil {
		return Report{}, errors.New("not a report of eslint: null")
	}
	var r Report
	for i := range files {
		if err := r.addESLint(o, &files[i]); err != nil {
			return Report{}, err
		}
	}
	return r, nil
}

func (r *Report) addESLint(o Output, f *eslintFile) error {
	if f.Path == nil || f.Messages == nil {
		return errors.New("not a report of eslint: a file without filePath and messages")
	}
	errs, warnings := 0, 0
	for _, m := range f.Messages {
		switch m.Severity {
		case 1:
			warnings++
		case 2:
			errs++
		default:
			return fmt.Errorf("eslint reports the unknown severity %d", m.Severity)
		}
	}
	if errs != f.Errors || warnings != f.Warnings {
		return fmt.Errorf("eslint counts %d errors and %d warnings in a file, its report holds %d and %d",
			f.Errors, f.Warnings, errs, warnings)
	}
	if len(f.Messages) == 1 && f.Messages[0].Rule == nil && strings.HasPrefix(f.Messages[0].Message, eslintIgnored) {
		r.Reduced = append(r.Reduced, "ignored by eslint: "+o.shown(*f.Path))
		return nil
	}
	r.Measured++
	for i := range f.Messages {
		r.Findings = append(r.Findings, o.finding(f.Messages[i].diagnostic(*f.Path)))
	}
	return nil
}

func (m *eslintMessage) diagnostic(path string) diagnostic {
	d := diagnostic{
		path: path, line: m.Line, end: m.EndLine, column: m.Column, message: m.Message,
		severity: gavel.Medium, category: gavel.CategoryBug,
	}
	if m.Severity == 2 {
		d.severity = gavel.High
	}
	switch {
	case m.Fatal:
		d.rule, d.category = "parse-error", gavel.CategoryBuild
	case m.Rule != nil:
		d.rule = *m.Rule
	default:
		d.rule = "message" // of eslint itself, such as a directive that disables nothing
	}
	if len(m.Hints) > 0 {
		d.suggestion = m.Hints[0].Desc
	}
	return d
}
