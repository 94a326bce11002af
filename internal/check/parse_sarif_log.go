package check

import (
	"net/url"
	"strconv"
	"strings"
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
	if u.Scheme != "" {
		return "/" + u.Host + u.Path + u.Opaque // of the web, and so in no tree
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
