package check

import (
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/gavel-review/gavel"
)

// The parts of SARIF 2.1.0 (OASIS, with errata 01) that are read.
type (
	sarifLog struct {
		Version string     `json:"version"`
		Runs    []sarifRun `json:"runs"`
	}

	sarifRun struct {
		Tool struct {
			Driver     sarifComponent   `json:"driver"`
			Extensions []sarifComponent `json:"extensions"`
		} `json:"tool"`
		Bases     map[string]sarifArtifact `json:"originalUriBaseIds"`
		Artifacts []struct {
			Location sarifArtifact `json:"location"`
		} `json:"artifacts"`
		Invocations []sarifInvocation `json:"invocations"`
		Results     []sarifResult     `json:"results"`
	}

	sarifComponent struct {
		Name  string      `json:"name"`
		Rules []sarifRule `json:"rules"`
	}

	sarifRule struct {
		ID       string                  `json:"id"`
		Name     string                  `json:"name"`
		Short    sarifMessage            `json:"shortDescription"`
		Full     sarifMessage            `json:"fullDescription"`
		Messages map[string]sarifMessage `json:"messageStrings"`
		Default  struct {
			Level string `json:"level"`
		} `json:"defaultConfiguration"`
		Properties sarifProperties `json:"properties"`
	}

	// sarifProperties are what GitHub's code scanning reads beside the standard; tools use other types too, which are
	// left out without a word.
	sarifProperties struct {
		Tags     any `json:"tags"`
		Security any `json:"security-severity"`
	}

	sarifMessage struct {
		ID        string   `json:"id"`
		Text      string   `json:"text"`
		Markdown  string   `json:"markdown"`
		Arguments []string `json:"arguments"`
	}

	sarifArtifact struct {
		URI   string `json:"uri"`
		Base  string `json:"uriBaseId"`
		Index *int   `json:"index"`
	}

	sarifLocation struct {
		Physical struct {
			Artifact sarifArtifact `json:"artifactLocation"`
			Region   sarifRegion   `json:"region"`
		} `json:"physicalLocation"`
	}

	sarifRegion struct {
		StartLine   int `json:"startLine"`
		StartColumn int `json:"startColumn"`
		EndLine     int `json:"endLine"`
		EndColumn   int `json:"endColumn"`
	}

	sarifResult struct {
		RuleID    string `json:"ruleId"`
		RuleIndex *int   `json:"ruleIndex"`
		Rule      *struct {
			ID        string `json:"id"`
			Index     *int   `json:"index"`
			Component *struct {
				Index *int `json:"index"`
			} `json:"toolComponent"`
		} `json:"rule"`
		Kind         string          `json:"kind"`
		Level        string          `json:"level"`
		Message      sarifMessage    `json:"message"`
		Locations    []sarifLocation `json:"locations"`
		Baseline     string          `json:"baselineState"`
		Suppressions []struct {
			Status string `json:"status"`
		} `json:"suppressions"`
		Fixes []struct {
			Description sarifMessage `json:"description"`
		} `json:"fixes"`
		Properties sarifProperties `json:"properties"`
	}

	sarifInvocation struct {
		Successful    *bool               `json:"executionSuccessful"`
		Execution     []sarifNotification `json:"toolExecutionNotifications"`
		Configuration []sarifNotification `json:"toolConfigurationNotifications"`
	}

	sarifNotification struct {
		Level     string          `json:"level"`
		Message   sarifMessage    `json:"message"`
		Locations []sarifLocation `json:"locations"`
	}
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
		case res.RuleID == staticcheckCompile && name == "Staticcheck":
			if err := r.addGoText(o, res.Message.Text); err != nil {
				return err
			}
		default:
			r.Findings = append(r.Findings, o.finding(run.diagnostic(res)))
		}
	}
	return nil
}

// staticcheckCompile is the rule under which staticcheck passes on what the go command says of code that does not
// compile, places and all in one message.
const staticcheckCompile = "compile"

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
		return fmt.Errorf("%s says that it failed: %s", excerpt(run.Tool.Driver.Name), strings.Join(append(errs, notes...), "; "))
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
	d.severity = sarifSeverity(res, rule)
	tags := append(sarifTags(rule.Properties.Tags), sarifTags(res.Properties.Tags)...)
	d.category = sarifCategory(run.Tool.Driver.Name, d.rule, rule, tags)
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

// rule finds the documentation of a result's rule, by index and else by id. A rule of ids in levels, CA1000/1, is
// documented as CA1000.
func (run *sarifRun) rule(res *sarifResult) *sarifRule {
	component, index, id := &run.Tool.Driver, res.RuleIndex, res.RuleID
	if ref := res.Rule; ref != nil {
		if ref.Component != nil && ref.Component.Index != nil {
			if i := *ref.Component.Index; i >= 0 && i < len(run.Tool.Extensions) {
				component = &run.Tool.Extensions[i]
			}
		}
		if ref.Index != nil {
			index = ref.Index
		}
		if id == "" {
			id = ref.ID
			res.RuleID = id
		}
	}
	if index != nil && *index >= 0 && *index < len(component.Rules) {
		return &component.Rules[*index]
	}
	for i := range component.Rules {
		if rule := &component.Rules[i]; id != "" && (rule.ID == id || strings.HasPrefix(id, rule.ID+"/")) {
			return rule
		}
	}
	return &sarifRule{}
}

// message is what the result says: its own words, the rule's with the result's arguments, or what the rule is about.
func (res *sarifResult) message(run *sarifRun, rule *sarifRule) string {
	text := res.Message.words()
	if text == "" && res.Message.ID != "" {
		text = rule.Messages[res.Message.ID].words()
	}
	if text == "" {
		text = rule.Short.words()
	}
	if text == "" {
		text = rule.Full.words()
	}
	for i, arg := range res.Message.Arguments {
		text = strings.ReplaceAll(text, "{"+strconv.Itoa(i)+"}", arg)
	}
	return text
}

func (m sarifMessage) words() string {
	if m.Text != "" {
		return strings.TrimSpace(m.Text)
	}
	return strings.TrimSpace(m.Markdown)
}

// place is the first location that names a file. line is 0 where the region is told in characters or not at all.
func (run *sarifRun) place(locations []sarifLocation) (path string, line int, region sarifRegion) {
	for _, l := range locations {
		a := l.Physical.Artifact
		if i := a.Index; a.URI == "" && i != nil && *i >= 0 && *i < len(run.Artifacts) {
			a = run.Artifacts[*i].Location
		}
		if a.URI == "" {
			continue
		}
		return run.path(a, 0), l.Physical.Region.StartLine, l.Physical.Region
	}
	return "", 0, sarifRegion{}
}

// path turns an artifact location into a path (SARIF §3.4, §3.14.14). What no base makes absolute is relative to the
// folder that the tool ran in.
func (run *sarifRun) path(a sarifArtifact, depth int) string {
	const deepest = 8
	u, err := url.Parse(slashed(a.URI))
	if err != nil {
		return a.URI
	}
	if u.Scheme == "file" {
		return filePath(u)
	}
	if len(u.Scheme) == 1 {
		return a.URI // a drive: some tools write paths
	}
	name := u.Path
	if u.Scheme != "" || u.Opaque != "" {
		return a.URI
	}
	base, known := run.Bases[a.Base]
	if !known || a.Base == "" || depth == deepest || base.URI == "" || absolute(name) {
		return name
	}
	if above := run.path(base, depth+1); above != "" {
		return strings.TrimSuffix(above, "/") + "/" + name
	}
	return name
}

// filePath is the path of a file URI (RFC 8089); the host of file://server/share is kept.
func filePath(u *url.URL) string {
	name := u.Path
	if name == "" {
		name = u.Opaque
	}
	if rest := strings.TrimPrefix(name, "/"); driven(rest) {
		return rest
	}
	if u.Host != "" && u.Host != "localhost" {
		return "//" + u.Host + name
	}
	return name
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
	case id == "compile", id == "typecheck", strings.Contains(id, "syntax"):
		return gavel.CategoryBuild
	case strings.HasPrefix(id, "lint/style/"), strings.HasPrefix(id, "st1"), strings.HasPrefix(id, "qf1"),
		strings.HasPrefix(id, "s1"), strings.Contains(id, "format"):
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
