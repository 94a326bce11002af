package check

import (
	"fmt"
	"strings"

	"github.com/gavel-review/gavel"
)

// pipAuditReport is the document of pip-audit -f json.
type pipAuditReport struct {
	Dependencies []pipAuditDependency `json:"dependencies"`
}

type pipAuditDependency struct {
	Name       string        `json:"name"`
	Version    string        `json:"version"`
	SkipReason string        `json:"skip_reason"`
	Vulns      []pipAuditHit `json:"vulns"`
}

type pipAuditHit struct {
	ID          string   `json:"id"`
	Aliases     []string `json:"aliases"`
	FixVersions []string `json:"fix_versions"`
	Description string   `json:"description"`
}

// parsePipAudit reads pip-audit -f json. pip-audit exits 0 and says "No known vulnerabilities found" where it could
// look up nothing at all: a dependency that it skipped reduces the coverage, and a report of skipped ones alone is an
// error. Advisories come without a severity there, so each is high.
func parsePipAudit(o Output) (Report, error) {
	if len(o.Report) == 0 {
		return Report{}, fmt.Errorf("pip-audit exited %d without a report%s", o.Exit, o.said())
	}
	var doc pipAuditReport
	if err := decodeJSON(o.Report, &doc); err != nil {
		return Report{}, err
	}
	if doc.Dependencies == nil {
		return Report{}, fmt.Errorf("no report of pip-audit: dependencies are missing")
	}
	var r Report
	skipped := ""
	for i := range doc.Dependencies {
		d := &doc.Dependencies[i]
		switch {
		case d.Name == "":
			return Report{}, fmt.Errorf("dependency %d has no name", i+1)
		case d.SkipReason != "":
			skipped = excerpt(d.SkipReason)
			r.Reduced = append(r.Reduced, skipped)
			continue
		case d.Version == "" || d.Vulns == nil:
			return Report{}, fmt.Errorf("dependency %s has neither version and vulns nor a reason", excerpt(d.Name))
		}
		r.Measured++
		for j := range d.Vulns {
			if d.Vulns[j].ID == "" {
				return Report{}, fmt.Errorf("an advisory on %s has no id", excerpt(d.Name))
			}
			r.Findings = append(r.Findings, o.finding(d.diagnostic(&d.Vulns[j])))
		}
	}
	switch {
	case o.Exit > 1:
		return Report{}, fmt.Errorf("pip-audit exited %d%s", o.Exit, o.said())
	case o.Exit == 0 && len(r.Findings) > 0:
		return Report{}, fmt.Errorf("pip-audit exited 0 beside %d advisories", len(r.Findings))
	case r.Measured == 0 && skipped != "":
		return Report{}, fmt.Errorf("pip-audit looked up none of %d dependencies: %s", len(doc.Dependencies), skipped)
	}
	return r, nil
}

func (d *pipAuditDependency) diagnostic(v *pipAuditHit) diagnostic {
	out := diagnostic{
		rule: v.ID, severity: gavel.High, category: gavel.CategoryDependency,
		message: fmt.Sprintf("%s %s: %s", d.Name, d.Version, v.ID), detail: v.Description,
	}
	if len(v.Aliases) > 0 {
		out.detail = joinLines(out.detail, "Also known as "+strings.Join(v.Aliases, ", "))
	}
	if len(v.FixVersions) > 0 {
		out.suggestion = "Move to " + strings.Join(v.FixVersions, " or ")
	}
	return out
}
