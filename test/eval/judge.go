package main

import (
	"cmp"
	"fmt"
	"os"
	"slices"
	"strings"
)

// outOfScope are CredData's categories whose values are no credentials: they count neither as found nor as missed.
var outOfScope = []string{"UUID", "Nonce", "Firebase Domain", "AWS S3 Bucket", "Salt", "Other", "Info", "CMD ConvertTo-SecureString"}

// score counts what was found, what was found wrongly and what was missed.
type score struct{ tp, fp, fn int }

func (s score) precision() float64 { return ratio(s.tp, s.tp+s.fp) }
func (s score) recall() float64    { return ratio(s.tp, s.tp+s.fn) }
func (s score) f1() float64 {
	p, r := s.precision(), s.recall()
	if p+r == 0 {
		return 0
	}
	return 2 * p * r / (p + r)
}

func ratio(a, b int) float64 {
	if b == 0 {
		return 0
	}
	return float64(a) / float64(b)
}

// share is a part of a whole.
type share struct{ part, whole int }

func (s *share) count(hit bool) {
	s.whole++
	if hit {
		s.part++
	}
}

type flakyScore struct {
	score
	weak, pairs share
	onFixed     int // findings on lines that the fix put in
}

type riskScore struct{ found, flagged share }

// verdict is what the labels say of one finding.
type verdict struct {
	set, rule string
	right     bool
}

// result is what one tool's findings come to.
type result struct {
	cred            score
	samples, wrong  share // samples that must be found; that must not be
	flaky, snippets flakyScore
	risky           map[string]*riskScore // by language
	diffs           int
	noise           map[string]int // findings on ordinary diffs by category
	aboveInfo       int
	noiseKinds      map[string]int

	verdicts []verdict
	misses   []string
}

func judge(s *sets, found []finding) *result {
	r := &result{risky: make(map[string]*riskScore), noise: make(map[string]int), noiseKinds: make(map[string]int)}
	byFile := make(map[string][]finding)
	for _, f := range found {
		byFile[f.File] = append(byFile[f.File], f)
	}
	for _, c := range s.cred {
		r.judgeCred(c, byFile[setCred+"/"+c.File])
	}
	for _, c := range s.samples {
		r.judgeSample(c, byFile[setSamples+"/"+c.ID])
	}
	for _, c := range s.flaky {
		r.judgeFlaky(setFlaky, &r.flaky, c, byFile)
	}
	for _, c := range s.snippets {
		r.judgeFlaky(setSnippets, &r.snippets, c, byFile)
	}
	for _, c := range s.risky {
		r.judgeRisky(s, c, byFile[setRisky+"/"+c.File])
	}
	for _, c := range s.noise {
		r.judgeNoise(byFile[setNoise+"/"+c.Diff])
	}
	return r
}

func (r *result) verdict(set string, f finding, right bool) {
	r.verdicts = append(r.verdicts, verdict{set, f.Kind, right})
	if !right {
		r.miss("false %s:%d %s", f.File, f.Line, f.Kind)
	}
}

func (r *result) miss(format string, args ...any) {
	r.misses = append(r.misses, fmt.Sprintf(format, args...))
}

func (r *result) judgeCred(c credFile, hits []finding) {
	type place struct{ from, to int }
	type truth struct {
		secret  bool
		inScope []string
	}
	places := make(map[place]*truth)
	for _, l := range c.Labels {
		at := place{l.Line, l.EndLine}
		t := places[at]
		if t == nil {
			t = &truth{}
			places[at] = t
		}
		if l.Label == "T" {
			t.secret = true
			for _, category := range strings.Split(l.Category, ":") {
				if !slices.Contains(outOfScope, category) {
					t.inScope = append(t.inScope, category)
				}
			}
		}
	}
	for at, t := range places {
		if len(t.inScope) == 0 {
			continue
		}
		if slices.ContainsFunc(hits, func(h finding) bool { return h.Line <= at.to && h.EndLine >= at.from }) {
			r.cred.tp++
			continue
		}
		r.cred.fn++
		r.miss("missed %s/%s:%d %s", setCred, c.File, at.from, strings.Join(t.inScope, ","))
	}
	for _, h := range hits {
		right := false
		for at, t := range places {
			right = right || t.secret && h.Line <= at.to && h.EndLine >= at.from
		}
		if !right {
			r.cred.fp++
		}
		r.verdict(setCred, h, right)
	}
}

func (r *result) judgeSample(c sample, hits []finding) {
	if c.Label == "T" {
		r.samples.count(len(hits) > 0)
		if len(hits) == 0 {
			r.miss("missed %s/%s %s", setSamples, c.ID, c.Rule)
		}
	} else {
		r.wrong.count(len(hits) > 0)
	}
	for _, h := range hits {
		r.verdict(setSamples, h, c.Label == "T")
	}
}

// tolerance is how many lines a finding may stand off its label.
const tolerance = 1

func (f finding) near(line int) bool { return f.Line-tolerance <= line && line <= f.EndLine+tolerance }

func (f finding) nearAny(labels []label) *label {
	for i := range labels {
		if f.near(labels[i].Line) {
			return &labels[i]
		}
	}
	return nil
}

func (r *result) judgeFlaky(set string, s *flakyScore, c flakyCase, byFile map[string][]finding) {
	before, after := byFile[set+"/"+c.Flaky], byFile[set+"/"+c.Fixed]
	seen, clean := true, true
	for _, l := range c.Labels {
		hit := slices.ContainsFunc(before, func(f finding) bool { return f.near(l.Line) })
		switch l.Strength {
		case "strong":
			if hit {
				s.tp++
			} else {
				s.fn++
			}
		case "weak":
			s.weak.count(hit)
		default:
			continue
		}
		if !hit {
			seen = false
			r.miss("missed %s/%s:%d %s %s", set, c.Flaky, l.Line, l.Kind, l.Strength)
		}
	}
	for _, f := range before {
		l := f.nearAny(c.Labels)
		switch {
		case l != nil && l.Strength != "poll":
			r.verdict(set, f, true)
		case l == nil && c.before[f.Line]:
			s.fp++
			r.verdict(set, f, false)
		}
	}
	for _, f := range after {
		if c.after[f.Line] {
			s.fp++
			s.onFixed++
			clean = false
			r.verdict(set, f, false)
		}
	}
	s.pairs.count(seen && clean)
}

func (r *result) judgeRisky(s *sets, c riskyFile, hits []finding) {
	lang := r.risky[c.Lang]
	if lang == nil {
		lang = &riskScore{}
		r.risky[c.Lang] = lang
	}
	codes := strings.Join(c.codes(), ",")
	switch {
	case c.LabelKind == "line":
		judged := make(map[int]bool)
		for _, l := range c.Labels {
			if judged[l.Line] {
				continue
			}
			judged[l.Line] = true
			hit := slices.ContainsFunc(hits, func(f finding) bool { return f.near(l.Line) })
			lang.found.count(hit)
			if !hit {
				r.miss("missed %s/%s:%d %s", setRisky, c.File, l.Line, l.Rule)
			}
		}
	case c.Expected > 0:
		lang.found.count(len(hits) > 0)
		if len(hits) == 0 {
			r.miss("missed %s/%s %s", setRisky, c.File, codes)
		}
	default:
		lang.flagged.count(len(hits) > 0)
		if len(hits) > 0 {
			r.miss("flagged %s/%s %s by %s", setRisky, c.File, codes, hits[0].Kind)
		}
	}
	r.judgeRules(s, c, hits)
}

// judgeRules judges the findings of those rules that stand for what the file was labelled for; what else is risky in it nobody
// has judged.
func (r *result) judgeRules(s *sets, c riskyFile, hits []finding) {
	codes, counted := c.codes(), make(map[string]int)
	for _, h := range hits {
		if !slices.ContainsFunc(codes, func(code string) bool { return slices.Contains(s.codes[h.Kind], code) }) {
			continue
		}
		if c.LabelKind == "line" {
			r.verdict(setRisky, h, h.nearAny(c.Labels) != nil)
			continue
		}
		counted[h.Kind]++
		r.verdict(setRisky, h, counted[h.Kind] <= c.Expected)
	}
}

func (r *result) judgeNoise(hits []finding) {
	r.diffs++
	for _, h := range hits {
		category := cmp.Or(h.Category, "any")
		r.noise[category]++
		r.noiseKinds[h.Kind]++
		if h.Severity != "info" {
			r.aboveInfo++
			r.miss("noise %s:%d %s %s", h.File, h.Line, h.Kind, h.Severity)
		}
	}
}

func (r *result) writeMisses(path string) error {
	slices.Sort(r.misses)
	return os.WriteFile(path, []byte(strings.Join(r.misses, "\n")+"\n"), 0o644)
}
