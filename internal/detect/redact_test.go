package detect

import (
	"strings"
	"testing"
)

func TestRedact(t *testing.T) {
	t.Parallel()
	token := "AKIA" + "Q7VRMZ2LD5KWT3NB"
	for _, text := range []string{
		`a.go:1: suppression not honoured: "` + token + `" is not a rule id`,
		"first\nunknown threshold \"" + token + "\": use critical\nlast",
		token,
	} {
		got := Redact(text)
		if strings.Contains(got, token[4:]) || strings.Count(got, "\n") != strings.Count(text, "\n") {
			t.Errorf("Redact(%q) = %q", text, got)
		}
	}
	for _, plain := range []string{"", "\n", "nothing to hide", "line 3: unknown key \"policy.failon\""} {
		if got := Redact(plain); got != plain {
			t.Errorf("Redact(%q) = %q", plain, got)
		}
	}
}
