package detect

import "testing"

func TestRiskPacks(t *testing.T) {
	t.Parallel()
	for name, pack := range map[string]func() *riskPack{"go": riskGo, "python": riskPython, "javascript": riskScript} {
		k := pack()
		for word, checks := range k.checks {
			if word == "" || len(checks) == 0 {
				t.Errorf("%s: no check at %q", name, word)
			}
		}
	}
}
