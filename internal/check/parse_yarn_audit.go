package check

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
)

type (
	// yarnEvent is one line of yarn audit --json (yarn 1) or of yarn npm audit --json (yarn 2 and later).
	yarnEvent struct {
		Type string          `json:"type"`
		Data json.RawMessage `json:"data"`

		Package  string         `json:"value"`
		Advisory *berryAdvisory `json:"children"`
	}

	yarnAdvisory struct {
		Advisory struct {
			ID       json.Number `json:"id"`
			Package  string      `json:"module_name"`
			Title    string      `json:"title"`
			URL      string      `json:"url"`
			Severity string      `json:"severity"`
			CWE      yarnCWE     `json:"cwe"`
			Range    string      `json:"vulnerable_versions"`
			Advice   string      `json:"recommendation"`
		} `json:"advisory"`
	}

	yarnSummary struct {
		Vulnerabilities map[string]int `json:"vulnerabilities"`
		Total           int            `json:"totalDependencies"`
	}

	berryAdvisory struct {
		ID       any    `json:"ID"` // a number, or the text "name (deprecation)"
		Issue    string `json:"Issue"`
		URL      string `json:"URL"`
		Severity string `json:"Severity"`
		Range    string `json:"Vulnerable Versions"`
	}

	// yarnCWE is a list, and was a single text.
	yarnCWE []string
)

// UnmarshalJSON implements json.Unmarshaler.
func (c *yarnCWE) UnmarshalJSON(data []byte) error {
	var one string
	if json.Unmarshal(data, &one) == nil {
		*c = yarnCWE{one}
		return nil
	}
	return json.Unmarshal(data, (*[]string)(c))
}

// parseYarnAudit reads yarn audit --json of yarn 1, whose last line is a summary, and yarn npm audit --json of later
// ones, which print a line for each advisory and nothing where there is none. An advisory that several paths lead to is
// one finding on the lock file. The exit code of yarn 1 adds up 1 for info to 16 for critical, that of later ones is 1.
// Without a lock file yarn 1 asks about nothing and exits 0: that is an error.
//
// Severities are the registry's: critical, high, moderate = medium, low, info.
func parseYarnAudit(o Output) (Report, error) {
	run := yarnRun{report: Report{Measured: -1}, seen: map[string]bool{}}
	for n, line := range bytes.Split(o.Report, []byte("\n")) {
		if line = bytes.TrimSpace(line); len(line) == 0 {
			continue
		}
		if err := run.line(o, line); err != nil {
			return Report{}, fmt.Errorf("line %d: %w", n+1, err)
		}
	}
	switch {
	case run.classic && run.summary == nil:
		return Report{}, fmt.Errorf("yarn audit did not sum up%s", o.said())
	case run.classic && run.summary.count() > 0 && len(run.report.Findings) == 0:
		return Report{}, errors.New("yarn audit counts vulnerabilities, and its report holds none")
	case run.classic:
		run.report.Measured = run.summary.Total
	}
	return run.report, nil
}

type yarnRun struct {
	report  Report
	seen    map[string]bool
	classic bool // yarn 1
	summary *yarnSummary
}

func (s *yarnSummary) count() int {
	n := 0
	for _, of := range s.Vulnerabilities {
		n += of
	}
	return n
}

func (y *yarnRun) line(o Output, line []byte) error {
	var e yarnEvent
	if err := json.Unmarshal(line, &e); err != nil {
		return fmt.Errorf("not a line of yarn audit --json: %w", err)
	}
	if e.Advisory != nil && e.Package != "" {
		a := advisory{Title: e.Advisory.Issue, URL: e.Advisory.URL, Severity: e.Advisory.Severity, Range: e.Advisory.Range,
			ID: json.Number(fmt.Sprint(e.Advisory.ID))}
		return y.add(o, e.Package, &a, "")
	}
	y.classic = true
	switch e.Type {
	case "auditAdvisory":
		var data yarnAdvisory
		if err := json.Unmarshal(e.Data, &data); err != nil {
			return fmt.Errorf("an advisory that cannot be read: %w", err)
		}
		a := data.Advisory
		found := advisory{ID: a.ID, Title: a.Title, URL: a.URL, Severity: a.Severity, CWE: a.CWE, Range: a.Range}
		return y.add(o, a.Package, &found, a.Advice)
	case "auditSummary":
		if err := json.Unmarshal(e.Data, &y.summary); err != nil || y.summary == nil || y.summary.Vulnerabilities == nil {
			return errors.New("a summary that cannot be read")
		}
		return nil
	}
	return y.words(&e)
}

// words reads what yarn 1 says beside its report.
func (y *yarnRun) words(e *yarnEvent) error {
	var text string
	_ = json.Unmarshal(e.Data, &text) // other data than text is no statement
	switch {
	case e.Type == "error", text == "No lockfile found.":
		return fmt.Errorf("yarn audit could not ask: %s", excerpt(text))
	case e.Type == "warning":
		y.report.Reduced = append(y.report.Reduced, excerpt(text))
	case e.Type == "":
		return errors.New("not a line of yarn audit --json")
	}
	return nil
}

func (y *yarnRun) add(o Output, pkg string, a *advisory, advice string) error {
	d, err := a.diagnostic(pkg, yarnLock)
	if err != nil {
		return err
	}
	if advice != "None" {
		d.suggestion = advice
	}
	if f := o.finding(d); !y.seen[f.Fingerprint+f.Rule] {
		y.seen[f.Fingerprint+f.Rule] = true
		y.report.Findings = append(y.report.Findings, f)
	}
	return nil
}
