package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/gavel-review/gavel"
	"github.com/gavel-review/gavel/internal/detect"
)

// A rule keeps a severity of medium or higher by at least so many judged findings and so high a precision, unless its
// structure alone tells what it finds.
const (
	leastJudged    = 5
	leastPrecision = .80
)

// precision is docs/reference/precision.json.
type precision struct {
	Date  string                    `json:"date"`
	Sets  []dataSet                 `json:"sets"`
	Rules map[string]*rulePrecision `json:"rules"`
}

type dataSet struct {
	Name   string `json:"name"`
	Source string `json:"source"`
	Cases  int    `json:"cases"`
}

type rulePrecision struct {
	N         int                  `json:"n"`         // judged findings
	Right     int                  `json:"right"`     // of them
	Precision float64              `json:"precision"` // two decimals
	Sets      map[string]*judgedBy `json:"sets"`
	Noise     float64              `json:"per_100_diffs"` // findings per 100 ordinary diffs, one decimal
}

type judgedBy struct {
	N     int `json:"n"`
	Right int `json:"right"`
}

func (r *result) precision(s *sets) *precision {
	p := &precision{Date: today(), Rules: make(map[string]*rulePrecision)}
	for _, set := range []dataSet{
		{setCred, "Samsung/CredData (Apache-2.0): labelled lines of public repositories", len(s.cred)},
		{setSamples, "gitleaks/gitleaks (MIT): the rules' own samples", len(s.samples)},
		{setFlaky, "public repositories' own fixes of flaky tests: " + strings.Join(repositories(s.flaky), ", "), len(s.flaky)},
		{setSnippets, "pairs of a flaky and a sound test, written for this project", len(s.snippets)},
		{setRisky, "securego/gosec (Apache-2.0), eslint-community/eslint-plugin-security (Apache-2.0), astral-sh/ruff (MIT): samples of their rules", len(s.risky)},
		{setNoise, "ordinary commits of public repositories, not labelled", len(s.noise)},
	} {
		if set.Cases > 0 {
			p.Sets = append(p.Sets, set)
		}
	}
	for _, v := range r.verdicts {
		p.add(v)
	}
	for kind, n := range r.noiseKinds {
		if detect.Rule(kind) != nil {
			p.rule(kind).Noise = round(100*ratio(n, r.diffs), 1)
		}
	}
	for _, j := range p.Rules {
		j.Precision = round(ratio(j.Right, j.N), 2)
	}
	return p
}

func repositories(cases []flakyCase) []string {
	var names []string
	for _, c := range cases {
		names = append(names, c.Repo)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

func (p *precision) rule(id string) *rulePrecision {
	if p.Rules[id] == nil {
		p.Rules[id] = &rulePrecision{Sets: make(map[string]*judgedBy)}
	}
	return p.Rules[id]
}

func (p *precision) add(v verdict) {
	j := p.rule(v.rule)
	set := j.Sets[v.set]
	if set == nil {
		set = &judgedBy{}
		j.Sets[v.set] = set
	}
	j.N++
	set.N++
	if v.right {
		j.Right++
		set.Right++
	}
}

func round(f float64, digits int) float64 {
	out, _ := strconv.ParseFloat(strconv.FormatFloat(f, 'f', digits, 64), 64)
	return out
}

// today is the day of the measurement; SOURCE_DATE_EPOCH fixes it.
func today() string {
	now := time.Now()
	if n, err := strconv.ParseInt(os.Getenv("SOURCE_DATE_EPOCH"), 10, 64); err == nil {
		now = time.Unix(n, 0)
	}
	return now.UTC().Format(time.DateOnly)
}

// write puts the numbers into the reference and beside the detectors, where the program reads them.
func (p *precision) write() error {
	data, err := json.MarshalIndent(p, "", "  ")
	if err != nil {
		return err
	}
	data = append(data, '\n')
	if _, err := os.Stat("go.mod"); err != nil {
		return errors.New("run it in the module's own folder, where the reference is")
	}
	for _, path := range []string{"docs/reference/precision.json", "internal/detect/precision.json"} {
		if err := os.WriteFile(filepath.FromSlash(path), data, 0o644); err != nil {
			return err
		}
		fmt.Println("written:", path)
	}
	return nil
}

// ratedMedium returns the rules of medium severity and higher.
func ratedMedium() []*gavel.Rule {
	return slices.DeleteFunc(detect.Rules(), func(r *gavel.Rule) bool { return r.Severity < gavel.Medium })
}

func packOf(id string) string {
	pack, _, _ := strings.Cut(id, "/")
	return pack
}
