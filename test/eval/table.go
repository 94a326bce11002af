package main

import (
	"fmt"
	"io"
	"slices"
	"text/tabwriter"
)

// row is one tool in the table.
type row struct {
	name string
	*result
}

// measure is one line of the table.
type measure struct {
	name, floor, goal string
	value             func(*result) string
}

func printTable(w io.Writer, rows []row) {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprint(t, "measure\tfloor\tgoal")
	for _, r := range rows {
		fmt.Fprintf(t, "\t%s", r.name)
	}
	fmt.Fprintln(t)
	for _, m := range measures() {
		fmt.Fprintf(t, "%s\t%s\t%s", m.name, m.floor, m.goal)
		for _, r := range rows {
			fmt.Fprintf(t, "\t%s", m.value(r.result))
		}
		fmt.Fprintln(t)
	}
	t.Flush()
}

func measures() []measure {
	risk := func(lang string) func(*result) string {
		return func(r *result) string {
			s := r.risky[lang]
			if s == nil {
				return "-"
			}
			return s.found.String() + ", " + s.flagged.percent()
		}
	}
	return []measure{
		{"secrets in real files: recall", ".55", ".70", func(r *result) string { return three(r.cred.recall()) }},
		{"  at precision (>= .85)", ".85", ".85", func(r *result) string { return three(r.cred.precision()) }},
		{"  F1", ".65", ".76", func(r *result) string { return three(r.cred.f1()) }},
		{"provider samples: recall", ".985", ".995", func(r *result) string { return r.samples.String() }},
		{"  false samples flagged", "8 %", "4 %", func(r *result) string { return r.wrong.percent() }},
		{"secrets on ordinary diffs, per 100", "2", "1", per100("secret")},
		{"flaky, real fixes: strong recall", ".80", ".90", func(r *result) string { return share{r.flaky.tp, r.flaky.tp + r.flaky.fn}.String() }},
		{"  precision", ".80", ".90", func(r *result) string { return three(r.flaky.precision()) }},
		{"  weak recall", "", "", func(r *result) string { return r.flaky.weak.String() }},
		{"  findings on lines of the fix", "", "", func(r *result) string { return fmt.Sprint(r.flaky.onFixed) }},
		{"flaky, own pairs right both ways", "14 of 16", "16 of 16", func(r *result) string { return fmt.Sprintf("%d of %d", r.snippets.pairs.part, r.snippets.pairs.whole) }},
		{"flaky on ordinary diffs, per 100", "5", "3", per100("flaky")},
		{"risk, Go: recall, clean files flagged", ".65, 10 %", ".80, 5 %", risk("go")},
		{"risk, Python", ".70, 10 %", ".85, 5 %", risk("python")},
		{"risk, JavaScript", ".65, 10 %", ".80, 5 %", risk("javascript")},
		{"hygiene on ordinary diffs, per 100", "", "", per100("hygiene")},
		{"risk on ordinary diffs, per 100", "", "", per100("risk")},
		{"injection on ordinary diffs, per 100", "", "", per100("injection")},
		{"all above info on ordinary diffs, per 100", "12", "8", func(r *result) string { return one(100 * ratio(r.aboveInfo, r.diffs)) }},
	}
}

// per100 counts the findings of a category; those of a peer that names none count everywhere.
func per100(category string) func(*result) string {
	return func(r *result) string { return one(100 * ratio(r.noise[category]+r.noise["any"], r.diffs)) }
}

func (s share) String() string {
	return fmt.Sprintf("%s (%d/%d)", three(ratio(s.part, s.whole)), s.part, s.whole)
}

func (s share) percent() string {
	return fmt.Sprintf("%.1f %% (%d/%d)", 100*ratio(s.part, s.whole), s.part, s.whole)
}

func three(f float64) string { return fmt.Sprintf("%.3f", f) }
func one(f float64) string   { return fmt.Sprintf("%.1f", f) }

// printUnproven lists the rules whose severity the labels do not bear out: of medium and higher, with five judged findings or
// more and a precision below .80; below them the number of those of medium and higher that too few findings judge.
func (p *precision) printUnproven(w io.Writer) {
	var low, few []string
	for _, r := range ratedMedium() {
		j := p.Rules[r.ID]
		switch {
		case j != nil && j.N >= leastJudged && j.Precision < leastPrecision:
			low = append(low, fmt.Sprintf("%s %s: %.2f of %d", r.ID, r.Severity, j.Precision, j.N))
		case j == nil || j.N < leastJudged:
			few = append(few, r.ID)
		}
	}
	slices.Sort(low)
	fmt.Fprintf(w, "\nrules rated medium or higher with a precision below %.2f: %d\n", leastPrecision, len(low))
	for _, line := range low {
		fmt.Fprintln(w, "  "+line)
	}
	fmt.Fprintf(w, "rules rated medium or higher with fewer than %d judged findings: %d\n", leastJudged, len(few))
	for _, id := range few {
		if packOf(id) != "secret" { // whose tokens are structural
			fmt.Fprintln(w, "  "+id)
		}
	}
}
