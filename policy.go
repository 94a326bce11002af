package gavel

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// EnforcementMode says what a verdict does to the exit code. It never touches the verdict itself.
type EnforcementMode string

// The modes, weakest first.
const (
	ModeShadow EnforcementMode = "shadow" // print the summary line, exit 0 in place of 1 and 2
	ModeWarn   EnforcementMode = "warn"   // print the findings, exit 0 in place of 1 and 2
	ModeBlock  EnforcementMode = "block"  // exit codes as they are
)

var modeOrder = []EnforcementMode{ModeShadow, ModeWarn, ModeBlock}

// softens reports whether the mode takes the exit codes of measured badness away. A word outside the closed list does
// not.
func (m EnforcementMode) softens() bool { return m == ModeShadow || m == ModeWarn }

// strictness orders modes; a word outside the closed list stops as much as block.
func (m EnforcementMode) strictness() int {
	if i := slices.Index(modeOrder, m); i >= 0 {
		return i
	}
	return len(modeOrder) - 1
}

// ParseMode reads shadow, warn or block.
func ParseMode(word string) (EnforcementMode, error) {
	if slices.Contains(modeOrder, EnforcementMode(word)) {
		return EnforcementMode(word), nil
	}
	return "", fmt.Errorf("unknown mode %q: use shadow, warn or block", word)
}

// Policy says what may pass. Make one from [DefaultPolicy]; an unset threshold means the default one.
type Policy struct {
	Mode         EnforcementMode     `json:"mode"`
	FailOn       Threshold           `json:"fail_on"`
	WarnOn       Threshold           `json:"warn_on"`
	Required     []string            `json:"required"`     // checks that must have measured something
	Severities   map[string]Severity `json:"severities"`   // rule or check id -> severity
	Exclude      []string            `json:"exclude"`      // path patterns whose findings are settled as excluded
	Baseline     bool                `json:"baseline"`     // whether the baseline settles anything
	Suppressions bool                `json:"suppressions"` // whether suppression comments settle anything
	Budgets      map[Profile]Budget  `json:"budgets"`      // how long a run may take
	Guard        GuardPolicy         `json:"guard"`
}

// GuardPolicy bounds the findings of a document. A missing bound does not bound.
type GuardPolicy struct {
	Thresholds map[Severity]int `json:"thresholds"` // at most that many findings of exactly this severity
	Total      *int             `json:"total"`
	Rules      map[string]int   `json:"rules"` // rule id -> at most
	Paths      map[string]int   `json:"paths"` // path pattern -> at most
	NewOnly    bool             `json:"new_only"`
}

// DefaultPolicy is what applies where nobody has said anything.
func DefaultPolicy() Policy {
	return Policy{Mode: ModeBlock, FailOn: "high", WarnOn: "medium", Baseline: true, Suppressions: true}
}

// bars returns the thresholds in force.
func (p Policy) bars() (failOn, warnOn Threshold) {
	d := DefaultPolicy()
	return cmp.Or(p.FailOn, d.FailOn), cmp.Or(p.WarnOn, d.WarnOn)
}

// PolicyLayer is one source's opinion; a nil field is no opinion. The comment behind each key is its order: the
// direction in which a newer layer may move it.
type PolicyLayer struct {
	Mode         *EnforcementMode    `toml:"mode"`         // max of shadow < warn < block
	FailOn       *Threshold          `toml:"fail_on"`      // min: a lower bar stops more
	WarnOn       *Threshold          `toml:"warn_on"`      // min
	Required     []string            `toml:"required"`     // union
	Severities   map[string]Severity `toml:"severities"`   // max per rule
	Exclude      []string            `toml:"exclude"`      // intersection
	Baseline     *bool               `toml:"baseline"`     // and
	Suppressions *bool               `toml:"suppressions"` // and
	Budgets      map[Profile]Budget  `toml:"budgets"`      // min per profile
	Guard        *GuardLayer         `toml:"guard"`
}

// GuardLayer is one source's opinion on [GuardPolicy]; every bound's order is min, NewOnly's is and.
type GuardLayer struct {
	Thresholds map[string]int `toml:"thresholds"`
	Total      *int           `toml:"total"`
	Rules      map[string]int `toml:"rules"`
	Paths      map[string]int `toml:"paths"`
	NewOnly    *bool          `toml:"new_only"`
}

// Validate reports every value that no layer may hold, by key.
func (l PolicyLayer) Validate() []string {
	var faults []string
	fault := func(key string, err error) {
		if err != nil {
			faults = append(faults, key+": "+err.Error())
		}
	}
	if l.Mode != nil {
		_, err := ParseMode(string(*l.Mode))
		fault("mode", err)
	}
	for key, t := range map[string]*Threshold{"fail_on": l.FailOn, "warn_on": l.WarnOn} {
		if t != nil {
			_, err := ParseThreshold(string(*t))
			fault(key, err)
		}
	}
	for rule, s := range l.Severities {
		if rule == "" || strings.HasPrefix(rule, minimumPrefix) {
			fault("severities", fmt.Errorf("%q is not a rule id", rule))
		}
		if _, err := s.MarshalText(); err != nil {
			fault("severities."+rule, err)
		}
	}
	for profile := range l.Budgets {
		if _, err := ParseProfile(string(profile)); err != nil {
			fault("budgets", fmt.Errorf("%q is neither quick nor deep", profile))
		}
	}
	if l.Guard != nil {
		faults = append(faults, l.Guard.validate()...)
	}
	slices.Sort(faults)
	return faults
}

func (g GuardLayer) validate() []string {
	var faults []string
	for word := range g.Thresholds {
		if _, err := ParseSeverity(word); err != nil {
			faults = append(faults, "guard.thresholds: "+err.Error())
		}
	}
	for name, bounds := range map[string]map[string]int{"thresholds": g.Thresholds, "rules": g.Rules, "paths": g.Paths} {
		for key, n := range bounds {
			if n < 0 {
				faults = append(faults, fmt.Sprintf("guard.%s.%s: %d is negative", name, key, n))
			}
		}
	}
	if g.Total != nil && *g.Total < 0 {
		faults = append(faults, fmt.Sprintf("guard.total: %d is negative", *g.Total))
	}
	return faults
}

// Override returns the policy with every opinion of the layer in force. Only a trusted layer may be applied this way.
func (p Policy) Override(l PolicyLayer) Policy {
	p = p.clone()
	set(&p.Mode, l.Mode)
	set(&p.FailOn, l.FailOn)
	set(&p.WarnOn, l.WarnOn)
	set(&p.Baseline, l.Baseline)
	set(&p.Suppressions, l.Suppressions)
	if l.Required != nil {
		p.Required = slices.Clone(l.Required)
	}
	if l.Exclude != nil {
		p.Exclude = slices.Clone(l.Exclude)
	}
	maps.Copy(p.Severities, l.Severities)
	maps.Copy(p.Budgets, l.Budgets)
	if g := l.Guard; g != nil {
		maps.Copy(p.Guard.Thresholds, g.thresholds())
		maps.Copy(p.Guard.Rules, g.Rules)
		maps.Copy(p.Guard.Paths, g.Paths)
		set(&p.Guard.NewOnly, g.NewOnly)
		if g.Total != nil {
			p.Guard.Total = new(*g.Total)
		}
	}
	return p
}

func set[T any](dst, src *T) {
	if src != nil {
		*dst = *src
	}
}

func (p Policy) clone() Policy {
	p.Required = slices.Clone(p.Required)
	p.Exclude = slices.Clone(p.Exclude)
	p.Severities = cloneMap(p.Severities)
	p.Budgets = cloneMap(p.Budgets)
	p.Guard.Thresholds = cloneMap(p.Guard.Thresholds)
	p.Guard.Rules = cloneMap(p.Guard.Rules)
	p.Guard.Paths = cloneMap(p.Guard.Paths)
	return p
}

func cloneMap[K comparable, V any](m map[K]V) map[K]V {
	c := make(map[K]V, len(m))
	maps.Copy(c, m)
	return c
}

func (g GuardLayer) thresholds() map[Severity]int {
	m := make(map[Severity]int, len(g.Thresholds))
	for word, n := range g.Thresholds {
		if s, err := ParseSeverity(word); err == nil {
			m[s] = n
		}
	}
	return m
}

// Tighten returns the policy moved only in the direction in which each key stops more, and the keys in which the
// layer would have let more pass. The layer's word is final nowhere: what it would loosen stays as it was.
func (p Policy) Tighten(l PolicyLayer) (Policy, []string) {
	t := tightening{p: p.clone()}
	t.p.FailOn, t.p.WarnOn = p.bars()
	t.scalars(l)
	t.lists(l)
	t.severities(l.Severities)
	t.budgets(l.Budgets)
	if l.Guard != nil {
		t.guard(*l.Guard)
	}
	slices.Sort(t.loosened)
	return t.p, t.loosened
}

type tightening struct {
	p        Policy
	loosened []string
}

func (t *tightening) loose(format string, args ...any) {
	t.loosened = append(t.loosened, fmt.Sprintf(format, args...))
}

func (t *tightening) scalars(l PolicyLayer) {
	if l.Mode != nil {
		if l.Mode.strictness() >= t.p.Mode.strictness() {
			t.p.Mode = *l.Mode
		} else {
			t.loose("mode %q (stays %q)", *l.Mode, t.p.Mode)
		}
	}
	threshold := func(key string, dst *Threshold, src *Threshold) {
		if src == nil {
			return
		}
		switch d := cmp.Compare(src.rank(), dst.rank()); {
		case d < 0:
			*dst = *src
		case d > 0:
			t.loose("%s %q (stays %q)", key, *src, *dst)
		}
	}
	threshold("fail_on", &t.p.FailOn, l.FailOn)
	threshold("warn_on", &t.p.WarnOn, l.WarnOn)
	both := func(key string, dst, src *bool) {
		if src == nil {
			return
		}
		if *src && !*dst {
			t.loose("%s = true (stays false)", key)
		}
		*dst = *dst && *src
	}
	both("baseline", &t.p.Baseline, l.Baseline)
	both("suppressions", &t.p.Suppressions, l.Suppressions)
}

func (t *tightening) lists(l PolicyLayer) {
	if l.Required != nil {
		for _, id := range t.p.Required {
			if !slices.Contains(l.Required, id) {
				t.loose("required without %q (stays)", id)
			}
		}
		for _, id := range l.Required {
			if !slices.Contains(t.p.Required, id) {
				t.p.Required = append(t.p.Required, id)
			}
		}
	}
	if l.Exclude != nil {
		for _, pattern := range l.Exclude {
			if !slices.Contains(t.p.Exclude, pattern) {
				t.loose("exclude %q (stays in)", pattern)
			}
		}
		t.p.Exclude = slices.DeleteFunc(t.p.Exclude, func(pattern string) bool { return !slices.Contains(l.Exclude, pattern) })
	}
}

// severities needs a floor for rules that no layer has set yet: there the rule's own severity counts, which is not
// known here, so a new entry is kept as a minimum and [Policy.SeverityOf] applies it.
func (t *tightening) severities(layer map[string]Severity) {
	for _, rule := range slices.Sorted(maps.Keys(layer)) {
		s := layer[rule]
		now, ok := t.p.Severities[rule]
		switch {
		case ok && s < now:
			t.loose("severities.%s %q (stays %q)", rule, s, now)
		case ok:
			t.p.Severities[rule] = s
		case s < t.p.Severities[minimumPrefix+rule]:
			t.loose("severities.%s %q (stays at least %q)", rule, s, t.p.Severities[minimumPrefix+rule])
		default:
			t.p.Severities[minimumPrefix+rule] = s
		}
	}
}

const minimumPrefix = ">="

// SeverityOf returns the severity of a rule under the policy, given the one that the detector found.
func (p Policy) SeverityOf(rule string, found Severity) Severity {
	return p.severityOf(found, rule)
}

// SeverityFor returns the severity of a finding under the policy. What is said of its rule comes before what is said of
// the check that reported it, in its project and then anywhere. No policy gives weight to what is descriptive.
func (p Policy) SeverityFor(f *Finding) Severity {
	if f.Descriptive {
		return f.Severity
	}
	if f.Source != SourceCheck {
		return p.SeverityOf(f.Rule, f.Severity)
	}
	return p.severityOf(f.Severity, f.Rule, f.Check, cmp.Or(CheckName(f.Check), checkOfRule(f.Rule)))
}

// CheckSeverity is the severity of a check's failure that no finding explains: high, unless policy says otherwise.
func (p Policy) CheckSeverity(id string) Severity { return p.severityOf(High, id, CheckName(id)) }

// severityOf takes the first of the keys that is set, and the highest of their minimums.
func (p Policy) severityOf(found Severity, keys ...string) Severity {
	var least Severity
	set := false
	for _, key := range keys {
		if s, ok := p.Severities[key]; ok && !set {
			found, set = s, true
		}
		least = max(least, p.Severities[minimumPrefix+key])
	}
	return max(found, least)
}

// checkOfRule is the check that a rule such as check/eslint/no-eval belongs to, "" where it is of no check.
func checkOfRule(rule string) string {
	rest, ok := strings.CutPrefix(rule, "check/")
	if !ok {
		return ""
	}
	name, _, _ := strings.Cut(rest, "/")
	return name
}

// budgets measures against the default where no layer has spoken: a longer one would be a loosening too.
func (t *tightening) budgets(layer map[Profile]Budget) {
	for _, profile := range slices.Sorted(maps.Keys(layer)) {
		if now := t.p.Budget(profile); layer[profile] > now {
			t.loose("budgets.%s %q (stays %q)", profile, layer[profile], now)
			continue
		}
		t.p.Budgets[profile] = layer[profile]
	}
}

func (t *tightening) guard(g GuardLayer) {
	tightenBounds(t, "guard.thresholds", t.p.Guard.Thresholds, g.thresholds())
	tightenBounds(t, "guard.rules", t.p.Guard.Rules, g.Rules)
	tightenBounds(t, "guard.paths", t.p.Guard.Paths, g.Paths)
	if g.Total != nil {
		if now := t.p.Guard.Total; now == nil || *g.Total <= *now {
			t.p.Guard.Total = new(*g.Total)
		} else {
			t.loose("guard.total %d (stays %d)", *g.Total, *now)
		}
	}
	if g.NewOnly != nil {
		if *g.NewOnly && !t.p.Guard.NewOnly {
			t.loose("guard.new_only = true (stays false)")
		}
		t.p.Guard.NewOnly = t.p.Guard.NewOnly && *g.NewOnly
	}
}

func tightenBounds[K comparable](t *tightening, key string, dst, src map[K]int) {
	for k, n := range src {
		if now, ok := dst[k]; ok && n > now {
			t.loose("%s.%v %d (stays %d)", key, k, n, now)
			continue
		}
		dst[k] = n
	}
}

// Missing lists the keys that the older layer sets and the newer one no longer does: leaving a key out would fall
// back to the default, so it is reported like any other loosening.
func (l PolicyLayer) Missing(newer PolicyLayer) []string {
	var keys []string
	gone := func(key string, had, has bool) {
		if had && !has {
			keys = append(keys, key)
		}
	}
	gone("mode", l.Mode != nil, newer.Mode != nil)
	gone("fail_on", l.FailOn != nil, newer.FailOn != nil)
	gone("warn_on", l.WarnOn != nil, newer.WarnOn != nil)
	gone("required", len(l.Required) > 0, newer.Required != nil)
	gone("baseline", l.Baseline != nil, newer.Baseline != nil)
	gone("suppressions", l.Suppressions != nil, newer.Suppressions != nil)
	missingKeys(gone, "severities.", l.Severities, newer.Severities)
	missingKeys(gone, "budgets.", l.Budgets, newer.Budgets)
	if had := l.Guard; had != nil {
		has := cmp.Or(newer.Guard, new(GuardLayer))
		missingKeys(gone, "guard.thresholds.", had.Thresholds, has.Thresholds)
		missingKeys(gone, "guard.rules.", had.Rules, has.Rules)
		missingKeys(gone, "guard.paths.", had.Paths, has.Paths)
		gone("guard.total", had.Total != nil, has.Total != nil)
		gone("guard.new_only", had.NewOnly != nil, has.NewOnly != nil)
	}
	slices.Sort(keys)
	return keys
}

func missingKeys[K ~string, V any](gone func(key string, had, has bool), prefix string, older, newer map[K]V) {
	for key := range older {
		_, has := newer[key]
		gone(prefix+string(key), true, has)
	}
}
