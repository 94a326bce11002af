package app

import (
	"maps"
	"slices"
	"strings"

	"github.com/gavel-review/gavel"
	"github.com/gavel-review/gavel/internal/detect"
)

// checkIDs wants every rule and check that a layer names to exist: a misspelt one would silently judge nothing. The
// error names the line and, where one is near, the id that was meant.
func checkIDs(name string, data []byte, layer gavel.PolicyLayer) error {
	for _, id := range layer.Required {
		if !knownCheck(id) {
			return unknownID(name, data, "policy.required", "check", id)
		}
	}
	for _, id := range slices.Sorted(maps.Keys(layer.Severities)) {
		if !knownRule(id) {
			return unknownID(name, data, "policy.severities", "rule", id)
		}
	}
	if layer.Guard == nil {
		return nil
	}
	for _, id := range slices.Sorted(maps.Keys(layer.Guard.Rules)) {
		if !knownRule(id) {
			return unknownID(name, data, "policy.guard.rules", "rule", id)
		}
	}
	return nil
}

// knownRule reports whether the id is one of a detector's rule, an old one included, or of a check or one of its rules.
func knownRule(id string) bool {
	if check, ok := strings.CutPrefix(id, "check/"); ok {
		check, _, _ = strings.Cut(check, "/")
		return knownCheck(check)
	}
	if !strings.Contains(id, "/") {
		return knownCheck(id)
	}
	return detect.Rule(id) != nil
}

// knownCheck reports whether a check may have the id. A repository names its own checks in a file of theirs, so that only
// the spelling is looked at here.
func knownCheck(id string) bool {
	return id != "" && strings.Trim(id, "abcdefghijklmnopqrstuvwxyz0123456789-_.") == ""
}

func unknownID(name string, data []byte, key, kind, id string) error {
	e := configError(name, "line %d: %s: no %s is called %q", lineOfKey(data, id), key, kind, id)
	if kind != "rule" {
		return e
	}
	best, least := "", 4
	for _, r := range detect.Rules() {
		if d := gavel.EditDistance(id, r.ID); d < least {
			best, least = r.ID, d
		}
	}
	if best != "" {
		return e.WithHint("did you mean %q?", best)
	}
	return e.WithHint("gavel rules lists them; rules of your own have their severity in their file")
}

// lineOfKey is the number of the first line that holds the word in front of any comment, 1 where none does.
func lineOfKey(data []byte, word string) int {
	number := 0
	for line := range strings.Lines(string(data)) {
		number++
		if at := strings.Index(line, word); at >= 0 && !strings.HasPrefix(strings.TrimSpace(line), "#") {
			return number
		}
	}
	return 1
}
