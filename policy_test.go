package gavel_test

import (
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gavel-review/gavel"
)

func guard(l *gavel.PolicyLayer) *gavel.GuardLayer {
	if l.Guard == nil {
		l.Guard = new(gavel.GuardLayer)
	}
	return l.Guard
}

var someLayers = map[string]func(*gavel.PolicyLayer){
	"mode shadow":      func(l *gavel.PolicyLayer) { l.Mode = new(gavel.ModeShadow) },
	"mode block":       func(l *gavel.PolicyLayer) { l.Mode = new(gavel.ModeBlock) },
	"mode nonsense":    func(l *gavel.PolicyLayer) { l.Mode = new(gavel.EnforcementMode("blok")) },
	"fail_on critical": func(l *gavel.PolicyLayer) { l.FailOn = new(gavel.Threshold("critical")) },
	"fail_on none":     func(l *gavel.PolicyLayer) { l.FailOn = new(gavel.None) },
	"fail_on low":      func(l *gavel.PolicyLayer) { l.FailOn = new(gavel.Threshold("low")) },
	"fail_on empty":    func(l *gavel.PolicyLayer) { l.FailOn = new(gavel.Unset) },
	"warn_on none":     func(l *gavel.PolicyLayer) { l.WarnOn = new(gavel.None) },
	"warn_on any":      func(l *gavel.PolicyLayer) { l.WarnOn = new(gavel.Any) },
	"required vet":     func(l *gavel.PolicyLayer) { l.Required = []string{"vet"} },
	"required nothing": func(l *gavel.PolicyLayer) { l.Required = []string{} },
	"exec info":        func(l *gavel.PolicyLayer) { l.Severities = map[string]gavel.Severity{"risk/exec": gavel.Info} },
	"exec critical":    func(l *gavel.PolicyLayer) { l.Severities = map[string]gavel.Severity{"risk/exec": gavel.Critical} },
	"quick 10s": func(l *gavel.PolicyLayer) {
		l.Budgets = map[gavel.Profile]gavel.Budget{"quick": gavel.Budget(10 * time.Second)}
	},
	"quick 5m": func(l *gavel.PolicyLayer) {
		l.Budgets = map[gavel.Profile]gavel.Budget{"quick": gavel.Budget(5 * time.Minute)}
	},
	"slow budget":       func(l *gavel.PolicyLayer) { l.Budgets = map[gavel.Profile]gavel.Budget{"slow": 1} },
	"severity nonsense": func(l *gavel.PolicyLayer) { l.Severities = map[string]gavel.Severity{">=risk/exec": 9} },
	"exclude vendor":    func(l *gavel.PolicyLayer) { l.Exclude = []string{"vendor"} },
	"exclude nothing":   func(l *gavel.PolicyLayer) { l.Exclude = []string{} },
	"baseline off":      func(l *gavel.PolicyLayer) { l.Baseline = new(false) },
	"baseline on":       func(l *gavel.PolicyLayer) { l.Baseline = new(true) },
	"suppressions off":  func(l *gavel.PolicyLayer) { l.Suppressions = new(false) },
	"suppressions on":   func(l *gavel.PolicyLayer) { l.Suppressions = new(true) },
	"total 3":           func(l *gavel.PolicyLayer) { guard(l).Total = new(3) },
	"total 9":           func(l *gavel.PolicyLayer) { guard(l).Total = new(9) },
	"total -1":          func(l *gavel.PolicyLayer) { guard(l).Total = new(-1) },
	"high 0":            func(l *gavel.PolicyLayer) { guard(l).Thresholds = map[string]int{"high": 0} },
	"high 5":            func(l *gavel.PolicyLayer) { guard(l).Thresholds = map[string]int{"high": 5} },
	"hihg 5":            func(l *gavel.PolicyLayer) { guard(l).Thresholds = map[string]int{"hihg": 5} },
	"rule 2":            func(l *gavel.PolicyLayer) { guard(l).Rules = map[string]int{"risk/exec": 2} },
	"path 2":            func(l *gavel.PolicyLayer) { guard(l).Paths = map[string]int{"src": 2} },
	"path -2":           func(l *gavel.PolicyLayer) { guard(l).Paths = map[string]int{"src": -2} },
	"new_only on":       func(l *gavel.PolicyLayer) { guard(l).NewOnly = new(true) },
	"new_only off":      func(l *gavel.PolicyLayer) { guard(l).NewOnly = new(false) },
}

func layered(t *testing.T, names ...string) gavel.PolicyLayer {
	t.Helper()
	var l gavel.PolicyLayer
	for _, name := range names {
		edit, ok := someLayers[name]
		if !ok {
			t.Fatalf("no layer %q", name)
		}
		edit(&l)
	}
	return l
}

func TestTightenReports(t *testing.T) {
	t.Parallel()
	tests := []struct {
		base, newer []string
		loosened    string // joined by "; "
	}{
		{nil, nil, ""},
		{nil, []string{"mode shadow"}, `mode "shadow" (stays "block")`},
		{[]string{"mode shadow"}, []string{"mode block"}, ""},
		{[]string{"mode nonsense"}, []string{"mode shadow"}, `mode "shadow" (stays "blok")`},
		{nil, []string{"fail_on critical"}, `fail_on "critical" (stays "high")`},
		{nil, []string{"fail_on none", "warn_on none"}, `fail_on "none" (stays "high"); warn_on "none" (stays "medium")`},
		{nil, []string{"fail_on empty"}, `fail_on "" (stays "high")`},
		{nil, []string{"fail_on low", "warn_on any"}, ""},
		{[]string{"fail_on none"}, []string{"fail_on critical"}, ""},
		{[]string{"required vet"}, []string{"required nothing"}, `required without "vet" (stays)`},
		{nil, []string{"required vet"}, ""},
		{[]string{"exec critical"}, []string{"exec info"}, `severities.risk/exec "info" (stays "critical")`},
		{[]string{"exec info"}, []string{"exec critical"}, ""},
		{nil, []string{"exclude vendor"}, `exclude "vendor" (stays in)`},
		{[]string{"exclude vendor"}, []string{"exclude nothing"}, ""},
		{[]string{"exclude vendor"}, []string{"exclude vendor"}, ""},
		{[]string{"baseline off", "suppressions off"}, []string{"baseline on", "suppressions on"}, "baseline = true (stays false); suppressions = true (stays false)"},
		{nil, []string{"baseline off", "suppressions off"}, ""},
		{[]string{"total 3"}, []string{"total 9"}, "guard.total 9 (stays 3)"},
		{nil, []string{"total 9"}, ""},
		{[]string{"high 0"}, []string{"high 5"}, "guard.thresholds.high 5 (stays 0)"},
		{[]string{"high 5"}, []string{"high 0", "rule 2", "path 2"}, ""},
		{nil, []string{"new_only on"}, "guard.new_only = true (stays false)"},
		{[]string{"new_only on"}, []string{"new_only off"}, ""},
		{nil, []string{"quick 5m"}, `budgets.quick "5m0s" (stays "2m0s")`},
		{nil, []string{"quick 10s"}, ""},
		{[]string{"quick 5m"}, []string{"quick 10s"}, ""},
		{[]string{"quick 10s"}, []string{"quick 5m"}, `budgets.quick "5m0s" (stays "10s")`},
	}
	for _, tt := range tests {
		base := gavel.DefaultPolicy().Override(layered(t, tt.base...))
		got, loosened := base.Tighten(layered(t, tt.newer...))
		if s := strings.Join(loosened, "; "); s != tt.loosened {
			t.Errorf("%v then %v: reported %q, want %q", tt.base, tt.newer, s, tt.loosened)
		}
		again, _ := got.Tighten(layered(t, tt.newer...))
		if !reflect.DeepEqual(got, again) {
			t.Errorf("%v then %v: twice is more than once:\n%+v\n%+v", tt.base, tt.newer, got, again)
		}
	}
}

// Two newer layers: what the first raised, the second may not lower unseen.
func TestTightenTwice(t *testing.T) {
	t.Parallel()
	p, _ := gavel.DefaultPolicy().Tighten(layered(t, "exec critical"))
	p, loosened := p.Tighten(layered(t, "exec info"))
	if len(loosened) != 1 || p.SeverityOf("risk/exec", gavel.Low) != gavel.Critical {
		t.Errorf("%s, %v", p.SeverityOf("risk/exec", gavel.Low), loosened)
	}
}

func TestOverride(t *testing.T) {
	t.Parallel()
	base := gavel.DefaultPolicy()
	l := layered(t, "mode shadow", "fail_on none", "warn_on any", "required vet", "exec info", "exclude vendor", "baseline off",
		"suppressions off", "total 3", "high 5", "rule 2", "path 2", "new_only on", "quick 10s")
	got := base.Override(l)
	want := gavel.Policy{
		Mode: "shadow", FailOn: "none", WarnOn: "any", Required: []string{"vet"}, Exclude: []string{"vendor"},
		Severities: map[string]gavel.Severity{"risk/exec": gavel.Info},
		Budgets:    map[gavel.Profile]gavel.Budget{"quick": gavel.Budget(10 * time.Second)},
		Guard: gavel.GuardPolicy{
			Thresholds: map[gavel.Severity]int{gavel.High: 5}, Total: new(3), Rules: map[string]int{"risk/exec": 2}, Paths: map[string]int{"src": 2}, NewOnly: true,
		},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
	if !reflect.DeepEqual(base, gavel.DefaultPolicy()) {
		t.Errorf("the base has moved: %+v", base)
	}
	l.Required[0], *l.Guard.Total, l.Severities["risk/exec"], l.Budgets["quick"] = "other", 99, gavel.High, 7
	if !reflect.DeepEqual(got, want) {
		t.Error("the policy shares memory with its layer")
	}
	merged := got.Override(layered(t, "exec critical", "required nothing"))
	if merged.Guard.Rules["risk/exec"] != 2 || merged.Severities["risk/exec"] != gavel.Critical || len(merged.Required) != 0 {
		t.Errorf("maps merge, lists are replaced: %+v", merged)
	}
	if same := got.Override(gavel.PolicyLayer{}); !reflect.DeepEqual(same, got) {
		t.Errorf("no opinion moves: %+v", same)
	}
}

func TestMissing(t *testing.T) {
	t.Parallel()
	full := layered(t, "mode block", "fail_on low", "warn_on any", "required vet", "exec info", "exclude vendor", "baseline off",
		"suppressions off", "total 3", "high 5", "rule 2", "path 2", "new_only off")
	want := []string{"baseline", "fail_on", "guard.new_only", "guard.paths.src", "guard.rules.risk/exec", "guard.thresholds.high", "guard.total",
		"mode", "required", "severities.risk/exec", "suppressions", "warn_on"}
	if got := full.Missing(gavel.PolicyLayer{}); !slices.Equal(got, want) {
		t.Errorf("got  %v\nwant %v", got, want)
	}
	if got := full.Missing(full); len(got) != 0 {
		t.Errorf("against itself: %v", got)
	}
	if got := (gavel.PolicyLayer{}).Missing(full); len(got) != 0 {
		t.Errorf("nothing to miss: %v", got)
	}
	fewer := layered(t, "mode block", "fail_on low", "warn_on any", "required nothing", "exec info", "baseline off", "suppressions off", "high 5")
	if got := full.Missing(fewer); !slices.Equal(got, []string{"guard.new_only", "guard.paths.src", "guard.rules.risk/exec", "guard.total"}) {
		t.Errorf("%v", got)
	}
}

func TestValidate(t *testing.T) {
	t.Parallel()
	for name, faults := range map[string]int{
		"mode nonsense": 1, "fail_on empty": 1, "severity nonsense": 2, "total -1": 1, "hihg 5": 1, "path -2": 1, "slow budget": 1,
	} {
		if got := layered(t, name).Validate(); len(got) != faults {
			t.Errorf("%s: %q", name, got)
		}
	}
	l := layered(t, "mode shadow", "fail_on none", "warn_on any", "exec info", "total 3", "high 0", "rule 2", "path 2")
	if got := l.Validate(); len(got) != 0 {
		t.Errorf("valid: %q", got)
	}
}

func TestSeverityOf(t *testing.T) {
	t.Parallel()
	lowered := gavel.DefaultPolicy().Override(layered(t, "exec info"))
	raised, _ := gavel.DefaultPolicy().Tighten(layered(t, "exec critical"))
	noop, _ := gavel.DefaultPolicy().Tighten(layered(t, "exec info"))
	both, _ := lowered.Tighten(layered(t, "exec critical"))
	tests := []struct {
		name   string
		policy gavel.Policy
		rule   string
		found  gavel.Severity
		want   gavel.Severity
	}{
		{"default", gavel.DefaultPolicy(), "risk/exec", gavel.Medium, gavel.Medium},
		{"lowered by the trusted base", lowered, "risk/exec", gavel.High, gavel.Info},
		{"another rule", lowered, "risk/eval", gavel.High, gavel.High},
		{"raised by the change", raised, "risk/exec", gavel.Low, gavel.Critical},
		{"the change cannot lower", noop, "risk/exec", gavel.High, gavel.High},
		{"raised again", both, "risk/exec", gavel.Low, gavel.Critical},
		{"no map", gavel.Policy{}, "risk/exec", gavel.Low, gavel.Low},
	}
	for _, tt := range tests {
		if got := tt.policy.SeverityOf(tt.rule, tt.found); got != tt.want {
			t.Errorf("%s: %s, want %s", tt.name, got, tt.want)
		}
	}
}

func TestParseMode(t *testing.T) {
	t.Parallel()
	for _, word := range []string{"shadow", "warn", "block"} {
		if got, err := gavel.ParseMode(word); err != nil || string(got) != word {
			t.Errorf("%q: %q, %v", word, got, err)
		}
	}
	for _, word := range []string{"", "Block", "off", "block "} {
		if got, err := gavel.ParseMode(word); err == nil || got != "" {
			t.Errorf("%q: %q", word, got)
		}
	}
}
