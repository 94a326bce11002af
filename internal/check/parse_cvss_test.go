package check

import (
	"testing"

	"github.com/gavel-review/gavel"
)

// The scores are those of the calculator that FIRST publishes with the specification.
func TestCVSSBase(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		vector string
		score  float64
		is     gavel.Severity
	}{
		{"CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H", 9.8, gavel.Critical},
		{"CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:C/C:H/I:H/A:H", 10, gavel.Critical},
		{"CVSS:3.1/AV:N/AC:L/PR:L/UI:N/S:C/C:H/I:H/A:H", 9.9, gavel.Critical},
		{"CVSS:3.1/AV:L/AC:L/PR:L/UI:N/S:U/C:H/I:H/A:H", 7.8, gavel.High},
		{"CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:N/I:N/A:H", 7.5, gavel.High},
		{"CVSS:3.0/AV:N/AC:L/PR:N/UI:R/S:C/C:L/I:L/A:N", 6.1, gavel.Medium},
		{"CVSS:3.1/AV:N/AC:H/PR:N/UI:N/S:U/C:N/I:N/A:H/E:P", 5.9, gavel.Medium},
		{"CVSS:3.1/AV:P/AC:H/PR:H/UI:R/S:U/C:L/I:N/A:N", 1.6, gavel.Low},
		{"CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:N/I:N/A:N", 0, gavel.Low},
	} {
		score, ok := cvssBase(c.vector)
		if !ok || score != c.score || severityOfScore(score) != c.is {
			t.Errorf("%s: %v %v %v, want %v %v", c.vector, score, ok, severityOfScore(score), c.score, c.is)
		}
	}
}

func TestCVSSBaseRefuses(t *testing.T) {
	t.Parallel()
	for _, vector := range []string{
		"", "9.8", "CVSS:3.1", "CVSS:3.1/", "AV:N/AC:L/Au:N/C:P/I:P/A:P",
		"CVSS:4.0/AV:N/AC:L/AT:N/PR:N/UI:N/VC:H/VI:H/VA:H/SC:N/SI:N/SA:N",
		"CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H", "CVSS:3.1/AV:X/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H",
		"CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:X/C:H/I:H/A:H", "CVSS:3.1/AV:N/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H",
	} {
		if score, ok := cvssBase(vector); ok {
			t.Errorf("%q has the score %v", vector, score)
		}
	}
}

func FuzzCVSSBase(f *testing.F) {
	f.Add("CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:C/C:H/I:H/A:H")
	f.Fuzz(func(t *testing.T, vector string) {
		if score, ok := cvssBase(vector); score < 0 || score > 10 || !ok && score != 0 {
			t.Errorf("%q: %v %v", vector, score, ok)
		}
	})
}
