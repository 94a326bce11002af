package check

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/gavel-review/gavel"
)

// truffleHogResult is one line of trufflehog --json. Raw, RawV2, Redacted, ExtraData and SecretParts are left where they
// are: they hold the secret, and no finding does.
type truffleHogResult struct {
	Detector    string `json:"DetectorName"`
	Description string `json:"DetectorDescription"`
	Verified    bool   `json:"Verified"`
	Metadata    struct {
		Data struct {
			Filesystem *truffleHogPlace `json:"Filesystem"`
			Git        *truffleHogPlace `json:"Git"`
		} `json:"Data"`
	} `json:"SourceMetadata"`
}

type truffleHogPlace struct {
	File   string `json:"file"`
	Line   int    `json:"line"`
	Commit string `json:"commit"`
}

// truffleHogSummary is the line that trufflehog logs to stderr when it has finished.
type truffleHogSummary struct {
	Chunks     int  `json:"chunks"`
	Verified   *int `json:"verified_secrets"`
	Unverified *int `json:"unverified_secrets"`
}

const (
	truffleHogFinished = "finished scanning"
	truffleHogExitFail = 183 // with --fail: results were found
)

// parseTruffleHog reads trufflehog --json, one result a line on stdout. Its last word on stderr, "finished scanning" with
// the counts, has to be there and has to agree: an empty stdout alone says nothing.
//
// A secret that trufflehog verified is critical, any other high.
func parseTruffleHog(o Output) (Report, error) {
	s, err := readTruffleHogLog(cleanText(o.Stderr))
	switch {
	case err != nil:
		return Report{}, fmt.Errorf("%w%s", err, o.said())
	case o.Exit != 0 && o.Exit != truffleHogExitFail:
		return Report{}, fmt.Errorf("trufflehog exited %d%s", o.Exit, o.said())
	}
	r := Report{Measured: s.Chunks}
	for n, line := range strings.Split(cleanText(o.Report), "\n") {
		if strings.TrimSpace(line) == "" {
			continue
		}
		var result truffleHogResult
		if err := json.Unmarshal([]byte(line), &result); err != nil {
			return Report{}, fmt.Errorf("line %d: no result of trufflehog", n+1) // the cause may quote the secret
		}
		if result.Detector == "" {
			return Report{}, fmt.Errorf("line %d: no result of trufflehog: DetectorName is missing", n+1)
		}
		r.Findings = append(r.Findings, result.finding(o))
	}
	if found := *s.Verified + *s.Unverified; found != len(r.Findings) {
		return Report{}, fmt.Errorf("trufflehog counts %d secrets, its report holds %d", found, len(r.Findings))
	}
	return r, nil
}

// readTruffleHogLog finds the summary, in the log's JSON form and in the one for a terminal.
func readTruffleHogLog(text string) (truffleHogSummary, error) {
	var s truffleHogSummary
	for line := range strings.SplitSeq(text, "\n") {
		i := strings.IndexByte(line, '{')
		if i < 0 || !strings.Contains(line, truffleHogFinished) {
			continue
		}
		if err := json.Unmarshal([]byte(line[i:]), &s); err != nil {
			return s, fmt.Errorf("the summary of trufflehog cannot be read: %w", err)
		}
	}
	if s.Verified == nil || s.Unverified == nil {
		return s, fmt.Errorf("trufflehog did not say that it finished")
	}
	return s, nil
}

func (t *truffleHogResult) finding(o Output) gavel.Finding {
	d := diagnostic{
		rule: t.Detector, message: "Secret of " + t.Detector, detail: t.Description,
		severity: gavel.High, category: gavel.CategorySecret, cwe: "CWE-798",
	}
	if t.Verified {
		d.severity = gavel.Critical
		d.detail = joinLines(d.detail, "The secret was tried and is valid.")
	}
	commit := ""
	if at := t.Metadata.Data.Filesystem; at != nil {
		d.path, d.line = at.File, at.Line
	} else if at := t.Metadata.Data.Git; at != nil {
		d.path, d.line, commit = at.File, at.Line, at.Commit
	}
	f := o.finding(d)
	f.Commit = commit
	return f
}
