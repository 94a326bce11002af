package detect

import (
	"bytes"
	"os"
	"regexp"
	"testing"
)

func TestMeasurements(t *testing.T) {
	t.Parallel()
	m := Measurements()
	if !regexp.MustCompile(`^\d{4}-\d\d-\d\d$`).MatchString(m.Date) || len(m.Sets) == 0 || len(m.Rules) == 0 {
		t.Fatalf("no measurement is in the program: date %q, %d sets, %d rules", m.Date, len(m.Sets), len(m.Rules))
	}
	for _, s := range m.Sets {
		if s.Name == "" || s.Source == "" || s.Cases <= 0 {
			t.Errorf("set %+v is not documented", s)
		}
	}
	for id, r := range m.Rules {
		if r.Right > r.N || r.N < 0 || r.Precision < 0 || r.Precision > 1 || r.Noise < 0 {
			t.Errorf("%s: %+v", id, r)
		}
	}
	reference, err := os.ReadFile("../../docs/reference/precision.json")
	if err != nil || !bytes.Equal(reference, precisionJSON) {
		t.Errorf("docs/reference/precision.json is not the one in the program (make eval), %v", err)
	}
}

func TestMeasuredRule(t *testing.T) {
	t.Parallel()
	if _, ok := MeasuredRule("no/such-rule"); ok {
		t.Error("a rule that does not exist was measured")
	}
	m, ok := MeasuredRule("secret/assigned-password")
	if !ok || m.N < 5 {
		t.Errorf("secret/assigned-password: %+v, %v", m, ok)
	}
	if got, want := (Measured{N: 45, Right: 33, Precision: .73}).String(), "right in 33 of 45 judged findings (precision 0.73)"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
