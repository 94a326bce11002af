package gavel_test

import (
	"testing"
	"time"

	"github.com/gavel-review/gavel"
)

func TestParseBudget(t *testing.T) {
	t.Parallel()
	for word, want := range map[string]time.Duration{
		"90s": 90 * time.Second, "1h30m": 90 * time.Minute, "24h": 24 * time.Hour, "1ns": 1,
		"": 0, "0": 0, "-1s": 0, "10": 0, "25h": 0, "9999999999h": 0, "soon": 0,
	} {
		got, err := gavel.ParseBudget(word)
		if time.Duration(got) != want || (err == nil) != (want > 0) {
			t.Errorf("%q: %v, %v", word, got, err)
		}
	}
}

func TestBudget(t *testing.T) {
	t.Parallel()
	p := gavel.DefaultPolicy().Override(gavel.PolicyLayer{Budgets: map[gavel.Profile]gavel.Budget{"quick": 5}})
	if p.Budget(gavel.ProfileQuick) != 5 || p.Budget(gavel.ProfileDeep) != gavel.ProfileDeep.DefaultBudget() {
		t.Errorf("%v, %v", p.Budget(gavel.ProfileQuick), p.Budget(gavel.ProfileDeep))
	}
}
