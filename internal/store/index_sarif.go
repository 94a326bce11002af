package store

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/url"
	"strings"

	"github.com/gavel-review/gavel"
)

var errNoSARIF = errors.New("not a SARIF file that can be read")

// sarifResult is what a finding's item takes from a SARIF result (2.1.0 §3.27).
type sarifResult struct {
	RuleID  string `json:"ruleId"`
	Level   string `json:"level"`
	Message struct {
		Text string `json:"text"`
	} `json:"message"`
	Locations []struct {
		Physical struct {
			Artifact struct {
				URI string `json:"uri"`
			} `json:"artifactLocation"`
			Region struct {
				StartLine int `json:"startLine"`
			} `json:"region"`
		} `json:"physicalLocation"`
	} `json:"locations"`
	Fingerprints map[string]string `json:"partialFingerprints"`
	Baseline     string            `json:"baselineState"`
	Suppressions []struct {
		Status        string `json:"status"`
		Justification string `json:"justification"`
	} `json:"suppressions"`
	Properties struct {
		Severity   string       `json:"severity"`
		Source     gavel.Source `json:"source"`
		Scope      gavel.Scope  `json:"scope"`
		Suggestion string       `json:"suggestion"`
	} `json:"properties"`
}

// readResults hands over every result of every run, one at a time. What is no SARIF is errNoSARIF.
func readResults(r io.Reader, each func(FindingItem) error) error {
	d := json.NewDecoder(r)
	runs := false
	err := members(d, func(name string) error {
		if name != "runs" {
			return skip(d)
		}
		runs = true
		return elements(d, func() error {
			return members(d, func(name string) error {
				if name != "results" {
					return skip(d)
				}
				return elements(d, func() error {
					var result sarifResult
					if err := d.Decode(&result); err != nil {
						return noSARIF(err)
					}
					return each(result.item())
				})
			})
		})
	})
	if err != nil {
		return err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return noSARIF(errors.New("something follows the document"))
	}
	if !runs {
		return noSARIF(errors.New("it has no runs"))
	}
	return nil
}

func noSARIF(err error) error { return fmt.Errorf("%w: %w", errNoSARIF, err) }

// members walks an object and calls member in front of each value.
func members(d *json.Decoder, member func(name string) error) error {
	if err := expect(d, '{'); err != nil {
		return err
	}
	for d.More() {
		token, err := d.Token()
		if err != nil {
			return noSARIF(err)
		}
		name, _ := token.(string)
		if err := member(name); err != nil {
			return err
		}
	}
	return expect(d, '}')
}

// elements walks an array and calls element in front of each value.
func elements(d *json.Decoder, element func() error) error {
	if err := expect(d, '['); err != nil {
		return err
	}
	for d.More() {
		if err := element(); err != nil {
			return err
		}
	}
	return expect(d, ']')
}

func expect(d *json.Decoder, want json.Delim) error {
	token, err := d.Token()
	if err != nil {
		return noSARIF(err)
	}
	if token != want {
		return noSARIF(fmt.Errorf("%v where %v should be", token, want))
	}
	return nil
}

func skip(d *json.Decoder) error {
	var value json.RawMessage
	if err := d.Decode(&value); err != nil {
		return noSARIF(err)
	}
	return nil
}

func (r *sarifResult) item() FindingItem {
	item := FindingItem{
		Rule: r.RuleID, Severity: r.Level, Message: plainMessage(r.Message.Text), ArtifactRef: PackSARIF,
		Level: r.Properties.Severity, Fingerprint: r.Fingerprints["gavel/v1"], Baseline: gavel.BaselineState(r.Baseline),
		Scope: r.Properties.Scope, Source: r.Properties.Source, Suggestion: r.Properties.Suggestion,
	}
	if _, known := levelNumber(item.Severity); !known {
		item.Severity = "warning" // the default of SARIF
	}
	if _, err := gavel.ParseSeverity(item.Level); err != nil {
		item.Level = severityOf(item.Severity).String()
	}
	if item.Baseline == "" {
		item.Baseline = gavel.BaselineUnknown
	}
	if len(r.Locations) > 0 {
		place := r.Locations[0].Physical
		item.File, item.Line = pathOf(place.Artifact.URI), place.Region.StartLine
	}
	for _, s := range r.Suppressions {
		item.Settled = append(item.Settled, s.Justification)
	}
	return item
}

// severityOf is the least severity that a level stands for.
func severityOf(level string) gavel.Severity {
	switch level {
	case "error":
		return gavel.High
	case "warning":
		return gavel.Medium
	case "note":
		return gavel.Low
	}
	return gavel.Info
}

// pathOf undoes what a relative URI reference escapes, and shows the path as every document does.
func pathOf(uri string) string {
	path, err := url.PathUnescape(strings.TrimPrefix(uri, "file://"))
	if err != nil {
		return uri
	}
	return gavel.DisplayPath(path)
}

// plainMessage undoes the escapes of SARIF's plain text (§3.11): a bracket before a link, and doubled braces around a
// number.
func plainMessage(s string) string {
	s = strings.ReplaceAll(s, `\](`, "](")
	if !strings.Contains(s, "{{") {
		return s
	}
	var b strings.Builder
	for {
		before, rest, found := strings.Cut(s, "{{")
		b.WriteString(before)
		if !found {
			return b.String()
		}
		number, after, closed := strings.Cut(rest, "}}")
		if closed && number != "" && strings.Trim(number, "0123456789") == "" {
			b.WriteString("{" + number + "}")
			s = after
			continue
		}
		b.WriteString("{{")
		s = rest
	}
}
