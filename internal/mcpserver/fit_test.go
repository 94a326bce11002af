package mcpserver

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/gavel-review/gavel"
	"github.com/google/go-cmp/cmp"
)

func bigDocument(r *rand.Rand, findings, settled, skipped int) gavel.Document {
	words := strings.Repeat("text with <angles> and \"quotes\" ", 1+r.IntN(60))
	some := func(n int) []gavel.Finding {
		list := []gavel.Finding{}
		for range n {
			list = append(list, gavel.Finding{Severity: gavel.Severity(1 + r.IntN(5)), File: "a/b.go", Line: 1 + r.IntN(1000),
				Title: "title", Description: words[:r.IntN(len(words))], Snippet: words[:r.IntN(len(words))], Rule: "secret/x"})
		}
		return list
	}
	d := gavel.Document{Schema: gavel.SchemaVersion, SchemaVersion: gavel.WireVersion, RunID: "r", Findings: some(findings), Settled: some(settled)}
	d.FindingsTotal = findings + settled
	d.Summary.Counts = gavel.CountFindings(d.Findings)
	for range skipped {
		reason := gavel.SkipBinary
		if r.IntN(10) == 0 {
			reason = gavel.SkipUnreadable
		}
		d.Meta.Coverage.Skipped = append(d.Meta.Coverage.Skipped, gavel.Skip{Path: "some/path/to/file.bin", Reason: reason})
	}
	d.Meta.Coverage.Reviewed = r.IntN(100)
	d.Meta.Coverage.Files = d.Meta.Coverage.Reviewed + skipped
	d.Meta.Notes = []string{"note"}
	return d
}

func TestFitKeepsSmallDocuments(t *testing.T) {
	t.Parallel()
	d := bigDocument(rand.New(rand.NewPCG(1, 1)), 5, 5, 5)
	if diff := cmp.Diff(d, Fit(d, 1<<20), cmp.AllowUnexported(gavel.Finding{})); diff != "" {
		t.Error(diff)
	}
}

func TestFit(t *testing.T) {
	t.Parallel()
	for seed := range uint64(60) {
		r := rand.New(rand.NewPCG(seed, 2))
		d := bigDocument(r, r.IntN(400), r.IntN(200), r.IntN(3000))
		d.Content = strings.Repeat("raw ", r.IntN(20_000))
		before := size(d)
		got := Fit(d, ResultBudget)
		switch {
		case before <= ResultBudget && got.Truncated != nil:
			t.Errorf("seed %d: cut without need", seed)
		case before <= ResultBudget:
			continue
		}
		if c := got.Meta.Coverage; c.Files != c.Reviewed+len(c.Skipped)+c.Unlisted {
			t.Errorf("seed %d: %d files are not %d reviewed, %d skipped and %d unlisted", seed, c.Files, c.Reviewed, len(c.Skipped), c.Unlisted)
		}
		if n := size(got); n > ResultBudget {
			t.Errorf("seed %d: %d bytes", seed, n)
		}
		if got.Truncated == nil || got.Truncated.Total != d.FindingsTotal || got.Truncated.Returned != len(got.Findings)+len(got.Settled) {
			t.Fatalf("seed %d: %+v", seed, got.Truncated)
		}
		if got.Summary.Counts != d.Summary.Counts || got.FindingsTotal != d.FindingsTotal || size(d) != before {
			t.Errorf("seed %d: the facts or the original changed", seed)
		}
		checkGravest(t, d.Findings, got.Findings)
		if len(got.Findings) < len(d.Findings) && len(got.Settled) > 0 {
			t.Errorf("seed %d: settled findings took the room of unsettled ones", seed)
		}
	}
}

// checkGravest fails if something was left out that is graver than something shown.
func checkGravest(t *testing.T, all, shown []gavel.Finding) {
	t.Helper()
	left := gavel.CountFindings(all)
	for i := range shown {
		if i > 0 && shown[i].Severity > shown[i-1].Severity {
			t.Fatal("not in order of severity")
		}
		*left.Of(shown[i].Severity)--
	}
	if len(shown) == 0 {
		return
	}
	for _, s := range gavel.Severities {
		if s > shown[len(shown)-1].Severity && *left.Of(s) > 0 {
			t.Errorf("%d findings of severity %v are missing, though %v is shown", *left.Of(s), s, shown[len(shown)-1].Severity)
		}
	}
}

func TestFitNamesWhatIsMissing(t *testing.T) {
	t.Parallel()
	d := bigDocument(rand.New(rand.NewPCG(3, 3)), 1, 0, 5000)
	got := Fit(d, ResultBudget)
	if len(got.Findings) != 1 || !strings.Contains(strings.Join(got.Meta.Notes, "\n"), "of 5000") {
		t.Errorf("%d findings, notes %v", len(got.Findings), got.Meta.Notes)
	}
	if got.Meta.Coverage.Skipped[0].Reason.Expected() {
		t.Error("expected skips stand before unexpected ones")
	}
}

func TestFitHugeTexts(t *testing.T) {
	t.Parallel()
	huge := strings.Repeat("ü", 1<<20)
	d := gavel.Document{SchemaVersion: gavel.WireVersion, FindingsTotal: 1, Content: huge,
		Findings: []gavel.Finding{{Severity: gavel.High, Snippet: huge, Description: huge, Title: huge, Suggestion: huge, Quote: huge}}}
	d.Summary.Text, d.Summary.Gate.Reason, d.Meta.DegradeReason, d.Meta.Notes = huge, huge, huge, []string{huge}
	got := Fit(d, ResultBudget)
	if n := size(got); n > ResultBudget || len(got.Findings) != 1 {
		t.Errorf("%d bytes, %d findings", n, len(got.Findings))
	}
}

func TestErrorsCarryBoundedFindings(t *testing.T) {
	t.Parallel()
	d := bigDocument(rand.New(rand.NewPCG(4, 4)), 300, 0, 0)
	extra := map[string]any{"findings": d.Findings}
	res := failure(&gavel.Error{Class: gavel.ProviderError, Message: "m", Extra: extra})
	if n := size(res.StructuredContent); n > ResultBudget || n < ResultBudget/2 {
		t.Errorf("%d bytes", n)
	}
	if len(extra) != 1 || len(extra["findings"].([]gavel.Finding)) != 300 {
		t.Error("the error was changed")
	}
}
