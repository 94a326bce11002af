package gavel_test

import (
	"encoding/json"
	"reflect"
	"slices"
	"testing"

	"github.com/gavel-review/gavel"
)

// settleLaws checks every law of Settle on one input.
func settleLaws(t *testing.T, d dice, in []gavel.Finding, s gavel.Settlements) {
	t.Helper()
	before, _ := json.Marshal(in)
	out := gavel.Settle(in, s)
	if after, _ := json.Marshal(in); string(before) != string(after) {
		t.Fatalf("Settle changed its input")
	}
	if len(out) != len(in) || !sameStatements(in, out) {
		t.Fatalf("not total: %d in, %d out\nin  %+v\nout %+v", len(in), len(out), in, out)
	}
	if !slices.IsSortedFunc(out, gavel.CompareFindings) {
		t.Fatalf("not sorted: %+v", out)
	}
	if again := gavel.Settle(out, s); !reflect.DeepEqual(out, again) {
		t.Fatalf("not idempotent:\n1 %+v\n2 %+v", out, again)
	}
	mixed := s
	mixed.Suppressions, mixed.Untouched = shuffled(d, s.Suppressions), shuffled(d, s.Untouched)
	if other := gavel.Settle(shuffled(d, in), mixed); !reflect.DeepEqual(out, other) {
		t.Fatalf("order matters:\n1 %+v\n2 %+v", out, other)
	}
	for i := range out {
		lawOfOne(t, &out[i], out, s)
	}
	lawOfBaseline(t, out, s)
	lawOfThreshold(t, in, out, s)
	lawOfBrought(t, in, out, s)
	lawOfUntouched(t, d, in, out, s)
}

// sameStatements compares what Settle may never touch.
func sameStatements(a, b []gavel.Finding) bool {
	bare := func(in []gavel.Finding) []gavel.Finding {
		out := slices.Clone(in)
		for i := range out {
			out[i].Settled, out[i].Pending, out[i].Baseline = nil, "", ""
		}
		slices.SortFunc(out, gavel.CompareFindings)
		return out
	}
	return reflect.DeepEqual(bare(a), bare(b))
}

func has(f *gavel.Finding, reason gavel.Reason) bool {
	return slices.ContainsFunc(f.Settled, func(s gavel.Settlement) bool { return s.Reason == reason })
}

func lawOfOne(t *testing.T, f *gavel.Finding, all []gavel.Finding, s gavel.Settlements) {
	t.Helper()
	grave := f.Category == gavel.CategorySecret && f.Severity >= gavel.High
	trusted := slices.ContainsFunc(s.Suppressions, func(x gavel.Suppression) bool { return x.Trusted && x.Covers(f, s.Aliases) })
	switch {
	case grave && !trusted && (has(f, gavel.ReasonSuppressed) || has(f, gavel.ReasonRuled) || f.Pending != ""):
		t.Fatalf("the change suppresses a grave secret: %+v", f)
	case grave && has(f, gavel.ReasonExcluded):
		t.Fatalf("a grave secret is excluded: %+v", f)
	case f.Pending != "" && !f.Counts():
		t.Fatalf("waits for a person and does not count: %+v", f)
	case f.Pending != "" && trusted:
		t.Fatalf("waits although the trusted base suppresses it: %+v", f)
	case has(f, gavel.ReasonRuled) && !slices.ContainsFunc(s.Rulings, func(r gavel.Ruling) bool {
		return s.Subject != "" && r.Subject == s.Subject && r.Fingerprint == f.Fingerprint
	}):
		t.Fatalf("ruled without a ruling for this print and subject: %+v", f)
	}
	if !has(f, gavel.ReasonDuplicate) {
		return
	}
	if len(f.Settled) > 2 || len(f.Settled) == 2 && !has(f, gavel.ReasonBelowThreshold) {
		t.Fatalf("a settled finding is a duplicate too: %+v", f)
	}
	if !slices.ContainsFunc(all, func(g gavel.Finding) bool { return representative(f, &g) }) {
		t.Fatalf("a duplicate of nothing that counts: %+v\nin %+v", f, all)
	}
}

// representative reports whether g may stand for the duplicate f.
func representative(f, g *gavel.Finding) bool {
	return g.File == f.File && g.Line == f.Line && g.Column == f.Column && g.Category == f.Category &&
		(g.Column != 0 || g.Rule == f.Rule) && g.Severity >= f.Severity && g.Pending == "" &&
		g.Baseline == f.Baseline && (g.Counts() || g.Descriptive && f.Descriptive) &&
		(f.Baseline == gavel.BaselineUnchanged || f.Baseline == gavel.BaselineAbsent || g.Located || !f.Located || g.Source == gavel.SourceCheck || g.Source == gavel.SourceDetector)
}

func lawOfBaseline(t *testing.T, out []gavel.Finding, s gavel.Settlements) {
	t.Helper()
	spent := make(map[string]int)
	for i := range out {
		for _, x := range out[i].Settled {
			if x.Reason == gavel.ReasonBaseline {
				spent[x.Detail]++
			}
		}
		if has(&out[i], gavel.ReasonBaseline) && out[i].Baseline != gavel.BaselineUnchanged {
			t.Fatalf("in the baseline and %q: %+v", out[i].Baseline, out[i])
		}
	}
	for print, n := range spent {
		if n > s.Baseline[print] {
			t.Fatalf("%s: %d are old, the baseline has %d", print, n, s.Baseline[print])
		}
	}
}

func lawOfThreshold(t *testing.T, in, out []gavel.Finding, s gavel.Settlements) {
	t.Helper()
	s.MinSeverity = gavel.NoSeverity
	if a, b := gavel.CountFindings(out), gavel.CountFindings(gavel.Settle(in, s)); a != b {
		t.Fatalf("min_severity moves the counts: %+v, without %+v", a, b)
	}
}

// lawOfBrought: what the change brings, before a person has looked, never keeps a finding from counting for fail_on.
func lawOfBrought(t *testing.T, in, out []gavel.Finding, s gavel.Settlements) {
	t.Helper()
	if len(s.Rulings) > 0 || s.FailOn == gavel.Unset {
		return
	}
	s.Suppressions = slices.DeleteFunc(slices.Clone(s.Suppressions), func(x gavel.Suppression) bool { return !x.Trusted })
	_, with := gavel.Tripped(out, s.FailOn)
	if _, without := gavel.Tripped(gavel.Settle(in, s), s.FailOn); with < without {
		t.Fatalf("under fail_on %s the change's own suppressions make %s of %s", s.FailOn, with, without)
	}
}

// lawOfUntouched: the more stands where it stood, the less of the change can be old.
func lawOfUntouched(t *testing.T, d dice, in, out []gavel.Finding, s gavel.Settlements) {
	t.Helper()
	s.Untouched = append(slices.Clone(s.Untouched), d.finding())
	more := gavel.Settle(in, s)
	for _, severity := range gavel.Severities {
		with, _ := gavel.Tripped(out, gavel.Threshold(severity.String()))
		if without, _ := gavel.Tripped(more, gavel.Threshold(severity.String())); without < with {
			t.Fatalf("%d of %s trip, and with one more untouched only %d\n%+v", with, severity, without, s.Untouched)
		}
	}
}

func TestSettleLaws(t *testing.T) {
	t.Parallel()
	for seed := range uint64(2000) {
		d := newDice(seed)
		in := d.findings(12)
		settleLaws(t, d, in, d.settlements(in))
	}
}

func FuzzSettle(f *testing.F) {
	for seed := range uint64(16) {
		f.Add(seed, uint8(seed))
	}
	f.Fuzz(func(t *testing.T, seed uint64, most uint8) {
		d := newDice(seed)
		in := d.findings(int(most) % 40)
		settleLaws(t, d, in, d.settlements(in))
	})
}

// A baseline written from what is there today settles all of it.
func TestSettleWithItsOwnBaseline(t *testing.T) {
	t.Parallel()
	for seed := range uint64(500) {
		d := newDice(seed)
		in := d.findings(20)
		prints := make(map[string]int)
		for _, f := range in {
			prints[f.Fingerprint]++
		}
		for _, f := range gavel.Settle(in, gavel.Settlements{Baseline: prints}) {
			if f.Baseline != gavel.BaselineUnchanged && f.Baseline != gavel.BaselineAbsent {
				t.Fatalf("seed %d: not old: %+v", seed, f)
			}
		}
	}
}
