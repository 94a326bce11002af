package check

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/gavel-review/gavel"
)

type (
	// npmReport is the document of npm audit --json, version 2 (npm 7 and later).
	npmReport struct {
		Version         int                    `json:"auditReportVersion"`
		Vulnerabilities map[string]npmAffected `json:"vulnerabilities"`
		Metadata        *struct {
			Vulnerabilities map[string]int `json:"vulnerabilities"`
			Dependencies    map[string]int `json:"dependencies"`
		} `json:"metadata"`
		Message string          `json:"message"`
		Error   json.RawMessage `json:"error"`
	}

	npmAffected struct {
		Name     string            `json:"name"`
		Severity string            `json:"severity"`
		Direct   bool              `json:"isDirect"`
		Via      []json.RawMessage `json:"via"` // an advisory, or the name of the dependency that brings one
		Range    string            `json:"range"`
		Fix      any               `json:"fixAvailable"` // false, true, or the version of a direct dependency that helps
	}

	// advisory is one advisory of npm or yarn on one package.
	advisory struct {
		ID       json.Number `json:"source"`
		Title    string      `json:"title"`
		URL      string      `json:"url"`
		Severity string      `json:"severity"`
		CWE      []string    `json:"cwe"`
		Range    string      `json:"range"`
	}
)

// parseNpmAudit reads npm audit --json. Every advisory on a package is one finding on the lock file; packages that are
// affected only through it are not counted again. The exit code is 1 when there are any, and when npm could not ask:
// then the report is an object with an error.
//
// Severities are the registry's: critical, high, moderate = medium, low, info.
func parseNpmAudit(o Output) (Report, error) {
	var doc npmReport
	if err := decodeJSON(o.Report, &doc); err != nil {
		return Report{}, fmt.Errorf("%w%s", err, o.said())
	}
	switch {
	case len(doc.Error) > 0:
		return Report{}, fmt.Errorf("npm audit could not ask: %s", npmFault(&doc))
	case doc.Version != 2:
		return Report{}, errors.New("not a report of npm audit, version 2 (npm 7 and later)")
	case doc.Vulnerabilities == nil || doc.Metadata == nil:
		return Report{}, errors.New("not a report of npm audit: vulnerabilities and metadata are needed")
	}
	if total := doc.Metadata.Vulnerabilities["total"]; total != len(doc.Vulnerabilities) {
		return Report{}, fmt.Errorf("npm audit counts %d affected packages, its report holds %d", total,
			len(doc.Vulnerabilities))
	}
	r := Report{Measured: doc.Metadata.Dependencies["total"]}
	known := 0
	for _, name := range slices.Sorted(maps.Keys(doc.Vulnerabilities)) {
		affected := doc.Vulnerabilities[name]
		advisories, err := affected.advisories()
		if err != nil {
			return Report{}, fmt.Errorf("package %s: %w", excerpt(name), err)
		}
		for _, a := range advisories {
			d, err := a.diagnostic(name, npmLock)
			if err != nil {
				return Report{}, err
			}
			d.suggestion = npmFix(affected.Fix)
			r.Findings = append(r.Findings, o.finding(d))
			known++
		}
	}
	if known == 0 && len(doc.Vulnerabilities) > 0 {
		return Report{}, errors.New("npm audit reports affected packages and no advisory")
	}
	return r, nil
}

// npmLock and yarnLock are where the package managers keep what was audited, in the folder that they ran in.
const (
	npmLock  = "package-lock.json"
	yarnLock = "yarn.lock"
)

func npmFault(doc *npmReport) string {
	var fault struct {
		Code    string `json:"code"`
		Summary string `json:"summary"`
	}
	_ = json.Unmarshal(doc.Error, &fault) // of another shape: the message tells
	words := strings.TrimSpace(fault.Code + " " + fault.Summary)
	if words == "" {
		words = doc.Message
	}
	return excerpt(words)
}

// advisories are the package's own. A name in place of one is told where the package of that name is.
func (p *npmAffected) advisories() ([]advisory, error) {
	var out []advisory
	for _, via := range p.Via {
		var name string
		if json.Unmarshal(via, &name) == nil {
			continue
		}
		var a advisory
		if err := json.Unmarshal(via, &a); err != nil {
			return nil, fmt.Errorf("an advisory that cannot be read: %w", err)
		}
		out = append(out, a)
	}
	return out, nil
}

// diagnostic is the advisory on a package. The rule is named after the advisory, by the end of its address where that
// names one: ghsa-35jh-r3h4-6jhm.
func (a *advisory) diagnostic(pkg, lock string) (diagnostic, error) {
	severity, ok := advisorySeverity(a.Severity)
	if !ok {
		return diagnostic{}, fmt.Errorf("an advisory of the unknown severity %q", excerpt(a.Severity))
	}
	rule := path.Base(a.URL)
	if !strings.Contains(rule, "-") {
		rule = string(a.ID)
	}
	d := diagnostic{
		rule: rule, path: lock, message: pkg + ": " + a.Title, severity: severity, category: gavel.CategoryDependency,
		cwe: cweOf(a.CWE), detail: "affected: " + pkg + " " + a.Range,
	}
	if a.URL != "" {
		d.detail += "\n" + a.URL
	}
	return d, nil
}

// advisorySeverity reads the severities of npm's registry, which the yarns share.
func advisorySeverity(word string) (gavel.Severity, bool) {
	word = strings.ToLower(word)
	if word == "moderate" {
		return gavel.Medium, true
	}
	s, err := gavel.ParseSeverity(word)
	return s, err == nil
}

func npmFix(fix any) string {
	switch fix := fix.(type) {
	case bool:
		if fix {
			return "npm audit fix changes the lock file to a version that is not affected"
		}
		return "no version that is not affected is known"
	case map[string]any:
		name, _ := fix["name"].(string)
		version, _ := fix["version"].(string)
		major, _ := fix["isSemVerMajor"].(bool)
		if major {
			return "change " + name + " to " + strconv.Quote(version) + ", a major version"
		}
		return "change " + name + " to " + strconv.Quote(version)
	}
	return ""
}
