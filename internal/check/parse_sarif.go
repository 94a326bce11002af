package check

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/gavel-review/gavel"
)

// parseSARIF reads SARIF 2.1.0 of any tool. A run that looked at something has a list of results, which may be empty, or
// at least an invocation that says that it was successful. A run without either, a log without a run and an invocation
// that says that it failed are errors. What a tool notes of files
// that it could not read reduces the coverage.
//
// Results of a kind other than fail, those that the tool itself suppressed and those that its baseline knows to be gone
// are no findings. Severity is the security-severity of the result or its rule (9 and more critical, 7 high, 4 medium,
// the rest low), else the level: error high, warning medium, note low, none info.
func parseSARIF(o Output) (Report, error) {
	var doc sarifLog
	if err := decodeJSON(o.Report, &doc); err != nil {
		return Report{}, fmt.Errorf("%w%s", err, o.said())
	}
	if !strings.HasPrefix(doc.Version, "2.1") || len(doc.Runs) == 0 {
		return Report{}, errors.New("not SARIF 2.1.0 with a run")
	}
	r := Report{Measured: -1}
	for i := range doc.Runs {
		if err := r.addSARIF(o, &doc.Runs[i]); err != nil {
			return Report{}, err
		}
	}
	return r, nil
}

func (r *Report) addSARIF(o Output, run *sarifRun) error {
	name := run.Tool.Driver.Name
	if name == "" {
		return errors.New("not SARIF: a run without a tool")
	}
	for _, call := range run.Invocations {
		if err := r.addInvocation(o, run, &call); err != nil {
			return err
		}
	}
	if run.Results == nil && !run.successful() {
		return fmt.Errorf("%s looked at nothing: its run has no list of results%s", excerpt(name), o.said())
	}
	for i := range run.Results {
		res := &run.Results[i]
		switch {
		case !res.fails():
		case res.goText(name) != "":
			if err := r.addGoText(o, res.goText(name)); err != nil {
				return err
			}
		case strings.HasPrefix(res.RuleID, "fs/") && name == "Biome":
			path, _, _ := run.place(res.Locations)
			r.Reduced = append(r.Reduced, o.shown(path)+": "+excerpt(o.clean(res.Message.Text)))
		default:
			r.Findings = append(r.Findings, o.finding(run.diagnostic(res)))
		}
	}
	return nil
}

// goText is what the go command said of code that does not compile, which staticcheck (rule compile) and golangci-lint
// (rule typecheck) pass on in one message, at a place that is none. Where it is "", the result is one of their own.
func (res *sarifResult) goText(tool string) string {
	switch text := res.Message.Text; {
	case tool == "Staticcheck" && res.RuleID == "compile":
		return text
	case tool == "golangci-lint" && res.RuleID == "typecheck" && strings.HasPrefix(text, ": # "):
		return strings.TrimPrefix(text, ": ")
	}
	return ""
}

func (r *Report) addGoText(o Output, message string) error {
	text, err := readGoText(message)
	if err != nil {
		return err
	}
	r.Reduced = append(r.Reduced, text.reduced...)
	r.Findings = append(r.Findings, o.unique(text.found)...)
	return nil
}

// successful reports whether an invocation says that it went well; addInvocation has refused those that say otherwise.
func (run *sarifRun) successful() bool {
	return slices.ContainsFunc(run.Invocations, func(call sarifInvocation) bool { return call.Successful != nil })
}

// addInvocation reads how the tool's run went.
func (r *Report) addInvocation(o Output, run *sarifRun, call *sarifInvocation) error {
	var errs, notes []string
	for _, n := range append(call.Execution, call.Configuration...) {
		text := excerpt(o.clean(n.Message.Text))
		if path, line, _ := run.place(n.Locations); path != "" && !strings.Contains(text, path) {
			text = fmt.Sprintf("%s:%d: %s", o.shown(path), line, text)
		}
		switch n.Level {
		case "error":
			errs = append(errs, text)
		case "warning", "":
			notes = append(notes, text)
		}
	}
	if call.Successful != nil && !*call.Successful {
		why := strings.Join(append(errs, notes...), "; ")
		return fmt.Errorf("%s says that it failed: %s", excerpt(run.Tool.Driver.Name), why)
	}
	r.Reduced = append(r.Reduced, append(errs, notes...)...)
	return nil
}

// fails reports whether the result is something wrong that counts.
func (res *sarifResult) fails() bool {
	if res.Baseline == "absent" {
		return false
	}
	for _, s := range res.Suppressions {
		if s.Status == "" || s.Status == "accepted" {
			return false
		}
	}
	switch res.Kind {
	case "pass", "notApplicable", "informational", "open", "review":
		return false
	}
	return true
}

func (run *sarifRun) diagnostic(res *sarifResult) diagnostic {
	rule := run.rule(res)
	d := diagnostic{rule: res.RuleID, message: withoutSecret(res.message(run, rule))}
	if d.rule == "" {
		d.rule = rule.ID
	}
	tags := append(sarifTags(rule.Properties.Tags), sarifTags(res.Properties.Tags)...)
	d.category = sarifCategory(run.Tool.Driver.Name, d.rule, rule, tags)
	if d.category == gavel.CategoryDependency && rule.Short.words() != "" {
		d.message = joinLines(rule.Short.words(), d.message) // the result tells the package alone
	}
	d.severity = sarifSeverity(res, rule)
	if d.category == gavel.CategoryStyle && run.Tool.Driver.Name == "Biome" && !strings.HasPrefix(d.rule, "lint/") {
		d.severity = gavel.Low // layout, which formatters are low for
	}
	d.cwe = cweOf(append(tags, d.rule))
	var region sarifRegion
	d.path, d.line, region = run.place(res.Locations)
	d.end, d.column = region.EndLine, region.StartColumn
	if region.EndLine > region.StartLine && region.EndColumn == 1 {
		d.end-- // the end is exclusive: it is the end of the line before
	}
	if len(res.Fixes) > 0 {
		d.suggestion = res.Fixes[0].Description.words()
	}
	return d
}

func sarifSeverity(res *sarifResult, rule *sarifRule) gavel.Severity {
	for _, v := range []any{res.Properties.Security, rule.Properties.Security} {
		if score, ok := sarifScore(v); ok {
			return severityOfScore(score)
		}
	}
	level := res.Level
	if level == "" {
		level = rule.Default.Level
	}
	switch level {
	case "error":
		return gavel.High
	case "note":
		return gavel.Low
	case "none":
		return gavel.Info
	}
	return gavel.Medium // SARIF §3.27.10: warning unless somebody says otherwise
}

func sarifScore(v any) (float64, bool) {
	switch v := v.(type) {
	case float64:
		return v, v > 0 && v <= 10
	case string:
		score, err := strconv.ParseFloat(v, 64)
		return score, err == nil && score > 0 && score <= 10
	}
	return 0, false
}

// severityOfScore maps a CVSS base score to the words of CVSS v3.1 §5.
func severityOfScore(score float64) gavel.Severity {
	switch {
	case score >= 9:
		return gavel.Critical
	case score >= 7:
		return gavel.High
	case score >= 4:
		return gavel.Medium
	}
	return gavel.Low
}

func sarifTags(v any) []string {
	list, ok := v.([]any)
	if !ok {
		return nil
	}
	var tags []string
	for _, t := range list {
		if s, ok := t.(string); ok {
			tags = append(tags, s)
		}
	}
	return tags
}

// sarifCategory tells what a rule is about: by the tool where it has one subject, else by tags and by the families
// that rule ids of linters are numbered in.
func sarifCategory(tool, id string, rule *sarifRule, tags []string) gavel.Category {
	switch tool = strings.ToLower(tool); {
	case tool == "ruff":
		return ruffCategory(id)
	case strings.Contains(tool, "osv"), strings.Contains(tool, "govulncheck"), strings.Contains(tool, "trivy"),
		strings.Contains(tool, "grype"):
		return gavel.CategoryDependency
	case strings.Contains(tool, "semgrep"), strings.Contains(tool, "opengrep"), strings.Contains(tool, "bandit"),
		strings.Contains(tool, "gosec"), strings.Contains(tool, "codeql"):
		return gavel.CategorySecurity
	}
	if rule.Properties.Security != nil {
		return gavel.CategorySecurity
	}
	for _, tag := range tags {
		if strings.EqualFold(tag, "security") {
			return gavel.CategorySecurity
		}
	}
	switch id = strings.ToLower(id); {
	case id == "compile", id == "typecheck", id == "parse", id == "dl1000", strings.Contains(id, "syntax"):
		return gavel.CategoryBuild
	case id == "gosec":
		return gavel.CategorySecurity // a linter of golangci-lint
	case strings.HasPrefix(id, "lint/style/"), strings.HasPrefix(id, "assist/"), strings.Contains(id, "format"),
		strings.HasPrefix(id, "st1"), strings.HasPrefix(id, "qf1"), strings.HasPrefix(id, "s1"):
		return gavel.CategoryStyle
	case strings.HasPrefix(id, "lint/security/"):
		return gavel.CategorySecurity
	case strings.HasPrefix(id, "lint/performance/"):
		return gavel.CategoryPerformance
	}
	return gavel.CategoryBug
}

// cweOf finds the first weakness in tags such as "external/cwe/cwe-079" and "CWE-327: Use of a Broken Algorithm".
func cweOf(tags []string) string {
	for _, tag := range tags {
		tag = strings.ToUpper(tag)
		_, number, ok := strings.Cut(tag, "CWE-")
		if !ok {
			continue
		}
		end := 0
		for end < len(number) && number[end] >= '0' && number[end] <= '9' {
			end++
		}
		if n := strings.TrimLeft(number[:end], "0"); n != "" && len(n) <= 5 {
			return "CWE-" + n
		}
	}
	return ""
}
