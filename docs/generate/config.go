package main

import (
	"fmt"
	"reflect"
	"strings"

	"github.com/gavel-review/gavel"
	"github.com/gavel-review/gavel/internal/app"
)

const configIntro = `Two files, both TOML, both strict: an unknown key is an error that names its line.

- **The repository's** ` + "`" + app.RepoConfigPath + "`" + ` says what may pass. It counts as it stands on the trusted base: the tip of the branch that
  changes are merged into. HEAD and the change itself can only tighten it, in the direction given in the last column; what
  they would loosen is reported and ignored.
- **The user's** ` + "`$XDG_CONFIG_HOME/gavel/config.toml`" + ` (else ` + "`~/.config/gavel/config.toml`" + `) may also hold a floor that no repository
  loosens, and alone chooses the reviewer.

The layers, oldest first: built-in, user, trusted base, environment, the user's floor; then HEAD and the change.
` + "`gavel config show --origin`" + ` shows what is in force and why.

`

// variables are the environment variables that are read.
var variables = []struct{ name, meaning string }{
	{"GAVEL_MODE", "`policy.mode`; above the trusted base, below the floor"},
	{"GAVEL_FAIL_ON", "`policy.fail_on`, likewise"},
	{"GAVEL_WARN_ON", "`policy.warn_on`, likewise"},
	{"GAVEL_REPO", "the repository where none is named; an absolute path"},
	{"GAVEL_HOME", "the state folder: kept reviews and acknowledgements; an absolute path; default `$XDG_STATE_HOME/gavel`, else `~/.local/state/gavel`"},
	{"SOURCE_DATE_EPOCH", "fixes the time that a review is stamped with, in seconds since 1970, so that equal input gives equal bytes"},
	{"NO_COLOR", "no colours, whatever its value"},
}

func configPage(s *source) (string, error) {
	var b strings.Builder
	b.WriteString(configIntro)
	for _, file := range []struct{ title, typ string }{{"Repository: " + app.RepoConfigPath, "RepoConfig"}, {"User: config.toml", "UserConfig"}} {
		k := keyTable{source: s, user: file.typ == "UserConfig"}
		if err := k.add(file.typ, "", reflect.Value{}); err != nil {
			return "", err
		}
		fmt.Fprintf(&b, "## %s\n\n", file.title)
		table(&b, []string{"key", "value", "default", "meaning", "a newer layer moves it"}, k.rows)
	}
	b.WriteString("## Environment\n\n")
	var rows [][]string
	for _, v := range variables {
		rows = append(rows, []string{quote(v.name), sentence(v.meaning)})
	}
	table(&b, []string{"variable", "meaning"}, rows)
	return b.String(), nil
}

// keyMeanings say what the keys of the configuration files do.
var keyMeanings = map[string]string{
	"version":                 "Needed; 1 is the only one.",
	"policy":                  "What may pass.",
	"policy.mode":             "What a verdict does to the exit code: shadow and warn turn 1 and 2 into 0.",
	"policy.fail_on":          "A new finding at or above it blocks.",
	"policy.warn_on":          "A new finding at or above it, medium at least, makes the verdict CONDITIONAL.",
	"policy.required":         "Checks that must have measured something.",
	"policy.severities":       "Severity by rule id.",
	"policy.exclude":          "Paths and globs whose findings do not count; grave secrets count all the same.",
	"policy.baseline":         "Whether `.gavel/baseline.json` of the trusted base settles findings.",
	"policy.suppressions":     "Whether suppression comments settle findings.",
	"policy.budgets":          "How long `gavel run` may take, by profile; 120s and 30m where nothing is said.",
	"policy.guard":            "Bounds for `gavel guard`.",
	"policy.guard.thresholds": "At most so many findings of a severity.",
	"policy.guard.total":      "At most so many findings.",
	"policy.guard.rules":      "At most so many findings of a rule.",
	"policy.guard.paths":      "At most so many findings below a path.",
	"policy.guard.new_only":   "Count only findings that the baseline does not know.",
	"floor":                   "What no repository may loosen: the same keys as `policy`.",
	"review":                  "The reviewer.",
	"review.provider":         "Who reviews beside the detectors; `none` where it is not set.",
	"review.model":            "The provider's model.",
}

// keyTable collects the keys of one file.
type keyTable struct {
	source *source
	user   bool // the user's file, where the keys of the policy need not be repeated
	rows   [][]string
}

// add lists the keys of a struct and of the tables in it. policy is the default policy's value at this place.
func (k *keyTable) add(typ, prefix string, policy reflect.Value) error {
	st, ok := k.source.structs[typ]
	if !ok {
		return fmt.Errorf("the source has no struct %s", typ)
	}
	for _, f := range st.fields {
		key := prefix + f.key
		known, ok := keyMeanings[key]
		if !ok {
			return fmt.Errorf("key %s has no meaning", key)
		}
		value := reflect.Value{}
		if policy.IsValid() {
			value = policy.FieldByName(f.name)
		} else if key == "policy" {
			value = reflect.ValueOf(gavel.DefaultPolicy())
		}
		if _, nested := k.source.structs[f.typ]; nested {
			if err := k.table(f, key, known, value); err != nil {
				return err
			}
			continue
		}
		order := ""
		if policy.IsValid() {
			order = orderText(f)
		}
		k.rows = append(k.rows, []string{quote(key), valueText(f.typ), defaultText(value), known, order})
	}
	return nil
}

func (k *keyTable) table(f structField, key, known string, value reflect.Value) error {
	repeated := k.user && key == "policy"
	if repeated {
		known += " The same keys as in the repository's file."
	}
	k.rows = append(k.rows, []string{quote(key), "table", "", known, ""})
	if repeated || key == "floor" {
		return nil
	}
	return k.add(f.typ, key+".", value)
}

// orderText says in which direction a newer layer may move a key, as the comment behind the key has it. The bounds of
// the guard have none: they move as their kind does.
func orderText(f structField) string {
	word, _, _ := strings.Cut(strings.TrimSpace(f.comment), " ")
	if word == "" {
		word = "min"
		if f.typ == "bool" {
			word = "and"
		}
	}
	return map[string]string{
		"max": "only up", "min": "only down", "min:": "only down", "union": "only by adding",
		"intersection": "only by removing", "and": "only to false",
	}[word]
}

// valueText says what a key of the type holds.
func valueText(typ string) string {
	severities := make([]string, 0, len(gavel.Severities))
	for _, s := range gavel.Severities {
		severities = append(severities, s.String())
	}
	switch typ {
	case "EnforcementMode":
		return quoteAll([]string{string(gavel.ModeShadow), string(gavel.ModeWarn), string(gavel.ModeBlock)})
	case "Threshold":
		return quoteAll(append(severities, string(gavel.Any), string(gavel.None)))
	case "bool":
		return "true or false"
	case "int":
		return "whole number"
	case "[]string":
		return "list of strings"
	case "map[string]Severity":
		return "table of severities: " + quoteAll(severities)
	case "map[Profile]Budget":
		return "table of durations: " + quoteAll([]string{string(gavel.ProfileQuick), string(gavel.ProfileDeep)})
	case "map[string]int":
		return "table of whole numbers"
	}
	return typ
}

// defaultText is the built-in value as TOML; what has none is empty.
func defaultText(v reflect.Value) string {
	if !v.IsValid() {
		return ""
	}
	switch v.Kind() {
	case reflect.String:
		return fmt.Sprintf("`%q`", v.String())
	case reflect.Bool:
		return fmt.Sprintf("`%t`", v.Bool())
	case reflect.Slice:
		return "`[]`"
	}
	return ""
}
