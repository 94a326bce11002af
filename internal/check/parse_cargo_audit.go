package check

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/gavel-review/gavel"
)

// cargoAuditReport is the document of cargo audit --json.
type cargoAuditReport struct {
	Database *struct {
		Count int `json:"advisory-count"`
	} `json:"database"`
	Lockfile *struct {
		Dependencies int `json:"dependency-count"`
	} `json:"lockfile"`
	Vulnerabilities *struct {
		Found bool            `json:"found"`
		Count int             `json:"count"`
		List  []cargoAuditHit `json:"list"`
	} `json:"vulnerabilities"`
	Warnings map[string][]cargoAuditHit `json:"warnings"`
}

type cargoAuditHit struct {
	Kind     string         `json:"kind"` // of a warning: unmaintained, unsound, notice, yanked
	Advisory *cargoAdvisory `json:"advisory"`
	Versions *struct {
		Patched []string `json:"patched"`
	} `json:"versions"`
	Package struct {
		Name    string `json:"name"`
		Version string `json:"version"`
	} `json:"package"`
}

type cargoAdvisory struct {
	ID          string   `json:"id"`
	Title       string   `json:"title"`
	Description string   `json:"description"`
	Aliases     []string `json:"aliases"`
	CVSS        string   `json:"cvss"`
	URL         string   `json:"url"`
}

// cargoNotYanked is what cargo audit says on stderr, package by package, where it cannot ask the registry. It goes on.
const cargoNotYanked = "couldn't check if the package is yanked"

// parseCargoAudit reads cargo audit --json. A report without a database of advisories, or one whose list is shorter than
// its count, is none.
//
// A vulnerability is as grave as its CVSS vector says (high where it has none that can be computed), unsound code is
// medium, what is unmaintained, yanked or only noted is low.
func parseCargoAudit(o Output) (Report, error) {
	if len(o.Report) == 0 {
		return Report{}, fmt.Errorf("cargo audit exited %d without a report%s", o.Exit, o.said())
	}
	var doc cargoAuditReport
	if err := decodeJSON(o.Report, &doc); err != nil {
		return Report{}, err
	}
	v := doc.Vulnerabilities
	switch {
	case doc.Database == nil || doc.Lockfile == nil || v == nil || v.List == nil:
		return Report{}, fmt.Errorf("no report of cargo audit: database, lockfile and vulnerabilities are needed")
	case doc.Database.Count == 0:
		return Report{}, fmt.Errorf("cargo audit had no advisories to compare with")
	case v.Count != len(v.List) || v.Found != (v.Count > 0):
		return Report{}, fmt.Errorf("cargo audit counts %d vulnerabilities, its report holds %d", v.Count, len(v.List))
	case o.Exit > 1 || o.Exit == 0 && v.Found:
		return Report{}, fmt.Errorf("cargo audit exited %d beside %d vulnerabilities%s", o.Exit, v.Count, o.said())
	}
	r := Report{Measured: doc.Lockfile.Dependencies}
	if n := strings.Count(cleanText(o.Stderr), cargoNotYanked); n > 0 {
		r.Reduced = append(r.Reduced, fmt.Sprintf("packages that could not be looked up for being yanked: %d", n))
	}
	hits := slices.Clone(v.List)
	for _, kind := range slices.Sorted(maps.Keys(doc.Warnings)) {
		for _, w := range doc.Warnings[kind] {
			w.Kind = kind
			hits = append(hits, w)
		}
	}
	for i := range hits {
		if hits[i].Package.Name == "" || hits[i].Kind == "" && hits[i].Advisory == nil {
			return Report{}, fmt.Errorf("an entry of cargo audit without package or advisory")
		}
		r.Findings = append(r.Findings, o.finding(hits[i].diagnostic()))
	}
	return r, nil
}

func (h *cargoAuditHit) diagnostic() diagnostic {
	out := diagnostic{
		rule: h.Kind, path: "Cargo.lock", category: gavel.CategoryDependency, severity: gavel.Low,
		message: fmt.Sprintf("%s %s is %s", h.Package.Name, h.Package.Version, h.Kind),
	}
	if h.Kind == "unsound" {
		out.severity = gavel.Medium
	}
	a := h.Advisory
	if a == nil {
		return out
	}
	out.rule = a.ID
	out.message = fmt.Sprintf("%s %s: %s", h.Package.Name, h.Package.Version, a.Title)
	out.detail = strings.TrimSpace(a.Description)
	if len(a.Aliases) > 0 {
		out.detail = joinLines(out.detail, "Also known as "+strings.Join(a.Aliases, ", "))
	}
	out.detail = joinLines(out.detail, a.URL)
	if h.Versions != nil && len(h.Versions.Patched) > 0 {
		out.suggestion = "Move to " + strings.Join(h.Versions.Patched, " or ")
	}
	if h.Kind == "" {
		out.severity = gavel.High
		if score, ok := cvssBase(a.CVSS); ok {
			out.severity = severityOfScore(score)
		}
	}
	return out
}
