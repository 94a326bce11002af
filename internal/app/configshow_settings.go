package app

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/gavel-review/gavel"
)

// originDefault is the origin of what nobody has set.
const originDefault = "default"

// settingsOf flattens the policy of the last step. A key's origin is the last step in which its value changed.
func settingsOf(steps []policyStep) []ConfigSetting {
	var now []ConfigSetting
	for _, step := range steps {
		before := now
		now = flattenPolicy(step.Policy)
		for i := range now {
			now[i].Origin = step.Origin
			if j := slices.IndexFunc(before, func(s ConfigSetting) bool { return s.Key == now[i].Key }); j >= 0 && before[j].Value == now[i].Value {
				now[i].Origin = before[j].Origin
			}
		}
	}
	return now
}

// flattenPolicy lists the keys of a policy that have a value, as they are written in a configuration file.
func flattenPolicy(p gavel.Policy) []ConfigSetting {
	f := flattening{}
	f.add("policy.mode", tomlString(string(p.Mode)))
	f.add("policy.fail_on", tomlString(string(p.FailOn)))
	f.add("policy.warn_on", tomlString(string(p.WarnOn)))
	f.add("policy.required", tomlStrings(p.Required))
	f.add("policy.exclude", tomlStrings(p.Exclude))
	f.add("policy.baseline", strconv.FormatBool(p.Baseline))
	f.add("policy.suppressions", strconv.FormatBool(p.Suppressions))
	f.severities(p.Severities)
	for _, profile := range slices.Sorted(maps.Keys(p.Budgets)) {
		f.add("policy.budgets."+string(profile), tomlString(p.Budgets[profile].String()))
	}
	for _, s := range gavel.Severities {
		if n, ok := p.Guard.Thresholds[s]; ok {
			f.add("policy.guard.thresholds."+s.String(), strconv.Itoa(n))
		}
	}
	if p.Guard.Total != nil {
		f.add("policy.guard.total", strconv.Itoa(*p.Guard.Total))
	}
	f.bounds("policy.guard.rules.", p.Guard.Rules)
	f.bounds("policy.guard.paths.", p.Guard.Paths)
	f.add("policy.guard.new_only", strconv.FormatBool(p.Guard.NewOnly))
	return f.settings
}

type flattening struct{ settings []ConfigSetting }

func (f *flattening) add(key, value string) {
	f.settings = append(f.settings, ConfigSetting{Key: key, Value: value})
}

func (f *flattening) bounds(prefix string, bounds map[string]int) {
	for _, name := range slices.Sorted(maps.Keys(bounds)) {
		f.add(prefix+tomlKey(name), strconv.Itoa(bounds[name]))
	}
}

// severities shows a minimum, which a newer layer has asked for, as one: it raises a rule and never lowers it.
func (f *flattening) severities(severities map[string]gavel.Severity) {
	rules := slices.SortedFunc(maps.Keys(severities), func(a, b string) int {
		return cmp.Or(strings.Compare(strings.TrimPrefix(a, ">="), strings.TrimPrefix(b, ">=")), strings.Compare(a, b))
	})
	for _, rule := range rules {
		word := severities[rule].String()
		if name, minimum := strings.CutPrefix(rule, ">="); minimum {
			f.add("policy.severities."+tomlKey(name), tomlString(">= "+word))
			continue
		}
		f.add("policy.severities."+tomlKey(rule), tomlString(word))
	}
}

// tomlKey quotes a key where TOML wants it quoted.
func tomlKey(key string) string {
	bare := key != "" && strings.IndexFunc(key, func(r rune) bool {
		return r != '-' && r != '_' && (r < '0' || r > '9') && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z')
	}) < 0
	if bare {
		return key
	}
	return tomlString(key)
}

// tomlString writes a basic string. What a terminal could act on is escaped, also where TOML would not ask for it.
func tomlString(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\t':
			b.WriteString(`\t`)
		case !unicode.IsPrint(r):
			b.WriteString(tomlEscape(r))
		default:
			b.WriteRune(r)
		}
	}
	b.WriteByte('"')
	return b.String()
}

func tomlEscape(r rune) string {
	hex := strings.ToUpper(strconv.FormatInt(int64(r), 16))
	if len(hex) <= 4 {
		return `\u` + strings.Repeat("0", 4-len(hex)) + hex
	}
	return `\U` + strings.Repeat("0", 8-len(hex)) + hex
}

func tomlStrings(list []string) string {
	quoted := make([]string, len(list))
	for i, s := range list {
		quoted[i] = tomlString(s)
	}
	return "[" + strings.Join(quoted, ", ") + "]"
}
