package gavel_test

import (
	"encoding/json"
	"testing"

	"github.com/gavel-review/gavel"
)

func TestSeverityWords(t *testing.T) {
	t.Parallel()
	tests := []struct {
		severity    gavel.Severity
		word, level string
	}{
		{gavel.Critical, "critical", "error"}, {gavel.High, "high", "error"}, {gavel.Medium, "medium", "warning"},
		{gavel.Low, "low", "note"}, {gavel.Info, "info", "note"},
	}
	for i, tt := range tests {
		if gavel.Severities[i] != tt.severity || tt.severity.String() != tt.word || tt.severity.Level() != tt.level {
			t.Errorf("%d: %s %s, want %s %s", i, tt.severity, tt.severity.Level(), tt.word, tt.level)
		}
		if i > 0 && gavel.Severities[i-1] <= tt.severity {
			t.Errorf("%s is not below the one before", tt.word)
		}
		var back gavel.Severity
		data, err := json.Marshal(tt.severity)
		if err != nil || json.Unmarshal(data, &back) != nil || back != tt.severity {
			t.Errorf("%s: %s, %v", tt.word, data, err)
		}
	}
	if len(tests) != len(gavel.Severities) {
		t.Errorf("%d severities", len(gavel.Severities))
	}
}

func TestSeverityOutsideTheList(t *testing.T) {
	t.Parallel()
	for _, s := range []gavel.Severity{gavel.NoSeverity, 6, 255} {
		if data, err := s.MarshalText(); err == nil {
			t.Errorf("%d reaches a document as %q", uint8(s), data)
		}
	}
	for _, word := range []string{"", "High", "HIGH", " high", "error", "none", "any", "severity(6)"} {
		var s gavel.Severity
		if err := s.UnmarshalText([]byte(word)); err == nil || s != gavel.NoSeverity {
			t.Errorf("%q is read as %s", word, s)
		}
	}
	if gavel.NoSeverity.Level() != "none" || gavel.NoSeverity.String() != "" || gavel.Severity(9).String() != "severity(9)" {
		t.Error("words of undefined severities")
	}
}

func TestThreshold(t *testing.T) {
	t.Parallel()
	bars := map[gavel.Threshold]gavel.Severity{ // the least severity that trips
		"any": gavel.Info, "info": gavel.Info, "low": gavel.Low, "medium": gavel.Medium, "high": gavel.High, "critical": gavel.Critical,
		"nonsense": gavel.Info, "HIGH": gavel.Info,
	}
	for bar, least := range bars {
		for _, s := range gavel.Severities {
			if bar.Trips(s) != (s >= least) {
				t.Errorf("%s trips %s: %v", bar, s, bar.Trips(s))
			}
		}
		if bar.Trips(gavel.NoSeverity) {
			t.Errorf("%s trips what has no severity", bar)
		}
	}
	for _, bar := range []gavel.Threshold{gavel.Unset, gavel.None} {
		if bar.Trips(gavel.Critical) {
			t.Errorf("%q trips", bar)
		}
	}
}

func TestParseThreshold(t *testing.T) {
	t.Parallel()
	for _, word := range []string{"critical", "high", "medium", "low", "info", "any", "none"} {
		if got, err := gavel.ParseThreshold(word); err != nil || string(got) != word {
			t.Errorf("%q: %q, %v", word, got, err)
		}
	}
	for _, word := range []string{"", "High", "all", "0", "none ", "high,low"} {
		if got, err := gavel.ParseThreshold(word); err == nil || got != gavel.Unset {
			t.Errorf("%q: %q", word, got)
		}
	}
}

// Stricter returns one of its two arguments, and nothing that either stops passes it.
func TestStricter(t *testing.T) {
	t.Parallel()
	for _, a := range someThresholds {
		for _, b := range someThresholds {
			got := a.Stricter(b)
			if got != a && got != b {
				t.Errorf("Stricter(%q, %q) = %q", a, b, got)
			}
			for _, s := range gavel.Severities {
				if got.Trips(s) != (a.Trips(s) || b.Trips(s)) {
					t.Errorf("Stricter(%q, %q) = %q at %s", a, b, got, s)
				}
			}
		}
	}
}
