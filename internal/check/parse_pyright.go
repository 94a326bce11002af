package check

import (
	"fmt"

	"github.com/gavel-review/gavel"
)

// pyrightReport is the document of pyright --outputjson.
type pyrightReport struct {
	Version     string              `json:"version"`
	Diagnostics []pyrightDiagnostic `json:"generalDiagnostics"`
	Summary     *struct {
		Files       int `json:"filesAnalyzed"`
		Errors      int `json:"errorCount"`
		Warnings    int `json:"warningCount"`
		Information int `json:"informationCount"`
	} `json:"summary"`
}

type pyrightDiagnostic struct {
	File     string `json:"file"`
	Severity string `json:"severity"`
	Message  string `json:"message"`
	Rule     string `json:"rule"`
	Range    *struct {
		Start pyrightPosition `json:"start"`
		End   pyrightPosition `json:"end"`
	} `json:"range"`
}

// pyrightPosition is 0-based; characters are UTF-16 code units, so that a column is exact on lines of ASCII only.
type pyrightPosition struct {
	Line      int `json:"line"`
	Character int `json:"character"`
}

// pyrightExitFindings is the last exit code with which pyright ends in order: 0 and 1 tell whether it found errors,
// 2 is a crash, 3 an unreadable configuration (it goes on with its defaults), 4 a wrong call.
const pyrightExitFindings = 1

// parsePyright reads pyright --outputjson. Its summary has to agree with its diagnostics.
//
// Errors are high, warnings medium, information low.
func parsePyright(o Output) (Report, error) {
	if o.Exit > pyrightExitFindings {
		return Report{}, fmt.Errorf("pyright exited %d%s", o.Exit, o.said())
	}
	var doc pyrightReport
	if err := decodeJSON(o.Report, &doc); err != nil {
		return Report{}, err
	}
	if doc.Version == "" || doc.Diagnostics == nil || doc.Summary == nil {
		return Report{}, fmt.Errorf("no report of pyright: version, generalDiagnostics and summary are needed")
	}
	r := Report{Measured: doc.Summary.Files}
	counts, missing := map[string]int{}, 0
	for _, d := range doc.Diagnostics {
		counts[d.Severity]++
		if d.Rule == "reportMissingImports" {
			missing++
		}
		f, err := d.diagnostic()
		if err != nil {
			return Report{}, err
		}
		r.Findings = append(r.Findings, o.finding(f))
	}
	s := doc.Summary
	if counts["error"] != s.Errors || counts["warning"] != s.Warnings || counts["information"] != s.Information {
		return Report{}, fmt.Errorf("pyright counts %d errors, %d warnings and %d notes, its report holds %d, %d and %d",
			s.Errors, s.Warnings, s.Information, counts["error"], counts["warning"], counts["information"])
	}
	if o.Exit == 0 && s.Errors > 0 {
		return Report{}, fmt.Errorf("pyright exited 0 beside %d errors", s.Errors)
	}
	if missing > 0 {
		r.Reduced = append(r.Reduced, fmt.Sprintf("imports that were not found: %d", missing))
	}
	return r, nil
}

func (d *pyrightDiagnostic) diagnostic() (diagnostic, error) {
	severity, ok := severityOf(d.Severity)
	if !ok {
		return diagnostic{}, fmt.Errorf("pyright reports the unknown severity %q", excerpt(d.Severity))
	}
	out := diagnostic{rule: d.Rule, path: d.File, message: d.Message, severity: severity, category: gavel.CategoryBug}
	if d.Rule == "" {
		out.rule = d.Severity // what no rule can turn off, syntax errors among them
	}
	if d.Range != nil {
		out.line, out.end, out.column = d.Range.Start.Line+1, d.Range.End.Line+1, d.Range.Start.Character+1
	}
	return out, nil
}
