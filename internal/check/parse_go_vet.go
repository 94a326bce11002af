package check

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/gavel-review/gavel"
)

// vetDiagnostic is one diagnostic of go vet -json (golang.org/x/tools/go/analysis/unitchecker).
type vetDiagnostic struct {
	Posn    string `json:"posn"`
	End     string `json:"end"`
	Message string `json:"message"`
	Fixes   []struct {
		Message string `json:"message"`
	} `json:"suggested_fixes"`
}

// parseGoVet reads go vet -json: for each package an object package → analyzer → diagnostics, {} where there are none,
// one after another; go 1.24 and earlier print them to stderr, each below a line "# package". Packages that do not
// compile are told on stderr in words. The exit code is 0 whatever the analyzers find, so that at least one object has
// to be there. Diagnostics are high: without -json, vet fails on each of them.
func parseGoVet(o Output) (Report, error) {
	report, words := o.Report, string(o.Stderr)
	if len(bytes.TrimSpace(report)) == 0 {
		report, words = splitVet(o.Stderr)
	}
	r, err := readVet(o, report)
	if err != nil {
		return Report{}, err
	}
	text, err := readGoText(words)
	if err != nil {
		return Report{}, err
	}
	compiled := len(text.found) == 0
	r.Reduced = append(r.Reduced, text.reduced...)
	r.Findings = append(r.Findings, o.unique(text.found)...)
	switch {
	case !compiled:
		r.Reduced = append(r.Reduced, "packages that do not compile were not looked at")
	case o.Exit != 0:
		return Report{}, fmt.Errorf("go vet exited %d and did not say why%s", o.Exit, o.said())
	case r.Measured == 0 && !text.nothing:
		return Report{}, errors.New("go vet reported on no package")
	}
	return r, nil
}

// splitVet parts objects from words in one stream: an object begins and ends with a brace at the start of a line.
func splitVet(stream []byte) (report []byte, words string) {
	var w strings.Builder
	inside := false
	for line := range strings.Lines(string(stream)) {
		switch {
		case inside:
			report, inside = append(report, line...), !strings.HasPrefix(line, "}")
		case strings.HasPrefix(line, "{"):
			report, inside = append(report, line...), !json.Valid([]byte(line))
		default:
			w.WriteString(line)
		}
	}
	return report, w.String()
}

func readVet(o Output, report []byte) (Report, error) {
	var r Report
	for dec := json.NewDecoder(bytes.NewReader(report)); ; r.Measured++ {
		var packages map[string]map[string]json.RawMessage
		err := dec.Decode(&packages)
		if errors.Is(err, io.EOF) {
			return r, nil
		}
		if err != nil {
			return Report{}, fmt.Errorf("not a report of go vet -json: %w", err)
		}
		if packages == nil {
			return Report{}, errors.New("not a report of go vet -json: null")
		}
		for _, name := range slices.Sorted(maps.Keys(packages)) {
			for _, analyzer := range slices.Sorted(maps.Keys(packages[name])) {
				if err := r.addVet(o, name, analyzer, packages[name][analyzer]); err != nil {
					return Report{}, err
				}
			}
		}
	}
}

// addVet reads what one analyzer says of one package: a list of diagnostics, or an error of its own.
func (r *Report) addVet(o Output, pkg, analyzer string, data json.RawMessage) error {
	var failed struct {
		Error string `json:"error"`
	}
	if json.Unmarshal(data, &failed) == nil && failed.Error != "" {
		r.Reduced = append(r.Reduced, fmt.Sprintf("%s on %s: %s", analyzer, pkg, excerpt(failed.Error)))
		return nil
	}
	var found []vetDiagnostic
	if err := json.Unmarshal(data, &found); err != nil || found == nil {
		return fmt.Errorf("%s on %s: neither diagnostics nor an error", excerpt(analyzer), excerpt(pkg))
	}
	for _, v := range found {
		d := diagnostic{rule: analyzer, message: v.Message, severity: gavel.High, category: gavel.CategoryBug}
		d.path, d.line, d.column = cutPosition(v.Posn)
		_, d.end, _ = cutPosition(v.End)
		if len(v.Fixes) > 0 {
			d.suggestion = v.Fixes[0].Message
		}
		r.Findings = append(r.Findings, o.finding(d))
	}
	return nil
}
