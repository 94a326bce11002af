package app

import (
	"strings"
	"testing"

	"github.com/gavel-review/gavel"
)

func TestParseRepoConfig(t *testing.T) {
	c, err := ParseRepoConfig(".gavel.toml", []byte(`version = 1
[policy]
mode = "warn"
fail_on = "medium"
warn_on = "low"
required = ["go-vet"]
exclude = ["testdata/**"]
baseline = false
suppressions = true
[policy.severities]
"hygiene/merge-marker" = "critical"
[policy.guard]
thresholds = { high = 0 }
total = 5
`))
	if err != nil {
		t.Fatal(err)
	}
	p := gavel.DefaultPolicy().Override(c.Policy)
	if p.Mode != gavel.ModeWarn || p.FailOn != "medium" || p.Baseline || p.Guard.Thresholds[gavel.High] != 0 || *p.Guard.Total != 5 {
		t.Errorf("policy = %+v", p)
	}
	if p.SeverityOf("hygiene/merge-marker", gavel.High) != gavel.Critical {
		t.Error("the severity of a rule is not overridden")
	}
}

func TestConfigFaults(t *testing.T) {
	tests := []struct {
		name, data, message, hint string
	}{
		{"unknown key", "version = 1\n[policy]\nfailon = \"high\"\n", "line 3: unknown key \"policy.failon\"", "policy.fail_on"},
		{"key in the wrong place", "version = 1\nfail_on = \"high\"\n", "line 2: unknown key \"fail_on\"", "policy.fail_on"},
		{"bad threshold", "version = 1\n[policy]\nfail_on = \"sometimes\"\n", "fail_on", ""},
		{"bad mode", "version = 1\n[policy]\nmode = \"off\"\n", "mode", ""},
		{"bad severity", "version = 1\n[policy.severities]\nx = \"grave\"\n", "grave", ""},
		{"negative bound", "version = 1\n[policy.guard]\ntotal = -1\n", "negative", ""},
		{"wrong type", "version = 1\n[policy]\nbaseline = \"yes\"\n", "line 3", ""},
		{"no version", "[policy]\nmode = \"block\"\n", "version is missing", "version = 1"},
		{"newer version", "version = 2\n", "newer", "upgrade"},
		{"half written", "version = 1\n[policy\n", "line 2", ""},
		{"half written string", "version = 1\n[policy]\nmode = \"blo", "line 3", ""},
		{"not text", "\x00\xff\xfe", "line 1", ""},
		{"host", "version = 1\n[providers.openai]\nbase_url = \"http://x\"\n", "user's own configuration only", "user's config.toml"},
		{"floor", "version = 1\n[floor]\nfail_on = \"none\"\n", "user's own configuration only", ""},
		{"servers", "version = 1\n[[mcp.servers]]\nname = \"x\"\n", "user's own configuration only", ""},
		{"doubled key", "version = 1\nversion = 1\n", "line 2", ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			_, err := ParseRepoConfig(".gavel.toml", []byte(test.data))
			e := gavel.AsError(err)
			if e == nil || e.Class != gavel.InvalidArgs {
				t.Fatalf("err = %v, want invalid_args", err)
			}
			if !strings.Contains(e.Message, test.message) || !strings.Contains(e.Hint, test.hint) {
				t.Errorf("message %q hint %q, want %q and %q", e.Message, e.Hint, test.message, test.hint)
			}
		})
	}
}

func TestUserConfigMayHoldFloor(t *testing.T) {
	c, err := ParseUserConfig("config.toml", []byte("version = 1\n[floor]\nfail_on = \"high\"\n[review]\nprovider = \"none\"\n"))
	if err != nil || c.Floor.FailOn == nil || *c.Floor.FailOn != "high" {
		t.Errorf("config = %+v, %v", c, err)
	}
}

func FuzzParseRepoConfig(f *testing.F) {
	f.Add([]byte("version = 1\n[policy]\nmode = \"warn\"\n[policy.severities]\n\"a/b\" = \"low\"\n"))
	f.Add([]byte("version = 1\n[policy.guard.paths]\n\"src/**\" = 3\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		c, err := ParseRepoConfig("x", data)
		if err != nil {
			return
		}
		before := gavel.DefaultPolicy()
		after, _ := before.Tighten(c.Policy)
		for _, s := range gavel.Severities {
			if before.FailOn.Trips(s) && !after.FailOn.Trips(s) {
				t.Fatalf("tightening by %q lets %s pass", data, s)
			}
		}
	})
}
