package app

import (
	"fmt"
	"slices"
	"strings"

	"github.com/gavel-review/gavel"
	"github.com/gavel-review/gavel/internal/detect"
	"github.com/gavel-review/gavel/internal/git"
	"github.com/gavel-review/gavel/internal/report"
)

// conclusion is everything that a document is made from once the detectors are through.
type conclusion struct {
	judged   *judged
	policy   gavel.Policy
	baseline map[string]int
	rulings  []gavel.Ruling
	subject  gavel.RepoMeta
}

// conclude settles, decides and writes the document down.
func (r *reviewer) conclude(c conclusion) (*ReviewOutput, error) {
	findings, err := c.settle(minSeverity(r.in.MinSeverity))
	if err != nil {
		return nil, err
	}
	policy := c.policy
	policy.Required = nil // checks are what a run is asked for, never a review
	verdict := gavel.Decide(c.evidence(findings), policy)
	out := &ReviewOutput{Document: r.document(c, findings, verdict), Verdict: verdict, Mode: c.policy.Mode}
	threshold := gavel.Threshold(r.in.FailOn)
	tripped, _ := gavel.Tripped(findings, threshold)
	out.exit = verdict.Exit(gavel.ExitOptions{Mode: c.policy.Mode, Strict: r.in.Strict, FailOn: threshold, Tripped: tripped > 0})
	out.accept = report.Acceptance{Unbound: c.subject.HeadTree == "", Scope: r.scopeWords()}
	out.Summary.Text = report.SummaryLine(out.Document, verdict)
	return out, nil
}

// evidence is what the detectors alone give to decide on.
func (c conclusion) evidence(findings []gavel.Finding) gavel.Evidence {
	e := gavel.Evidence{Findings: findings, Skipped: c.judged.Skipped}
	if c.judged.Broken != "" {
		e.Gates = append(e.Gates, gavel.Gate{ID: "detectors", Status: gavel.GateUnknown, Reason: c.judged.Broken})
	}
	return e
}

// scopeWords is the scope as words of a command line.
func (r *reviewer) scopeWords() string {
	var words []string
	if r.env.DefaultRepo != "" && r.env.Door == CLI {
		words = append(words, "--repo", shellWord(r.env.DefaultRepo))
	}
	if r.scope.Kind == git.Unstaged {
		words = append(words, "--unstaged")
	}
	for _, revision := range r.scope.Revisions {
		words = append(words, shellWord(revision))
	}
	return strings.Join(words, " ")
}

// shellWord quotes a word where a shell would read it otherwise.
func shellWord(word string) string {
	plain := func(c rune) bool {
		return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || strings.ContainsRune("-_./^~@:+,=", c)
	}
	if word != "" && word[0] != '~' && strings.IndexFunc(word, func(c rune) bool { return !plain(c) }) < 0 {
		return word
	}
	return shellQuote(word)
}

// settle gives every finding the severity that policy has for its rule, and the reasons why it does not count.
func (c conclusion) settle(least gavel.Severity) ([]gavel.Finding, error) {
	excluded, err := git.NewFilter(nil, nil, c.policy.Exclude, c.policy.Exclude)
	if err != nil {
		return nil, err
	}
	for i := range c.judged.Findings {
		f := &c.judged.Findings[i]
		f.Severity = c.policy.SeverityFor(f)
	}
	settlements := gavel.Settlements{
		Suppressions: c.judged.Suppressions,
		Rulings:      c.rulings,
		Subject:      c.subject.HeadTree,
		FailOn:       c.policy.FailOn,
		MinSeverity:  least,
		Aliases:      ruleAliases,
	}
	if c.policy.Baseline {
		settlements.Baseline, settlements.Untouched = c.baseline, c.judged.Untouched
	}
	if !c.policy.Suppressions {
		settlements.Suppressions = nil
	}
	if len(c.policy.Exclude) > 0 {
		settlements.Excluded = func(path string) bool { return !excluded.Match(path, "") }
	}
	return gavel.Settle(c.judged.Findings, settlements), nil
}

// ruleAliases are the former ids of a rule; a suppression may still name one.
func ruleAliases(id string) []string {
	if rule := detect.Rule(id); rule != nil {
		return rule.Aliases
	}
	return nil
}

func minSeverity(word string) gavel.Severity {
	s, err := gavel.ParseSeverity(word)
	if err != nil {
		return gavel.NoSeverity
	}
	return s
}

func (r *reviewer) document(c conclusion, findings []gavel.Finding, v gavel.Verdict) *gavel.Document {
	d := &gavel.Document{
		Schema: gavel.SchemaVersion, SchemaVersion: gavel.WireVersion,
		Findings: []gavel.Finding{}, Settled: []gavel.Finding{}, FindingsTotal: len(findings),
		Summary: gavel.Summary{Counts: gavel.CountFindings(findings), Gate: gateAnswer(findings, gavel.Threshold(r.in.FailOn), v)},
		Meta:    r.meta(c, findings),
	}
	if v.Decision != gavel.NoDecision {
		decision := v.Decision
		d.VerdictHint = &decision
	}
	for _, f := range findings {
		if len(f.Settled) == 0 {
			d.Findings = append(d.Findings, f)
		} else {
			d.Settled = append(d.Settled, f)
		}
	}
	return d
}

func (r *reviewer) meta(c conclusion, findings []gavel.Finding) gavel.Meta {
	m := gavel.Meta{
		ToolVersion: r.env.Version, Repo: c.subject, Provider: "none", Lang: "en",
		Timestamp: r.now.Truncate(1e9), NoFlaky: r.in.NoFlaky, Notes: []string{},
		Coverage: gavel.Coverage{Files: c.judged.Files, Reviewed: c.judged.Files - len(c.judged.Skipped), Skipped: []gavel.Skip{}, Model: gavel.ModelNone},
	}
	m.Repo.Filters = append([]string{}, r.in.narrowing()...)
	m.Coverage.Skipped = append(m.Coverage.Skipped, c.judged.Skipped...)
	for _, note := range c.judged.Notes {
		m.Notes = append(m.Notes, detect.Redact(note)) // it may name a path
	}
	if s := minSeverity(r.in.MinSeverity); s != gavel.NoSeverity {
		m.MinSeverity = &s
	}
	if !r.fixed {
		m.LatencyMS = r.env.Now().Sub(r.started).Milliseconds()
	}
	for _, f := range findings {
		if slices.ContainsFunc(f.Settled, func(s gavel.Settlement) bool { return s.Reason == gavel.ReasonBaseline }) {
			m.Baselined++
		}
		if slices.ContainsFunc(f.Settled, func(s gavel.Settlement) bool { return s.Reason == gavel.ReasonSuppressed }) {
			m.Suppressed++
		}
	}
	return m
}

// gateAnswer is the outcome of fail_on, and without one that of the verdict: a reader of "passed" alone must not be
// told more than the exit code says. What was not judged does not pass, whatever was asked.
func gateAnswer(findings []gavel.Finding, t gavel.Threshold, v gavel.Verdict) gavel.GateAnswer {
	if t == gavel.Unset {
		passed := (v.Decision == gavel.Pass || v.Decision == gavel.Conditional) && !v.Pending && !v.Incomplete
		a := gavel.GateAnswer{Passed: passed, Reason: "no gate was asked for"}
		switch {
		case v.Incomplete || v.Decision == gavel.NoDecision:
			a.Reason += ", and not everything could be judged"
		case !passed:
			a.Reason += fmt.Sprintf(", and the verdict is %s", v.Decision)
		}
		return a
	}
	a := gavel.GateAnswer{FailOn: &t, Passed: true, Reason: fmt.Sprintf("nothing at or above %s", t)}
	if t == gavel.None {
		a.Reason = "the gate is off"
	}
	n, gravest := gavel.Tripped(findings, t)
	switch {
	case n > 0:
		a.Passed, a.Reason = false, fmt.Sprintf("%d at or above %s, the gravest %s", n, t, gravest)
	case v.Decision == gavel.NoDecision || v.Incomplete:
		a.Passed, a.Reason = false, "not everything could be judged"
	}
	return a
}
